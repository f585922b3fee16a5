/* SPDX-License-Identifier: Apache-2.0
 *
 * kmpc.c - what clang calls for parallel regions, worksharing and mutual exclusion
 *
 * The names and arguments are those of LLVM's OpenMP runtime (kmp.h).  `loc` and `gtid` are
 * ignored: only one thread runs, and it is known which.
 */
#include "omp/abi.h"

#include <stdarg.h>

typedef void kmp_microtask(int32_t *gtid, int32_t *tid, ...);

enum { MOST_ARGUMENTS = 256 };

static _Thread_local int32_t pushed_threads; /* the value of num_threads, for the next region */

struct fork {
	kmp_microtask *body;
	int n;
	void *arg[MOST_ARGUMENTS];
};

#define A4(i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define A16(i) A4(i), A4(i + 4), A4(i + 8), A4(i + 12)
#define A64(i) A16(i), A16(i + 16), A16(i + 32), A16(i + 48)

/* A function that takes fewer does not look at the rest, which the caller takes back. */
static void fork_body(void *arg)
{
	struct fork *f = arg;
	void **a = f->arg;
	int32_t gtid = mp.now->task->number, tid = gtid;
	if (f->n <= 4)
		f->body(&gtid, &tid, A4(0));
	else if (f->n <= 16)
		f->body(&gtid, &tid, A16(0));
	else if (f->n <= 64)
		f->body(&gtid, &tid, A64(0));
	else
		f->body(&gtid, &tid, A64(0), A64(64), A64(128), A64(192));
}

static int threads_pushed(void)
{
	int n = pushed_threads;
	pushed_threads = 0;
	return n;
}

static void fork_read(struct fork *f, int argc, kmp_microtask *body, va_list ap)
{
	if (argc > MOST_ARGUMENTS)
		mp_fail("OpenMP: a region that captures more than 256 variables");
	f->body = body;
	f->n = argc;
	for (int i = 0; i < argc; i++)
		f->arg[i] = va_arg(ap, void *);
}

MP_ABI(void, __kmpc_fork_call, void *loc, int32_t argc, kmp_microtask *body, ...)
{
	struct fork f;
	va_list ap;
	MP_ENTER();
	va_start(ap, body);
	fork_read(&f, argc, body, ap);
	va_end(ap);
	mp_parallel(fork_body, &f, mp_team_size(threads_pushed(), false));
}

static _Thread_local struct mp_league pushed_league; /* the teams of the next league */

MP_ABI(void, __kmpc_fork_teams, void *loc, int32_t argc, kmp_microtask *body, ...)
{
	struct fork f;
	va_list ap;
	MP_ENTER();
	va_start(ap, body);
	fork_read(&f, argc, body, ap);
	va_end(ap);
	struct mp_league said = pushed_league;
	pushed_league = (struct mp_league){0};
	threads_pushed();
	mp_teams(fork_body, &f, said);
}

MP_ABI(void, __kmpc_push_num_threads, void *loc, int32_t gtid, int32_t n)
{
	pushed_threads = n;
}

MP_ABI(void, __kmpc_push_num_teams, void *loc, int32_t gtid, int32_t teams, int32_t threads)
{
	pushed_league = (struct mp_league){teams, threads};
}

MP_ABI(void, __kmpc_push_num_teams_51, void *loc, int32_t gtid, int32_t least, int32_t most,
       int32_t threads)
{
	pushed_league = (struct mp_league){most, threads};
}

MP_ABI(void, __kmpc_push_proc_bind, void *loc, int32_t gtid, int32_t bind)
{
}

MP_ABI(void, __kmpc_serialized_parallel, void *loc, int32_t gtid)
{
	MP_ENTER();
	threads_pushed();
	mp_serial_begin();
}

MP_ABI(void, __kmpc_end_serialized_parallel, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_serial_end();
}

MP_ABI(int32_t, __kmpc_global_thread_num, void *loc)
{
	return MP_ENTER()->number;
}

MP_ABI(int32_t, __kmpc_bound_thread_num, void *loc)
{
	return MP_ENTER()->number;
}

