/* SPDX-License-Identifier: Apache-2.0
 *
 * propagate.c - derives new facts from the known ones
 *
 * Idea.   An event with a new fact is examined once, with the rules that its operation takes
 *         part in.  Along a thread everything is monotone.  So of each other thread only the
 *         last event before, or the first after, matters: the rest follows by program order.
 *
 * Rules.  [fork, join, need]  what must precede an event of X is in X: the rows of the index and
 *                             snag_state_need() ensure this
 *         [writer]    a causal read comes after its writer; one that saw the initial value comes
 *                     before every write of the variable in X
 *         [between]   causal r saw w, v is another write of the variable: v before r implies v
 *                     before w; w before v implies r before v
 *         [section]   A and B are sections of one lock, of different threads, not both shared,
 *                     with their acquires in X.  "A first" is possible iff A has a release
 *                     within the limit and B's acquire is not known to come before A's last
 *                     event in X.  If it is not possible, B is first: its release is needed, and
 *                     comes before A's acquire.  (If that is not possible either, it is a
 *                     contradiction.)
 *
 * Guarantee.  Every fact holds in every witness that satisfies the assumptions.
 * Cost.   For each event in the queue, a bisection per lane of its variable or lock; for a
 *         write, one per pair of a writing and a reading thread of its variable.
 * Reference.  Pavlogiannis, POPL 2020, section 4, generalised: trace-closed orders over any
 *             number of threads, sections that stay open, reads that need not keep their writer.
 */
#include "witness/decide/propagate.h"

#include "witness/decide/ops.h"

/* Reads of one thread that are examined one by one before lanes are bisected. */
enum { FEW = 4 };

/* The writes of the variable by lane.thread that come first after event w, in X; or
 * SNAG_NO_EVENT. */
static uint32_t first_write_after(const struct snag_state *s, const struct snag_lane *lane,
				  uint32_t w)
{
	const struct snag_lanes *writes = &s->ix->writes;
	snag_tid u = lane->thread, tw = snag_index_thread(s->ix, w);
	uint32_t low =
		snag_lane_below(writes, lane, u == tw ? s->ix->position[w] + 1 : s->start[u]);
	uint32_t high = snag_lane_below(writes, lane, s->count[u]);
	uint32_t end = high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t p = snag_lane_at(writes, lane, middle);
		if (u == tw || snag_state_row(s, u, p)[tw] > s->ix->position[w])
			high = middle;
		else
			low = middle + 1;
	}
	return low < end ? snag_index_event(s->ix, u, snag_lane_at(writes, lane, low))
			 : SNAG_NO_EVENT;
}

/* The last write by lane.thread that must come before the event, or SNAG_NO_EVENT. */
static uint32_t last_write_before(struct snag_state *s, const struct snag_lane *lane,
				  uint32_t event)
{
	uint32_t bound = snag_state_before(s, event, lane->thread);
	uint32_t k = snag_lane_below(&s->ix->writes, lane, bound);
	return k ? snag_index_event(s->ix, lane->thread, snag_lane_at(&s->ix->writes, lane, k - 1))
		 : SNAG_NO_EVENT;
}

uint32_t snag_last_reader(const struct snag_state *s, const struct snag_lane *lane, uint32_t w)
{
	const struct snag_lanes *reads = &s->ix->reads;
	const uint32_t *link = s->ix->link;
	uint32_t low = 0, end = snag_state_causal_end(s, lane->thread);
	uint32_t high = snag_lane_below(reads, lane, end);
	/* In observed order reads see ever later writes; SNAG_NO_EVENT + 1 is 0. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t r =
			snag_index_event(s->ix, lane->thread, snag_lane_at(reads, lane, middle));
		if (link[r] + 1 <= w + 1)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0; low--) {
		uint32_t r =
			snag_index_event(s->ix, lane->thread, snag_lane_at(reads, lane, low - 1));
		if (link[r] != w)
			break;
		if (snag_state_is_causal(s, r))
			return r;
	}
	return SNAG_NO_EVENT;
}

static bool read_initial(struct snag_state *s, uint32_t r) /* [writer] */
{
	const struct snag_lanes *writes = &s->ix->writes;
	uint32_t x = s->ix->trace->ev[r].target;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++) {
		const struct snag_lane *lane = &writes->lane[i];
		uint32_t p = snag_lane_at(writes, lane, 0);
		if (p >= s->count[lane->thread])
			continue;
		uint32_t v = snag_index_event(s->ix, lane->thread, p);
		if (v != r && !snag_state_order(s, r, v))
			return false;
	}
	return true;
}

