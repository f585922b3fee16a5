/* SPDX-License-Identifier: Apache-2.0
 *
 * api.c - the functions of <omp.h>
 *
 * What depends on the machine or the environment (processors, threads) is the same everywhere.
 */
#include "omp/abi.h"

#include <time.h>

/* snag cc renames the program's own calls of these functions, and the calls that gcc inserts
 * (openmp_code.h).  Files that were compiled in another way call the plain names.  There the
 * library cannot tell a call of the program from one of gcc. */

MP_ABI(int, __snag_omp_get_thread_num, void)
{
	struct mp_task *t = MP_ENTER();
	mp_number_read(t);
	return t->number;
}

MP_ABI(int, __snag_omp_get_num_threads, void)
{
	struct mp_task *t = MP_ENTER();
	mp_obstacle(SNAG_OMP_OBSTACLE_THREAD_COUNT);
	return t->team->n;
}

MP_ABI(int, __snag_gnu_get_thread_num, void)
{
	struct mp_task *t = MP_ENTER();
	mp_alike_apart(t);
	return t->number;
}

MP_ABI(int, __snag_gnu_get_num_threads, void)
{
	return MP_ENTER()->team->n;
}

MP_EXPORT int omp_get_thread_num(void) __attribute__((alias("__snag_omp_get_thread_num")));
MP_EXPORT int omp_get_num_threads(void) __attribute__((alias("__snag_omp_get_num_threads")));

/* The filter of a block of master or masked, for gcc. */
MP_ABI(int, __snag_omp_masked, int filter)
{
	struct mp_task *t = MP_ENTER();
	mp_masked(filter);
	t->met.is_filtered = true;
	return filter;
}

/* snag cc inserts this call around the iterations of some loops. */
MP_ABI(int, __snag_omp_iteration, void)
{
	MP_ENTER();
	return mp_iteration();
}

/* snag cc inserts this call between the statements of simd loops. */
MP_ABI(void, __snag_omp_statement, unsigned number)
{
	const struct mp_team *team = MP_ENTER()->team;
	if (team->lockstep)
		mp_lockstep_statement(team->lockstep, number);
}

/* snag cc inserts this call into loops whose iterations the runtime cannot tell apart. A simd
 * loop may be outside of all regions. */
MP_ABI(int, __snag_omp_together, void)
{
	static bool is_reported;
	MP_ENTER();
	if (is_reported || !mp.hooks)
		return 0;
	is_reported = true;
	mp_launch(true);
	mp_obstacle(SNAG_OMP_OBSTACLE_ITERATIONS_TOGETHER);
	mp_launch(false);
	return 0;
}

MP_ABI(int, omp_get_max_threads, void)
{
	int n = mp_settings(MP_ENTER())->nthreads;
	return n > 0 ? n : MP_THREADS;
}

MP_ABI(void, omp_set_num_threads, int n)
{
	mp_settings_own(MP_ENTER())->nthreads = n;
}

MP_ABI(int, omp_get_num_procs, void)
{
	return MP_THREADS;
}

MP_ABI(int, omp_in_parallel, void)
{
	return MP_ENTER()->team->active_level > 0;
}

MP_ABI(int, omp_get_level, void)
{
	return MP_ENTER()->team->level;
}

MP_ABI(int, omp_get_active_level, void)
{
	return MP_ENTER()->team->active_level;
}

/* The implicit task of a level, on the way from the calling task outwards. */
static const struct mp_task *ancestor(int level)
{
	const struct mp_task *t = MP_ENTER();
	if (level < 0 || level > t->team->level)
		return NULL;
	while (t->team->level > level)
		t = t->parent;
	return t;
}

MP_ABI(int, omp_get_ancestor_thread_num, int level)
{
	const struct mp_task *t = ancestor(level);
	mp_number_read(mp.now->task);
	return t ? t->number : -1;
}

MP_ABI(int, omp_get_team_size, int level)
{
	const struct mp_task *t = ancestor(level);
	return t ? t->team->n : -1;
}

MP_ABI(int, omp_get_thread_limit, void)
{
	MP_ENTER();
	int limit = mp_thread_limit();
	return limit > 0 ? limit : MP_MAX_THREADS;
}

MP_ABI(void, omp_set_max_active_levels, int n)
{
	struct mp_settings *set = mp_settings_own(MP_ENTER());
	if (n >= 0)
		set->max_levels = n;
}

