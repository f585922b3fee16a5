/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp.c - what gcc calls for parallel regions, teams, single, mutual exclusion, cancellation
 *
 * The names and arguments are those of gcc 12's libgomp (libgomp_g.h).  What gcc does by itself is
 * not seen here: master is a comparison of the thread's number (but see __snag_omp_masked()),
 * copyin an assignment, a reduction of one variable an atomic update, unless snag cc has seen
 * to it that gcc calls GOMP_atomic_start().
 */
#include "omp/gomp.h"

void gomp_parallel(mp_body *body, void *arg, unsigned nthreads)
{
	mp_parallel(body, arg, mp_team_size((int)nthreads, nthreads == 1));
}

MP_ABI(void, GOMP_parallel, mp_body *body, void *arg, unsigned nthreads, unsigned flags)
{
	MP_ENTER();
	gomp_parallel(body, arg, nthreads);
	gomp_sent(arg);
}

MP_ABI(void, GOMP_teams_reg, mp_body *body, void *arg, unsigned nteams, unsigned limit,
       unsigned flags)
{
	MP_ENTER();
	mp_teams(body, arg, (struct mp_league){(int)nteams, (int)limit});
	gomp_sent(arg);
}

MP_ABI(void, GOMP_barrier, void)
{
	MP_ENTER();
	mp_barrier();
}

MP_ABI(bool, GOMP_barrier_cancel, void)
{
	MP_ENTER();
	mp_barrier();
	return mp_is_cancelled(MP_CANCEL_PARALLEL);
}

MP_ABI(bool, GOMP_single_start, void)
{
	MP_ENTER();
	return mp_single();
}

/* copyprivate: the thread that executes the block gets NULL, the others get its data afterwards. */
MP_ABI(void *, GOMP_single_copy_start, void)
{
	struct mp_team *team = MP_ENTER()->team;
	if (mp_single())
		return NULL;
	mp_barrier();
	return (void *)team->copied;
}

MP_ABI(void, GOMP_single_copy_end, void *data)
{
	MP_ENTER()->team->copied = data;
	mp_barrier();
}

/* The critical sections without a name; called as clang calls them. */
static const char unnamed __asm__(".gomp_critical_user_");

MP_ABI(void, GOMP_critical_start, void)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_take(mp_lock_here(&unnamed), t);
}

MP_ABI(void, GOMP_critical_end, void)
{
	MP_ENTER();
	mp_lock_give(mp_lock_here(&unnamed));
}

MP_ABI(void, GOMP_critical_name_start, void **name)
{
	struct mp_task *t = MP_ENTER();
	mp_lock_take(mp_lock_here(name), t);
}

MP_ABI(void, GOMP_critical_name_end, void **name)
{
	MP_ENTER();
	mp_lock_give(mp_lock_here(name));
}

/* gcc puts these calls around the combining of a reduction, by a team or by a thread outside of
 * loops, where it is ordered anyway. It also puts them around an atomic update that is too large
 * for the machine. */
static const char atomic;

MP_ABI(void, GOMP_atomic_start, void)
{
	struct mp_task *t = MP_ENTER();
	if (t->is_implicit && (t->id == t->base_id || t->team->nteams))
		mp_combine_begin();
	if (!t->is_combining)
		mp_lock_take(mp_lock_at(&atomic), t);
}

MP_ABI(void, GOMP_atomic_end, void)
{
	struct mp_task *t = MP_ENTER();
	if (t->is_combining)
		mp_combine_end();
	else
		mp_lock_give(mp_lock_at(&atomic));
}

MP_ABI(void, GOMP_ordered_start, void)
{
	MP_ENTER();
	mp_ordered_begin();
}

MP_ABI(void, GOMP_ordered_end, void)
{
	MP_ENTER();
	mp_ordered_end();
}

static enum mp_cancel cancel_of(int which)
{
	enum { PARALLEL = 1, LOOP = 2, SECTIONS = 4, GROUP = 8 };
	return which & PARALLEL ? MP_CANCEL_PARALLEL
	       : which & GROUP	? MP_CANCEL_GROUP
				: MP_CANCEL_LOOP;
}

MP_ABI(bool, GOMP_cancellation_point, int which)
{
	MP_ENTER();
	return mp_is_cancelled(cancel_of(which));
}

MP_ABI(bool, GOMP_cancel, int which, bool does)
{
	MP_ENTER();
	return does ? mp_cancel(cancel_of(which)) : mp_is_cancelled(cancel_of(which));
}

MP_ABI(void, GOMP_warning, const char *text, size_t n)
{
}

MP_ABI(void, GOMP_error, const char *text, size_t n)
{
	mp_fail("OpenMP: the program met an error directive");
}
