/* SPDX-License-Identifier: Apache-2.0
 *
 * linearise.c - turns the needed events into a witness, greedily
 *
 * Idea.   Run the needed events, always the first in observed order that may happen now.  The
 *         observed order is a good guide: it is wrong only about the few sections that were cut
 *         open. Two rules of waiting make it hard for the greedy algorithm to get stuck, and
 *         ensure that an open choice is the cause if it does.
 *
 * Rules.  [order]    an event waits for all that must precede it
 *         [lock]     an acquire waits until its lock is free
 *         [open]     an acquire whose section stays open waits until the competing sections of
 *                    other threads are over
 *         [reads]    a write waits until the causal reads of the current value have happened; so
 *                    a causal read always finds the value of its writer
 *
 * Guarantee.  If it gets stuck, the threads wait for each other in a circle.  A circle of
 *             [order] alone would be a contradiction in the order, so it contains another wait,
 *             and that is an open choice.  So with a window of all of X, a state without choices
 *             is a witness in any order that respects it.
 * Cost.   O(threads) per event, as long as the first thread, or another one of the first, can
 *         continue.
 */
#include "witness/decide/linearise.h"

#include "base/memory.h"
#include "witness/decide/ops.h"
#include "witness/decide/propagate.h"

#include <string.h>

enum why { GO, ORDER, LOCK, OPEN, READS };

struct snag_line_wait {
	bool is_ordered; /* all that must precede its next event has happened */
	enum why why;
	snag_tid thread; /* ORDER: until done[thread] >= until */
	uint32_t until;
	uint32_t other; /* OPEN: the acquire of the section that it waits for */
};

struct snag_line_lock {
	uint32_t stamp;
	uint32_t owner;	  /* the acquire of the section that holds it alone, or SNAG_NO_EVENT */
	uint32_t readers; /* how many hold it shared */
};

struct snag_line_variable {
	uint32_t stamp;
	uint32_t last;	  /* the write a read would see; before the first write in the window: the
			   * one that reads in the window saw, or SNAG_NO_EVENT */
	uint32_t pending; /* causal reads of it still to come */
};

void snag_line_init(struct snag_line *line, struct snag_state *s)
{
	uint32_t n = s->nthreads;
	*line = (struct snag_line){.s = s};
	line->done = snag_calloc(n, sizeof(*line->done));
	line->wait = snag_calloc(n, sizeof(*line->wait));
	line->key = snag_calloc(n, sizeof(*line->key));
	line->ready = snag_calloc(n, sizeof(*line->ready));
	line->lock = snag_calloc(s->ix->nlocks, sizeof(*line->lock));
	line->variable = snag_calloc(s->ix->nvariables, sizeof(*line->variable));
}

void snag_line_done(struct snag_line *line)
{
	free(line->done);
	free(line->wait);
	free(line->key);
	free(line->ready);
	free(line->lock);
	free(line->variable);
	free(line->event);
}

static struct snag_line_lock *lock_of(struct snag_line *line, uint32_t lock)
{
	struct snag_line_lock *l = &line->lock[lock];
	if (l->stamp != line->stamp)
		*l = (struct snag_line_lock){line->stamp, SNAG_NO_EVENT, 0};
	return l;
}

static struct snag_line_variable *variable_of(struct snag_line *line, uint32_t variable)
{
	struct snag_line_variable *x = &line->variable[variable];
	if (x->stamp != line->stamp)
		*x = (struct snag_line_variable){line->stamp, SNAG_NO_EVENT, 0};
	return x;
}

void snag_miss_overwrites(struct snag_state *s, uint32_t variable, uint32_t w)
{
	const struct snag_lanes *writes = &s->ix->writes;
	for (uint32_t i = writes->first[variable]; i < writes->first[variable + 1]; i++) {
		const struct snag_lane *lane = &writes->lane[i];
		uint32_t low = 0, high = snag_lane_below(writes, lane, s->start[lane->thread]);
		uint32_t end = high;
		while (low < high) { /* SNAG_NO_EVENT + 1 is 0 */
			uint32_t middle = low + (high - low) / 2;
			uint32_t p = snag_lane_at(writes, lane, middle);
			if (snag_index_event(s->ix, lane->thread, p) < w + 1)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < end)
			snag_state_miss(s, snag_index_event(s->ix, lane->thread,
							    snag_lane_at(writes, lane, low)));
	}
}

