/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.c - what the program has set, and how many threads a region gets by it
 *
 * Rules.  [inherit]  a task has the settings of its creator until it sets something: explicit
 *                    ones look there, implicit ones have a copy
 *         [size]     what num_threads says, or else what was set, or else MP_THREADS; one if
 *                    there are as many active levels as may be; not more than a limit leaves
 *                    room for
 */
#include "omp/core.h"

const struct mp_settings *mp_settings(const struct mp_task *t)
{
	while (!t->settings)
		t = t->parent;
	return t->settings;
}

struct mp_settings *mp_settings_own(struct mp_task *t)
{
	if (!t->settings) {
		struct mp_settings *own = mp_alloc(sizeof(*own));
		*own = *mp_settings(t);
		t->settings = own;
	}
	return t->settings;
}

/* Returns how many threads a region may have. The threads of the regions around it count. */
int mp_room_here(void)
{
	return mp.now->limit > 0 ? mp.now->limit : mp.now->task->team->room;
}

int mp_team_size(int wanted, bool is_serial)
{
	const struct mp_team *team = mp.now->task->team;
	const struct mp_settings *set = mp_settings(mp.now->task);
	if (is_serial)
		return 1;
	if (wanted == MP_SIMD)
		return MP_SIMD;
	if (team->active_level >= set->max_levels)
		return 1;
	int n = wanted > 0 ? wanted : set->nthreads > 0 ? set->nthreads : MP_THREADS;
	int room = mp_room_here();
	room = room > 0 && room < MP_MAX_THREADS ? room : MP_MAX_THREADS;
	return n < room ? n : room;
}

int mp_thread_limit(void)
{
	return mp.now->limit > 0 ? mp.now->limit : mp.now->task->team->limit;
}
