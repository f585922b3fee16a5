/* SPDX-License-Identifier: Apache-2.0
 *
 * run_steps.c - the steps of the events that a schedule may have to name
 */
#include "cli/run/run_steps.h"

#include "base/memory.h"
#include "cli/run/run_stops.h"
#include "trace/walk.h"
#include "witness/decide/ops.h"

#include <string.h>

void cli_steps_init(struct cli_steps *s, struct snag_step_log *log)
{
	*s = (struct cli_steps){.cursor.log = log};
}

void cli_steps_done(struct cli_steps *s)
{
	snag_step_cursor_done(&s->cursor);
	snag_huge_free(s->event, s->event_cap, sizeof(*s->event));
	snag_huge_free(s->step, s->step_cap, sizeof(*s->step));
	snag_huge_free(s->kind, s->kind_cap, sizeof(*s->kind));
	memset(s, 0, sizeof(*s));
}

enum kind { KIND_OTHER, KIND_MAY_LOOK, KIND_LOOKS, KIND_SECTION };

static bool may_look(uint8_t op)
{
	return snag_op_is_access(op) || op == SNAG_OP_BRANCH || op == SNAG_OP_DEPENDS;
}

/* [look] The thread takes a lock in this step. */
static void look_mark(struct cli_steps *s, snag_tid thread, uint64_t count)
{
	for (size_t i = s->n; i > 0 && s->kind[i - 1] == KIND_MAY_LOOK; i--) {
		const struct snag_step *step = &s->step[i - 1];
		if (step->thread != thread || step->count != count)
			return;
		s->kind[i - 1] = KIND_LOOKS;
	}
}

/* Returns the step of the last of these events. */
static uint64_t step_next(struct cli_steps *s, const struct snag_followed *some)
{
	const uint32_t accesses = some->n - some->parts;
	return accesses ? snag_step_cursor_next(&s->cursor, some->thread, accesses)
			: s->cursor.step[some->thread];
}

static void step_add(struct cli_steps *s, const struct snag_followed *one, uint64_t count)
{
	s->event = snag_huge_grow(s->event, &s->event_cap, s->n + 1, sizeof(*s->event));
	s->step = snag_huge_grow(s->step, &s->step_cap, s->n + 1, sizeof(*s->step));
	s->kind = snag_huge_grow(s->kind, &s->kind_cap, s->n + 1, sizeof(*s->kind));
	s->event[s->n] = one->first;
	s->kind[s->n] = may_look(one->op) ? KIND_MAY_LOOK : KIND_OTHER;
	s->step[s->n++] = (struct snag_step){count, one->thread};
}

static bool is_last(const struct cli_steps *s, snag_tid thread)
{
	return s->n && s->step[s->n - 1].thread == thread;
}

/* [section] A section was left out, of which the acquire was taken in. */
static void section_end(struct cli_steps *s, const struct snag_followed *release, uint64_t count)
{
	s->n -= is_last(s, release->thread);
	s->n -= is_last(s, release->thread) && s->kind[s->n - 1] == KIND_SECTION;
	step_add(s, release, count);
	s->kind[s->n - 1] = KIND_SECTION;
}

void cli_steps_follow(void *ctx, const struct snag_followed *some)
{
	struct cli_steps *s = ctx;
	uint64_t count = step_next(s, some);
	if (some->ends_section)
		section_end(s, some, count);
	if (!some->is_in_slice)
		return;
	if (snag_op_acquires(some->op))
		look_mark(s, some->thread, count);
	step_add(s, some, count);
}

int cli_steps_read(struct cli_steps *s, const struct snag_source *src,
		   const struct snag_analysis *windowed, struct snag_error *err)
{
	struct cli_stops stops = {0};
	struct snag_step_log *log = s->cursor.log;
	struct snag_source *again;
	struct snag_batch batch;
	cli_steps_done(s);
	cli_steps_init(s, log);
	int rc = snag_source_again(src, &again, err);
	if (rc <= 0)
		return rc;
	if (windowed)
		cli_stops_init(&stops, windowed);
	while ((rc = snag_source_next(again, &batch, err)) > 0)
		for (size_t i = 0; i < batch.n; i++) {
			const struct snag_event *ev = &batch.ev[i];
			const struct snag_followed one = {.first = (uint32_t)(batch.first + i),
							  .n = 1,
							  .parts = ev->part,
							  .thread = ev->thread,
							  .is_in_slice = true,
							  .op = ev->op};
			uint64_t count = step_next(s, &one);
			if (snag_op_acquires(ev->op))
				look_mark(s, ev->thread, count);
			if (!windowed || cli_stops_take(&stops, one.first, ev->thread))
				step_add(s, &one, count);
		}
	cli_stops_done(&stops);
	snag_source_close(again);
	return rc;
}

/* The place of an event; n: it has no step. */
static size_t event_find(const struct cli_steps *s, uint32_t event)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->event[middle] < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n && s->event[low] == event ? low : s->n;
}

/* Returns how far the thread of entry i runs before the witness continues with its event. */
static struct snag_step step_at(const struct cli_steps *s, size_t i)
{
	struct snag_step step = s->step[i];
	step.count -= s->kind[i] == KIND_LOOKS; /* [look] */
	return step;
}

struct snag_step *cli_steps_of_witness(const struct cli_steps *s,
				       const struct snag_stretches *stretches,
				       const struct snag_race *race, size_t *ret_n)
{
	struct snag_step *to = snag_realloc(NULL, s->n + race->nwitness, sizeof(*to));
	uint32_t stretch = 0, *prefix = snag_race_prefix_counts(race, stretches->nthreads);
	size_t n = 0;
	for (size_t i = 0; race->nprefix && i < s->n; i++) {
		while (snag_stretch_end(stretches, stretch) <= s->event[i])
			stretch++;
		const struct snag_stretch *at = &stretches->at[stretch];
		if (at->position + (s->event[i] - at->first) < prefix[at->thread])
			to[n++] = step_at(s, i);
	}
	size_t ngoal = snag_race_goal(race);
	for (size_t i = 0; i < race->nwitness; i++) {
		size_t k = event_find(s, race->witness[i]);
		if (k < s->n)
			to[n++] = i + ngoal < race->nwitness ? step_at(s, k) : s->step[k];
	}
	free(prefix);
	*ret_n = n;
	return to;
}
