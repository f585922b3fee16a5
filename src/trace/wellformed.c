/* SPDX-License-Identifier: Apache-2.0
 *
 * wellformed.c - the rules of traces
 *
 * Idea.   A source that wraps another one, looks at each event once, and lets pass
 *         what a real execution can do.  What cannot be is an error that names its
 *         line (or its number, in formats without lines) and the earlier event it
 *         contradicts; when lenient it is taken out of the batch and counted.
 *         Every analysis relies on these rules.
 *
 * Rules.  Those of locks are in lock_rules.h, which also marks nested acquires.
 *         [fork]      The thread forked is another one, has no earlier event, was not
 *                     forked before and not joined.
 *         [join]      The thread joined is another one.
 *         [joined]    A thread that was joined has no further events.  It may be
 *                     joined again, and may hold locks.
 *         [some]      A trace has at least one event, and fewer than SNAG_MAX_EVENTS.
 *         [run]       A run is as right as the event before it: both are plain accesses of
 *                     one thread, with nothing between them.  It passes or is taken out as
 *                     a whole.  The events it follows from share its fate for the
 *                     same reason, so it follows from what passed.
 *         A thread that is never forked is a root thread.
 *         A trace of tasks has the rules of task_rules.h beside, from its first event
 *         of tasks on: until then only one thread may have run.  A task is created
 *         instead of forked, and ends instead of being joined.
 *
 * State.  flags[t]    whether t ran, was forked, was joined: all that most events need
 *         thread[t]   where that was
 *         A place is a line, or an event number if there are no lines.
 * Cost.   O(1) per event, beside that of the rules of locks.  A few words per thread.
 */
#include "base/memory.h"
#include "trace/wellformed_state.h"

#include <assert.h>
#include <string.h>

static void state_grow(struct snag_wellformed *w, const struct snag_counts *counts)
{
	size_t nthreads = counts->n[SNAG_SPACE_THREAD];
	w->flags = snag_huge_grow(w->flags, &w->flags_cap, nthreads, sizeof(*w->flags));
	w->thread = snag_huge_grow(w->thread, &w->thread_cap, nthreads, sizeof(*w->thread));
	snag_lock_rules_reserve(&w->locks, counts);
	if (w->is_tasks)
		snag_task_rules_reserve(&w->rules, counts);
}

/* The events that are right at a glance: those of a running thread that are no lock, fork or
 * join, an acquire of a free lock, and the release of a lock held once.  Everything else is
 * looked at closely. */
static inline bool is_plain(struct snag_wellformed *w, const struct snag_event *ev, uint64_t place)
{
	if (((w->flags[ev->thread] ^ RAN) & (RAN | JOINED)) | (ev->flags & SNAG_NESTED))
		return false;
	if (!((SNAG_OPS_SPECIAL | SNAG_OPS_OF_TASKS) >> ev->op & 1))
		return w->rules.isolated == 0 || w->rules.isolated == ev->thread + 1;
	if (w->is_tasks)
		return false;
	if (ev->op == SNAG_OP_ACQUIRE) {
		struct snag_ruled_lock *lock = &w->locks.lock[ev->target];
		if (lock->depth | lock->shares)
			return false;
		lock->depth = 1;
		lock->holder = ev->thread;
		lock->since = place;
		return true;
	}
	if (ev->op == SNAG_OP_RELEASE) {
		struct snag_ruled_lock *lock = &w->locks.lock[ev->target];
		if (lock->depth != 1 || lock->holder != ev->thread || lock->shared_depth)
			return false;
		lock->depth = 0;
		return true;
	}
	return false;
}

/* The end of the events behind a plain one that are right because it is: of the same thread, and
 * mostly accesses. */
static inline size_t alike_end(const struct snag_event *ev, size_t i, size_t n)
{
	const snag_tid t = ev[i - 1].thread;
	while (i < n && ev[i].thread == t &&
	       !(((SNAG_OPS_SPECIAL | SNAG_OPS_OF_TASKS) >> ev[i].op & 1) |
		 (ev[i].flags & SNAG_NESTED)))
		i++;
	return i;
}

/* The first event of a batch, from `i` on, that is not plain: mostly none is, so this is the
 * loop that counts. */
