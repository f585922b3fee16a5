/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - runs a program again, steered by a schedule to a race
 */
#include "record/replay/replay.h"

#include "base/memory.h"
#include "record/replay/divergence.h"
#include "record/recording.h"
#include "record/replay/steering.h"
#include "record/step_log.h"
#include "trace/callstack.h"
#include "trace/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PLACE = 4096 };

/* Looks for the two accesses in the trace of the new run.  An access can be several events,
 * which have one step.  The two accesses are those of two successive steps, so each step is
 * compared only with the next. */
struct watch {
	const struct snag_replay_plan *plan;
	const struct snag_names *names;
	uint8_t *place; /* by location: which of the two accesses are expected there, and KNOWN */
	size_t place_cap;
	struct snag_step step; /* that of the event before */
	struct touches {       /* expected accesses of one step */
		struct touch {
			struct snag_event ev;
			uint64_t number;
		} * at;
		size_t n, cap;
	} now, before; /* those of the step before by variable */
	bool is_found;
	uint64_t event[2]; /* where */
	/* The events that the two threads made in place of their accesses. */
	struct snag_event met[2];
	unsigned nmet;
	struct path {		 /* the events of each thread of a run to be compared */
		uint64_t *place; /* by location: a hash of its name; 0: not computed yet */
		size_t place_cap;
		uint64_t *thread; /* by thread: what it did so far */
		size_t thread_cap;
	} path;
};

enum { FIRST = 1, SECOND = 2, KNOWN = 4 };

/* Returns which of the two accesses the event may be, as a set. */
static unsigned expected(struct watch *w, const struct snag_event *ev)
{
	const struct snag_replay_access *access = w->plan->access;
	w->place = snag_grow(w->place, &w->place_cap, (size_t)ev->loc + 1, sizeof(*w->place));
	if (!w->place[ev->loc]) {
		char place[PLACE];
		snag_location_text(w->names, ev->loc, place, sizeof(place));
		w->place[ev->loc] =
			(uint8_t)((strcmp(place, access[0].place) == 0 ? FIRST : 0) |
				  (strcmp(place, access[1].place) == 0 ? SECOND : 0) | KNOWN);
	}
	bool is_write = ev->op == SNAG_OP_WRITE;
	return w->place[ev->loc] & ((access[0].is_write == is_write ? FIRST : 0) |
				    (access[1].is_write == is_write ? SECOND : 0));
}

static int touch_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct touch *)a)->ev.target, y = ((const struct touch *)b)->ev.target;
	return x < y ? -1 : x > y;
}

static void touch_add(struct touches *t, const struct snag_event *ev, uint64_t number)
{
	t->at = snag_grow(t->at, &t->cap, t->n + 1, sizeof(*t->at));
	t->at[t->n++] = (struct touch){*ev, number};
}

static void step_begins(struct watch *w, const struct snag_step *step)
{
	struct touches before = w->before;
	w->before = w->now;
	w->now = before;
	w->now.n = 0;
	w->step = *step;
	if (w->before.n > 1)
		qsort(w->before.at, w->before.n, sizeof(*w->before.at), touch_compare);
}

/* Returns whether this access and one of the step before are the two accesses. */
static bool is_pair(struct watch *w, const struct touch *t, const struct snag_event *ev)
{
	unsigned first = expected(w, &t->ev), second = expected(w, ev);
	return t->ev.thread != ev->thread &&
	       (t->ev.op == SNAG_OP_WRITE || ev->op == SNAG_OP_WRITE) &&
	       ((first & FIRST && second & SECOND) || (first & SECOND && second & FIRST));
}

/* A mute replay records only the turns of the two accesses. */
static void meet(struct watch *w, const struct snag_event *ev)
{
	bool is_other = w->nmet == 0 || ev->thread != w->met[w->nmet - 1].thread;
	if (is_other && w->nmet < 2)
		w->met[w->nmet++] = *ev;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* Numbers of locations differ between two runs, their names do not. */
static uint64_t place_hash(struct watch *w, snag_loc loc)
{
	struct path *p = &w->path;
	p->place = snag_grow(p->place, &p->place_cap, (size_t)loc + 1, sizeof(*p->place));
	if (!p->place[loc]) {
		char place[PLACE];
		snag_location_text(w->names, loc, place, sizeof(place));
		uint64_t hash = 1;
		for (const char *c = place; *c; c++)
			hash = mix(hash, (unsigned char)*c);
		p->place[loc] = hash | 1;
	}
	return p->place[loc];
}

static void path_event(struct watch *w, const struct snag_event *ev)
{
	struct path *p = &w->path;
	p->thread =
		snag_grow(p->thread, &p->thread_cap, (size_t)ev->thread + 1, sizeof(*p->thread));
	uint64_t *hash = &p->thread[ev->thread];
	*hash = mix(mix(*hash, ev->op), place_hash(w, ev->loc));
}

/* Combines the hashes of all threads independent of their order, because another schedule may
 * create threads in another order. */
static uint64_t path_hash(const struct path *p)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->thread_cap; i++)
		sum += p->thread[i] ? mix(p->thread[i], 1) : 0;
	return sum;
}

