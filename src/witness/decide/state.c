/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c - the facts of one decision, and how to take them back
 */
#include "witness/decide/state.h"

#include "base/memory.h"
#include "witness/decide/counts.h"
#include "witness/decide/fetch.h"
#include "witness/decide/ops.h"

#include <string.h>

void snag_state_init(struct snag_state *s, const struct snag_index *ix, enum snag_mode mode)
{
	uint32_t n = ix->nthreads;
	uint32_t width = ix->rows[mode].width;
	*s = (struct snag_state){.ix = ix, .rows = &ix->rows[mode], .nthreads = n, .width = width};
	s->limit = snag_calloc(n, sizeof(*s->limit));
	s->start = snag_calloc(n, sizeof(*s->start));
	s->count = snag_calloc(n, sizeof(*s->count));
	s->causal = snag_calloc(n, sizeof(*s->causal));
	s->row = snag_calloc(n, sizeof(*s->row));
	s->row_cap = snag_calloc(n, sizeof(*s->row_cap));
	s->scratch = snag_calloc(width, sizeof(*s->scratch));
	s->need = snag_calloc(width, sizeof(*s->need));
	s->changed = snag_calloc(n, sizeof(*s->changed));
	s->variable = snag_calloc(ix->nvariables, sizeof(*s->variable));
	s->lock = snag_calloc(ix->nlocks, sizeof(*s->lock));
	s->near = snag_calloc(ix->sections.first[2 * ix->nlocks], sizeof(*s->near));
	s->known = snag_calloc(width, sizeof(*s->known));
	s->stay_first = snag_calloc(ix->nlocks, sizeof(*s->stay_first));
	s->known_of = SNAG_NO_EVENT;
	snag_walk_init(&s->walk, s->rows);
	s->after = snag_calloc(n, sizeof(*s->after));
	s->ends = snag_calloc(n, sizeof(*s->ends));
	s->stays = snag_calloc(n, sizeof(*s->stays));
	s->late = snag_calloc(ix->nlocks, sizeof(*s->late));
	s->near_key = snag_calloc(2 * (size_t)ix->nlocks, sizeof(*s->near_key));
}

void snag_state_done(struct snag_state *s)
{
	for (uint32_t t = 0; t < s->nthreads; t++)
		free(s->row[t]);
	free(s->limit);
	free(s->start);
	free(s->count);
	free(s->causal);
	free(s->row);
	free(s->row_cap);
	free(s->scratch);
	free(s->need);
	free(s->changed);
	free(s->variable);
	free(s->lock);
	free(s->near);
	free(s->known);
	free(s->stay);
	free(s->stay_first);
	snag_walk_done(&s->walk);
	free(s->after);
	free(s->ends);
	free(s->stays);
	free(s->open);
	free(s->late);
	free(s->near_key);
	free(s->entering);
	free(s->window);
	free(s->queue);
	free(s->trail);
	free(s->noted);
}

static void enqueue(struct snag_state *s, snag_tid t, uint32_t p)
{
	uint32_t *row = snag_state_row(s, t, p);
	if (row[s->width + SNAG_ROW_QUEUED])
		return;
	row[s->width + SNAG_ROW_QUEUED] = 1;
	s->queue = snag_grow(s->queue, &s->queue_cap, s->nqueue + 1, sizeof(*s->queue));
	s->queue[s->nqueue++] = snag_index_event(s->ix, t, p);
}

uint32_t snag_state_next(struct snag_state *s)
{
	if (s->nqueue == 0)
		return SNAG_NO_EVENT;
	uint32_t e = s->queue[--s->nqueue];
	uint32_t *row = snag_state_row(s, snag_index_thread(s->ix, e), s->ix->position[e]);
	row[s->width + SNAG_ROW_QUEUED] = 0;
	return e;
}

bool snag_state_take(struct snag_state *s, uint32_t event)
{
	uint32_t *row = snag_state_row(s, snag_index_thread(s->ix, event), s->ix->position[event]);
	bool was_in = row[s->width + SNAG_ROW_QUEUED];
	row[s->width + SNAG_ROW_QUEUED] = 0;
	return was_in;
}

