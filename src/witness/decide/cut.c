/* SPDX-License-Identifier: Apache-2.0
 *
 * cut.c - the needed events, and the sections that they cut open
 */
#include "witness/decide/cut.h"

#include "base/memory.h"
#include "witness/decide/fetch.h"
#include "witness/decide/ops.h"

#include <string.h>

/* Adds to the cut all that must precede e, an event of the goal. */
static void need_before(struct snag_state *s, uint32_t e, uint32_t *cut)
{
	struct snag_point p = snag_point_before(s->ix, s->rows, e);
	snag_rows_add_point(s->ix, s->rows, &s->walk, cut, &p);
	s->limit[p.thread] = p.count;
}

static void limits_clear(struct snag_state *s)
{
	for (snag_tid t = 0; t < s->nthreads; t++)
		s->limit[t] = snag_threads_length(&s->ix->threads, t);
	memset(s->ends, 0, s->nthreads * sizeof(*s->ends));
	memset(s->stays, 0xff, s->nthreads * sizeof(*s->stays));
	memset(s->after, 0xff, s->nthreads * sizeof(*s->after));
}

/* The goal's events are not in the cut. */
static bool is_within_limits(const struct snag_state *s, const uint32_t *cut)
{
	for (uint32_t i = 0; i < s->ngoal; i++) {
		snag_tid t = snag_index_thread(s->ix, s->goal[i]);
		if (cut[t] > s->limit[t])
			return false;
	}
	return true;
}

bool snag_cut_need_all(struct snag_state *s, const uint32_t *goal, uint32_t n, uint32_t *ret_cut)
{
	uint32_t first = SNAG_NO_EVENT;
	limits_clear(s);
	memset(ret_cut, 0, s->width * sizeof(*ret_cut));
	s->goal = goal;
	s->ngoal = n;
	s->end = 0;
	s->out = SNAG_NO_EVENT;
	for (uint32_t i = 0; i < n; i++) {
		s->after[snag_index_thread(s->ix, goal[i])] = s->ix->position[goal[i]];
		s->end = goal[i] > s->end ? goal[i] : s->end;
		first = goal[i] < first ? goal[i] : first;
	}
	s->next_step = snag_rows_step(s->rows, first);
	for (uint32_t i = 0; i < n; i++)
		need_before(s, goal[i], ret_cut);
	snag_fetch_open(s, ret_cut);
	return is_within_limits(s, ret_cut);
}

bool snag_cut_need_event(struct snag_state *s, uint32_t event, uint32_t *cut)
{
	snag_rows_add(s->ix, s->rows, &s->walk, cut, snag_index_thread(s->ix, event),
		      s->ix->position[event] + 1);
	if (event > s->end)
		s->end = event;
	return is_within_limits(s, cut);
}

bool snag_cut_need(struct snag_state *s, uint32_t e1, uint32_t e2, uint32_t *ret_cut)
{
	snag_fetch_races(s, e1, e2);
	s->pair[0] = e1;
	s->pair[1] = e2;
	return snag_cut_need_all(s, s->pair, 2, ret_cut);
}

struct snag_rivals snag_rivals_of(const struct snag_index *ix, uint32_t acquire)
{
	const struct snag_event *ev = &ix->trace->ev[acquire];
	const struct snag_lanes *sections = &ix->sections;
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;
	return (struct snag_rivals){sections->lane + sections->first[key],
				    sections->lane + sections->first[key + nkeys]};
}

uint32_t snag_cut_last(struct snag_state *s, const struct snag_lane *lane, const uint32_t *cut)
{
	const struct snag_lanes *sections = &s->ix->sections;
	uint32_t k = snag_lane_below_near(sections, lane, cut[lane->thread],
					  &s->near[lane - sections->lane]);
	return k ? snag_index_event(s->ix, lane->thread, snag_lane_at(sections, lane, k - 1))
		 : SNAG_NO_EVENT;
}