static void watch_event(struct watch *w, const struct snag_event *ev, uint64_t number,
			const struct snag_step *step)
{
	if (step->thread != w->step.thread || step->count != w->step.count || number == 0)
		step_begins(w, step);
	if (w->plan->stops)
		meet(w, ev);
	if (w->plan->is_compared)
		path_event(w, ev);
	if (w->is_found || !snag_op_is_access(ev->op) || !expected(w, ev))
		return;
	touch_add(&w->now, ev, number);
	const struct touch key = {.ev.target = ev->target};
	const struct touch *end = w->before.at + w->before.n, *t = NULL;
	if (w->before.n)
		t = bsearch(&key, w->before.at, w->before.n, sizeof(key), touch_compare);
	while (t && t > w->before.at && t[-1].ev.target == ev->target)
		t--;
	for (; t && t < end && t->ev.target == ev->target && !w->is_found; t++) {
		w->is_found = is_pair(w, t, ev);
		w->event[0] = t->number;
		w->event[1] = number;
	}
}

/* After a split, an earlier access to the variable counts as an access to the new one, too. */
static void watch_split(struct watch *w, const struct snag_split *split)
{
	struct touches *of[2] = {&w->now, &w->before};
	for (int k = 0; k < 2; k++)
		for (size_t i = 0, n = of[k]->n; i < n; i++)
			if (of[k]->at[i].ev.target == split->from) {
				struct touch t = of[k]->at[i];
				t.ev.target = split->variable;
				touch_add(of[k], &t.ev, t.number);
			}
	if (w->before.n > 1)
		qsort(w->before.at, w->before.n, sizeof(*w->before.at), touch_compare);
}

/* The next events of the new run. */
struct reading {
	struct watch *w;
	struct snag_step_cursor cursor;
	const struct snag_split *split, *split_end;
};

static inline void on_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct reading *r = ctx;
	for (; r->split < r->split_end && r->split->event <= number; r->split++)
		watch_split(r->w, r->split);
	const struct snag_step step = {snag_step_cursor_next(&r->cursor, ev->thread, 1),
				       ev->thread};
	watch_event(r->w, ev, number, &step);
}

static void on_run(void *ctx, const struct snag_steps *steps, uint32_t n, uint64_t number)
{
	struct reading *r = ctx;
	struct snag_steps all = *steps;
	bool is_expected = false;
	for (uint32_t i = 0; i < steps->period; i++)
		is_expected |= expected(r->w, &steps->next[i]) != 0 || r->w->plan->is_compared;
	for (uint32_t i = 0; i < n && is_expected; i++) {
		struct snag_event ev = snag_steps_next(&all);
		on_event(r, &ev, number + i);
	}
	if (is_expected)
		return;
	const snag_tid thread = steps->next[0].thread;
	const struct snag_step last = {snag_step_cursor_next(&r->cursor, thread, n), thread};
	if (last.thread != r->w->step.thread || last.count != r->w->step.count)
		step_begins(r->w, &last);
}

/* Reads the run to its end, or to where it stands still. */
static int watch_run(struct watch *w, struct snag_source *live, struct snag_recording *recording,
		     struct snag_error *err)
{
	struct reading r = {.w = w, .cursor.log = snag_live_steps(live)};
	struct snag_walk walk = {0};
	struct snag_batch batch;
	int rc;
	snag_source_take_runs(live);
	if (!recording)
		snag_source_forget_variables(live);
	while ((rc = snag_source_next(live, &batch, err)) > 0) {
		r.split = batch.split;
		r.split_end = batch.split + batch.nsplits;
		snag_walk_batch(&walk, &batch, on_event, on_run, &r);
		if (w->plan->stops && w->is_found)
			snag_live_kill(live);
		if (recording &&
		    (rc = snag_recording_write(recording, &batch, live->names, err)) < 0)
			break;
	}
	snag_step_cursor_done(&r.cursor);
	return rc;
}