void snag_state_clear_queue(struct snag_state *s)
{
	while (snag_state_next(s) != SNAG_NO_EVENT)
		;
}

static void trail_add(struct snag_state *s, snag_tid t, uint32_t at, uint32_t old)
{
	if (!s->is_trailing)
		return;
	s->trail = snag_grow(s->trail, &s->trail_cap, s->ntrail + 1, sizeof(*s->trail));
	s->trail[s->ntrail++] = (struct snag_undo){t, at, old};
}

size_t snag_state_mark(struct snag_state *s)
{
	s->is_trailing = true;
	return s->ntrail;
}

void snag_state_return(struct snag_state *s, size_t mark)
{
	while (s->ntrail > mark) {
		const struct snag_undo *u = &s->trail[--s->ntrail];
		if (u->at == SNAG_UNDO_COUNT) {
			s->count[u->thread] = u->old;
			s->ngrowths++;
		} else if (u->at == SNAG_UNDO_CAUSAL) {
			s->causal[u->thread] = u->old;
		} else {
			s->row[u->thread][u->at] = u->old;
		}
	}
}

/* row |= what must precede the last event of each thread that it counts. */
static void close_row(struct snag_state *s, uint32_t *row, snag_tid t)
{
	memcpy(s->scratch, row, s->nthreads * sizeof(*row));
	for (snag_tid u = 0; u < s->nthreads; u++) {
		uint32_t k = s->scratch[u];
		if (u == t || k <= s->start[u])
			continue;
		snag_counts_join(row, snag_state_row(s, u, k - 1), s->width);
	}
	s->work += s->nthreads;
}

static struct snag_present *touch(const struct snag_state *s, struct snag_present *p)
{
	if (p->stamp != s->stamp)
		*p = (struct snag_present){.stamp = s->stamp};
	return p;
}

/* Returning to a mark does not undo this: a superfluous thread does no harm. */
static void note_presence(struct snag_state *s, const struct snag_event *ev)
{
	uint64_t bit = (uint64_t)1 << (ev->thread % 64);
	if (snag_op_reads(ev->op))
		touch(s, &s->variable[ev->target])->readers |= bit;
	if (snag_op_writes(ev->op))
		touch(s, &s->variable[ev->target])->writers |= bit;
	else if (snag_op_acquires(ev->op))
		touch(s, &s->lock[ev->target])->writers |= bit;
}

const uint32_t *snag_state_known(struct snag_state *s, uint32_t event)
{
	snag_tid t = snag_index_thread(s->ix, event);
	if (s->known_of == event)
		return s->known;
	memset(s->known, 0, s->width * sizeof(*s->known));
	snag_rows_add(s->ix, s->rows, &s->walk, s->known, t, s->ix->position[event] + 1);
	s->known_of = event;
	return s->known;
}

/* The row of an event that enters learns of another event that must precede it. */
static void row_learn(struct snag_state *s, uint32_t *row, const struct snag_row_edge *edge)
{
	snag_tid u = edge->thread;
	if (edge->count <= s->start[u]) {
		snag_rows_add_edge(s->ix, s->rows, &s->walk, row, edge);
		return;
	}
	if (row[u] >= edge->count)
		return;
	snag_counts_join(row, snag_state_row(s, u, edge->count - 1), s->width);
	row[u] = edge->count;
}

/* What the p-th event of t needs directly.  A read that something later in X makes causal needs its
 * writer from the start: the linearisers run before anything is propagated. */
static void row_learn_all(struct snag_state *s, uint32_t *row, snag_tid t, uint32_t p)
{
	uint32_t event = snag_index_event(s->ix, t, p);
	const struct snag_row_edge *edge = s->rows->edge + s->rows->first[t];
	for (uint32_t i = s->rows->edges[event]; i-- > 0 && edge[i].at == p;)
		if (!edge[i].is_read || snag_state_is_causal(s, event))
			row_learn(s, row, &edge[i]);
}

