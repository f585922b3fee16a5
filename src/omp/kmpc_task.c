/* SPDX-License-Identifier: Apache-2.0
 *
 * kmpc_task.c - what clang calls for explicit tasks
 *
 * Behind a task, in one block, are clang's kmp_task_t with the private copies, then the
 * addresses of what it shares.
 */
#include "omp/abi.h"

#include <string.h>

typedef int32_t kmp_routine(int32_t gtid, void *task);

union kmp_data {
	int32_t priority;
	kmp_routine *destructors;
};

struct kmp_task { /* a task in clang's layout */
	void *shareds;
	kmp_routine *routine;
	int32_t part;
	union kmp_data data1, data2;
};

enum {
	KMP_TASK_FINAL = 2,
	KMP_TASK_DESTRUCTORS = 8,
	KMP_TASK_PRIORITY = 32,
	KMP_TASK_DETACHABLE = 64,
};

struct block { /* lies after a task, whose argument is `kmp` */
	int32_t flags;
	bool is_undeferred; /* taskloop */
	bool is_in_parts, is_again, is_target;
	_Alignas(16) struct kmp_task kmp;
};

static struct block *block_of(void *kmp)
{
	return (struct block *)((char *)kmp - offsetof(struct block, kmp));
}

static struct mp_task *task_of(struct block *b)
{
	return (struct mp_task *)((char *)b - MP_TASK_BYTES);
}

static void body(void *arg)
{
	struct block *b = block_of(arg);
	b->kmp.routine(task_of(b)->number, &b->kmp);
	if (b->flags & KMP_TASK_DESTRUCTORS && b->kmp.data1.destructors)
		b->kmp.data1.destructors(task_of(b)->number, &b->kmp);
}

static inline __attribute__((always_inline)) struct block *block_new(int32_t flags, size_t nbytes)
{
	struct mp_task *t =
		mp_task_new(body, NULL,
			    (flags & KMP_TASK_FINAL ? MP_TASK_FINAL : 0) |
				    (flags & KMP_TASK_DETACHABLE ? MP_TASK_DETACHED : 0),
			    offsetof(struct block, kmp) + nbytes);
	struct block *b = mp_task_room(t);
	b->flags = flags;
	b->is_undeferred = b->is_in_parts = b->is_again = b->is_target = false;
	t->arg = &b->kmp;
	t->nbytes = nbytes;
	mp_memory(&b->kmp, nbytes);
	return b;
}

/* The task, which is created here.  Of a target region clang gives only the call before a line. */
static inline struct mp_task *task_here(void *kmp)
{
	struct block *b = block_of(kmp);
	struct mp_task *t = task_of(b);
	if (b->is_target)
		mp.place = t->place;
	if (b->is_target || (b->flags & KMP_TASK_PRIORITY && b->kmp.data2.priority == MP_TARGET))
		mp_target_task(t);
	t->place = mp.place;
	return t;
}

static inline __attribute__((always_inline)) struct block *
block_alloc(int32_t flags, size_t nbytes, size_t shared_bytes, kmp_routine *routine)
{
	size_t room = (nbytes + 15) & ~(size_t)15;
	struct block *b = block_new(flags, room + shared_bytes);
	b->kmp = (struct kmp_task){.shareds = shared_bytes ? (char *)&b->kmp + room : NULL,
				   .routine = routine};
	return b;
}

MP_ABI(void *, __kmpc_omp_task_alloc, void *loc, int32_t gtid, int32_t flags, size_t nbytes,
       size_t shared_bytes, kmp_routine *routine)
{
	MP_ENTER();
	return &block_alloc(flags, nbytes, shared_bytes, routine)->kmp;
}

MP_ABI(void *, __kmpc_omp_target_task_alloc, void *loc, int32_t gtid, int32_t flags, size_t nbytes,
       size_t shared_bytes, kmp_routine *routine, int64_t device)
{
	MP_ENTER();
	struct block *b = block_alloc(flags, nbytes, shared_bytes, routine);
	b->is_target = true;
	return &b->kmp;
}

/* Clang cuts an untied task where it may move to another thread: there the task asks to be called
 * again, for its next part, and returns.  It stays where it is, so the first to ask calls them
 * all. */
static void parts_run(struct block *b)
{
	b->is_again = true;
	if (b->is_in_parts)
		return;
	for (b->is_in_parts = true; b->is_again;) {
		b->is_again = false;
		b->kmp.routine(task_of(b)->number, &b->kmp);
	}
	b->is_in_parts = false;
}