MP_ABI(int32_t, __kmpc_ok_to_fork, void *loc)
{
	return 1;
}

MP_ABI(void, __kmpc_begin, void *loc, int32_t flags)
{
}

MP_ABI(void, __kmpc_end, void *loc)
{
}

MP_ABI(void, __kmpc_barrier, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_barrier();
}

MP_ABI(int32_t, __kmpc_single, void *loc, int32_t gtid)
{
	MP_ENTER();
	return mp_single();
}

MP_ABI(void, __kmpc_end_single, void *loc, int32_t gtid)
{
}

MP_ABI(int32_t, __kmpc_master, void *loc, int32_t gtid)
{
	MP_ENTER();
	return mp_masked(0);
}

MP_ABI(void, __kmpc_end_master, void *loc, int32_t gtid)
{
}

MP_ABI(int32_t, __kmpc_masked, void *loc, int32_t gtid, int32_t filter)
{
	MP_ENTER();
	return mp_masked(filter);
}

MP_ABI(void, __kmpc_end_masked, void *loc, int32_t gtid)
{
}

MP_ABI(void, __kmpc_flush, void *loc)
{
	MP_ENTER();
	if (mp.hooks)
		mp.hooks->flush(mp.place);
	mp_yield();
}

MP_ABI(void, __kmpc_copyprivate, void *loc, int32_t gtid, size_t nbytes, void *data,
       void (*copy)(void *to, void *from), int32_t did_it)
{
	struct mp_team *team = MP_ENTER()->team;
	if (did_it)
		team->copied = data;
	mp_barrier();
	if (!did_it)
		copy(data, (void *)team->copied);
	mp_barrier();
}

MP_ABI(void, __kmpc_critical, void *loc, int32_t gtid, void *name)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_take(mp_lock_here(name), t);
}

MP_ABI(void, __kmpc_critical_with_hint, void *loc, int32_t gtid, void *name, uint32_t hint)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_take(mp_lock_here(name), t);
}

MP_ABI(void, __kmpc_end_critical, void *loc, int32_t gtid, void *name)
{
	MP_ENTER();
	mp_lock_give(mp_lock_here(name));
}

MP_ABI(int32_t, __kmpc_reduce_nowait, void *loc, int32_t gtid, int32_t n, size_t nbytes, void *data,
       void (*combine)(void *, void *), void *name)
{
	MP_ENTER();
	mp_combine_begin();
	return 1;
}

MP_ABI(void, __kmpc_end_reduce_nowait, void *loc, int32_t gtid, void *name)
{
	MP_ENTER();
	mp_combine_end();
}

MP_ABI(int32_t, __kmpc_reduce, void *loc, int32_t gtid, int32_t n, size_t nbytes, void *data,
       void (*combine)(void *, void *), void *name)
{
	MP_ENTER();
	mp_combine_begin();
	return 1;
}

MP_ABI(void, __kmpc_end_reduce, void *loc, int32_t gtid, void *name)
{
	MP_ENTER();
	mp_combine_end();
	mp_barrier();
}

static enum mp_cancel cancel_of(int32_t kind)
{
	enum { PARALLEL = 1, LOOP, SECTIONS, GROUP };
	return kind == PARALLEL ? MP_CANCEL_PARALLEL
	       : kind == GROUP	? MP_CANCEL_GROUP
				: MP_CANCEL_LOOP;
}

MP_ABI(int32_t, __kmpc_cancel, void *loc, int32_t gtid, int32_t kind)
{
	MP_ENTER();
	return mp_cancel(cancel_of(kind));
}

MP_ABI(int32_t, __kmpc_cancellationpoint, void *loc, int32_t gtid, int32_t kind)
{
	MP_ENTER();
	return mp_is_cancelled(cancel_of(kind));
}

MP_ABI(int32_t, __kmpc_cancel_barrier, void *loc, int32_t gtid)
{
	MP_ENTER();
	mp_barrier();
	return mp_is_cancelled(MP_CANCEL_PARALLEL);
}