MP_ABI(int, omp_get_max_active_levels, void)
{
	return mp_settings(MP_ENTER())->max_levels;
}

MP_ABI(int, omp_get_supported_active_levels, void)
{
	return MP_MAX_LEVELS;
}

MP_ABI(void, omp_set_nested, int is_nested)
{
	mp_settings_own(MP_ENTER())->max_levels = is_nested ? MP_MAX_LEVELS : 1;
}

MP_ABI(int, omp_get_nested, void)
{
	return mp_settings(MP_ENTER())->max_levels > 1;
}

MP_ABI(void, omp_set_dynamic, int is_dynamic)
{
	mp_settings_own(MP_ENTER())->is_dynamic = is_dynamic;
}

MP_ABI(int, omp_get_dynamic, void)
{
	return mp_settings(MP_ENTER())->is_dynamic;
}

MP_ABI(int, omp_get_cancellation, void)
{
	MP_ENTER();
	return mp.has_cancellation;
}

MP_ABI(int, omp_in_final, void)
{
	return MP_ENTER()->is_final;
}

MP_ABI(int, omp_get_max_task_priority, void)
{
	return 0;
}

MP_ABI(int, omp_get_proc_bind, void)
{
	return 0;
}

/* The schedule does not decide who gets a chunk (deal.h); programs can still set and read it. */
MP_ABI(void, omp_set_schedule, int kind, int chunk)
{
	struct mp_settings *set = mp_settings_own(MP_ENTER());
	set->schedule = kind;
	set->chunk = chunk > 0 ? chunk : 0;
}

MP_ABI(void, omp_get_schedule, int *ret_kind, int *ret_chunk)
{
	const struct mp_settings *set = mp_settings(MP_ENTER());
	*ret_kind = set->schedule;
	*ret_chunk = set->chunk;
}

/* The host is the only device. */
MP_ABI(int, omp_get_num_devices, void)
{
	return 0;
}

MP_ABI(int, omp_get_initial_device, void)
{
	return 0;
}

MP_ABI(int, omp_get_device_num, void)
{
	return 0;
}

MP_ABI(int, omp_is_initial_device, void)
{
	return 1;
}

MP_ABI(int, omp_get_default_device, void)
{
	return 0;
}

MP_ABI(void, omp_set_default_device, int device)
{
}

MP_ABI(int, __snag_gnu_get_num_teams, void)
{
	int n;
	MP_ENTER();
	mp_league_at(&n);
	return n;
}

MP_ABI(int, __snag_gnu_get_team_num, void)
{
	int n;
	MP_ENTER();
	return mp_league_at(&n);
}

MP_ABI(int, __snag_omp_get_num_teams, void)
{
	int n;
	MP_ENTER();
	mp_obstacle(SNAG_OMP_OBSTACLE_THREAD_COUNT);
	mp_league_at(&n);
	return n;
}

MP_ABI(int, __snag_omp_get_team_num, void)
{
	int n;
	MP_ENTER();
	mp_obstacle(SNAG_OMP_OBSTACLE_THREAD_NUMBER);
	return mp_league_at(&n);
}

MP_EXPORT int omp_get_num_teams(void) __attribute__((alias("__snag_omp_get_num_teams")));
MP_EXPORT int omp_get_team_num(void) __attribute__((alias("__snag_omp_get_team_num")));

MP_ABI(int, omp_get_max_teams, void)
{
	MP_ENTER();
	return mp.nteams;
}

MP_ABI(void, omp_set_num_teams, int n)
{
	MP_ENTER();
	mp.nteams = n > 0 ? n : 0;
}

MP_ABI(int, omp_get_teams_thread_limit, void)
{
	MP_ENTER();
	return mp.teams_limit;
}

MP_ABI(void, omp_set_teams_thread_limit, int n)
{
	MP_ENTER();
	mp.teams_limit = n > 0 ? n : 0;
}

MP_ABI(void, omp_fulfill_event, void *event)
{
	if (!mp_is_here()) {
		mp_outside_fulfil(event);
		return;
	}
	MP_ENTER();
	mp_task_fulfil(event);
}

MP_ABI(double, omp_get_wtime, void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

MP_ABI(double, omp_get_wtick, void)
{
	return 1e-9;
}