MP_ABI(int32_t, __kmpc_omp_task, void *loc, int32_t gtid, void *task)
{
	struct block *b = block_of(task);
	if (MP_ENTER() == task_of(b))
		parts_run(b);
	else
		mp_task_create(task_here(task), NULL, 0);
	return 0;
}

struct kmp_depend {
	intptr_t base;
	size_t nbytes;
	uint8_t flags;
};

enum { KMP_IN = 1, KMP_OUT = 2, KMP_MUTEX = 4, KMP_SET = 8, MOST_DEPENDS = 64 };

/* Reads depend clauses into `small`, or into a block of their own. */
static struct mp_depend *depends_read(struct mp_depend *small, int32_t n,
				      const struct kmp_depend *from, int32_t n2,
				      const struct kmp_depend *from2)
{
	size_t all = (size_t)n + (size_t)n2;
	struct mp_depend *d = all > MOST_DEPENDS ? mp_alloc(all * sizeof(*d)) : small;
	for (size_t i = 0; i < all; i++) {
		const struct kmp_depend *k = i < (size_t)n ? &from[i] : &from2[i - (size_t)n];
		d[i].at = (const void *)k->base;
		d[i].kind = k->flags & KMP_OUT	   ? MP_DEPEND_OUT
			    : k->flags & KMP_MUTEX ? MP_DEPEND_MUTEX
			    : k->flags & KMP_SET   ? MP_DEPEND_SET
						   : MP_DEPEND_IN;
	}
	return d;
}

static void depends_done(struct mp_depend *small, struct mp_depend *d)
{
	if (d != small)
		mp_free(d);
}

MP_ABI(int32_t, __kmpc_omp_task_with_deps, void *loc, int32_t gtid, void *task, int32_t n,
       const struct kmp_depend *depend, int32_t n2, const struct kmp_depend *depend2)
{
	struct mp_depend small[MOST_DEPENDS];
	MP_ENTER();
	struct mp_depend *d = depends_read(small, n, depend, n2, depend2);
	mp_task_create(task_here(task), d, (size_t)n + (size_t)n2);
	depends_done(small, d);
	return 0;
}

MP_ABI(void, __kmpc_omp_wait_deps, void *loc, int32_t gtid, int32_t n,
       const struct kmp_depend *depend, int32_t n2, const struct kmp_depend *depend2)
{
	struct mp_depend small[MOST_DEPENDS];
	MP_ENTER();
	struct mp_depend *d = depends_read(small, n, depend, n2, depend2);
	mp_taskwait_depend(d, (size_t)n + (size_t)n2);
	depends_done(small, d);
}

MP_ABI(void, __kmpc_omp_taskwait_deps_51, void *loc, int32_t gtid, int32_t n,
       const struct kmp_depend *depend, int32_t n2, const struct kmp_depend *depend2,
       int32_t has_no_wait)
{
	__kmpc_omp_wait_deps(loc, gtid, n, depend, n2, depend2);
}

/* The library ignores where a task should run. */
MP_ABI(int32_t, __kmpc_omp_reg_task_with_affinity, void *loc, int32_t gtid, void *task, int32_t n,
       void *affinity)
{
	return 0;
}

MP_ABI(void, __kmpc_omp_task_begin_if0, void *loc, int32_t gtid, void *task)
{
	MP_ENTER();
	mp_task_begin(task_here(task), NULL, 0);
}

MP_ABI(void, __kmpc_omp_task_complete_if0, void *loc, int32_t gtid, void *task)
{
	MP_ENTER();
	mp_task_end(task_of(block_of(task)));
}

MP_ABI(int32_t, __kmpc_omp_taskwait, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_taskwait();
	return 0;
}

MP_ABI(int32_t, __kmpc_omp_taskyield, void *loc, int32_t gtid, int32_t end)
{
	MP_ENTER();
	mp_yield();
	return 0;
}

MP_ABI(void, __kmpc_taskgroup, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_group_begin();
}

MP_ABI(void, __kmpc_end_taskgroup, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_group_end();
}

MP_ABI(void *, __kmpc_task_allow_completion_event, void *loc, int32_t gtid, void *task)
{
	MP_ENTER();
	return task_of(block_of(task));
}

typedef void kmp_duplicate(void *to, void *from, int32_t is_last);

struct taskloop {
	struct block *pattern;
	size_t lower_at, upper_at; /* where the block has the bounds */
	kmp_duplicate *duplicate;
	uint64_t lower;
	int64_t stride;
	uint64_t count;
};