static void words_of_met(const struct watch *w, int i, struct snag_sentence *words)
{
	static const char *const did[] = {"reads", "writes"};
	const struct snag_replay_access *access = &w->plan->access[i];
	const struct snag_event *ev = &w->met[i];
	char place[PLACE];
	snag_location_text(w->names, ev->loc, place, sizeof(place));
	bool is_write = ev->op == SNAG_OP_WRITE;
	if (snag_op_is_access(ev->op) && is_write == access->is_write &&
	    strcmp(place, access->place) == 0)
		return;
	snag_sentence_add(words, "; T%" PRIu32 " %s at %s, expected: %s at %s", ev->thread,
			  snag_op_is_access(ev->op) ? did[is_write] : "synchronises", place,
			  did[access->is_write], access->place);
}

static void diverged_words(const struct watch *w, const struct snag_live_end *end,
			   struct snag_sentence *words)
{
	if (end->notes.diverged) {
		snag_divergence_stuck(words, w->plan->turns, &end->notes, w->names);
	} else {
		snag_sentence_add(
			words, "the schedule was followed, but the accesses did not come together");
		size_t n = words->n;
		for (unsigned i = 0; i < w->nmet; i++)
			words_of_met(w, (int)i, words);
		if (w->nmet == 2 && words->n == n)
			snag_sentence_add(words, "; they access different variables");
	}
	snag_divergence_causes(words, end);
}

static void words_fill(const struct watch *w, const struct snag_live_end *end,
		       struct snag_replay_result *result)
{
	struct snag_sentence words = {.at = result->words, .room = sizeof(result->words)};
	result->is_confirmed = w->is_found;
	snag_replay_end_take(result, end);
	memcpy(result->value, end->notes.race_value, sizeof(result->value));
	result->value_bytes = end->notes.race_bytes;
	result->path = path_hash(&w->path);
	if (w->is_found)
		snprintf(result->words, sizeof(result->words),
			 "events %" PRIu64 " and %" PRIu64 " of the replay are the two accesses",
			 w->event[0], w->event[1]);
	else if (end->was_late)
		snprintf(result->words, sizeof(result->words),
			 "the accesses did not come together in the time there was");
	else
		diverged_words(w, end, &words);
}

struct race_run {
	const struct snag_replay_plan *plan;
	struct snag_replay_result *result;
	struct snag_recording *recording; /* NULL: none */
};

static int run_read(void *ctx, struct snag_source *live, struct snag_error *err)
{
	struct race_run *r = ctx;
	struct watch w = {.plan = r->plan, .names = live->names};
	int rc = watch_run(&w, live, r->recording, err);
	free(w.place);
	free(w.now.at);
	free(w.before.at);
	if (rc < 0)
		snag_recording_abort(r->recording);
	else if (r->recording)
		rc = snag_recording_commit(r->recording, live, w.event, err);
	r->recording = NULL;
	struct snag_live_end end = snag_live_end(live);
	words_fill(&w, &end, r->result);
	free(w.path.place);
	free(w.path.thread);
	return rc;
}

int snag_replay_run(const struct snag_replay_plan *plan, struct snag_replay_result *ret_result,
		    struct snag_error *err)
{
	char options[100];
	const struct snag_steering how = {.argv = plan->argv,
					  .turns = plan->turns,
					  .seed = plan->seed,
					  .is_quiet = plan->is_quiet,
					  .stops = plan->stops,
					  .seconds = plan->seconds,
					  .interrupt = plan->interrupt};
	const struct snag_live_options more = {
		.options = options, .convert.keep_steps = true, .io = SNAG_LAUNCH_OURS};
	struct race_run r = {.plan = plan, .result = ret_result};
	snprintf(options, sizeof(options), "mute=%d:debug=%d:effect=%d:policy=%s:forget=1",
		 plan->stops, plan->is_debugged, plan->is_compared,
		 plan->is_compared ? "rr" : "random");
	int rc = plan->trace ? snag_recording_open(plan->trace, &r.recording, err) : 0;
	if (rc == 0)
		rc = snag_steer(&how, more, run_read, &r, err);
	snag_recording_abort(r.recording); /* if the program did not start */
	return rc;
}
