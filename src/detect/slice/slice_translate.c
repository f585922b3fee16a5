/* SPDX-License-Identifier: Apache-2.0
 *
 * slice_translate.c - findings about a slice as findings about the whole trace
 *
 * State, of one witness.  done[t]   so many events of thread t of the whole trace are placed
 *         have[t]   so many events of thread t of the slice are placed
 */
#include "detect/slice/slice.h"

#include "base/memory.h"
#include "trace/deadlock.h"

#include <string.h>

struct lane { /* the events of a thread in the slice */
	uint32_t *event;
	size_t n, cap;
	uint32_t fork; /* the event of the slice that starts it, or SNAG_NO_EVENT */
};

struct translation {
	const struct snag_slice *slice;
	struct lane *lane; /* by thread */
	uint32_t nthreads;
	uint32_t *join; /* all joins of the slice */
	size_t njoins, join_cap;
	uint32_t *place;  /* by event of the slice: its place in its lane */
	uint32_t *done;	  /* by thread */
	uint32_t *head;	  /* by thread: its events in the head of a window */
	uint32_t *before; /* by thread: its events before the window */
	size_t nrequests; /* the last events of the witness are those of a deadlock: they wait */
	uint32_t *to;	  /* the witness of the whole trace */
	size_t nto, to_cap;
};

static void lanes_make(struct translation *t)
{
	const struct snag_trace *trace = &t->slice->trace;
	t->nthreads = trace->names.space[SNAG_SPACE_THREAD].n;
	t->lane = snag_calloc(t->nthreads, sizeof(*t->lane));
	t->done = snag_calloc(t->nthreads, sizeof(*t->done));
	t->place = snag_realloc(NULL, trace->n, sizeof(*t->place));
	for (uint32_t i = 0; i < t->nthreads; i++)
		t->lane[i].fork = SNAG_NO_EVENT;
	t->head = snag_calloc(t->nthreads, sizeof(*t->head));
	t->before = snag_calloc(t->nthreads + t->slice->stretches.nthreads, sizeof(*t->before));
	snag_stretches_before(&t->slice->stretches, t->slice->begin, t->before);
	for (uint32_t e = 0; e < t->slice->head; e++)
		t->head[trace->ev[e].thread]++;
	for (uint32_t e = t->slice->head; e < trace->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		struct lane *lane = &t->lane[ev->thread];
		lane->event = snag_grow(lane->event, &lane->cap, lane->n + 1, sizeof(*lane->event));
		t->place[e] = (uint32_t)lane->n;
		lane->event[lane->n++] = e;
		if (ev->op == SNAG_OP_FORK)
			t->lane[ev->target].fork = e;
		if (ev->op == SNAG_OP_JOIN) {
			t->join = snag_grow(t->join, &t->join_cap, t->njoins + 1, sizeof(*t->join));
			t->join[t->njoins++] = e;
		}
	}
}

static void lanes_drop(struct translation *t)
{
	for (uint32_t i = 0; i < t->nthreads; i++)
		free(t->lane[i].event);
	free(t->lane);
	free(t->join);
	free(t->done);
	free(t->head);
	free(t->before);
	free(t->place);
}

static uint32_t position(const struct translation *t, uint32_t slice_event)
{
	return snag_stretches_position(&t->slice->stretches, t->slice->number[slice_event]);
}

static void place(struct translation *t, uint32_t event)
{
	t->to = snag_grow(t->to, &t->to_cap, t->nto + 1, sizeof(*t->to));
	t->to[t->nto++] = event;
}

/* Places the events of a thread up to a position; none of them is in the slice.  `before` of its
 * events are in the slice. */