/* The row of an event that enters; everything that precedes it has one. */
static void enter(struct snag_state *s, uint32_t event)
{
	uint32_t n = s->width, p = s->ix->position[event];
	snag_tid t = snag_index_thread(s->ix, event);
	uint32_t *row = snag_state_row(s, t, p);
	if (p > s->start[t]) {
		memcpy(row, row - (n + SNAG_ROW_EXTRA), n * sizeof(*row));
	} else {
		uint32_t causal =
			p < s->causal[t] ? p + 1 : snag_rows_causal(s->ix, s->rows, t, p + 1);
		struct snag_point point = snag_point_causal(s->ix, s->rows, t, p + 1, causal);
		memset(row, 0, n * sizeof(*row));
		snag_rows_add_point(s->ix, s->rows, &s->walk, row, &point);
	}
	row_learn_all(s, row, t, p);
	row[t] = p;
	row[n + SNAG_ROW_QUEUED] = 0;
	if (s->has_edges)
		close_row(s, row, t);
	row[t] = p;
	note_presence(s, &s->ix->trace->ev[event]);
	enqueue(s, t, p);
	s->work++;
	row[n + SNAG_ROW_CHANGED] = s->changed[t] = s->is_beginning ? 0 : ++s->nchanges;
	row[n + SNAG_ROW_CLOSED] = 0;
}

/* Reads of t before the window that have become causal, with a writer in the window, should be in
 * it: what is before the window comes first. */
static void miss_causal(struct snag_state *s, snag_tid t, uint32_t causal, uint32_t count)
{
	const struct snag_rows *rows = s->rows;
	const struct snag_row_edge *edge = rows->edge + rows->first[t];
	const struct snag_row_edge *end = rows->edge + rows->first[t + 1];
	if (!rows->named && causal >= s->start[t])
		return;
	for (; edge < end && edge->at < s->start[t]; edge++) {
		uint32_t r = snag_index_event(s->ix, t, edge->at);
		bool was_causal = edge->at < causal || (rows->named && rows->named[r] < count);
		if (edge->is_read && !was_causal && snag_state_is_causal(s, r) &&
		    edge->count > s->start[edge->thread])
			snag_state_miss(s, r);
	}
}

/* X has `count` events of t, and the reads of the first `causal` are causal.  There is something
 * new about events of X that become causal by that. */
static void count_set(struct snag_state *s, snag_tid t, uint32_t count, uint32_t causal)
{
	uint32_t old = s->count[t], from = s->causal[t];
	size_t width = s->width + SNAG_ROW_EXTRA;
	trail_add(s, t, SNAG_UNDO_COUNT, old);
	trail_add(s, t, SNAG_UNDO_CAUSAL, from);
	s->ngrowths++;
	s->count[t] = count;
	s->causal[t] = causal;
	if (count > s->start[t])
		s->row[t] = snag_grow(s->row[t], &s->row_cap[t],
				      (size_t)(count - s->start[t]) * width, sizeof(*s->row[t]));
	if (s->is_beginning || !s->rows->dependent)
		return;
	uint32_t to = causal < old ? causal : old;
	for (uint32_t p = from > s->start[t] ? from : s->start[t]; p < to; p++)
		enqueue(s, t, p);
	for (uint32_t p = s->start[t]; s->rows->named && p < old; p++) {
		uint32_t named = s->rows->named[snag_index_event(s->ix, t, p)];
		if (named >= old && named < count)
			enqueue(s, t, p);
	}
	miss_causal(s, t, from, old);
}

uint32_t snag_state_open(struct snag_state *s, uint32_t lock)
{
	const struct snag_index *ix = s->ix;
	if (s->stay_of != s->ngrowths) {
		s->nstay = 0;
		s->stay_of = s->ngrowths;
		for (snag_tid t = 0; t < s->nthreads; t++) {
			uint32_t node = snag_index_held(ix, t, s->count[t]);
			for (; node; node = ix->node[node].below) {
				uint32_t a = ix->node[node].acquire, i = s->nstay++;
				struct snag_stay_first *first =
					&s->stay_first[ix->trace->ev[a].target];
				bool is_first = first->stay_of != s->stay_of;
				s->stay = snag_grow(s->stay, &s->stay_cap, s->nstay,
						    sizeof(*s->stay));
				s->stay[i] =
					(struct snag_stay){a, is_first ? UINT32_MAX : first->stay};
				*first = (struct snag_stay_first){s->stay_of, i};
			}
		}
	}
	return s->stay_first[lock].stay_of == s->stay_of ? s->stay_first[lock].stay : UINT32_MAX;
}

