/* SPDX-License-Identifier: Apache-2.0
 *
 * take_out.c - removes an event, and all that must follow it, from a cut
 *
 * Idea.   In each thread, the events that must follow are at the end.  If the cut does not reach
 *         far beyond the event, the code goes through all edges in between, in observed order.
 *         Otherwise bisection finds the ends, by asking rows.
 */
#include "witness/decide/cut.h"

#include "witness/decide/ops.h"

struct snag_point snag_cut_point(const struct snag_state *s, const uint32_t *cut, snag_tid t,
				 uint32_t p)
{
	if (p < snag_rows_keeps(s->rows, cut, t))
		return snag_point_causal(s->ix, s->rows, t, p + 1, p + 1);
	return snag_point_of(s->ix, s->rows, t, p + 1);
}

/* Whether the p-th event of u must follow the event. */
static bool follows(struct snag_state *s, snag_tid u, uint32_t p, uint32_t event)
{
	if (snag_index_event(s->ix, u, p) < event)
		return false;
	struct snag_point point = snag_point_causal(s->ix, s->rows, u, p + 1, p + 1);
	return snag_rows_has(s->ix, s->rows, &s->walk, &point, event);
}

/* How many of the first `end` events of u need not follow the event.  What must is at the end,
 * and mostly short. */
static uint32_t not_after(struct snag_state *s, snag_tid u, uint32_t end, uint32_t event)
{
	uint32_t low = end, high = end;
	for (uint32_t step = 1; low > 0 && follows(s, u, low - 1, event); step *= 2) {
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (follows(s, u, middle, event))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Through the steps, as far as the cut goes. */
static void take_out_near(struct snag_state *s, size_t step, uint32_t *rest)
{
	const struct snag_rows *rows = s->rows;
	for (; step < rows->nsteps && rows->step[step].event <= s->end; step++) {
		const struct snag_row_step *at = &rows->step[step];
		if (at->count > rest[at->thread] && at->at < rest[at->to])
			rest[at->to] = at->at;
	}
}

static void take_out(struct snag_state *s, uint32_t event, uint32_t *rest)
{
	const struct snag_index *ix = s->ix;
	const struct snag_rows *rows = s->rows;
	snag_tid t = snag_index_thread(ix, event);
	size_t step = snag_rows_step(rows, event), far = snag_steps_far(s, step);
	if (ix->position[event] < rest[t])
		rest[t] = ix->position[event];
	if (far >= rows->nsteps || rows->step[far].event > s->end) {
		take_out_near(s, step, rest);
		return;
	}
	for (snag_tid u = 0; u < s->nthreads; u++)
		if (u != t && rest[u])
			rest[u] = not_after(s, u, rest[u], event);
}

/* In dependence modes a fork or the end of a thread alone knows nothing of the reads before it:
 * what it was needed for goes too. */
static bool forks_take_out(struct snag_state *s, uint32_t *rest)
{
	bool shrank = false;
	for (size_t i = 0; i < s->rows->nforks; i++) {
		const struct snag_fork *f = &s->rows->fork[i];
		if (f->at >= rest[f->thread] || snag_cut_has(s, f->from, rest))
			continue;
		take_out(s, snag_index_event(s->ix, f->thread, f->at), rest);
		shrank = true;
	}
	return shrank;
}

void snag_cut_take_out(struct snag_state *s, uint32_t event, uint32_t *rest)
{
	if (event < s->out)
		s->out = event;
	take_out(s, event, rest);
	while (forks_take_out(s, rest))
		;
}
