/* SPDX-License-Identifier: Apache-2.0
 *
 * late.c - sections that cannot end, and what their reads would see
 *
 * Idea.   A section that cannot end comes after all others of its lock, also after those that
 *         were observed later.  This refutes most false candidates: a read inside it would then
 *         see what the others wrote.  To find this, only the few sections that cannot end need
 *         rows, not all events of a window.
 *
 * State.  section[i], row[i]   a section that cannot end, and what must precede its acquire
 *
 * Rules.  [late]     all other needed sections of its lock end before its acquire
 *         [through]  what must precede the acquire of section j precedes all that follows it
 *         [circle]   an event of its own thread, from the acquire on, would precede it: refuted
 *         [reads]    a causal read r in it saw w, and another write v of the variable must
 *                    precede r: so v before w.  If w must precede v, or there is no w: refuted
 *
 * Guarantee.  It refutes only with facts that hold in every witness.  It leaves much to
 *             propagation.
 * Cost.   O(sections x threads) bisections, and for each read in the sections the writes
 *         observed since the one it saw, or O(threads) bisections if they are more than a few;
 *         at most MAX_EVENTS of each.
 */
#include "witness/decide/late.h"

#include "base/memory.h"
#include "witness/decide/counts.h"
#include "witness/decide/cut.h"
#include "witness/decide/ops.h"

#include <string.h>

enum { MAX_EVENTS = 512, FEW_WRITES = 8 };

void snag_late_done(struct snag_late *late)
{
	free(late->section);
	free(late->row);
	*late = (struct snag_late){0};
}

static uint32_t *row_of(const struct snag_late *late, const struct snag_state *s, size_t i)
{
	return late->row + i * s->nthreads;
}

static void section_add(struct snag_late *late, struct snag_state *s, uint32_t acquire,
			const uint32_t *cut) /* [late] */
{
	const struct snag_index *ix = s->ix;
	snag_tid t = snag_index_thread(ix, acquire);
	uint32_t p = ix->position[acquire], n = s->nthreads;
	late->section =
		snag_grow(late->section, &late->section_cap, late->n + 1, sizeof(*late->section));
	late->row = snag_grow(late->row, &late->row_cap, (late->n + 1) * n, sizeof(*late->row));
	late->section[late->n] = (struct snag_late_section){t, p};
	uint32_t *row = row_of(late, s, late->n++);
	struct snag_point point = snag_cut_point(s, cut, t, p);
	memset(row, 0, n * sizeof(*row));
	snag_rows_add_point(s->ix, s->rows, &s->walk, row, &point);
	row[t] = 0; /* what comes before in its own thread is of no interest */
	struct snag_rivals r = snag_rivals_of(ix, acquire);
	for (; r.lane < r.end; r.lane++) {
		snag_tid u = r.lane->thread;
		uint32_t other = u == t ? SNAG_NO_EVENT : snag_cut_last(s, r.lane, cut);
		if (other == SNAG_NO_EVENT)
			continue;
		point = snag_cut_point(s, cut, u, ix->position[ix->link[other]]);
		snag_rows_add_point(s->ix, s->rows, &s->walk, row, &point);
	}
}

/* False: refuted. */
static bool close_rows(struct snag_late *late, const struct snag_state *s) /* [through], [circle] */
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < late->n; i++) {
			uint32_t *row = row_of(late, s, i);
			for (size_t j = 0; j < late->n; j++)
				if (row[late->section[j].thread] > late->section[j].position)
					grew |= snag_counts_join(row, row_of(late, s, j),
								 s->nthreads);
			if (row[late->section[i].thread] > late->section[i].position)
				return false;
		}
	}
	return true;
}

/* Returns whether w must precede the p-th event of u. */
static bool precedes(struct snag_state *s, const uint32_t *cut, uint32_t w, snag_tid u, uint32_t p)
{
	struct snag_point point = snag_cut_point(s, cut, u, p);
	return snag_rows_has(s->ix, s->rows, &s->walk, &point, w);
}

/* Returns false if r, of t, would see another write than w.  *ret_is_sure: true is certain,
 * because there were few writes between w and the end of the cut. */
static bool few_writes_allow(struct snag_state *s, const uint32_t *late, const uint32_t *cut,
			     snag_tid t, uint32_t w, bool *ret_is_sure)
{
	const struct snag_index *ix = s->ix;
	*ret_is_sure = false;
	if (w == SNAG_NO_EVENT)
		return true;
	uint32_t v = w;
	for (int n = 0; n < FEW_WRITES && !snag_op_reads(ix->trace->ev[v].op); n++) {
		v = ix->link[v];
		if (v == SNAG_NO_EVENT || v > s->end) {
			*ret_is_sure = true;
			return true;
		}
		snag_tid u = snag_index_thread(ix, v);
		uint32_t p = ix->position[v];
		if (u != t && p < late[u] && precedes(s, cut, w, u, p))
			return false;
	}
	return true;
}

/* Returns false if r would see another write than it did. */
static bool read_allows(struct snag_state *s, const uint32_t *late, const uint32_t *cut,
			uint32_t r) /* [reads] */
{
	const struct snag_index *ix = s->ix;
	const struct snag_lanes *writes = &ix->writes;
	uint32_t x = ix->trace->ev[r].target, w = ix->link[r];
	snag_tid t = snag_index_thread(ix, r);
	bool is_sure, allows = few_writes_allow(s, late, cut, t, w, &is_sure);
	if (is_sure || !allows)
		return allows;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++) {
		const struct snag_lane *lane = &writes->lane[i];
		snag_tid u = lane->thread;
		uint32_t k = u == t ? 0 : snag_lane_below(writes, lane, late[u]);
		if (k == 0)
			continue;
		uint32_t p = snag_lane_at(writes, lane, k - 1), v = snag_index_event(ix, u, p);
		if (w == SNAG_NO_EVENT)
			return false;
		if (v <= w) /* the order respects the observed one */
			continue;
		if (precedes(s, cut, w, u, p))
			return false;
	}
	return true;
}

static bool reads_allow(const struct snag_late *late, struct snag_state *s, size_t i,
			const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	snag_tid t = late->section[i].thread;
	uint32_t p = late->section[i].position, end = snag_state_causal_of(s, t, cut[t]);
	if (end > p + MAX_EVENTS)
		end = p + MAX_EVENTS;
	for (; p < end; p++) {
		uint32_t e = snag_index_event(ix, t, p);
		if (snag_op_reads(ix->trace->ev[e].op) &&
		    !read_allows(s, row_of(late, s, i), cut, e))
			return false;
	}
	return true;
}

bool snag_late_refutes(struct snag_late *late, struct snag_state *s, const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	late->n = 0;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		uint32_t node = snag_index_held(ix, t, cut[t]);
		for (; node; node = ix->node[node].below)
			if (!snag_cut_can_end(s, node))
				section_add(late, s, ix->node[node].acquire, cut);
	}
	if (!close_rows(late, s))
		return true;
	for (size_t i = 0; i < late->n; i++)
		if (!reads_allow(late, s, i, cut))
			return true;
	return false;
}