/* X grows to need[], a closed set. */
static void grow(struct snag_state *s)
{
	size_t n = 0;
	for (snag_tid t = 0; t < s->nthreads; t++)
		n += s->need[t] - s->count[t];
	s->entering = snag_grow(s->entering, &s->entering_cap, n, sizeof(*s->entering));
	snag_threads_merge(&s->ix->threads, s->count, s->need, s->entering);
	for (snag_tid t = 0; t < s->nthreads; t++) {
		uint32_t causal = snag_rows_keeps(s->rows, s->need, t);
		if (s->need[t] > s->count[t] || causal > s->causal[t])
			count_set(s, t, s->need[t], causal);
	}
	for (size_t i = 0; i < n; i++) {
		snag_fetch_entering(s, i, n);
		enter(s, s->entering[i]);
	}
}

void snag_state_begin(struct snag_state *s, const uint32_t *cut)
{
	s->ntrail = 0;
	s->is_trailing = false;
	s->nmissing = 0;
	/* In dependence modes the rows of the index know only of reads that an event alone makes
	 * causal. */
	s->has_edges = s->rows->dependent;
	s->work = 0;
	s->nchanges = 0;
	s->stamp++;
	s->ngrowths++;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		if (s->start[t] > cut[t])
			s->start[t] = cut[t];
		s->count[t] = s->start[t];
		s->causal[t] = snag_rows_keeps(s->rows, cut, t);
		s->changed[t] = 0;
		uint32_t node = snag_index_held(s->ix, t, s->start[t]);
		for (; node; node = s->ix->node[node].below)
			note_presence(s, &s->ix->trace->ev[s->ix->node[node].acquire]);
	}
	memcpy(s->need, cut, s->width * sizeof(*s->need));
	s->is_beginning = true;
	grow(s);
	s->is_beginning = false;
}

void snag_state_miss(struct snag_state *s, uint32_t event)
{
	if (s->nmissing < SNAG_MAX_MISSING)
		s->missing[s->nmissing++] = event;
}

bool snag_state_need(struct snag_state *s, uint32_t event)
{
	snag_tid t = snag_index_thread(s->ix, event);
	uint32_t p = s->ix->position[event];
	if (p < s->count[t])
		return true;
	memcpy(s->need, s->count, s->nthreads * sizeof(*s->need));
	if (s->rows->dependent)
		memcpy(s->need + s->nthreads, s->causal, s->nthreads * sizeof(*s->need));
	snag_rows_add(s->ix, s->rows, &s->walk, s->need, t, p + 1);
	for (snag_tid u = 0; u < s->nthreads; u++)
		if (s->need[u] > s->limit[u])
			return false;
	grow(s);
	return true;
}

/* row(t, p) |= from, which has nothing of t beyond p; false: it was known. */
static bool join_row(struct snag_state *s, snag_tid t, uint32_t p, const uint32_t *from)
{
	uint32_t *row = snag_state_row(s, t, p);
	s->work++;
	if (s->is_trailing && snag_counts_exceed(from, row, s->width))
		for (uint32_t u = 0; u < s->width; u++)
			if (from[u] > row[u])
				trail_add(s, t, (uint32_t)(row - s->row[t]) + u, row[u]);
	if (!snag_counts_join(row, from, s->width))
		return false;
	enqueue(s, t, p);
	row[s->width + SNAG_ROW_CHANGED] = s->changed[t] = ++s->nchanges;
	return true;
}