static void place_up_to(struct translation *t, snag_tid thread, uint32_t before, uint32_t end)
{
	const struct snag_stretches *s = &t->slice->stretches;
	if (t->done[thread] >= end)
		return;
	/* All of them lie behind the last event in the slice. */
	const struct lane *lane = &t->lane[thread];
	uint32_t stretch =
		before > 0 ? snag_stretches_find(s, t->slice->number[lane->event[before - 1]])
			   : s->begin[thread] - 1;
	while (t->done[thread] < end) {
		const struct snag_stretch *at = &s->at[stretch];
		uint32_t n = snag_stretch_end(s, stretch) - at->first;
		while (t->done[thread] < end && t->done[thread] < at->position + n)
			place(t, at->first + (t->done[thread]++ - at->position));
		stretch = at->next;
	}
}

/* Places what the slice left out after the first `n` of a thread's events in it. */
static void place_behind(struct translation *t, snag_tid thread, uint32_t n)
{
	const struct snag_stretches *s = &t->slice->stretches;
	const struct lane *lane = &t->lane[thread];
	uint32_t length = thread < s->nthreads ? s->length[thread] : 0;
	place_up_to(t, thread, n, n < lane->n ? position(t, lane->event[n]) : length);
}

/* [suffix] `last` says for each thread how many events of the witness come before the last one
 * that needs the thread. */
static void place_event(struct translation *t, uint32_t slice_event, const size_t *last, size_t at)
{
	const struct snag_event *ev = &t->slice->trace.ev[slice_event];
	place(t, t->slice->number[slice_event]);
	t->done[ev->thread]++;
	if (last[ev->thread] > at)
		place_behind(t, ev->thread, t->place[slice_event] + 1);
	if (ev->op == SNAG_OP_FORK && last[ev->target] > at)
		place_behind(t, ev->target, 0);
}

static bool is_in_prefix(const struct translation *t, const uint32_t *prefix, uint32_t slice_event)
{
	return prefix && prefix[t->slice->trace.ev[slice_event].thread] > t->place[slice_event];
}

/* [prefix] Returns how many events of the whole trace the first ones of a thread in the slice
 * stand for. */
static uint32_t prefix_of(const struct translation *t, const uint32_t *prefix, snag_tid thread,
			  bool is_used_later)
{
	const struct snag_stretches *s = &t->slice->stretches;
	const struct lane *lane = &t->lane[thread];
	uint32_t n = prefix[thread], length = thread < s->nthreads ? s->length[thread] : 0;
	bool has_begun = lane->fork == SNAG_NO_EVENT || is_in_prefix(t, prefix, lane->fork);
	if (is_used_later && (n > 0 || has_begun))
		return n < lane->n ? position(t, lane->event[n]) : length;
	return n > 0 ? position(t, lane->event[n - 1]) + 1 : 0;
}

/* Finds the last place in the witness where each thread is needed: an event of it, or the join
 * that waits for it. */
static size_t *last_uses(const struct translation *t, const struct snag_race *race)
{
	size_t *last = snag_calloc(t->nthreads, sizeof(*last));
	for (size_t i = 0; i < race->nwitness; i++) {
		const struct snag_event *ev = &t->slice->trace.ev[race->witness[i]];
		last[ev->thread] = i + 1;
		if (ev->op == SNAG_OP_JOIN && i + t->nrequests < race->nwitness)
			last[ev->target] = i + 1;
	}
	return last;
}

/* [window] */
static void head_remove(const struct translation *t, struct snag_race *race)
{
	size_t n = 0;
	for (size_t i = 0; i < race->nwitness; i++)
		if (race->witness[i] >= t->slice->head)
			race->witness[n++] = race->witness[i];
	race->nwitness = n;
}