/* Counts a causal read of the window as a reader of its writer.  Returns false if the write it
 * must see is before the window and overwritten there. */
static bool reader_add(struct snag_line *line, uint32_t r)
{
	struct snag_state *s = line->s;
	uint32_t w = s->ix->link[r], variable = s->ix->trace->ev[r].target;
	if (w != SNAG_NO_EVENT && snag_state_in_window(s, w)) {
		snag_tid t = snag_index_thread(s->ix, w);
		snag_state_row(s, t, s->ix->position[w])[s->width + SNAG_ROW_READERS]++;
		return true;
	}
	struct snag_line_variable *x = variable_of(line, variable);
	x->pending++;
	if (x->pending > 1 ? x->last != w
			   : !snag_index_is_seen(s->ix, s->start, line->last_before, variable, w)) {
		snag_miss_overwrites(s, variable, w);
		return false;
	}
	x->last = w;
	return true;
}

static bool readers_count(struct snag_line *line)
{
	const struct snag_state *s = line->s;
	const struct snag_index *ix = s->ix;
	bool ok = true;
	line->last_before = snag_index_last(ix, s->start);
	for (snag_tid t = 0; t < s->nthreads; t++)
		for (uint32_t p = s->start[t]; p < s->count[t]; p++)
			snag_state_row(s, t, p)[s->width + SNAG_ROW_READERS] = 0;
	for (snag_tid t = 0; t < s->nthreads; t++)
		for (uint32_t p = s->start[t]; p < snag_state_causal_end(s, t); p++) {
			uint32_t e = snag_index_event(ix, t, p);
			if (snag_op_reads(ix->trace->ev[e].op) && snag_state_is_causal(s, e))
				ok &= reader_add(line, e);
		}
	return ok;
}

static void locks_take(struct snag_line *line, snag_tid t)
{
	const struct snag_index *ix = line->s->ix;
	uint32_t node = snag_index_held(ix, t, line->s->start[t]);
	for (; node; node = ix->node[node].below) {
		const struct snag_event *ev = &ix->trace->ev[ix->node[node].acquire];
		struct snag_line_lock *lock = lock_of(line, ev->target);
		if (ev->op == SNAG_OP_ACQUIRE)
			lock->owner = ix->node[node].acquire;
		else
			lock->readers++;
	}
}

static enum why order_allows(struct snag_line *line, snag_tid t, struct snag_line_wait *w)
{
	const struct snag_state *s = line->s;
	if (w->is_ordered)
		return GO;
	if (line->done[w->thread] < w->until)
		return ORDER;
	const uint32_t *row = snag_state_row(s, t, line->done[t]);
	for (snag_tid u = 0; u < s->nthreads; u++)
		if (row[u] > line->done[u]) {
			w->thread = u;
			w->until = row[u];
			return ORDER;
		}
	w->is_ordered = true;
	return GO;
}

/* [open]: sets w->other if there is a section to wait for. */
static bool must_wait_open(struct snag_line *line, uint32_t acquire, struct snag_line_wait *w)
{
	const struct snag_state *s = line->s;
	const struct snag_index *ix = s->ix;
	const struct snag_event *ev = &ix->trace->ev[acquire];
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;
	uint64_t threads = snag_state_lock(s, ev->target);
	uint32_t release = ix->link[acquire];
	if (release != SNAG_NO_EVENT && ix->position[release] < s->count[ev->thread])
		return false;
	for (uint32_t i = ix->sections.first[key]; i < ix->sections.first[key + nkeys]; i++) {
		const struct snag_lane *lane = &ix->sections.lane[i];
		snag_tid u = lane->thread;
		if (u == ev->thread || !snag_has_thread(threads, u))
			continue;
		uint32_t k = snag_lane_below_near(&ix->sections, lane, s->count[u], &s->near[i]);
		if (k == 0)
			continue;
		uint32_t other = snag_index_event(ix, u, snag_lane_at(&ix->sections, lane, k - 1));
		uint32_t end = ix->link[other];
		if (end == SNAG_NO_EVENT || ix->position[end] >= line->done[u]) {
			w->other = other;
			return true;
		}
	}
	return false;
}

