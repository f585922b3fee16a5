/* SPDX-License-Identifier: Apache-2.0
 *
 * refined.c - a recorded trace as if every variable had been split from the start
 *
 * State.  bit[]       by variable: variables will still be split off it
 *         summary[]   a bit for each 64 words of bit[]: some bit of these was set at first
 *         last[v]     1 + the last split off v; 0: there is none
 *         before[i]   the same for the split before split i, off the same variable
 *         from        a batch of the inner source
 *         at, run     its events and runs that are done; `number` is that of its next event
 *         steps, left  the run that is being expanded, and how many of its events are to come
 *         tail        the events of the inner source so far
 *         alone       how many of the last delivered events were the only event of their access
 */
#include "trace/refined.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { RUNS = 1024, WORD = 64 };

struct refined {
	struct snag_source src;
	struct snag_source *inner;
	struct snag_splits_list splits;
	size_t passed; /* so many of the splits have happened */
	uint64_t *bit, *summary;
	uint32_t *last, *before;
	uint32_t nlast;	 /* variables below this number may have parts */
	uint32_t nparts; /* their parts are below this number */
	bool takes_splits, follows;
	struct snag_batch from;
	size_t at, tailed, run;
	uint64_t number;
	uint32_t run_done; /* events of from.run[run] */
	struct snag_steps steps;
	uint32_t left;
	struct snag_tail tail;
	uint64_t alone;
	uint64_t first; /* number of the first event of the batch to deliver, */
	uint64_t in_runs;
	struct snag_event ev[SNAG_BATCH_EVENTS]; /* of which these are stored */
	size_t n;
	struct snag_repeat repeat[RUNS];
	size_t nruns;
	uint64_t *origin; /* if it follows */
};

static void splits_index(struct refined *r)
{
	const struct snag_splits_list *s = &r->splits;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].from >= r->nlast)
			r->nlast = s->at[i].from + 1;
	r->nparts = s->at[s->n - 1].variable + 1;
	const size_t words = r->nlast / WORD + 1;
	r->bit = snag_calloc(words, sizeof(*r->bit));
	r->summary = snag_calloc(words / WORD / WORD + 1, sizeof(*r->summary));
	r->last = snag_calloc(r->nlast, sizeof(*r->last));
	r->before = snag_calloc(s->n, sizeof(*r->before));
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t from = s->at[i].from;
		r->before[i] = r->last[from];
		r->last[from] = (uint32_t)i + 1;
		r->bit[from / WORD] |= UINT64_C(1) << from % WORD;
		r->summary[from / WORD / WORD / WORD] |= UINT64_C(1) << from / WORD / WORD % WORD;
	}
}

/* Drops the splits before the event `number`: they do not affect later accesses. */
static void splits_pass(struct refined *r)
{
	const struct snag_splits_list *s = &r->splits;
	for (; r->passed < s->n && s->at[r->passed].event <= r->number; r->passed++) {
		const uint32_t from = s->at[r->passed].from;
		if (r->last[from] == r->passed + 1)
			r->bit[from / WORD] &= ~(UINT64_C(1) << from % WORD);
	}
}

static inline bool has_parts(const struct refined *r, uint32_t variable)
{
	return variable < r->nlast && r->bit[variable / WORD] >> variable % WORD & 1;
}

static inline void event_put(struct refined *r, const struct snag_event *ev)
{
	if (r->follows)
		r->origin[r->n] = r->number;
	r->ev[r->n++] = *ev;
}

/* [parts]  The depth is bounded: [few] of split.h. */
static void parts_put(struct refined *r, const struct snag_event *ev, uint32_t variable)
{
	struct snag_event part = *ev;
	part.part = variable != ev->target;
	part.target = variable;
	event_put(r, &part);
	uint32_t i = variable < r->nlast ? r->last[variable] : 0;
	for (; i && r->splits.at[i - 1].event > r->number; i = r->before[i - 1])
		parts_put(r, ev, r->splits.at[i - 1].variable);
}