static void witness_translate(struct translation *t, struct snag_race *race)
{
	uint32_t *before = snag_race_prefix_counts(race, t->nthreads); /* of the slice */
	uint32_t *prefix = snag_calloc(t->nthreads, sizeof(*prefix));
	head_remove(t, race);
	size_t *last = last_uses(t, race);
	const struct snag_stretches *s = &t->slice->stretches;
	for (uint32_t i = 0; i < t->nthreads; i++)
		before[i] -= before[i] < t->head[i] ? before[i] : t->head[i]; /* [window] */
	for (uint32_t i = 0; i < t->nthreads; i++) {
		prefix[i] = prefix_of(t, before, i, last[i] > 0);
		prefix[i] = prefix[i] > t->before[i] ? prefix[i] : t->before[i];
	}
	for (size_t i = 0; i < t->njoins; i++) {
		snag_tid joined = t->slice->trace.ev[t->join[i]].target;
		if (is_in_prefix(t, before, t->join[i]) && joined < s->nthreads)
			prefix[joined] = s->length[joined];
	}
	memcpy(t->done, prefix, t->nthreads * sizeof(*prefix));
	t->nto = 0;
	for (size_t i = 0; i < race->nwitness; i++)
		place_event(t, race->witness[i], last, i + 1);
	race->witness = snag_realloc(race->witness, t->nto, sizeof(*race->witness));
	memcpy(race->witness, t->to, t->nto * sizeof(*race->witness));
	race->nwitness = t->nto;
	free(race->prefix);
	snag_race_prefix_set(race, prefix, t->nthreads);
	free(before);
	free(prefix);
	free(last);
}

static void site_translate(const struct snag_slice *s, struct snag_site *site)
{
	if (site->event == SNAG_NO_EVENT || site->thread == SNAG_NO_ID)
		return;
	if (snag_op_info[site->op].space == SNAG_SPACE_VARIABLE)
		site->target = s->variable[site->target];
	site->event = s->number[site->event];
}

/* Translates the last event that is known to come before; sections left out after it count. */
static void known_translate(const struct snag_slice *s, struct snag_site *site)
{
	uint32_t event = site->event;
	site_translate(s, site);
	if (event != SNAG_NO_EVENT && site->thread != SNAG_NO_ID && s->until)
		site->event = s->until[event];
}

/* The requests are put behind the witness while it is translated: then their threads come as far as
 * to stand before them. */
static void deadlock_translate(struct translation *t, struct snag_deadlock *d)
{
	struct snag_race *proof = &d->proof;
	if (proof->verdict == SNAG_PREDICTED) {
		size_t n = proof->nwitness + d->n;
		proof->witness = snag_realloc(proof->witness, n, sizeof(*proof->witness));
		for (size_t i = 0; i < d->n; i++)
			proof->witness[proof->nwitness++] = d->wait[i].at.event;
		t->nrequests = d->n;
		witness_translate(t, proof);
		proof->nwitness -= d->n;
	}
	for (size_t i = 0; i < d->n; i++) {
		site_translate(t->slice, &d->wait[i].at);
		site_translate(t->slice, &d->wait[i].held);
	}
	site_translate(t->slice, &proof->first);
	site_translate(t->slice, &proof->second);
}

void snag_slice_translate(const struct snag_slice *s, struct snag_findings *f)
{
	struct translation t = {.slice = s};
	bool has_witness = f->ndeadlocks > 0;
	for (size_t i = 0; i < f->nracy; i++)
		f->racy[i] = s->number[f->racy[i]];
	for (size_t i = 0; i < f->nraces; i++)
		has_witness |= f->race[i].nwitness > 0;
	if (has_witness)
		lanes_make(&t);
	for (size_t i = 0; i < f->nraces; i++) {
		struct snag_race *race = &f->race[i];
		if (race->nwitness > 0)
			witness_translate(&t, race);
		for (size_t k = 0; k < race->variables.n; k++)
			race->variables.at[k] = s->variable[race->variables.at[k]];
		site_translate(s, &race->first);
		site_translate(s, &race->second);
		known_translate(s, &race->known);
	}
	for (size_t i = 0; i < f->ndeadlocks; i++)
		deadlock_translate(&t, &f->deadlock[i]);
	if (has_witness)
		lanes_drop(&t);
	free(t.to);
}