static size_t plain_end(struct snag_wellformed *w, const struct snag_batch *batch, size_t i)
{
	const struct snag_event *ev = batch->ev;
	const uint64_t *line = batch->line;
	const size_t n = batch->n;
	if (line)
		while (i < n && is_plain(w, &ev[i], line[i]))
			i = alike_end(ev, i + 1, n);
	else
		while (i < n && is_plain(w, &ev[i], batch->first + i))
			i = alike_end(ev, i + 1, n);
	return i;
}

/* Events that stay, from `i` on, go to `to`, where a gap may begin. */
static void events_keep(struct snag_wellformed *w, const struct snag_batch *batch, size_t to,
			size_t i, size_t n)
{
	if (to < i)
		memmove(&batch->ev[to], &batch->ev[i], n * sizeof(*batch->ev));
	if (batch->line && w->lenient)
		memcpy(&w->line[to], &batch->line[i], n * sizeof(*w->line));
}

/* The splits up to the event `number`, before which so many events were taken out. */
static inline void splits_follow(struct snag_wellformed *w, uint64_t number, uint64_t removed)
{
	for (; w->split_at < w->nsplits && w->split[w->split_at].event <= number; w->split_at++)
		w->split[w->split_at].event -= (uint32_t)removed;
}

/* Those of a batch before, of which nothing was left, come with this one. */
static void splits_begin(struct snag_wellformed *w, const struct snag_batch *batch)
{
	const size_t n = w->is_nothing_left ? w->nsplits : 0;
	w->split_at = n;
	w->nsplits = n + batch->nsplits;
	w->split = snag_grow(w->split, &w->split_cap, w->nsplits, sizeof(*w->split));
	if (batch->nsplits)
		memcpy(w->split + n, batch->split, batch->nsplits * sizeof(*w->split));
}

/* Checks the events of a batch from `i` to its end and closes the gaps where some are taken out:
 * those that stay go to *to and on. */
static int events_check(struct snag_wellformed *w, const struct snag_batch *batch, size_t i,
			size_t *to, struct snag_error *err)
{
	while (i < batch->n) {
		size_t end = plain_end(w, batch, i), kept = end - i;
		w->is_last_kept = true;
		if (end < batch->n) {
			uint64_t place = batch->line ? batch->line[end] : batch->first + end;
			struct snag_wellformed_step step = {&batch->ev[end], place, err};
			int rc = snag_wellformed_check(w, &step, &batch->counts);
			if (rc < 0 && !w->lenient)
				return rc;
			w->is_last_kept = rc == 0;
			kept += rc == 0;
			if (rc < 0)
				splits_follow(w, batch->first + end, w->removed++);
		}
		events_keep(w, batch, *to, i, kept);
		*to += kept;
		i = end + 1;
	}
	return 0;
}

/* Checks a batch, of which *ret_in_runs events are in runs that pass. */
static int batch_check(struct snag_wellformed *w, struct snag_batch *batch, uint64_t *ret_in_runs,
		       struct snag_error *err)
{
	struct snag_batch part = *batch; /* up to the next run; .first is the number of ev[0] */
	const uint64_t removed = w->removed;
	size_t to = 0, nruns = 0;
	uint64_t in_runs = 0;
	w->run = snag_grow(w->run, &w->run_cap, batch->nruns, sizeof(*w->run));
	splits_begin(w, batch);
	for (size_t i = 0, at = 0; i <= batch->nruns; i++, at = part.n) {
		part.n = i < batch->nruns ? batch->run[i].at : batch->n;
		int rc = events_check(w, &part, at, &to, err);
		if (rc < 0)
			return rc;
		if (i == batch->nruns)
			break;
		if (w->is_last_kept) { /* [run] */
			w->run[nruns] = batch->run[i];
			w->run[nruns++].at = (uint32_t)to;
			in_runs += batch->run[i].n;
		} else { /* one event after another */
			for (uint32_t k = 0; k < batch->run[i].n; k++)
				splits_follow(w, part.first + part.n + k, w->removed++);
		}
		part.first += batch->run[i].n;
	}
	splits_follow(w, UINT64_MAX, w->removed);
	if (batch->line && w->lenient)
		batch->line = w->line;
	batch->first -= removed;
	batch->n = to;
	batch->run = w->run;
	batch->nruns = nruns;
	batch->split = w->split;
	batch->nsplits = w->nsplits;
	w->is_nothing_left = to + nruns == 0;
	*ret_in_runs = in_runs;
	return 0;
}