/* The next event of the inner source. */
static inline void access_put(struct refined *r, const struct snag_event *ev)
{
	const size_t n = r->n;
	if (has_parts(r, ev->target) && snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE)
		parts_put(r, ev, ev->target);
	else
		event_put(r, ev);
	r->alone = r->n == n + 1 ? r->alone + 1 : 0;
	r->number++;
}

static bool has_room(const struct refined *r)
{
	return r->n + SNAG_SPLIT_PARTS <= SNAG_BATCH_EVENTS;
}

/* Returns whether a variable from `low` up to `high` may have parts, by a coarse test. */
static bool may_have_parts(const struct refined *r, uint32_t low, uint32_t high)
{
	const uint32_t block = WORD * WORD;
	if (low >= r->nlast)
		return false;
	high = high < r->nlast ? high : r->nlast - 1;
	for (uint32_t i = low / block; i <= high / block; i++)
		if (r->summary[i / WORD] >> i % WORD & 1)
			return true;
	return false;
}

/* Whether no access of a run of n that begins has parts. */
static bool run_is_whole(const struct refined *r, const struct snag_steps *s, uint32_t n)
{
	for (uint32_t i = 0; i < s->period && i < n; i++) {
		uint32_t target = s->next[i].target, rounds = (n - i - 1) / s->period;
		uint32_t end = target + s->stride[i] * rounds;
		if (!may_have_parts(r, target < end ? target : end, target < end ? end : target))
			continue;
		for (uint32_t k = 0; k <= rounds; k++, target += s->stride[i])
			if (has_parts(r, target))
				return false;
	}
	return true;
}

/* Puts the next run of the inner batch, or begins to expand part of it. */
static void run_put(struct refined *r)
{
	const struct snag_repeat *run = &r->from.run[r->run];
	const uint32_t n = run->n - r->run_done;
	bool is_run = snag_steps_begin(&r->steps, &r->tail, run->period);
	assert(is_run);
	(void)is_run;
	bool is_whole = !r->follows && run_is_whole(r, &r->steps, n);
	if (is_whole && r->alone >= 2 * run->period) {
		r->repeat[r->nruns++] =
			(struct snag_repeat){.at = (uint32_t)r->n, .period = run->period, .n = n};
		snag_tail_run(&r->tail, &r->steps, n);
		r->in_runs += n;
		r->alone += n;
		r->number += n;
		r->run_done = run->n;
		return;
	}
	r->left = is_whole && n > 2 * run->period ? 2 * run->period : n;
	r->run_done += r->left;
	struct snag_steps all = r->steps;
	snag_tail_run(&r->tail, &all, r->left);
}

/* Puts events of ev[] up to the next run.  Returns false if there was not enough room. */
static bool stored_put(struct refined *r)
{
	const size_t end = r->run < r->from.nruns ? r->from.run[r->run].at : r->from.n;
	while (r->at < end && has_room(r))
		access_put(r, &r->from.ev[r->at++]);
	snag_tail_add(&r->tail, r->from.ev + r->tailed, r->at - r->tailed);
	r->tailed = r->at;
	return r->at == end;
}

/* Fills the batch from the inner one.  Returns true if the inner one is used up. */
static bool batch_fill(struct refined *r)
{
	for (;;) {
		for (; r->left > 0 && has_room(r); r->left--) {
			struct snag_event ev = snag_steps_next(&r->steps);
			access_put(r, &ev);
		}
		if (r->left > 0 || r->nruns == RUNS)
			return false;
		if (r->run < r->from.nruns && r->run_done == r->from.run[r->run].n) {
			r->run++;
			r->run_done = 0;
		}
		if (r->run_done == 0 && !stored_put(r))
			return false;
		if (r->run == r->from.nruns)
			return true;
		run_put(r);
	}
}

/* As they were recorded. */
static void splits_report(struct refined *r, struct snag_batch *batch)
{
	const struct snag_splits_list *s = &r->splits;
	uint64_t end = batch->first + batch->n;
	for (size_t i = 0; i < batch->nruns; i++)
		end += batch->run[i].n;
	batch->split = s->at + r->passed;
	while (r->passed < s->n && s->at[r->passed].event < end)
		r->passed++;
	batch->nsplits = (size_t)(s->at + r->passed - batch->split);
}