static bool read_rules(struct snag_state *s, uint32_t r) /* [writer], [between] */
{
	const struct snag_lanes *writes = &s->ix->writes;
	uint32_t x = s->ix->trace->ev[r].target, w = s->ix->link[r];
	uint64_t writers = snag_state_variable(s, x).writers;
	if (!snag_state_is_causal(s, r))
		return true;
	if (w == SNAG_NO_EVENT)
		return read_initial(s, r);
	if (!snag_state_order(s, w, r))
		return false;
	if (!writers)
		return true;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++) {
		const struct snag_lane *lane = &writes->lane[i];
		if (!snag_has_thread(writers, lane->thread))
			continue;
		uint32_t v = last_write_before(s, lane, r);
		if (v != SNAG_NO_EVENT && v != w && !snag_state_order(s, v, w))
			return false;
		v = first_write_after(s, lane, w);
		if (v != SNAG_NO_EVENT && v != r && !snag_state_order(s, r, v))
			return false;
	}
	return true;
}

/* The causal reads of the window that saw w come before v. */
static bool readers_before(struct snag_state *s, uint32_t w, uint32_t v)
{
	const struct snag_lanes *reads = &s->ix->reads;
	uint32_t x = s->ix->trace->ev[v].target;
	uint64_t readers = snag_state_variable(s, x).readers;
	for (uint32_t i = reads->first[x]; i < reads->first[x + 1]; i++) {
		if (!snag_has_thread(readers, reads->lane[i].thread))
			continue;
		uint32_t r = snag_last_reader(s, &reads->lane[i], w);
		if (r != SNAG_NO_EVENT && r != v && !snag_state_order(s, r, v))
			return false;
	}
	return true;
}

/* The same for all w before v, from the readers' side: their last reads in the window, up to
 * FEW of each thread.  *ret_is_all: there were no more. */
static bool few_readers_before(struct snag_state *s, uint32_t v, bool *ret_is_all)
{
	const struct snag_lanes *reads = &s->ix->reads;
	uint32_t x = s->ix->trace->ev[v].target;
	uint64_t readers = snag_state_variable(s, x).readers;
	for (uint32_t i = reads->first[x]; i < reads->first[x + 1]; i++) {
		const struct snag_lane *lane = &reads->lane[i];
		snag_tid u = lane->thread;
		if (!snag_has_thread(readers, u))
			continue;
		uint32_t k = snag_lane_below(reads, lane, snag_state_causal_end(s, u));
		uint32_t last = k > FEW ? k - FEW : 0;
		for (; k > last; k--) {
			uint32_t p = snag_lane_at(reads, lane, k - 1);
			if (p < s->start[u])
				break;
			uint32_t r = snag_index_event(s->ix, u, p), w = s->ix->link[r];
			if (r == v || !snag_state_is_causal(s, r) ||
			    (w != SNAG_NO_EVENT && !snag_state_is_before(s, w, v)))
				continue;
			if (!snag_state_order(s, r, v))
				return false;
			break; /* the earlier ones follow */
		}
		if (k > 0 && k == last && snag_lane_at(reads, lane, k - 1) >= s->start[u])
			*ret_is_all = false;
	}
	return true;
}

static bool write_rules(struct snag_state *s, uint32_t v) /* [writer], [between] */
{
	const struct snag_lanes *writes = &s->ix->writes;
	uint32_t x = s->ix->trace->ev[v].target;
	bool is_all = true;
	if (!snag_state_variable(s, x).readers)
		return true;
	if (!few_readers_before(s, v, &is_all))
		return false;
	if (is_all)
		return true;
	if (!readers_before(s, SNAG_NO_EVENT, v))
		return false;
	for (uint32_t i = writes->first[x]; i < writes->first[x + 1]; i++) {
		uint32_t w = last_write_before(s, &writes->lane[i], v);
		if (w != SNAG_NO_EVENT && !readers_before(s, w, v))
			return false;
	}
	return true;
}