static int wellformed_read(struct snag_wellformed *w, struct snag_batch *ret_batch,
			   struct snag_error *err)
{
	struct snag_batch batch;
	uint64_t in_runs;
	do {
		int rc = snag_source_next(w->inner, &batch, err);
		if (rc < 0)
			return rc;
		if (rc == 0 && !w->any)
			return snag_fail(err, SNAG_EINPUT, "%s: the trace is empty", w->base.name);
		if (rc == 0) {
			w->has_ended = true;
			return 0;
		}
		assert(batch.n <= SNAG_BATCH_EVENTS);
		w->has_lines = batch.line != NULL;
		state_grow(w, &batch.counts);
		rc = batch_check(w, &batch, &in_runs, w->lenient ? NULL : err);
		if (rc < 0)
			return rc;
		if (batch.first + batch.n + in_runs >= SNAG_MAX_EVENTS)
			return snag_fail(err, SNAG_EINPUT,
					 "%s: the trace has %d events or more, which is too many",
					 w->base.name, SNAG_MAX_EVENTS);
	} while (batch.n == 0 && batch.nruns == 0);
	w->any = true;
	*ret_batch = batch;
	return 1;
}

static int wellformed_next(struct snag_source *src, struct snag_batch *ret_batch,
			   struct snag_error *err)
{
	struct snag_wellformed *w = (struct snag_wellformed *)src;
	if (!w->failed.code) {
		int rc = wellformed_read(w, ret_batch, &w->failed);
		src->skipped = w->inner->skipped + w->removed;
		src->names =
			w->inner->names; /* a source may have its own from the first batch on */
		if (rc >= 0)
			return rc;
	}
	if (err)
		*err = w->failed;
	return w->failed.code;
}

static double wellformed_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct snag_wellformed *)src)->inner);
}

static void wellformed_close(struct snag_source *src)
{
	struct snag_wellformed *w = (struct snag_wellformed *)src;
	snag_source_close(w->inner);
	snag_huge_free(w->flags, w->flags_cap, sizeof(*w->flags));
	snag_huge_free(w->thread, w->thread_cap, sizeof(*w->thread));
	snag_lock_rules_done(&w->locks);
	snag_task_rules_done(&w->rules);
	free(w->run);
	free(w->split);
	free(w);
}

static int wellformed_again(const struct snag_source *src, struct snag_source **ret_src,
			    struct snag_error *err)
{
	const struct snag_wellformed *w = (const struct snag_wellformed *)src;
	const struct snag_source_options options = {.lenient = w->lenient};
	struct snag_source *inner;
	int rc = snag_source_again(w->inner, &inner, err);
	if (rc > 0) /* what was right and complete at the first reading needs no second check */
		*ret_src = w->has_ended && !w->changed ? inner
						       : snag_wellformed_source(inner, &options);
	return rc;
}

static bool wellformed_take_runs(struct snag_source *src)
{
	return snag_source_take_runs(((struct snag_wellformed *)src)->inner);
}

static void wellformed_forget_variables(struct snag_source *src)
{
	snag_source_forget_variables(((struct snag_wellformed *)src)->inner);
}

static bool wellformed_take_splits(struct snag_source *src)
{
	return snag_source_take_splits(((struct snag_wellformed *)src)->inner);
}

static const struct snag_source_ops wellformed_ops = {.next = wellformed_next,
						      .progress = wellformed_progress,
						      .close = wellformed_close,
						      .again = wellformed_again,
						      .take_runs = wellformed_take_runs,
						      .forget_variables =
							      wellformed_forget_variables,
						      .take_splits = wellformed_take_splits};

struct snag_source *snag_wellformed_source(struct snag_source *inner,
					   const struct snag_source_options *options)
{
	struct snag_wellformed *w = snag_calloc(1, sizeof(*w));
	w->base.ops = &wellformed_ops;
	w->base.name = inner->name;
	w->base.names = inner->names;
	w->base.is_growing = inner->is_growing;
	w->inner = inner;
	w->lenient = options && options->lenient;
	return &w->base;
}