/* The first acquire of the key that was observed after that of the node, or NULL. */
static inline const struct snag_acquire *later_of(struct snag_state *s, uint32_t node,
						  bool is_shared)
{
	const struct snag_index *ix = s->ix;
	const struct snag_acquire *own = &ix->sections.acquire[ix->node[node].at];
	if (is_shared == own->is_shared)
		return snag_acquire_next(own, s->end);
	uint32_t key = 2 * ix->node[node].lock + is_shared;
	const struct snag_acquire *a =
		snag_acquire_near(&ix->sections, key, own->event, &s->near_key[key]);
	return a && a->event <= s->end ? a : NULL;
}

static bool has_later_lane(struct snag_state *s, uint32_t node, bool is_shared, const uint32_t *cut)
{
	const struct snag_lanes *sections = &s->ix->sections;
	uint32_t key = 2 * s->ix->node[node].lock + is_shared, acquire = s->ix->node[node].acquire;
	for (uint32_t i = sections->first[key]; i < sections->first[key + 1]; i++) {
		uint32_t e = snag_cut_last(s, &sections->lane[i], cut);
		if (e != SNAG_NO_EVENT && e > acquire)
			return true;
	}
	return false;
}

/* Returns whether the cut has a section, shared or not, that was observed after that of the
 * node. Mostly the next few acquires decide this; otherwise the lanes do. */
static inline bool has_later(struct snag_state *s, uint32_t node, bool is_shared,
			     const uint32_t *cut)
{
	const struct snag_acquire *a = later_of(s, node, is_shared);
	for (uint32_t left = 8 * s->nthreads; a; a = snag_acquire_next(a, s->end)) {
		if (left-- == 0)
			return has_later_lane(s, node, is_shared, cut);
		if (a->position < cut[a->thread])
			return true;
	}
	return false;
}

bool snag_cut_is_last(struct snag_state *s, uint32_t node, const uint32_t *cut)
{
	const struct snag_acquire *a = &s->ix->sections.acquire[s->ix->node[node].at];
	return !has_later(s, node, false, cut) &&
	       (a->is_shared || !a->has_shared || !has_later(s, node, true, cut));
}

bool snag_cut_is_trace(struct snag_state *s, const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	for (snag_tid t = 0; t < ix->nthreads; t++) {
		uint32_t node = snag_index_held(ix, t, cut[t]);
		for (; node; node = ix->node[node].below)
			if (!snag_cut_is_last(s, node, cut))
				return false;
	}
	return true;
}

/* Continues through the steps up to the event, and collects what must follow the racing
 * accesses. */
static void follow_races(struct snag_state *s, uint32_t event)
{
	const struct snag_rows *rows = s->rows;
	for (; s->next_step < rows->nsteps && rows->step[s->next_step].event <= event;
	     s->next_step++) {
		const struct snag_row_step *step = &rows->step[s->next_step];
		if (step->count > s->after[step->thread] && step->at < s->after[step->to])
			s->after[step->to] = step->at;
	}
}

/* Whether the first `count` events of t, with what must precede them, have nothing that must
 * follow a racing access.  In mode M2 steps are gone through if they are few; otherwise the rows
 * are asked. */
static bool is_free(struct snag_state *s, snag_tid t, uint32_t count)
{
	const struct snag_index *ix = s->ix;
	const struct snag_rows *rows = s->rows;
	uint32_t event = snag_index_event(ix, t, count - 1);
	size_t far = snag_steps_far(s, s->next_step);
	if (!rows->dependent && (far >= rows->nsteps || rows->step[far].event > event)) {
		follow_races(s, event);
		return count <= s->after[t];
	}
	struct snag_point p = snag_point_of(ix, rows, t, count);
	for (uint32_t i = 0; i < s->ngoal; i++) /* the order respects the observed one */
		if (s->goal[i] < event && snag_rows_has(ix, rows, &s->walk, &p, s->goal[i]))
			return false;
	return true;
}

bool snag_cut_can_end(struct snag_state *s, uint32_t node)
{
	const struct snag_acquire *a = &s->ix->sections.acquire[s->ix->node[node].at];
	snag_tid t = a->thread;
	if (a->release >= s->limit[t]) /* SNAG_NO_EVENT is */
		return false;
	uint32_t count = a->release + 1;
	if (count <= s->ends[t])
		return true;
	if (count >= s->stays[t])
		return false;
	bool can = is_free(s, t, count);
	*(can ? &s->ends[t] : &s->stays[t]) = count;
	return can;
}

