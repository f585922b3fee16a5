/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates.c - every pair of accesses that may be a predictable race
 *
 * Idea.   Most accesses of a variable hold its lock, its *guard*, which is found by majority.
 *         Two guarded accesses are no candidate, so only the few *bare* ones are compared with
 *         the others.  For a bare access of thread t, the accesses of thread u that are not
 *         ordered with it are a contiguous range of u's lane, and along t both ends of the range
 *         only move forward.
 *
 * Classes.  Two accesses of a thread to a variable with the same location, operation and locks
 *           are in one class.  If an earlier access of the same class was compared with a range,
 *           only accesses that have entered the range since can show a new pair of classes.  So
 *           each lane is walked once for every class, however many pairs there are.
 *
 * State.  guard[x]    a lock, or NONE
 *         bare        bit by event: a plain access without its variable's guard
 *         event[]     the bare accesses by variable, then thread, then number
 *         stack[i]    for a node of held locks, a number: equal only for equal locks
 *         mark[]      by class: how far the current lane has been walked
 *
 * Cost.   Linear in the trace, plus for each bare access a gallop in the lanes of its variable,
 *         plus the pairs looked at.
 */
#include "detect/candidates/candidates.h"

#include "base/memory.h"
#include "base/slots.h"
#include "detect/candidates/candidates_before.h"
#include "witness/decide/ops.h"

#include <string.h>

enum { NONE = UINT32_MAX };

/* If fewer than one in this many accesses is bare, columns do not pay. */
enum { SPARSE = 8 };

/* Numbers things from 1 in their order. */
struct numbers {
	uint64_t *key; /* of number - 1 */
	size_t n, cap;
	struct snag_slots slots;
};

struct mark {
	uint32_t lane;	 /* the lane that it is for */
	uint32_t walked; /* the end of the range of the last access of the class */
};

struct enumeration {
	const struct snag_index *ix;
	const struct snag_rows *rows;
	const struct snag_candidates_options *options;
	snag_candidate_handler *handler;
	void *ctx;
	bool is_over;
	uint64_t spare; /* lanes and accesses that may be looked at beyond what always may */

	uint32_t *guard;
	uint64_t *bare;
	uint32_t *first; /* by variable, and one more: in event[] */
	uint32_t *event;
	uint32_t *stack; /* by node; NULL unless by class */

	struct snag_rows_walk walk;
	/* The bare accesses of the thread and variable at hand. */
	uint32_t *own;
	struct snag_before_query *query;
	size_t own_cap, query_cap;
	struct snag_columns columns[2]; /* of the writes, of the reads of the variable at hand */

	struct numbers classes; /* of a location, operation and stack */
	struct mark *mark;	/* by class */
	size_t mark_cap;
	uint32_t lane; /* counts the lanes that were begun */
};

static bool is_bare(const struct enumeration *en, uint32_t e)
{
	return en->bare[e / 64] >> (e % 64) & 1;
}

/* Returns whether the lock is held in a way that excludes all other accesses under it. */
static bool holds(const struct snag_index *ix, uint32_t e, uint32_t lock)
{
	const struct snag_event *ev = ix->trace->ev;
	for (uint32_t node = ix->held[e]; node; node = ix->node[node].below) {
		const struct snag_event *acquire = &ev[ix->node[node].acquire];
		if (acquire->target == lock)
			return acquire->op == SNAG_OP_ACQUIRE || ev[e].op == SNAG_OP_READ;
	}
	return false;
}

/* By majority vote: a lock that more than half of the accesses hold wins; any choice is correct. */
static void guards_find(struct enumeration *en)
{
	const struct snag_index *ix = en->ix;
	uint32_t *votes = snag_calloc(ix->nvariables, sizeof(*votes));
	en->guard = snag_realloc(NULL, ix->nvariables, sizeof(*en->guard));
	memset(en->guard, 0xff, ix->nvariables * sizeof(*en->guard));
	for (uint32_t e = 0; e < ix->nevents; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		if (!snag_op_is_access(ev->op))
			continue;
		uint32_t *guard = &en->guard[ev->target];
		if (*guard != NONE && holds(ix, e, *guard)) {
			votes[ev->target]++;
		} else if (votes[ev->target] == 0) {
			uint32_t top = ix->held[e];
			*guard = top ? ix->trace->ev[ix->node[top].acquire].target : NONE;
			votes[ev->target] = top != 0;
		} else {
			votes[ev->target]--;
		}
	}
	free(votes);
}

/* Moves the accesses of one variable, in observed order, together by thread.  By thread, count is
 * 0 before and afterwards, and place is scratch. */
