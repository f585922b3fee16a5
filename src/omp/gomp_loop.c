/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp_loop.c - what gcc calls for loops and sections
 *
 * A loop begins with a call of ..._start, which also returns the first chunk, or with the region
 * (GOMP_parallel_loop_...); ..._next returns the others.  `end` is behind the last iteration.
 * snag cc sees to it that nearly all loops with the static schedule are dynamic (openmp_pragmas.c):
 * the others gcc runs by itself.
 */
#include "omp/gomp.h"

#include <stdarg.h>

typedef unsigned long long ull;

static void loop_begin(struct gomp_range r, struct mp_schedule schedule)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	t->lower = (int64_t)r.start;
	t->stride = (int64_t)r.by;
	mp_loop_begin(gomp_range_count(r), schedule);
}

/* gcc's types of variables all have 64 bits. */
static bool loop_next(void *ret_start, void *ret_end)
{
	const struct mp_task *t = mp_implicit(mp.now->task);
	uint64_t from, n;
	if (!mp_loop_next(&from, &n))
		return false;
	*(uint64_t *)ret_start = (uint64_t)t->lower + from * (uint64_t)t->stride;
	*(uint64_t *)ret_end = (uint64_t)t->lower + (from + n) * (uint64_t)t->stride;
	return true;
}

/* Chunks of these schedules have the size that the program gives, which also holds the marks of
 * snag cc. */
static struct mp_schedule sized(uint64_t chunk)
{
	return mp_schedule_decode(chunk);
}

static struct mp_schedule unsized(uint64_t chunk)
{
	return (struct mp_schedule){0};
}

static struct mp_schedule ordered(struct mp_schedule schedule)
{
	schedule.is_ordered = true;
	return schedule;
}

static struct mp_schedule plain(struct mp_schedule schedule)
{
	return schedule;
}

/* Decodes the argument `sched` of GOMP_loop_start and similar functions. */
static struct mp_schedule schedule_of(long kind, uint64_t chunk)
{
	enum { STATIC = 1, DYNAMIC = 2, KINDS = 7 };
	kind &= KINDS;
	return kind == STATIC || kind == DYNAMIC ? sized(chunk) : unsized(chunk);
}

/* Loops that begin with their region. */
struct parallel_loop {
	mp_body *body;
	void *arg;
	struct gomp_range range;
	struct mp_schedule schedule;
};

static void parallel_loop_body(void *arg)
{
	struct parallel_loop *l = arg;
	loop_begin(l->range, l->schedule);
	l->body(l->arg);
}

#define PARALLEL_LOOP(kind, how)                                                             \
	MP_ABI(void, GOMP_parallel_loop_##kind, mp_body *body, void *arg, unsigned nthreads, \
	       long start, long end, long by, long chunk, unsigned flags)                    \
	{                                                                                    \
		struct parallel_loop l = {body, arg, gomp_range_of(start, end, by),          \
					  how((uint64_t)chunk)};                             \
		MP_ENTER();                                                                  \
		gomp_parallel(parallel_loop_body, &l, nthreads);                             \
		gomp_sent(arg);                                                              \
	}

#define PARALLEL_LOOP_RUNTIME(kind)                                                              \
	MP_ABI(void, GOMP_parallel_loop_##kind, mp_body *body, void *arg, unsigned nthreads,     \
	       long start, long end, long by, unsigned flags)                                    \
	{                                                                                        \
		struct parallel_loop l = {body, arg, gomp_range_of(start, end, by), unsized(0)}; \
		MP_ENTER();                                                                      \
		gomp_parallel(parallel_loop_body, &l, nthreads);                                 \
		gomp_sent(arg);                                                                  \
	}

PARALLEL_LOOP(static, sized)
PARALLEL_LOOP(dynamic, sized)
PARALLEL_LOOP(guided, unsized)
PARALLEL_LOOP(nonmonotonic_dynamic, sized)
PARALLEL_LOOP(nonmonotonic_guided, unsized)
PARALLEL_LOOP_RUNTIME(runtime)
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