/* Returns whether the remaining events of the inner source need no refinement. */
static bool is_past(const struct refined *r)
{
	return r->passed == r->splits.n && r->alone >= (uint64_t)2 * SNAG_RUN_MAX && !r->follows;
}

static int refined_next(struct snag_source *src, struct snag_batch *ret_batch,
			struct snag_error *err)
{
	struct refined *r = (struct refined *)src;
	bool is_done = r->run == r->from.nruns && r->at == r->from.n;
	r->first += r->n + r->in_runs;
	r->n = r->nruns = r->in_runs = 0;
	while (r->n + r->nruns == 0) {
		if (is_done) {
			int rc = snag_source_next(r->inner, &r->from, err);
			src->skipped = r->inner->skipped;
			if (rc <= 0)
				return rc;
			r->at = r->tailed = r->run = 0;
			if (r->from.counts.n[SNAG_SPACE_VARIABLE] < r->nparts)
				r->from.counts.n[SNAG_SPACE_VARIABLE] = r->nparts;
			r->number = r->from.first;
			if (!r->takes_splits)
				splits_pass(r);
			if (r->takes_splits || is_past(r))
				break;
		}
		is_done = batch_fill(r);
	}
	if (r->n + r->nruns == 0) { /* it passes as it is */
		*ret_batch = r->from;
		r->n = r->from.n;
		for (size_t i = 0; i < r->from.nruns; i++)
			r->in_runs += r->from.run[i].n;
		r->at = r->from.n;
		r->run = r->from.nruns;
		if (r->takes_splits)
			splits_report(r, ret_batch);
		else
			ret_batch->first = r->first;
		return 1;
	}
	*ret_batch = (struct snag_batch){.ev = r->ev,
					 .n = r->n,
					 .first = r->first,
					 .counts = r->from.counts,
					 .run = r->repeat,
					 .nruns = r->nruns};
	return 1;
}

static double refined_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct refined *)src)->inner);
}

static void refined_close(struct snag_source *src)
{
	struct refined *r = (struct refined *)src;
	snag_source_close(r->inner);
	snag_splits_list_done(&r->splits);
	free(r->bit);
	free(r->summary);
	free(r->last);
	free(r->before);
	free(r->origin);
	free(r);
}

/* The inner source, opened again, refines by itself. */
static int refined_again(const struct snag_source *src, struct snag_source **ret_src,
			 struct snag_error *err)
{
	return snag_source_again(((const struct refined *)src)->inner, ret_src, err);
}

static bool refined_take_runs(struct snag_source *src)
{
	return snag_source_take_runs(((struct refined *)src)->inner);
}

static bool refined_take_splits(struct snag_source *src)
{
	return ((struct refined *)src)->takes_splits = true;
}

static void refined_forget_variables(struct snag_source *src)
{
	snag_source_forget_variables(((struct refined *)src)->inner);
}

static const struct snag_source_ops refined_ops = {.next = refined_next,
						   .progress = refined_progress,
						   .close = refined_close,
						   .again = refined_again,
						   .take_runs = refined_take_runs,
						   .take_splits = refined_take_splits,
						   .forget_variables = refined_forget_variables};

struct snag_source *snag_refined_source(struct snag_source *inner, struct snag_splits_list *list)
{
	struct refined *r = snag_calloc(1, sizeof(*r));
	r->src = (struct snag_source){
		.ops = &refined_ops, .name = inner->name, .names = inner->names};
	r->inner = inner;
	r->splits = *list;
	splits_index(r);
	return &r->src;
}

bool snag_refined_follow(struct snag_source *src)
{
	struct refined *r = (struct refined *)src;
	if (src->ops != &refined_ops)
		return false;
	r->follows = true;
	r->origin = snag_calloc(SNAG_BATCH_EVENTS, sizeof(*r->origin));
	return true;
}

const uint64_t *snag_refined_origin(const struct snag_source *src)
{
	return ((const struct refined *)src)->origin;
}