static enum why lock_allows(struct snag_line *line, uint32_t e, struct snag_line_wait *w)
{
	const struct snag_event *ev = &line->s->ix->trace->ev[e];
	const struct snag_line_lock *lock = lock_of(line, ev->target);
	if (lock->owner != SNAG_NO_EVENT || (ev->op == SNAG_OP_ACQUIRE && lock->readers))
		return LOCK;
	return must_wait_open(line, e, w) ? OPEN : GO;
}

static enum why write_allows(struct snag_line *line, uint32_t e)
{
	const struct snag_event *ev = &line->s->ix->trace->ev[e];
	const struct snag_line_variable *x = variable_of(line, ev->target);
	bool is_reader = ev->op == SNAG_OP_ATOMIC_UPDATE && snag_state_is_causal(line->s, e);
	return x->pending > (is_reader ? 1 : 0) ? READS : GO;
}

static enum why allows(struct snag_line *line, snag_tid t)
{
	struct snag_line_wait *w = &line->wait[t];
	uint32_t e = snag_index_event(line->s->ix, t, line->done[t]);
	const struct snag_event *ev = &line->s->ix->trace->ev[e];
	w->why = order_allows(line, t, w);
	if (w->why == GO && snag_op_acquires(ev->op) && !(ev->flags & SNAG_NESTED))
		w->why = lock_allows(line, e, w);
	else if (w->why == GO && snag_op_writes(ev->op))
		w->why = write_allows(line, e);
	return w->why;
}

static void run_lock(struct snag_line *line, const struct snag_event *ev, uint32_t e)
{
	struct snag_line_lock *lock = lock_of(line, ev->target);
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
		lock->owner = e;
		break;
	case SNAG_OP_RELEASE:
		lock->owner = SNAG_NO_EVENT;
		break;
	case SNAG_OP_ACQUIRE_SHARED:
		lock->readers++;
		break;
	default:
		lock->readers--;
	}
}

static void run(struct snag_line *line, snag_tid t)
{
	const struct snag_state *s = line->s;
	uint32_t p = line->done[t]++, e = snag_index_event(s->ix, t, p);
	const struct snag_event *ev = &s->ix->trace->ev[e];
	if (snag_op_reads(ev->op) && snag_state_is_causal(s, e))
		variable_of(line, ev->target)->pending--;
	if (snag_op_writes(ev->op)) {
		struct snag_line_variable *x = variable_of(line, ev->target);
		x->last = e;
		x->pending = snag_state_row(s, t, p)[s->width + SNAG_ROW_READERS];
	} else if (snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED)) {
		run_lock(line, ev, e);
	}
	line->event =
		snag_grow(line->event, &line->event_cap, line->nevents + 1, sizeof(*line->event));
	line->event[line->nevents++] = e;
	line->wait[t] = (struct snag_line_wait){0};
}

/* Moves the i-th ready thread, which has run, to the place of its next event. */
static void ready_move(struct snag_line *line, uint32_t i)
{
	const struct snag_state *s = line->s;
	snag_tid t = line->ready[i];
	if (line->done[t] == s->count[t]) {
		line->nready--;
		memmove(line->ready + i, line->ready + i + 1,
			(line->nready - i) * sizeof(*line->ready));
		return;
	}
	line->key[t] = (line->key[t] >> 32 << 32) | snag_index_event(s->ix, t, line->done[t]);
	for (; i + 1 < line->nready && line->key[line->ready[i + 1]] < line->key[t]; i++)
		line->ready[i] = line->ready[i + 1];
	line->ready[i] = t;
}

static void ready_add(struct snag_line *line, snag_tid t, const snag_tid *prefer)
{
	const struct snag_state *s = line->s;
	uint64_t rank = !prefer ? 0 : t == prefer[0] ? 0 : t == prefer[1] ? 1 : 2;
	uint32_t i = line->nready++;
	line->key[t] = rank << 32 | snag_index_event(s->ix, t, line->done[t]);
	for (; i > 0 && line->key[line->ready[i - 1]] > line->key[t]; i--)
		line->ready[i] = line->ready[i - 1];
	line->ready[i] = t;
}