#define NEXT(name)                                                              \
	MP_ABI(bool, GOMP_loop_##name##_next, long *ret_start, long *ret_end)   \
	{                                                                       \
		MP_ENTER();                                                     \
		return loop_next(ret_start, ret_end);                           \
	}                                                                       \
	MP_ABI(bool, GOMP_loop_ull_##name##_next, ull *ret_start, ull *ret_end) \
	{                                                                       \
		MP_ENTER();                                                     \
		return loop_next(ret_start, ret_end);                           \
	}

#define LOOP(name, how, modified)                                                                  \
	MP_ABI(bool, GOMP_loop_##name##_start, long start, long end, long by, long chunk,          \
	       long *ret_start, long *ret_end)                                                     \
	{                                                                                          \
		MP_ENTER();                                                                        \
		loop_begin(gomp_range_of(start, end, by), modified(how((uint64_t)chunk)));         \
		return loop_next(ret_start, ret_end);                                              \
	}                                                                                          \
	MP_ABI(bool, GOMP_loop_ull_##name##_start, bool up, ull start, ull end, ull by, ull chunk, \
	       ull *ret_start, ull *ret_end)                                                       \
	{                                                                                          \
		MP_ENTER();                                                                        \
		loop_begin(gomp_range_of_ull(up, start, end, by), modified(how(chunk)));           \
		return loop_next(ret_start, ret_end);                                              \
	}                                                                                          \
	NEXT(name)

#define LOOP_RUNTIME(name, modified)                                                           \
	MP_ABI(bool, GOMP_loop_##name##_start, long start, long end, long by, long *ret_start, \
	       long *ret_end)                                                                  \
	{                                                                                      \
		MP_ENTER();                                                                    \
		loop_begin(gomp_range_of(start, end, by), modified(unsized(0)));               \
		return loop_next(ret_start, ret_end);                                          \
	}                                                                                      \
	MP_ABI(bool, GOMP_loop_ull_##name##_start, bool up, ull start, ull end, ull by,        \
	       ull *ret_start, ull *ret_end)                                                   \
	{                                                                                      \
		MP_ENTER();                                                                    \
		loop_begin(gomp_range_of_ull(up, start, end, by), modified(unsized(0)));       \
		return loop_next(ret_start, ret_end);                                          \
	}                                                                                      \
	NEXT(name)

LOOP(static, sized, plain)
LOOP(dynamic, sized, plain)
LOOP(guided, unsized, plain)
LOOP(nonmonotonic_dynamic, sized, plain)
LOOP(nonmonotonic_guided, unsized, plain)
LOOP(ordered_static, sized, ordered)
LOOP(ordered_dynamic, sized, ordered)
LOOP(ordered_guided, unsized, ordered)
LOOP_RUNTIME(runtime, plain)
LOOP_RUNTIME(nonmonotonic_runtime, plain)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, plain)
LOOP_RUNTIME(ordered_runtime, ordered)

/* The data, beside its iterations, that the threads of one construct share. */
struct common {
	uintptr_t *table; /* the table of the first thread that came: task reductions */
	uint64_t memory[];
};

/* `mem` holds how much memory gcc wants, and gets its address: the same, zeroed, for all
 * threads. */
static void common_get(uintptr_t *table, void **mem)
{
	size_t nbytes = mem ? (size_t)*mem : 0;
	if (!table && !mem)
		return;
	struct common *c = mp_loop_common(sizeof(*c) + nbytes);
	if (table)
		gomp_table_share(table, &c->table);
	if (mem) {
		*mem = c->memory;
		mp_memory(c->memory, nbytes);
	}
}

/* Returns whether there is a chunk; without ret_start gcc runs the loop by itself. */
static bool loop_start(struct gomp_range r, struct mp_schedule schedule, void *ret_start,
		       void *ret_end, uintptr_t *table, void **mem)
{
	if (!ret_start)
		r.end = r.start;
	loop_begin(r, schedule);
	common_get(table, mem);
	if (ret_start)
		return loop_next(ret_start, ret_end);
	mp_loop_end();
	return true;
}

#define LOOP_SHARED(name, modified)                                                              \
	MP_ABI(bool, GOMP_loop_##name, long start, long end, long by, long kind, long chunk,     \
	       long *ret_start, long *ret_end, uintptr_t *table, void **mem)                     \
	{                                                                                        \
		MP_ENTER();                                                                      \
		return loop_start(gomp_range_of(start, end, by),                                 \
				  modified(schedule_of(kind, (uint64_t)chunk)), ret_start,       \
				  ret_end, table, mem);                                          \
	}                                                                                        \
	MP_ABI(bool, GOMP_loop_ull_##name, bool up, ull start, ull end, ull by, long kind,       \
	       ull chunk, ull *ret_start, ull *ret_end, uintptr_t *table, void **mem)            \
	{                                                                                        \
		MP_ENTER();                                                                      \
		return loop_start(gomp_range_of_ull(up, start, end, by),                         \
				  modified(schedule_of(kind, chunk)), ret_start, ret_end, table, \
				  mem);                                                          \
	}

LOOP_SHARED(start, plain)
LOOP_SHARED(ordered_start, ordered)

MP_ABI(void, GOMP_loop_end_nowait, void)
{
	MP_ENTER();
	mp_loop_end();
}

MP_ABI(void, GOMP_loop_end, void)
{
	MP_ENTER();
	mp_loop_end();
	mp_barrier();
}

MP_ABI(bool, GOMP_loop_end_cancel, void)
{
	MP_ENTER();
	mp_loop_end();
	mp_barrier();
	return mp_is_cancelled(MP_CANCEL_PARALLEL);
}

/* Doacross loops count iterations from 0 in each dimension. */
enum { MOST_DIMS = 64 };

static bool doacross_start(unsigned ndims, const void *counts, struct mp_schedule schedule,
			   void *ret_start, void *ret_end, uintptr_t *table, void **mem)
{
	const int64_t *count = counts;
	int64_t lower[MOST_DIMS], upper[MOST_DIMS], stride[MOST_DIMS];
	if (ndims > MOST_DIMS)
		mp_fail("OpenMP: ordered(n) of more than 64 loops");
	for (unsigned i = 0; i < ndims; i++) {
		lower[i] = 0;
		upper[i] = count[i] - 1;
		stride[i] = 1;
	}
	mp_doacross_begin(ndims, lower, upper, stride);
	loop_begin(gomp_range_of(0, count[0], 1), schedule);
	common_get(table, mem);
	return loop_next(ret_start, ret_end);
}

#define DOACROSS(kind, how)                                                                       \
	MP_ABI(bool, GOMP_loop_doacross_##kind##_start, unsigned ndims, long *counts, long chunk, \
	       long *ret_start, long *ret_end)                                                    \
	{                                                                                         \
		MP_ENTER();                                                                       \
		return doacross_start(ndims, counts, how((uint64_t)chunk), ret_start, ret_end,    \
				      NULL, NULL);                                                \
	}                                                                                         \
	MP_ABI(bool, GOMP_loop_ull_doacross_##kind##_start, unsigned ndims, ull *counts,          \
	       ull chunk, ull *ret_start, ull *ret_end)                                           \
	{                                                                                         \
		MP_ENTER();                                                                       \
		return doacross_start(ndims, counts, how(chunk), ret_start, ret_end, NULL, NULL); \
	}

DOACROSS(static, sized)
DOACROSS(dynamic, sized)
DOACROSS(guided, unsized)

MP_ABI(bool, GOMP_loop_doacross_runtime_start, unsigned ndims, long *counts, long *ret_start,
       long *ret_end)
{
	MP_ENTER();
	return doacross_start(ndims, counts, unsized(0), ret_start, ret_end, NULL, NULL);
}

MP_ABI(bool, GOMP_loop_ull_doacross_runtime_start, unsigned ndims, ull *counts, ull *ret_start,
       ull *ret_end)
{
	MP_ENTER();
	return doacross_start(ndims, counts, unsized(0), ret_start, ret_end, NULL, NULL);
}

MP_ABI(bool, GOMP_loop_doacross_start, unsigned ndims, long *counts, long kind, long chunk,
       long *ret_start, long *ret_end, uintptr_t *table, void **mem)
{
	MP_ENTER();
	return doacross_start(ndims, counts, schedule_of(kind, (uint64_t)chunk), ret_start, ret_end,
			      table, mem);
}

MP_ABI(bool, GOMP_loop_ull_doacross_start, unsigned ndims, ull *counts, long kind, ull chunk,
       ull *ret_start, ull *ret_end, uintptr_t *table, void **mem)
{
	MP_ENTER();
	return doacross_start(ndims, counts, schedule_of(kind, chunk), ret_start, ret_end, table,
			      mem);
}

MP_ABI(void, GOMP_doacross_post, long *at)
{
	MP_ENTER();
	mp_doacross_post(at);
}

MP_ABI(void, GOMP_doacross_ull_post, ull *at)
{
	MP_ENTER();
	mp_doacross_post((int64_t *)at);
}

/* The number of arguments that follow is known from the beginning of the loop. */
static void doacross_wait(int64_t first, va_list ap)
{
	int64_t at[MOST_DIMS] = {first};
	unsigned ndims = mp_doacross_dims();
	for (unsigned i = 1; i < ndims; i++)
		at[i] = va_arg(ap, int64_t);
	mp_doacross_wait(at);
}

MP_ABI(void, GOMP_doacross_wait, long first, ...)
{
	va_list ap;
	MP_ENTER();
	va_start(ap, first);
	doacross_wait(first, ap);
	va_end(ap);
}

MP_ABI(void, GOMP_doacross_ull_wait, ull first, ...)
{
	va_list ap;
	MP_ENTER();
	va_start(ap, first);
	doacross_wait((int64_t)first, ap);
	va_end(ap);
}

/* Sections are a loop; the first section is 1. */
static void sections_begin(unsigned n)
{
	struct mp_schedule schedule = {.chunk = 1, .is_sections = true};
	loop_begin(gomp_range_of(0, (long)n, 1), schedule);
}

static unsigned section_next(void)
{
	uint64_t from, n;
	return mp_loop_next(&from, &n) ? (unsigned)from + 1 : 0;
}

MP_ABI(unsigned, GOMP_sections_start, unsigned n)
{
	MP_ENTER();
	sections_begin(n);
	return section_next();
}

MP_ABI(unsigned, GOMP_sections2_start, unsigned n, uintptr_t *table, void **mem)
{
	MP_ENTER();
	sections_begin(n);
	common_get(table, mem);
	return section_next();
}

MP_ABI(unsigned, GOMP_sections_next, void)
{
	MP_ENTER();
	return section_next();
}

struct parallel_sections {
	mp_body *body;
	void *arg;
	unsigned n;
};

static void parallel_sections_body(void *arg)
{
	struct parallel_sections *s = arg;
	sections_begin(s->n);
	s->body(s->arg);
}

MP_ABI(void, GOMP_parallel_sections, mp_body *body, void *arg, unsigned nthreads, unsigned n,
       unsigned flags)
{
	struct parallel_sections s = {body, arg, n};
	MP_ENTER();
	gomp_parallel(parallel_sections_body, &s, nthreads);
	gomp_sent(arg);
}

MP_EXPORT void GOMP_sections_end_nowait(void) __attribute__((alias("GOMP_loop_end_nowait")));
MP_EXPORT void GOMP_sections_end(void) __attribute__((alias("GOMP_loop_end")));
MP_EXPORT bool GOMP_sections_end_cancel(void) __attribute__((alias("GOMP_loop_end_cancel")));

/* gcc calls this only for scopes with task reductions. */
MP_ABI(void, GOMP_scope_start, uintptr_t *table)
{
	long nothing;
	MP_ENTER();
	loop_start(gomp_range_of(0, 0, 1), plain(unsized(0)), NULL, &nothing, table, NULL);
}