/* Adds to the cut the release of the node's section, with all that must precede it. */
static void add(struct snag_state *s, uint32_t node, uint32_t *cut)
{
	const struct snag_acquire *a = &s->ix->sections.acquire[s->ix->node[node].at];
	uint32_t event = snag_index_event(s->ix, a->thread, a->release);
	if (event > s->end)
		s->end = event;
	snag_rows_add(s->ix, s->rows, &s->walk, cut, a->thread, a->release + 1);
}

/* Ends the sections that t has open in the cut. */
static bool sections_end(struct snag_state *s, snag_tid t, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	uint32_t node = snag_index_held(ix, t, cut[t]), before = cut[t];
	for (; node; node = ix->node[node].below) {
		if (ix->link[ix->node[node].acquire] != SNAG_NO_EVENT)
			add(s, node, cut);
	}
	return cut[t] > before;
}

bool snag_cut_end_others(struct snag_state *s, const snag_tid *racers, uint32_t *cut)
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

void snag_cut_end_all(struct snag_state *s, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	for (bool grew = true; grew;) {
		grew = false;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, cut[t]);
			for (; node; node = ix->node[node].below) {
				if (!snag_cut_can_end(s, node))
					continue;
				add(s, node, cut);
				grew = true;
				break; /* the others may have ended with it */
			}
		}
	}
}

/* The open sections of the cut into s->open: first those that cannot end. */
static void open_find(struct snag_state *s, const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	s->nopen = s->nlate = 0;
	s->look++;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		uint32_t node = snag_index_held(ix, t, cut[t]);
		for (; node; node = ix->node[node].below) {
			uint32_t i = s->nopen++;
			s->open = snag_grow(s->open, &s->open_cap, s->nopen, sizeof(*s->open));
			s->open[i] = node;
			if (snag_cut_can_end(s, node))
				continue;
			s->open[i] = s->open[s->nlate];
			s->open[s->nlate++] = node;
			s->late[ix->node[node].lock] = s->look;
		}
	}
}

static bool competes(const struct snag_index *ix, uint32_t node, uint32_t other)
{
	const struct snag_acquire *a = &ix->sections.acquire[ix->node[node].at];
	const struct snag_acquire *b = &ix->sections.acquire[ix->node[other].at];
	return ix->node[node].lock == ix->node[other].lock && a->thread != b->thread &&
	       !(a->is_shared && b->is_shared);
}

/* Ends the open sections that compete with a section that cannot end. */
static bool open_end(struct snag_state *s, uint32_t *cut, bool *ret_grew)
{
	const struct snag_index *ix = s->ix;
	for (uint32_t i = 0; i < s->nopen; i++) {
		uint32_t other = s->open[i];
		if (s->late[ix->node[other].lock] != s->look)
			continue;
		for (uint32_t k = 0; k < s->nlate; k++) {
			if (!competes(ix, s->open[k], other))
				continue;
			if (i < s->nlate)
				return false;
			const struct snag_acquire *a = &ix->sections.acquire[ix->node[other].at];
			if (a->release >= cut[a->thread]) {
				add(s, other, cut);
				*ret_grew = true;
			}
			break;
		}
	}
	return true;
}

bool snag_cut_close(struct snag_state *s, uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	bool is_all = true;
	for (bool grew = true; grew;) {
		grew = false;
		is_all = true;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, cut[t]);
			for (; node; node = ix->node[node].below) {
				if (snag_cut_is_last(s, node, cut))
					continue;
				if (!snag_cut_can_end(s, node)) {
					is_all = false;
					continue;
				}
				add(s, node, cut);
				grew = true;
				break; /* the others may have ended with it */
			}
		}
		if (grew)
			snag_fetch_open(s, cut);
	}
	return is_all;
}

/* What competes with a section that cannot end, and was observed after it, must not have to
 * follow it. */