static void group_by_thread(const struct snag_index *ix, uint32_t *event, uint32_t n,
			    uint32_t *scratch, uint32_t *count, uint32_t *place)
{
	uint32_t end = 0;
	if (n < 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		count[snag_index_thread(ix, event[i])]++;
	for (uint32_t i = 0; i < n; i++) {
		/* The first access of a thread makes room for all of it. */
		snag_tid t = snag_index_thread(ix, event[i]);
		if (count[t]) {
			place[t] = end;
			end += count[t];
			count[t] = 0;
		}
		scratch[place[t]++] = event[i];
	}
	memcpy(event, scratch, n * sizeof(*event));
}

static void bare_find(struct enumeration *en)
{
	const struct snag_index *ix = en->ix;
	uint32_t total = 0, most = 0;
	en->bare = snag_calloc(ix->nevents / 64 + 1, sizeof(*en->bare));
	en->first = snag_calloc((size_t)ix->nvariables + 2, sizeof(*en->first));
	for (uint32_t e = 0; e < ix->nevents; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		if (!snag_op_is_access(ev->op) ||
		    (en->guard[ev->target] != NONE && holds(ix, e, en->guard[ev->target])))
			continue;
		en->bare[e / 64] |= (uint64_t)1 << (e % 64);
		if (++en->first[ev->target + 2] > most)
			most = en->first[ev->target + 2];
		total++;
	}
	for (uint32_t x = 2; x <= ix->nvariables; x++)
		en->first[x] += en->first[x - 1];
	en->event = snag_realloc(NULL, total, sizeof(*en->event));
	for (uint32_t e = 0; e < ix->nevents; e++)
		if (is_bare(en, e))
			en->event[en->first[ix->trace->ev[e].target + 1]++] = e;

	uint32_t *scratch = snag_realloc(NULL, most, sizeof(*scratch));
	uint32_t *count = snag_calloc(ix->nthreads, sizeof(*count));
	uint32_t *place = snag_calloc(ix->nthreads, sizeof(*place));
	for (uint32_t x = 0; x < ix->nvariables; x++)
		group_by_thread(ix, en->event + en->first[x], en->first[x + 1] - en->first[x],
				scratch, count, place);
	free(scratch);
	free(place);
	free(count);
}

static uint64_t number_hash(const void *ctx, uint32_t i)
{
	return snag_hash(((const struct numbers *)ctx)->key[i], 0);
}

static bool number_is(const void *ctx, uint32_t i, const void *key)
{
	return ((const struct numbers *)ctx)->key[i] == *(const uint64_t *)key;
}

static uint32_t number_of(struct numbers *s, uint64_t key)
{
	uint32_t i = snag_slots_find(&s->slots, snag_hash(key, 0), number_is, s, &key);
	if (i != SNAG_SLOTS_NONE)
		return i + 1;
	s->key = snag_grow(s->key, &s->cap, s->n + 1, sizeof(*s->key));
	s->key[s->n] = key;
	snag_slots_add(&s->slots, (uint32_t)s->n++, number_hash, s);
	return (uint32_t)s->n;
}

static void numbers_done(struct numbers *s)
{
	free(s->key);
	snag_slots_done(&s->slots);
}

/* Numbers the stacks of held locks: equal numbers only for the same locks. */
static void stacks_number(struct enumeration *en)
{
	const struct snag_index *ix = en->ix;
	struct numbers stacks = {0}; /* of the stack below, the lock on top and how it is held */
	en->stack = snag_calloc(ix->nnodes, sizeof(*en->stack));
	for (uint32_t i = 1; i < ix->nnodes; i++) {
		const struct snag_event *ev = &ix->trace->ev[ix->node[i].acquire];
		uint64_t how = 2 * (uint64_t)ev->target + (ev->op == SNAG_OP_ACQUIRE_SHARED);
		uint64_t below = en->stack[ix->node[i].below];
		en->stack[i] = number_of(&stacks, below << 33 | how);
	}
	numbers_done(&stacks);
}

/* The mark of the class of e; it is 0 in a new lane. */
static uint32_t *mark_of(struct enumeration *en, uint32_t e)
{
	const struct snag_event *ev = &en->ix->trace->ev[e];
	uint64_t loc = ev->loc * 2 + (ev->op == SNAG_OP_WRITE);
	uint32_t class = number_of(&en->classes, loc << 32 | en->stack[en->ix->held[e]]);
	en->mark = snag_grow(en->mark, &en->mark_cap, class, sizeof(*en->mark));
	struct mark *mark = &en->mark[class - 1];
	if (mark->lane != en->lane)
		*mark = (struct mark){.lane = en->lane};
	return &mark->walked;
}

struct range {
	uint32_t low, high; /* in the lane */
};

/* The columns that have the lanes, or NULL. */
static inline const struct snag_columns *columns_of(const struct enumeration *en,
						    const struct snag_lanes *lanes)
{
	const struct snag_columns *c = &en->columns[lanes == &en->ix->reads];
	return c->n ? c : NULL;
}

/* The i-th access of the lane. */
static inline uint32_t lane_event(const struct enumeration *en, const struct snag_lanes *lanes,
				  const struct snag_lane *lane, uint32_t i)
{
	const struct snag_columns *c = columns_of(en, lanes);
	return c ? c->event[lane->begin + i - c->begin]
		 : snag_index_event(en->ix, lane->thread, snag_lane_at(lanes, lane, i));
}

/* Whether the i-th access of the lane must come before own access k. */
static inline bool is_before(struct enumeration *en, const struct snag_lanes *lanes,
			     const struct snag_lane *lane, uint32_t i, uint32_t k)
{
	const struct snag_before_query *e = &en->query[k];
	if (e->row)
		return snag_lane_at(lanes, lane, i) < e->row[lane->thread];
	uint32_t f = lane_event(en, lanes, lane, i);
	/* The order respects the observed one. */
	return f < en->own[k] && snag_rows_has(en->ix, en->rows, &en->walk, &e->before, f);
}

/* Returns whether it need not come after it. */
static inline bool is_not_after(struct enumeration *en, const struct snag_lanes *lanes,
				const struct snag_lane *lane, uint32_t i, uint32_t k)
{
	const struct snag_before_query *e = &en->query[k];
	const struct snag_columns *c = columns_of(en, lanes);
	uint32_t known = c ? c->column[(size_t)e->thread * c->n + lane->begin + i - c->begin]
			   : SNAG_NOT_KEPT;
	if (known != SNAG_NOT_KEPT)
		return known <= e->position;
	uint32_t f = lane_event(en, lanes, lane, i);
	if (f < en->own[k])
		return true;
	struct snag_point before = snag_point_before(en->ix, en->rows, f);
	return !snag_rows_has(en->ix, en->rows, &en->walk, &before, en->own[k]);
}

typedef bool lane_test(struct enumeration *en, const struct snag_lanes *lanes,
		       const struct snag_lane *lane, uint32_t i, uint32_t k);

/* The first i >= from in the lane that fails the test; the later ones do too. */
static inline uint32_t gallop(struct enumeration *en, const struct snag_lanes *lanes,
			      const struct snag_lane *lane, uint32_t from, uint32_t k,
			      lane_test *test)
{
	uint32_t n = snag_lane_length(lane), low = from, high = from;
	for (uint32_t step = 0; high < n && test(en, lanes, lane, high, k); step = 2 * step + 1) {
		low = high + 1;
		high = n - low > step ? low + step : n;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (test(en, lanes, lane, middle, k))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_wanted(const struct enumeration *en, uint32_t e)
{
	return !en->options->locations || en->options->locations[en->ix->trace->ev[e].loc];
}

/* Returns whether one more may be examined, after so many. */
static inline bool may_look(struct enumeration *en, uint32_t looked, uint32_t always)
{
	if (looked < always || !en->options->is_bounded)
		return true;
	en->spare -= en->spare > 0;
	return en->spare > 0;
}

/* Compares the bare access e with the accesses in the range. */
static void walk(struct enumeration *en, uint32_t e, const struct snag_lanes *lanes,
		 const struct snag_lane *lane, struct range range)
{
	const struct snag_index *ix = en->ix;
	for (uint32_t i = range.low; i < range.high && !en->is_over; i++) {
		if (!may_look(en, i - range.low, SNAG_RANGE_ALWAYS)) {
			en->options->on_cut(en->ctx, e);
			return;
		}
		uint32_t f = lane_event(en, lanes, lane, i);
		/* Two bare accesses meet twice. */
		if (!snag_op_is_access(ix->trace->ev[f].op) || (f < e && is_bare(en, f)) ||
		    !is_wanted(en, f) || snag_index_common_lock(ix, e, f))
			continue;
		en->is_over = !en->handler(en->ctx, e < f ? e : f, e < f ? f : e);
	}
}

/* Compares the n current bare accesses, of one thread, with a lane of another one. */
static void against_lane(struct enumeration *en, uint32_t n, const struct snag_lanes *lanes,
			 const struct snag_lane *lane)
{
	const struct snag_index *ix = en->ix;
	bool is_reads = lanes == &ix->reads;
	struct range range = {0, 0};
	en->lane++;
	for (uint32_t k = 0; k < n && !en->is_over; k++) {
		uint32_t e = en->own[k];
		if (is_reads && !en->query[k].is_write)
			continue;
		range.low = gallop(en, lanes, lane, range.low, k, is_before);
		range.high =
			gallop(en, lanes, lane, range.high > range.low ? range.high : range.low, k,
			       is_not_after);
		struct range left = range;
		if (en->options->by_class) {
			uint32_t *walked = mark_of(en, e);
			left.low = *walked > left.low ? *walked : left.low;
			*walked = range.high;
		}
		walk(en, e, lanes, lane, left);
	}
}

/* The first lane of the variable that is of the thread or a later one. */
static uint32_t lane_of(const struct snag_lanes *lanes, uint32_t x, snag_tid t)
{
	uint32_t low = lanes->first[x], high = lanes->first[x + 1];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (lanes->lane[mid].thread < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Compares the n current accesses, of thread t to x, with all lanes of x of one kind.  Begins
 * after the thread's own lane: the next threads mostly come later, and pairs with earlier
 * accesses were met before. */
static void against_lanes(struct enumeration *en, uint32_t n, snag_tid t,
			  const struct snag_lanes *lanes, uint32_t x, uint32_t *looked)
{
	uint32_t first = lanes->first[x], nlanes = lanes->first[x + 1] - first;
	uint32_t begin = lane_of(lanes, x, t) - first;
	for (uint32_t i = 0; i < nlanes && !en->is_over; i++) {
		uint32_t l = begin + i < nlanes ? begin + i : begin + i - nlanes;
		if (lanes->lane[first + l].thread == t)
			continue;
		if (!may_look(en, (*looked)++, SNAG_LANES_ALWAYS)) {
			for (uint32_t k = 0; k < n; k++)
				en->options->on_cut(en->ctx, en->own[k]);
			return;
		}
		against_lane(en, n, lanes, &lanes->lane[first + l]);
	}
}

/* Selects the wanted ones of n bare accesses of one thread; returns their number. */
static uint32_t own_gather(struct enumeration *en, const uint32_t *event, uint32_t n)
{
	const struct snag_index *ix = en->ix;
	uint32_t nown = 0;
	en->own = snag_grow(en->own, &en->own_cap, n, sizeof(*en->own));
	en->query = snag_grow(en->query, &en->query_cap, n, sizeof(*en->query));
	for (uint32_t i = 0; i < n; i++) {
		const struct snag_event *ev = &ix->trace->ev[event[i]];
		if (!is_wanted(en, event[i]))
			continue;
		en->own[nown] = event[i];
		en->query[nown++] = (struct snag_before_query){.thread = ev->thread,
							       .position = ix->position[event[i]],
							       .is_write = ev->op == SNAG_OP_WRITE};
	}
	snag_before_find(ix, en->rows, en->query, nown);
	return nown;
}

static void variable_pairs(struct enumeration *en, uint32_t x)
{
	const struct snag_index *ix = en->ix;
	const struct snag_lanes *side[2] = {&ix->writes, &ix->reads};
	uint32_t nbare = en->first[x + 1] - en->first[x];
	if (nbare == 0)
		return;
	for (int k = 0; k < 2; k++) {
		const struct snag_lane *lane = side[k]->lane;
		uint32_t n = lane[side[k]->first[x + 1]].begin - lane[side[k]->first[x]].begin;
		en->columns[k].n = 0;
		if (n / SPARSE <= nbare)
			snag_columns_fill(&en->columns[k], ix, en->rows, side[k], x);
	}
	for (uint32_t i = en->first[x], end; i < en->first[x + 1] && !en->is_over; i = end) {
		snag_tid t = snag_index_thread(ix, en->event[i]);
		for (end = i + 1; end < en->first[x + 1]; end++)
			if (snag_index_thread(ix, en->event[end]) != t)
				break;
		uint32_t n = own_gather(en, en->event + i, end - i), looked = 0;
		for (int k = 0; k < 2 && n; k++)
			against_lanes(en, n, t, side[k], x, &looked);
	}
}

void snag_candidates(const struct snag_index *ix, const struct snag_candidates_options *options,
		     snag_candidate_handler *handler, void *ctx)
{
	struct enumeration en = {.ix = ix,
				 .rows = &ix->rows[options->mode],
				 .options = options,
				 .handler = handler,
				 .ctx = ctx,
				 .spare = SNAG_CANDIDATES_SPARE};
	snag_walk_init(&en.walk, en.rows);
	guards_find(&en);
	bare_find(&en);
	if (options->by_class)
		stacks_number(&en);
	for (uint32_t x = 0; x < ix->nvariables && !en.is_over; x++)
		variable_pairs(&en, x);
	free(en.guard);
	free(en.bare);
	free(en.first);
	free(en.event);
	free(en.stack);
	free(en.mark);
	numbers_done(&en.classes);
	free(en.own);
	free(en.query);
	snag_columns_done(&en.columns[0]);
	snag_columns_done(&en.columns[1]);
	snag_walk_done(&en.walk);
}
