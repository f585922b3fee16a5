/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp_task.c - what gcc calls for explicit tasks
 *
 * A task's arguments are copied behind it, by a function of gcc's if they are objects of
 * C++.  They begin, if there is one, with the detach event; those of a taskloop with the
 * bounds, the second one behind the last iteration.
 */
#include "omp/gomp.h"

#include <string.h>

typedef void gomp_copy(void *to, void *from);

enum {
	TASK_FINAL = 1 << 1,
	TASK_DEPEND = 1 << 3,
	LOOP_UP = 1 << 8,
	LOOP_GRAINSIZE = 1 << 9,
	LOOP_IF = 1 << 10,
	LOOP_NOGROUP = 1 << 11,
	LOOP_REDUCTION = 1 << 12,
	TASK_DETACH = 1 << 13,
	LOOP_STRICT = 1 << 14,
};

/* A task with a copy of the arguments. */
static inline __attribute__((always_inline)) struct mp_task *task_new(mp_body *body, void *arg,
								      gomp_copy *copy,
								      size_t nbytes, size_t align,
								      unsigned flags, void **detach)
{
	align = align < 16 ? 16 : align;
	struct mp_task *t = mp_task_new(body, NULL, flags, nbytes + align);
	t->arg = (void *)(((uintptr_t)mp_task_room(t) + align - 1) & ~(align - 1));
	t->nbytes = nbytes;
	if (flags & MP_TASK_DETACHED) {
		*detach = t;
		if (arg)
			*(void **)arg = t;
	}
	t->is_new = !copy;
	if (copy) {
		mp_memory(t->arg, nbytes);
		copy(t->arg, arg);
	} else if (nbytes) {
		memcpy(t->arg, arg, nbytes);
	}
	return t;
}

enum { GOMP_IN = 1, GOMP_MUTEX = 4, GOMP_SET = 5 };

static enum mp_depend_kind kind_of(uintptr_t kind)
{
	if (kind < GOMP_IN || kind > GOMP_SET)
		mp_fail("OpenMP: a depend object that is not initialized");
	return kind == GOMP_IN	    ? MP_DEPEND_IN
	       : kind == GOMP_MUTEX ? MP_DEPEND_MUTEX
	       : kind == GOMP_SET   ? MP_DEPEND_SET
				    : MP_DEPEND_OUT;
}

/* All out, then in; or: 0, all, out, mutexinoutset, in, and the rest are depend objects. */
struct mp_depend *gomp_depends_read(struct mp_depend *small, void **depend, size_t *ret_n)
{
	bool is_long = !depend[0];
	size_t n = (size_t)depend[is_long], nout = (size_t)depend[1 + is_long];
	size_t nmutex = is_long ? (size_t)depend[3] : 0;
	size_t nin = is_long ? (size_t)depend[4] : n - nout;
	void **at = depend + (is_long ? 5 : 2);
	struct mp_depend *d = n > GOMP_SMALL ? mp_alloc(n * sizeof(*d)) : small;
	for (size_t i = 0; i < n; i++) {
		bool is_object = i >= nout + nmutex + nin;
		void **object = at[i];
		d[i].at = is_object ? object[0] : at[i];
		d[i].kind = is_object		? kind_of((uintptr_t)object[1])
			    : i < nout		? MP_DEPEND_OUT
			    : i < nout + nmutex ? MP_DEPEND_MUTEX
						: MP_DEPEND_IN;
	}
	*ret_n = n;
	return d;
}

void gomp_depends_done(struct mp_depend *small, struct mp_depend *d)
{
	if (d != small)
		mp_free(d);
}

/* Returns the place of a task. gcc gives the call the line of the region that the task is in,
 * but the task's code has its own line. */
static const void *place_of(mp_body *body)
{
	return (const char *)body + 1;
}

static __attribute__((noinline)) void task_depend(struct mp_task *t, void **depend)
{
	struct mp_depend small[GOMP_SMALL];
	size_t n;
	struct mp_depend *d = gomp_depends_read(small, depend, &n);
	mp_task_create(t, d, n);
	gomp_depends_done(small, d);
}

