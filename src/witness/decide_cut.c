/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_cut.c - what is needed, and the sections it cuts open
 */
#include "witness/decide_cut.h"

#include "witness/decide_ops.h"

#include <string.h>

/* The cut grows by all that must precede the racing access e. */
static void need_before(struct snag_state *s, uint32_t e, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	const uint32_t *count = snag_index_row_before(ix, s->rows, e);
	snag_tid t = snag_index_thread(ix, e);
	uint32_t p = ix->position[e];
	for (snag_tid u = 0; u < ix->nthreads; u++)
		if (count[u] > cut[u] && u != t)
			cut[u] = count[u];
	if (p > cut[t])
		cut[t] = p;
	s->limit[t] = p;
	s->keeps_all[t] = ix->trace->ev[e].op != SNAG_OP_READ;
}

bool snag_cut_need(struct snag_state *s, uint32_t e1, uint32_t e2, uint32_t *ret_cut)
{
	for (snag_tid t = 0; t < s->nthreads; t++) {
		s->limit[t] = snag_threads_length(&s->ix->threads, t);
		s->keeps_all[t] = false;
		ret_cut[t] = 0;
	}
	need_before(s, e1, ret_cut);
	need_before(s, e2, ret_cut);
	snag_tid t1 = snag_index_thread(s->ix, e1), t2 = snag_index_thread(s->ix, e2);
	return ret_cut[t1] <= s->limit[t1] && ret_cut[t2] <= s->limit[t2];
}

struct snag_rivals snag_rivals_of(const struct snag_index *ix, uint32_t acquire)
{
	const struct snag_event *ev = &ix->trace->ev[acquire];
	const struct snag_lanes *sections = &ix->sections;
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;
	return (struct snag_rivals){sections->lane + sections->first[key],
				    sections->lane + sections->first[key + nkeys]};
}

uint32_t snag_cut_last(const struct snag_state *s, const struct snag_lane *lane,
		       const uint32_t *cut)
{
	const struct snag_lanes *sections = &s->ix->sections;
	uint32_t k = snag_lane_below_near(sections, lane, cut[lane->thread],
					  &s->near[lane - sections->lane]);
	return k ? snag_index_event(s->ix, lane->thread, snag_lane_at(sections, lane, k - 1))
		 : SNAG_NO_EVENT;
}

static bool is_last(const struct snag_state *s, uint32_t acquire, const uint32_t *cut)
{
	struct snag_rivals r = snag_rivals_of(s->ix, acquire);
	snag_tid t = snag_index_thread(s->ix, acquire);
	for (; r.lane < r.end; r.lane++) {
		uint32_t other =
			r.lane->thread == t ? SNAG_NO_EVENT : snag_cut_last(s, r.lane, cut);
		if (other != SNAG_NO_EVENT && other > acquire)
			return false;
	}
	return true;
}

bool snag_cut_is_trace(const struct snag_state *s, const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	for (snag_tid t = 0; t < ix->nthreads; t++) {
		uint32_t node = snag_index_held(ix, t, cut[t]);
		for (; node; node = ix->node[node].below)
			if (!is_last(s, ix->node[node].acquire, cut))
				return false;
	}
	return true;
}

bool snag_cut_can_end(const struct snag_state *s, const snag_tid *racers, uint32_t acquire)
{
	const struct snag_index *ix = s->ix;
	snag_tid t = snag_index_thread(ix, acquire);
	uint32_t release = ix->link[acquire];
	if (release == SNAG_NO_EVENT || ix->position[release] >= s->limit[t])
		return false;
	const uint32_t *row = snag_rows_at(s->rows, s->nthreads, s->rows->alone[release]);
	for (int i = 0; i < 2; i++)
		if (racers[i] != t && row[racers[i]] > s->limit[racers[i]])
			return false;
	return true;
}