/* Sections of other threads that must come before the one of `acquire`, which is in X. */
static bool section_rules(struct snag_state *s, uint32_t acquire) /* [section] */
{
	const struct snag_index *ix = s->ix;
	const struct snag_lanes *sections = &ix->sections;
	const struct snag_event *ev = &ix->trace->ev[acquire];
	snag_tid t = ev->thread;
	uint32_t release = ix->link[acquire];
	bool has_release = release != SNAG_NO_EVENT && ix->position[release] < s->limit[t];
	bool is_closed = has_release && ix->position[release] < s->count[t];
	uint32_t last = is_closed ? release : snag_index_event(ix, t, s->count[t] - 1);
	uint64_t threads = snag_state_lock(s, ev->target);
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;

	for (uint32_t i = sections->first[key]; i < sections->first[key + nkeys]; i++) {
		const struct snag_lane *lane = &sections->lane[i];
		snag_tid u = lane->thread;
		if (u == t || !snag_has_thread(threads, u))
			continue;
		uint32_t bound = has_release ? snag_state_before(s, last, u) : s->count[u];
		uint32_t k = snag_lane_below_near(sections, lane, bound, &s->near[i]);
		if (k == 0)
			continue;
		uint32_t other = snag_index_event(ix, u, snag_lane_at(sections, lane, k - 1));
		uint32_t other_release = ix->link[other];
		if (other_release == SNAG_NO_EVENT || !snag_state_need(s, other_release) ||
		    !snag_state_order(s, other_release, acquire))
			return false;
		/* X may have grown: so may the section. */
		if (!is_closed)
			last = snag_index_event(ix, t, s->count[t] - 1);
	}
	return true;
}

/* A new section may contradict the open ones. */
static bool acquire_rules(struct snag_state *s, uint32_t acquire)
{
	const struct snag_index *ix = s->ix;
	uint32_t lock = ix->trace->ev[acquire].target;
	for (uint32_t i = snag_state_open(s, lock); i != UINT32_MAX; i = s->stay[i].next) {
		uint32_t other = s->stay[i].acquire;
		const struct snag_event *x = &ix->trace->ev[acquire], *y = &ix->trace->ev[other];
		if (x->thread == y->thread ||
		    (x->op != SNAG_OP_ACQUIRE && y->op != SNAG_OP_ACQUIRE))
			continue;
		uint32_t before = s->ngrowths;
		if (!section_rules(s, other))
			return false;
		if (s->ngrowths != before) /* the list is outdated: begin again */
			return acquire_rules(s, acquire);
	}
	return section_rules(s, acquire);
}

static bool open_sections_rules(struct snag_state *s, snag_tid t)
{
	const struct snag_index *ix = s->ix;
	for (uint32_t node = snag_index_held(ix, t, s->count[t]); node; node = ix->node[node].below)
		if (!section_rules(s, ix->node[node].acquire))
			return false;
	return true;
}

static bool apply(struct snag_state *s, uint32_t e)
{
	const struct snag_event *ev = &s->ix->trace->ev[e];
	bool ok = true;
	if (snag_op_reads(ev->op))
		ok = read_rules(s, e);
	if (ok && snag_op_writes(ev->op))
		ok = write_rules(s, e);
	if (ok && snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED))
		ok = snag_op_acquires(ev->op) ? acquire_rules(s, e)
					      : section_rules(s, s->ix->link[e]);
	if (ok && s->ix->position[e] + 1 == s->count[ev->thread])
		ok = open_sections_rules(s, ev->thread);
	return ok;
}

bool snag_propagate(struct snag_state *s)
{
	for (uint32_t e; (e = snag_state_next(s)) != SNAG_NO_EVENT;)
		if (!apply(s, e)) {
			snag_state_clear_queue(s);
			return false;
		}
	return true;
}

/* One sweep in observed order. */
static bool sweep(struct snag_state *s)
{
	size_t n;
	const uint32_t *event = snag_state_events(s, &n);
	for (size_t i = 0; i < n; i++) {
		if (s->has_edges && !snag_state_close(s, event[i]))
			return false;
		if (snag_state_take(s, event[i]) && !apply(s, event[i]))
			return false;
	}
	return true;
}

bool snag_propagate_all(struct snag_state *s)
{
	uint32_t before;
	bool ok;
	s->is_sweeping = true;
	do {
		before = s->nchanges;
		ok = sweep(s);
	} while (ok && s->nchanges != before && !s->nmissing);
	s->is_sweeping = false;
	snag_state_clear_queue(s);
	return ok;
}