/* A task for n iterations from number `from` on. */
static void taskloop_part(const void *loop, uint64_t from, uint64_t n)
{
	const struct taskloop *l = loop;
	struct block *p = l->pattern;
	struct block *b = block_new(p->flags, task_of(p)->nbytes);
	memcpy(&b->kmp, &p->kmp, task_of(p)->nbytes);
	if (p->kmp.shareds)
		b->kmp.shareds = (char *)b + ((char *)p->kmp.shareds - (char *)p);
	*(uint64_t *)((char *)b + l->lower_at) = l->lower + from * (uint64_t)l->stride;
	*(uint64_t *)((char *)b + l->upper_at) = l->lower + (from + n - 1) * (uint64_t)l->stride;
	if (l->duplicate)
		l->duplicate(&b->kmp, &p->kmp, from + n == l->count);
	task_of(b)->is_undeferred |= p->is_undeferred;
	mp_task_create(task_of(b), NULL, 0);
}

MP_ABI(void, __kmpc_taskloop, void *loc, int32_t gtid, void *task, int32_t if_value,
       uint64_t *lower, uint64_t *upper, int64_t stride, int32_t nogroup, int32_t kind,
       uint64_t grain, kmp_duplicate *duplicate)
{
	MP_ENTER();
	struct block *b = block_of(task);
	int64_t first = (int64_t)*lower, last = (int64_t)*upper;
	struct taskloop l = {
		.pattern = b,
		.lower_at = (size_t)((char *)lower - (char *)b),
		.upper_at = (size_t)((char *)upper - (char *)b),
		.duplicate = duplicate,
		.lower = *lower,
		.stride = stride,
	};
	if (stride > 0 && first <= last)
		l.count = (uint64_t)(last - first) / (uint64_t)stride + 1;
	else if (stride < 0 && first >= last)
		l.count = (uint64_t)(first - last) / (uint64_t)-stride + 1;
	b->is_undeferred = !if_value;
	if (!nogroup)
		mp_group_begin();
	mp_taskloop(l.count,
		    /* clang's numbers of the kinds */
		    (struct mp_grain){(enum mp_grain_kind)kind, grain, false}, taskloop_part, &l);
	if (!nogroup)
		mp_group_end();
	mp_task_forget(task_of(b));
}

MP_ABI(void, __kmpc_taskloop_5, void *loc, int32_t gtid, void *task, int32_t if_value,
       uint64_t *lower, uint64_t *upper, int64_t stride, int32_t nogroup, int32_t kind,
       uint64_t grain, int32_t modifier, kmp_duplicate *duplicate)
{
	__kmpc_taskloop(loc, gtid, task, if_value, lower, upper, stride, nogroup, kind, grain,
			duplicate);
}

struct kmp_reduce {
	void *shared, *original;
	size_t nbytes;
	void (*init)(void *copy, void *original);
	void (*fini)(void *copy);
	void (*combine)(void *to, void *from);
	uint32_t flags;
};

static void reduce_add(struct mp_group *g, int32_t n, const struct kmp_reduce *data)
{
	for (int i = 0; i < n; i++) {
		struct mp_reduction item = {
			.shared = data[i].shared,
			.original = data[i].original ? data[i].original : data[i].shared,
			.nbytes = data[i].nbytes,
			.init = data[i].init,
			.fini = data[i].fini,
			.combine = data[i].combine,
		};
		mp_reduced_add(g, &item, 1);
	}
}

MP_ABI(void *, __kmpc_taskred_init, int32_t gtid, int32_t n, const struct kmp_reduce *data)
{
	struct mp_task *t = MP_ENTER();
	reduce_add(t->group, n, data);
	return t->group;
}

MP_ABI(void *, __kmpc_taskred_modifier_init, void *loc, int32_t gtid, int32_t is_loop, int32_t n,
       const struct kmp_reduce *data)
{
	struct mp_task *t = MP_ENTER();
	mp_group_begin();
	reduce_add(t->group, n, data);
	return t->group;
}

MP_ABI(void, __kmpc_task_reduction_modifier_fini, void *loc, int32_t gtid, int32_t is_loop)
{
	MP_ENTER();
	mp_group_end();
}

MP_ABI(void *, __kmpc_task_reduction_get_th_data, int32_t gtid, void *group, void *data)
{
	struct mp_task *t = MP_ENTER();
	return mp_reduced_copy(t, data);
}