static void choice_add(struct snag_line *line, const struct snag_choice *c)
{
	struct snag_state *s = line->s;
	for (int i = 0; i < 2; i++)
		if (c->first[i] != SNAG_NO_EVENT &&
		    snag_state_is_before(s, c->first[i], c->then[i]))
			return; /* known: something else is the cause */
	if (line->nchoices < SNAG_MAX_CHOICES)
		line->choice[line->nchoices++] = *c;
}

static void choice_sections(struct snag_line *line, uint32_t a, uint32_t b)
{
	const struct snag_state *s = line->s;
	const struct snag_index *ix = s->ix;
	uint32_t acquire[2] = {a < b ? a : b, a < b ? b : a};
	struct snag_choice c;
	for (int i = 0; i < 2; i++) {
		uint32_t release = ix->link[acquire[i]];
		bool is_possible = release != SNAG_NO_EVENT &&
				   ix->position[release] < s->limit[snag_index_thread(ix, release)];
		c.first[i] = is_possible ? release : SNAG_NO_EVENT;
		c.then[i] = acquire[!i];
	}
	choice_add(line, &c);
}

static void choices_lock(struct snag_line *line, uint32_t acquire)
{
	const struct snag_index *ix = line->s->ix;
	uint32_t lock = ix->trace->ev[acquire].target;
	uint32_t owner = lock_of(line, lock)->owner;
	if (owner != SNAG_NO_EVENT) {
		choice_sections(line, owner, acquire);
		return;
	}
	const struct snag_lanes *sections = &ix->sections;
	for (uint32_t i = sections->first[2 * lock + 1]; i < sections->first[2 * lock + 2]; i++) {
		const struct snag_lane *lane = &sections->lane[i];
		snag_tid u = lane->thread;
		uint32_t k = snag_lane_below(sections, lane, line->done[u]);
		if (k == 0)
			continue;
		uint32_t other = snag_index_event(ix, u, snag_lane_at(sections, lane, k - 1));
		uint32_t release = ix->link[other];
		if (release == SNAG_NO_EVENT || ix->position[release] >= line->done[u])
			choice_sections(line, other, acquire);
	}
}

static void choices_reads(struct snag_line *line, uint32_t v)
{
	const struct snag_state *s = line->s;
	const struct snag_lanes *reads = &s->ix->reads;
	uint32_t variable = s->ix->trace->ev[v].target, w = variable_of(line, variable)->last;
	if (w == SNAG_NO_EVENT) /* reads of the initial value are no choice */
		return;
	for (uint32_t i = reads->first[variable]; i < reads->first[variable + 1]; i++) {
		uint32_t r = snag_last_reader(s, &reads->lane[i], w);
		if (r == SNAG_NO_EVENT || r == v ||
		    s->ix->position[r] < line->done[reads->lane[i].thread])
			continue;
		struct snag_choice c = {{v, r}, {w, v}};
		if (w < v)
			c = (struct snag_choice){{r, v}, {v, w}};
		choice_add(line, &c);
	}
}

static void choices_find(struct snag_line *line)
{
	for (uint32_t i = 0; i < line->nready; i++) {
		snag_tid t = line->ready[i];
		uint32_t e = snag_index_event(line->s->ix, t, line->done[t]);
		switch (line->wait[t].why) {
		case LOCK:
			choices_lock(line, e);
			break;
		case OPEN:
			choice_sections(line, line->wait[t].other, e);
			break;
		case READS:
			choices_reads(line, e);
			break;
		default:
			break;
		}
	}
}

bool snag_linearise(struct snag_line *line, const snag_tid *prefer)
{
	const struct snag_state *s = line->s;
	line->stamp++;
	line->nevents = line->nchoices = line->nready = 0;
	if (!readers_count(line))
		return false;
	for (snag_tid t = 0; t < s->nthreads; t++) {
		locks_take(line, t);
		line->done[t] = s->start[t];
		line->wait[t] = (struct snag_line_wait){0};
		if (s->start[t] < s->count[t])
			ready_add(line, t, prefer);
	}
	while (line->nready) {
		uint32_t i = 0;
		while (i < line->nready && allows(line, line->ready[i]) != GO)
			i++;
		if (i == line->nready) {
			choices_find(line);
			return false;
		}
		run(line, line->ready[i]);
		ready_move(line, i);
	}
	return true;
}