bool snag_state_close(struct snag_state *s, uint32_t event)
{
	snag_tid t = snag_index_thread(s->ix, event);
	uint32_t p = s->ix->position[event];
	uint32_t *row = snag_state_row(s, t, p), now = s->nchanges;
	/* If it has not changed itself, only what has changed elsewhere is new to it; in any case
	 * it has the rows that X began with, which are closed. */
	uint32_t since = row[s->width + SNAG_ROW_CLOSED];
	if (row[s->width + SNAG_ROW_CHANGED] > since)
		since = 0;
	const uint32_t *before = p > s->start[t] ? row - (s->width + SNAG_ROW_EXTRA) : NULL;
	if (before && before[s->width + SNAG_ROW_CHANGED] > since)
		join_row(s, t, p, before);
	for (snag_tid u = 0; u < s->nthreads; u++) {
		uint32_t k = row[u];
		if (before && u + SNAG_LANES <= s->nthreads &&
		    snag_counts_same(before + u, row + u)) { /* they came with `before` */
			u += SNAG_LANES - 1;
			continue;
		}
		if (u == t || s->changed[u] <= since || k <= s->start[u] ||
		    (before && before[u] == k))
			continue;
		const uint32_t *other = snag_state_row(s, u, k - 1);
		if (other[t] > p)
			return false; /* a circle */
		if (other[s->width + SNAG_ROW_CHANGED] > since)
			join_row(s, t, p, other);
	}
	row[s->width + SNAG_ROW_CLOSED] = now;
	return true;
}

const uint32_t *snag_state_events(struct snag_state *s, size_t *ret_n)
{
	size_t n = 0;
	for (snag_tid t = 0; t < s->nthreads; t++)
		n += s->count[t] - s->start[t];
	s->window = snag_grow(s->window, &s->window_cap, n, sizeof(*s->window));
	*ret_n = snag_threads_merge(&s->ix->threads, s->start, s->count, s->window);
	return s->window;
}

/* The first event of u in the window that must come after the p-th of t. */
static uint32_t first_after(const struct snag_state *s, snag_tid u, snag_tid t, uint32_t p)
{
	uint32_t low = s->start[u], high = s->count[u];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (snag_state_row(s, u, middle)[t] > p)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Returns false: a must come before b, but cannot. */
static bool contradicted(struct snag_state *s, uint32_t a, uint32_t b)
{
	s->against = (struct snag_noted){a, b};
	return false;
}

static void note(struct snag_state *s, uint32_t a, uint32_t b)
{
	if (!s->notes)
		return;
	s->noted = snag_grow(s->noted, &s->noted_cap, s->nnoted + 1, sizeof(*s->noted));
	s->noted[s->nnoted++] = (struct snag_noted){a, b};
}

bool snag_state_order(struct snag_state *s, uint32_t a, uint32_t b)
{
	if (a == b)
		return contradicted(s, a, b);
	if (!snag_state_in_window(s, b)) {
		if (a < b && !snag_state_in_window(s, a))
			return true; /* as observed */
		if (snag_state_is_before(s, b, a))
			return contradicted(s, a, b);
		snag_state_miss(s, b);
		return true;
	}
	if (snag_state_is_before(s, b, a))
		return contradicted(s, a, b);
	if (snag_state_is_before(s, a, b))
		return true;
	note(s, a, b);
	snag_tid ta = snag_index_thread(s->ix, a), tb = snag_index_thread(s->ix, b);
	uint32_t pa = s->ix->position[a], pb = s->ix->position[b];
	bool is_inside = snag_state_in_window(s, a);
	memcpy(s->scratch, is_inside ? snag_state_row(s, ta, pa) : snag_state_row(s, tb, pb),
	       s->width * sizeof(*s->scratch));
	if (is_inside)
		s->scratch[ta] = pa + 1;
	else /* what is new to b, which is less than all that precedes a */
		snag_rows_add(s->ix, s->rows, &s->walk, s->scratch, ta, pa + 1);
	s->has_edges = true;
	if (s->is_sweeping) {
		join_row(s, tb, pb, s->scratch);
		return true;
	}
	for (snag_tid u = 0; u < s->nthreads; u++) {
		uint32_t p = u == tb ? pb : first_after(s, u, tb, pb);
		while (p < s->count[u] && join_row(s, u, p, s->scratch))
			p++;
	}
	return true;
}