/* The event, with all that must precede it, joins the cut. */
static void add(const struct snag_state *s, uint32_t event, uint32_t *cut)
{
	const uint32_t *row = snag_rows_at(s->rows, s->nthreads, s->rows->alone[event]);
	snag_tid t = snag_index_thread(s->ix, event);
	uint32_t p = s->ix->position[event] + 1;
	for (snag_tid u = 0; u < s->nthreads; u++)
		if (row[u] > cut[u] && u != t)
			cut[u] = row[u];
	if (p > cut[t])
		cut[t] = p;
}

/* All rivals of a section that cannot end come before it.  *ret_grew: the cut has changed. */
static bool rivals_end(const struct snag_state *s, const snag_tid *racers, uint32_t acquire,
		       uint32_t *cut, bool *ret_grew)
{
	const struct snag_index *ix = s->ix;
	struct snag_rivals r = snag_rivals_of(ix, acquire);
	snag_tid t = snag_index_thread(ix, acquire);
	for (; r.lane < r.end; r.lane++) {
		uint32_t other =
			r.lane->thread == t ? SNAG_NO_EVENT : snag_cut_last(s, r.lane, cut);
		if (other == SNAG_NO_EVENT)
			continue;
		uint32_t release = ix->link[other];
		bool has_ended =
			release != SNAG_NO_EVENT && ix->position[release] < cut[r.lane->thread];
		if (!has_ended && !snag_cut_can_end(s, racers, other))
			return false;
		/* It must end before `acquire`, so must not need it. */
		if (snag_rows_at(s->rows, s->nthreads, s->rows->alone[release])[t] >
		    ix->position[acquire])
			return false;
		if (has_ended)
			continue;
		add(s, release, cut);
		*ret_grew = true;
	}
	return true;
}

/* The sections that t has open in the cut end. */
static bool sections_end(const struct snag_state *s, snag_tid t, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	uint32_t node = snag_index_held(ix, t, cut[t]), before = cut[t];
	for (; node; node = ix->node[node].below) {
		uint32_t release = ix->link[ix->node[node].acquire];
		if (release != SNAG_NO_EVENT)
			add(s, release, cut);
	}
	return cut[t] > before;
}

bool snag_cut_end_others(const struct snag_state *s, const snag_tid *racers, uint32_t *cut)
{
	bool grew = false, again;
	do {
		again = false;
		for (snag_tid t = 0; t < s->nthreads; t++)
			if (t != racers[0] && t != racers[1])
				again |= sections_end(s, t, cut);
		grew |= again;
	} while (again);
	return grew;
}

bool snag_cut_filter(const struct snag_state *s, const snag_tid *racers, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	for (bool grew = true; grew;) {
		grew = false;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, cut[t]);
			for (; node; node = ix->node[node].below) {
				uint32_t acquire = ix->node[node].acquire;
				if (!snag_cut_can_end(s, racers, acquire) &&
				    !rivals_end(s, racers, acquire, cut, &grew))
					return false;
			}
		}
	}
	return true;
}

bool snag_cut_close(const struct snag_state *s, const snag_tid *racers, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	bool is_all = true;
	for (bool grew = true; grew;) {
		grew = false;
		is_all = true;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, cut[t]);
			for (; node; node = ix->node[node].below) {
				uint32_t acquire = ix->node[node].acquire;
				if (is_last(s, acquire, cut))
					continue;
				if (!snag_cut_can_end(s, racers, acquire)) {
					is_all = false;
					continue;
				}
				add(s, ix->link[acquire], cut);
				grew = true;
				break; /* the others may have ended with it */
			}
		}
	}
	return is_all;
}

const uint32_t *snag_cut_row(const struct snag_state *s, const uint32_t *cut, snag_tid t,
			     uint32_t p)
{
	uint32_t e = snag_index_event(s->ix, t, p);
	bool is_causal = p < snag_state_causal_of(s, t, cut[t]);
	return snag_rows_at(s->rows, s->nthreads,
			    is_causal ? s->rows->causal[e] : s->rows->alone[e]);
}

/* How many of the first `end` events of u need not follow the p-th of t.  What must is at the end,
 * and mostly short. */