static bool later_allow(struct snag_state *s, uint32_t node, bool is_shared, const uint32_t *cut,
			const uint32_t *rest)
{
	snag_tid t = s->ix->sections.acquire[s->ix->node[node].at].thread;
	const struct snag_acquire *a = later_of(s, node, is_shared);
	for (; a; a = snag_acquire_next(a, s->end))
		if (a->thread != t && a->position < cut[a->thread] && a->release >= rest[a->thread])
			return false;
	return true;
}

static bool late_allows(struct snag_state *s, uint32_t node, const uint32_t *cut)
{
	const struct snag_acquire *a = &s->ix->sections.acquire[s->ix->node[node].at];
	if (s->rows->dependent) /* what is taken out need not follow the acquire */
		return true;
	memcpy(s->scratch, cut, s->nthreads * sizeof(*cut));
	snag_cut_take_out(s, a->event, s->scratch);
	return later_allow(s, node, false, cut, s->scratch) &&
	       (a->is_shared || !a->has_shared || later_allow(s, node, true, cut, s->scratch));
}

bool snag_cut_filter(struct snag_state *s, uint32_t *cut, bool *ret_grew)
{
	*ret_grew = false;
	for (bool grew = true; grew;) {
		grew = false;
		open_find(s, cut);
		if (!open_end(s, cut, &grew))
			return false;
		*ret_grew |= grew;
	}
	for (uint32_t i = 0; i < s->nlate; i++)
		if (!late_allows(s, s->open[i], cut))
			return false;
	return true;
}

/* Whether the lock is taken in what was taken out. */
static bool is_taken_later(struct snag_state *s, uint32_t node, bool is_shared, const uint32_t *cut,
			   const uint32_t *rest)
{
	const struct snag_lanes *sections = &s->ix->sections;
	const struct snag_acquire *own = &sections->acquire[s->ix->node[node].at], *a;
	uint32_t key = 2 * s->ix->node[node].lock + is_shared;
	if (is_shared == own->is_shared) /* look for it near its own place */
		s->near_key[key] =
			s->ix->node[node].at - sections->lane[sections->first[key]].begin;
	a = snag_acquire_near(sections, key, s->out, &s->near_key[key]);
	for (; a && a->event <= s->end; a = snag_acquire_next(a, s->end))
		if (a->thread != own->thread && a->position < cut[a->thread] &&
		    a->position >= rest[a->thread])
			return true;
	return false;
}

/* Whether a section that is open in the rest must be taken out too. */
static bool is_in_the_way(struct snag_state *s, uint32_t node, const uint32_t *cut,
			  const uint32_t *rest)
{
	const struct snag_acquire *a = &s->ix->sections.acquire[s->ix->node[node].at];
	bool stays_open = a->release >= cut[a->thread];
	if (!snag_cut_is_last(s, node, rest))
		return true;
	return stays_open &&
	       (is_taken_later(s, node, false, cut, rest) ||
		(!a->is_shared && a->has_shared && is_taken_later(s, node, true, cut, rest)));
}

static void delay(struct snag_state *s, const uint32_t *cut, uint32_t *rest, bool only_late)
{
	const struct snag_index *ix = s->ix;
	for (bool shrank = true; shrank;) {
		shrank = false;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, rest[t]);
			for (; node; node = ix->node[node].below) {
				if (!is_in_the_way(s, node, cut, rest) ||
				    (only_late && snag_cut_can_end(s, node)))
					continue;
				snag_cut_take_out(s, ix->node[node].acquire, rest);
				shrank = true;
			}
		}
	}
}

void snag_cut_delay(struct snag_state *s, const uint32_t *cut, uint32_t *rest)
{
	delay(s, cut, rest, false);
}

void snag_cut_delay_late(struct snag_state *s, const uint32_t *cut, uint32_t *rest)
{
	delay(s, cut, rest, true);
}

bool snag_cut_extend(struct snag_state *s)
{
	bool grew = false;
	for (uint32_t i = 0; i < s->nmissing; i++) {
		if (snag_state_in_window(s, s->missing[i]))
			continue;
		snag_cut_take_out(s, s->missing[i], s->start);
		grew = true;
	}
	return grew;
}