MP_ABI(void, GOMP_task, mp_body *body, void *arg, gomp_copy *copy, long nbytes, long align,
       bool is_deferred, unsigned flags, void **depend, int priority, void *detach)
{
	mp_enter(place_of(body));
	struct mp_task *t = task_new(body, arg, copy, (size_t)nbytes, (size_t)align,
				     (is_deferred ? 0 : MP_TASK_UNDEFERRED) |
					     (flags & TASK_FINAL ? MP_TASK_FINAL : 0) |
					     (flags & TASK_DETACH ? MP_TASK_DETACHED : 0),
				     detach);
	if (flags & TASK_DEPEND)
		task_depend(t, depend);
	else
		mp_task_create(t, NULL, 0);
	gomp_sent(arg);
}

MP_ABI(void, GOMP_taskwait, void)
{
	MP_ENTER();
	mp_taskwait();
}

MP_ABI(void, GOMP_taskwait_depend, void **depend)
{
	struct mp_depend small[GOMP_SMALL];
	size_t n;
	MP_ENTER();
	struct mp_depend *d = gomp_depends_read(small, depend, &n);
	mp_taskwait_depend(d, n);
	gomp_depends_done(small, d);
}

MP_ABI(void, GOMP_taskyield, void)
{
	MP_ENTER();
	mp_yield();
}

MP_ABI(void, GOMP_taskgroup_start, void)
{
	MP_ENTER();
	mp_group_begin();
}

MP_ABI(void, GOMP_taskgroup_end, void)
{
	MP_ENTER();
	mp_group_end();
}

struct taskloop {
	mp_body *body;
	void *arg;
	gomp_copy *copy;
	size_t nbytes, align;
	unsigned flags;
	uint64_t start, by;
};

static void taskloop_part(const void *loop, uint64_t from, uint64_t n)
{
	const struct taskloop *l = loop;
	struct mp_task *t = task_new(l->body, l->arg, l->copy, l->nbytes, l->align,
				     (l->flags & LOOP_IF ? 0 : MP_TASK_UNDEFERRED) |
					     (l->flags & TASK_FINAL ? MP_TASK_FINAL : 0),
				     NULL);
	uint64_t *bounds = t->arg;
	bounds[0] = l->start + from * l->by;
	bounds[1] = l->start + (from + n) * l->by;
	mp_task_create(t, NULL, 0);
}

static void taskloop(const struct taskloop *l, uint64_t count, uint64_t grain)
{
	bool has_table = l->flags & LOOP_REDUCTION && !(l->flags & LOOP_NOGROUP);
	uintptr_t *table = has_table ? ((uintptr_t **)l->arg)[2] : NULL;
	if (count == 0) {
		if (table)
			table[2] = 0; /* tells gcc that there is nothing to combine */
		return;
	}
	if (!(l->flags & LOOP_NOGROUP))
		mp_group_begin();
	if (table)
		GOMP_taskgroup_reduction_register(table);
	mp_taskloop(count,
		    (struct mp_grain){l->flags & LOOP_GRAINSIZE ? MP_GRAIN_SIZE : MP_GRAIN_TASKS,
				      grain, l->flags & LOOP_STRICT},
		    taskloop_part, l);
	if (!(l->flags & LOOP_NOGROUP))
		mp_group_end();
}

MP_ABI(void, GOMP_taskloop, mp_body *body, void *arg, gomp_copy *copy, long nbytes, long align,
       unsigned flags, unsigned long grain, int priority, long start, long end, long by)
{
	struct taskloop l = {
		body,	     arg, copy, (size_t)nbytes, (size_t)align, flags, (uint64_t)start,
		(uint64_t)by};
	mp_enter(place_of(body));
	taskloop(&l, gomp_range_count(gomp_range_of(start, end, by)), grain);
	gomp_sent(arg);
}

MP_ABI(void, GOMP_taskloop_ull, mp_body *body, void *arg, gomp_copy *copy, long nbytes, long align,
       unsigned flags, unsigned long grain, int priority, unsigned long long start,
       unsigned long long end, unsigned long long by)
{
	struct taskloop l = {body, arg, copy, (size_t)nbytes, (size_t)align, flags, start, by};
	mp_enter(place_of(body));
	taskloop(&l, gomp_range_count(gomp_range_of_ull(flags & LOOP_UP, start, end, by)), grain);
	gomp_sent(arg);
}