static uint32_t not_after(const struct snag_state *s, const uint32_t *cut, snag_tid u, uint32_t end,
			  snag_tid t, uint32_t p)
{
	uint32_t low = end, high = end;
	for (uint32_t step = 1; low > 0 && snag_cut_row(s, cut, u, low - 1)[t] > p; step *= 2) {
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (snag_cut_row(s, cut, u, middle)[t] > p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void take_out(const struct snag_state *s, uint32_t event, const uint32_t *cut,
		     uint32_t *ret_rest)
{
	const struct snag_index *ix = s->ix;
	snag_tid t = snag_index_thread(ix, event);
	uint32_t p = ix->position[event];
	if (p < ret_rest[t])
		ret_rest[t] = p;
	for (snag_tid u = 0; u < s->nthreads; u++)
		if (u != t)
			ret_rest[u] = not_after(s, cut, u, ret_rest[u], t, p);
}

static bool is_inside(const uint32_t *row, const uint32_t *rest, uint32_t nthreads, snag_tid t)
{
	for (snag_tid u = 0; u < nthreads; u++)
		if (row[u] > rest[u] && u != t)
			return false;
	return true;
}

/* How many events of t in the rest need nothing outside it; again from the end. */
static uint32_t inside(const struct snag_state *s, const uint32_t *cut, snag_tid t,
		       const uint32_t *rest)
{
	uint32_t low = rest[t], high = low, n = s->nthreads;
	for (uint32_t step = 1; low > 0; step *= 2) {
		if (is_inside(snag_cut_row(s, cut, t, low - 1), rest, n, t))
			break;
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (is_inside(snag_cut_row(s, cut, t, middle), rest, n, t))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* In mode DEP the rows are not transitive when a later event makes reads causal: what must follow
 * something that was taken out goes too. */
static void close_rest(const struct snag_state *s, const uint32_t *cut, uint32_t *ret_rest)
{
	for (bool shrank = s->rows->dependent; shrank;) {
		shrank = false;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t k = inside(s, cut, t, ret_rest);
			shrank |= k < ret_rest[t];
			ret_rest[t] = k;
		}
	}
}

void snag_cut_take_out(const struct snag_state *s, uint32_t event, const uint32_t *cut,
		       uint32_t *rest)
{
	take_out(s, event, cut, rest);
	close_rest(s, cut, rest);
}

/* Whether the lock is taken in what was taken out. */
static bool is_taken_later(const struct snag_state *s, uint32_t acquire, const uint32_t *cut,
			   const uint32_t *rest)
{
	const struct snag_index *ix = s->ix;
	struct snag_rivals r = snag_rivals_of(ix, acquire);
	snag_tid t = snag_index_thread(ix, acquire);
	for (; r.lane < r.end; r.lane++) {
		snag_tid u = r.lane->thread;
		if (u == t || cut[u] == rest[u])
			continue;
		uint32_t *near = &s->near[r.lane - ix->sections.lane];
		uint32_t before = snag_lane_below_near(&ix->sections, r.lane, rest[u], near);
		if (before < snag_lane_length(r.lane) &&
		    snag_lane_at(&ix->sections, r.lane, before) < cut[u])
			return true;
	}
	return false;
}

/* Whether a section that is open in the rest must be taken out too. */
static bool is_in_the_way(const struct snag_state *s, uint32_t acquire, const uint32_t *cut,
			  const uint32_t *rest)
{
	const struct snag_index *ix = s->ix;
	uint32_t release = ix->link[acquire];
	bool stays_open = release == SNAG_NO_EVENT ||
			  ix->position[release] >= cut[snag_index_thread(ix, acquire)];
	return !is_last(s, acquire, rest) || (stays_open && is_taken_later(s, acquire, cut, rest));
}

void snag_cut_delay(const struct snag_state *s, const uint32_t *cut, uint32_t *rest)
{
	const struct snag_index *ix = s->ix;
	for (bool shrank = true; shrank;) {
		shrank = false;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, rest[t]);
			for (; node; node = ix->node[node].below) {
				uint32_t acquire = ix->node[node].acquire;
				if (!is_in_the_way(s, acquire, cut, rest))
					continue;
				snag_cut_take_out(s, acquire, cut, rest);
				shrank = true;
			}
		}
	}
}
