/* SPDX-License-Identifier: Apache-2.0
 *
 * league.c - teams
 *
 * Idea.   The teams of a league run one after the other on the thread that meets it.  Each is
 *         reported as a task of its own: a segment of a region that has one thread, as the
 *         iterations of a simd loop are.  Regions inside have teams of threads as usual.
 *
 * Rules.  [teams]   If the program does not say how many teams, there are MP_THREADS.
 *         [next]    The present team ends, and the next one begins.
 */
#include "omp/core.h"

void mp_league_begin(struct mp_league said, const char *frame)
{
	int nteams = said.nteams > 0 ? said.nteams : mp.nteams;
	int limit = said.limit > 0 ? said.limit : mp.teams_limit;
	mp_serial_begin();
	struct mp_task *t = mp.now->task;
	struct mp_team *team = t->team;
	t->frame = frame;
	team->level--; /* teams are no parallel region */
	team->is_reported = mp.hooks;
	team->nteams = nteams > 0 ? nteams : MP_THREADS; /* [teams] */
	if (limit > 0)
		team->limit = team->room = limit;
	team->at_team = -1;
	team->met_as = mp.now->implicit;
	if (!mp.launched)
		mp.nteams_begun = 0;
	team->first_team = mp.nteams_begun;
	mp.nteams_begun += (unsigned)team->nteams;
	mp.leagues++;
	mp_region_begin(team);
	if (team->is_reported)
		mp_phase_begin(t);
}

static void league_end(struct mp_task *t)
{
	mp_join(t);
	mp.leagues--;
	mp_implicit_set(t->team->met_as);
	mp_region_end(t->team);
	mp_serial_end();
}

bool mp_league_next(void) /* [next] */
{
	struct mp_task *t = mp.now->task;
	struct mp_team *team = t->team;
	mp_barrier(); /* waits for its tasks */
	if (team->is_reported)
		mp_segment_end(t);
	if (++team->at_team >= team->nteams) {
		league_end(t);
		return false;
	}
	mp_implicit_set(mp_implicit_new(t));
	mp_segment_begin(t);
	if (t->id != t->base_id)
		mp_label(t->id, SNAG_OMP_TEAM, (uint64_t)team->at_team);
	return true;
}

void mp_teams(mp_body *body, void *arg, struct mp_league said)
{
	const void *place = mp.place;
	mp_league_begin(said, __builtin_frame_address(0));
	while (mp_league_next())
		mp_call(body, arg, place);
}

static const struct mp_team *league_of(const struct mp_task *t)
{
	while (t->parent && !t->team->nteams)
		t = t->parent;
	return t->team;
}

int mp_league_at(int *ret_n)
{
	const struct mp_team *team = league_of(mp.now->task);
	*ret_n = team->nteams ? team->nteams : 1;
	return team->nteams ? team->at_team : 0;
}

unsigned mp_contention_group(void)
{
	const struct mp_team *team = mp.leagues ? league_of(mp.now->task) : NULL;
	return team && team->at_team > 0 ? team->first_team + (unsigned)team->at_team : 0;
}
