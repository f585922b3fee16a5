/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp_target.c - what gcc calls for target regions: the host is the device
 *
 * A region gets the addresses of mapped variables, and copies of firstprivate ones.  With nowait it
 * is a task; otherwise the task that meets it waits for its dependences.  gcc runs the teams of a
 * region one after the other: GOMP_teams4() says which is next, and whether there is one.
 *
 * [initial]  the thread that runs a region is alone in a team of its own
 */
#include "omp/gomp.h"

#include <string.h>

enum { TARGET_NOWAIT = 1, MAP_KIND = 0xff, MAP_FIRSTPRIVATE = 12, MAP_ALIGN_AT = 8 };

struct target {
	mp_body *body; /* NULL: data only */
	const void *place;
	int limit; /* the most threads of the region; 0: any number */
	size_t n;
	void *at[]; /* n addresses, then the copies */
};

static size_t aligned(size_t at, unsigned short kind)
{
	size_t align = (size_t)1 << (kind >> MAP_ALIGN_AT);
	return (at + align - 1) & ~(align - 1);
}

/* If n is 0, there are no kinds. */
static struct target *target_new(mp_body *body, size_t n, void **at, const size_t *nbytes,
				 const unsigned short *kind)
{
	enum { MOST_ALIGN = 128 };
	size_t need = 0;
	for (size_t i = 0; i < n; i++)
		if ((kind[i] & MAP_KIND) == MAP_FIRSTPRIVATE)
			need = aligned(need, kind[i]) + nbytes[i];
	struct target *t = mp_alloc(sizeof(*t) + n * sizeof(t->at[0]) + need + MOST_ALIGN);
	uintptr_t copies = ((uintptr_t)&t->at[n] + MOST_ALIGN - 1) & ~(uintptr_t)(MOST_ALIGN - 1);
	t->body = body;
	t->place = mp.place;
	t->n = n;
	mp_memory(t->at, copies + need - (uintptr_t)t->at);
	need = 0;
	for (size_t i = 0; i < n; i++) {
		t->at[i] = at[i];
		if ((kind[i] & MAP_KIND) != MAP_FIRSTPRIVATE)
			continue;
		need = aligned(need, kind[i]);
		t->at[i] = memcpy((char *)copies + need, at[i], nbytes[i]);
		need += nbytes[i];
	}
	return t;
}

static void target_run(void *arg)
{
	struct target *t = arg;
	const char *outer = mp.now->target;
	int limit = mp.now->limit;
	mp.now->target = __builtin_frame_address(0);
	mp.now->limit = t->limit;
	if (t->body) {
		mp_serial_begin();
		mp.now->task->team->level--; /* the region is no parallel region [initial] */
		mp_call(t->body, t->at, t->place);
		mp_serial_end();
	}
	mp.now->target = outer;
	mp.now->limit = limit;
}

static void target_done(struct mp_task *t)
{
	mp_free(t->arg);
	t->arg = NULL;
}

static void target(struct target *t, unsigned flags, void **depend)
{
	struct mp_depend small[GOMP_SMALL], *d = small;
	size_t n = 0;
	if (depend)
		d = gomp_depends_read(small, depend, &n);
	if (flags & TARGET_NOWAIT) {
		struct mp_task *task = mp_task_new(target_run, t, 0, 0);
		task->done = target_done;
		mp_target_task(task);
		mp_task_create(task, d, n);
	} else {
		if (n)
			mp_taskwait_depend(d, n);
		target_run(t);
		mp_free(t);
	}
	gomp_depends_done(small, d);
}

/* Reads the clauses of the region: words that end with 0. Each is a kind, with its value in the
 * upper bits or in the next word. */
static int limit_read(void **args)
{
	enum {
		DEVICES = 0x7f,
		VALUE_NEXT = 0x80,
		KIND = 0xff00,
		THREAD_LIMIT = 0x200,
		VALUE_AT = 16
	};
	int limit = 0;
	for (; args && *args; args++) {
		intptr_t arg = (intptr_t)*args;
		intptr_t value = arg & VALUE_NEXT ? (intptr_t) * ++args : arg >> VALUE_AT;
		if (!(arg & DEVICES) && (arg & KIND) == THREAD_LIMIT && value > 0)
			limit = value < MP_MAX_THREADS ? (int)value : MP_MAX_THREADS;
	}
	return limit;
}

MP_ABI(void, GOMP_target_ext, int device, mp_body *body, size_t n, void **at, size_t *nbytes,
       unsigned short *kind, unsigned flags, void **depend, void **args)
{
	MP_ENTER();
	struct target *t = target_new(body, n, at, nbytes, kind);
	t->limit = limit_read(args);
	target(t, flags, depend);
}

MP_ABI(void, GOMP_target_enter_exit_data, int device, size_t n, void **at, size_t *nbytes,
       unsigned short *kind, unsigned flags, void **depend)
{
	MP_ENTER();
	target(target_new(NULL, 0, NULL, NULL, NULL), flags, depend);
}

MP_ABI(void, GOMP_target_update_ext, int device, size_t n, void **at, size_t *nbytes,
       unsigned short *kind, unsigned flags, void **depend)
{
	MP_ENTER();
	target(target_new(NULL, 0, NULL, NULL, NULL), flags, depend);
}

MP_ABI(void, GOMP_target_data_ext, int device, size_t n, void **at, size_t *nbytes,
       unsigned short *kind)
{
}

MP_ABI(void, GOMP_target_end_data, void)
{
}

MP_ABI(bool, GOMP_teams4, unsigned least, unsigned most, unsigned limit, bool is_first)
{
	MP_ENTER();
	if (is_first)
		mp_league_begin((struct mp_league){(int)most, (int)limit},
				mp.now->target ? mp.now->target : __builtin_frame_address(0));
	return mp_league_next();
}
