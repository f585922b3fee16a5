/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - turns the records of the runtime into the events of a trace
 *
 * Rules.  Records come from the runtime of snag, but a broken program may have overwritten them.
 *         So the converter checks numbers and bounds texts.
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"
#include "record/convert/regions.h"
#include "report/source/symbols.h"

#include <assert.h>
#include <inttypes.h>

struct snag_convert *snag_convert_new(const struct snag_convert_options *options)
{
	struct snag_convert *c = snag_calloc(1, sizeof(*c));
	c->options = *options;
	c->is_first_turn = true;
	snag_names_init(&c->names);
	if (options->is_for_sink)
		snag_strtab_have_places(&c->names.space[SNAG_SPACE_VARIABLE]);
	snag_strtab_init(&c->used);
	snag_strtab_init(&c->depend_names);
	snag_strtab_init(&c->benign);
	c->symbols = snag_symbols_new();
	c->regions = snag_regions_new(c->symbols);
	c->cells = snag_convert_cells(c);
	return c;
}

void snag_convert_free(struct snag_convert *c)
{
	if (!c)
		return;
	snag_names_done(&c->names);
	snag_strtab_done(&c->used);
	snag_regions_free(c->regions);
	snag_cells_free(c->cells);
	snag_splits_done(&c->splits);
	free(c->split);
	snag_symbols_free(c->symbols);
	free(c->loc);
	snag_convert_called_done(&c->called);
	free(c->token);
	free(c->lock);
	free(c->done);
	free(c->label);
	free(c->thread_name);
	free(c->depend);
	snag_strtab_done(&c->depend_names);
	snag_step_log_done(&c->steps);
	snag_misuses_done(&c->misuses);
	snag_strtab_done(&c->benign);
	for (int i = 0; i < RT_DEFAULTS; i++)
		free(c->defaults[i].text);
	free(c);
}

const char *snag_convert_default(const struct snag_convert *c, enum rt_default which)
{
	return c->defaults[which].text ? c->defaults[which].text : "";
}

const struct snag_names *snag_convert_names(const struct snag_convert *c)
{
	return &c->names;
}

const struct snag_convert_notes *snag_convert_notes(const struct snag_convert *c)
{
	return &c->notes;
}

const struct snag_strtab *snag_convert_benign(const struct snag_convert *c)
{
	return &c->benign;
}

struct snag_misuse_list *snag_convert_misuses(struct snag_convert *c)
{
	return &c->misuses;
}

struct snag_step_log *snag_convert_steps(struct snag_convert *c)
{
	return c->options.keep_steps ? &c->steps : NULL;
}

struct snag_splits *snag_convert_splits(struct snag_convert *c)
{
	return &c->splits;
}

void snag_convert_forget_variables(struct snag_convert *c)
{
	if (!c->options.is_for_sink)
		snag_strtab_have_places(&c->names.space[SNAG_SPACE_VARIABLE]);
	c->options.is_for_sink = true;
}

void snag_convert_take_runs(struct snag_convert *c)
{
	c->has_runs = true;
}

bool snag_convert_take(struct snag_convert *c, struct snag_batch *ret_batch)
{
	if (c->is_taken || c->n + c->nruns == 0)
		return false;
	*ret_batch = (struct snag_batch){.ev = c->ev,
					 .n = c->n,
					 .first = c->first,
					 .counts = snag_names_counts(&c->names),
					 .run = c->run,
					 .nruns = c->nruns,
					 .split = c->split,
					 .nsplits = c->nsplits};
	c->is_taken = true;
	return true;
}

void snag_convert_step_keep(struct snag_convert *c)
{
	snag_step_log_add(&c->steps, c->thread,
			  c->done[c->thread] + (uint32_t)(c->turn_fuel - c->fuel));
}

bool snag_convert_is_done(const struct snag_convert *c)
{
	return c->range.at == c->range.end && c->again.left == 0;
}

/* A trace of tasks has no events of threads.  Outside launches locks and atomics order nothing,
 * because the program has one thread.  A program that creates threads instead of tasks is one of
 * threads. */
static bool is_left_out(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	bool is_thread = op == RT_FORK || op == RT_JOIN;
	bool is_kept = c->notes.launched > c->notes.ended && op <= RT_RELEASE_SHARED;
	if (!c->is_of_tasks || is_kept ||
	    (!is_thread && (op < RT_ATOMIC_READ || op > RT_SYNC_UPDATE)))
		return false;
	if (is_thread && !c->notes.launched) {
		c->is_of_tasks = false;
		return false;
	}
	snag_convert_seen_note(c, &c->notes.left_out, r);
	return true;
}

/* Keeps a time that the program read.  A replay gives it the same time (record/answers.h). */
static void answered(struct snag_convert *c, const struct rt_record *r)
{
	uint64_t value = rt_record_address(r) | (uint64_t)r->loc << RT_ADDRESS_BITS;
	if (c->options.schedule)
		fprintf(c->options.schedule, "@%" PRIu32 " %" PRIu64 "\n", c->thread, value);
	snag_answers_add(&c->steps.answers, c->thread, value);
}

static void turn_begins(struct snag_convert *c, const struct rt_record *r)
{
	if (c->options.schedule && !c->is_first_turn)
		fprintf(c->options.schedule, "%" PRIu32 " %" PRIu64 "\n", c->thread,
			rt_record_address(r));
	if (!c->is_first_turn)
		c->done[c->thread] += rt_record_address(r);
	c->is_first_turn = false;
	c->thread = snag_convert_thread(c, r->arg);
	c->cells->has_namesakes |= c->thread > UINT8_MAX;
	c->turn_fuel = c->fuel = r->loc;
}

/* Which part of the converter handles a record. */
enum part {
	/* It tells the converter nothing, or the merge took it out (record/merge.h). */
	NO_PART,
	IGNORED,
	EVENT,
	SYNC,
	PLACE,
	MISUSE,
	ABOUT_RUN,
};

static const uint8_t part_of[RT_OPS] = {
	[RT_NONE] = IGNORED,
	[RT_READ] = EVENT,
	[RT_WRITE] = EVENT,
	[RT_READ_RANGE] = EVENT,
	[RT_WRITE_RANGE] = EVENT,
	[RT_ATOMIC_READ] = EVENT,
	[RT_ATOMIC_WRITE] = EVENT,
	[RT_ATOMIC_UPDATE] = EVENT,
	[RT_FENCE] = EVENT,
	[RT_DEPENDS] = EVENT,
	[RT_BRANCH] = EVENT,
	[RT_BEGIN] = EVENT,
	[RT_TASK] = EVENT,
	[RT_AGAIN] = EVENT,
	[RT_ACQUIRE] = SYNC,
	[RT_RELEASE] = SYNC,
	[RT_ACQUIRE_SHARED] = SYNC,
	[RT_RELEASE_SHARED] = SYNC,
	[RT_SYNC_READ] = SYNC,
	[RT_SYNC_WRITE] = SYNC,
	[RT_SYNC_UPDATE] = SYNC,
	[RT_FORK] = SYNC,
	[RT_JOIN] = SYNC,
	[RT_NODE] = PLACE,
	[RT_ALLOC] = PLACE,
	[RT_FREE] = PLACE,
	[RT_BLOCKS] = PLACE,
	[RT_FORGET] = PLACE,
	[RT_STACK] = PLACE,
	[RT_MODULE] = PLACE,
	[RT_MODULE_END] = PLACE,
	[RT_DEFAULT] = PLACE,
	[RT_TEXT] = PLACE,
	[RT_MISUSE] = MISUSE,
	[RT_BEFORE] = MISUSE,
	[RT_BENIGN] = MISUSE,
	[RT_SWITCH] = ABOUT_RUN,
	[RT_NOTE] = ABOUT_RUN,
	[RT_COUNT] = ABOUT_RUN,
	[RT_LABEL] = ABOUT_RUN,
	[RT_WAITS] = ABOUT_RUN,
	[RT_CIRCLE] = ABOUT_RUN,
	[RT_ANSWER] = ABOUT_RUN,
	[RT_TOUCH] = IGNORED,
	[RT_RING] = IGNORED,
	[RT_ORDER] = IGNORED,
	[RT_END] = IGNORED,
	[RT_STEP_ACQUIRE] = IGNORED,
	[RT_STEP_RELEASE] = IGNORED,
	[RT_STEP_READ] = IGNORED,
	[RT_STEP_WRITE] = IGNORED,
	[RT_STEP_UPDATE] = IGNORED,
	[RT_LOCK_ENDS] = IGNORED,
};

static void event_record(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	static const uint8_t word_op[RT_OPS] = {
		[RT_ATOMIC_READ] = SNAG_OP_ATOMIC_READ,
		[RT_ATOMIC_WRITE] = SNAG_OP_ATOMIC_WRITE,
		[RT_ATOMIC_UPDATE] = SNAG_OP_ATOMIC_UPDATE,
	};
	const unsigned order = r->arg < SNAG_ORDERS ? r->arg : SNAG_SEQ_CST;
	switch (op) {
	case RT_TASK:
		snag_convert_task(c, r);
		break;
	case RT_AGAIN:
		snag_convert_again(c, r);
		break;
	case RT_READ_RANGE:
		snag_convert_range(c, SNAG_OP_READ, r);
		break;
	case RT_WRITE_RANGE:
		snag_convert_range(c, SNAG_OP_WRITE, r);
		break;
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		word_access(c, word_op[op], rt_record_address(r), rt_record_size(r), order, r);
		break;
	case RT_DEPENDS:
		word_access(c, SNAG_OP_DEPENDS, rt_record_address(r), rt_record_size(r), 0, r);
		break;
	case RT_FENCE:
		event_put(c, SNAG_OP_FENCE, 0, r, 0, order);
		break;
	case RT_BRANCH:
		event_put(c, SNAG_OP_BRANCH, 0, r, 0, 0);
		break;
	case RT_BEGIN:
		event_put(c, SNAG_OP_BEGIN, 0, r, 0, 0);
		break;
	default: /* snag_convert_accesses() takes RT_READ and RT_WRITE */
		break;
	}
}

static void run_record(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	switch (op) {
	case RT_SWITCH:
		turn_begins(c, r);
		break;
	case RT_NOTE:
		snag_convert_note(c, r);
		break;
	case RT_COUNT:
		c->fuel = r->arg;
		break;
	case RT_LABEL:
		snag_convert_task_label(c, r);
		break;
	case RT_WAITS:
		snag_convert_task_waits(c, r);
		break;
	case RT_CIRCLE:
		snag_convert_circle(c, r);
		break;
	default: /* RT_ANSWER */
		answered(c, r);
		break;
	}
}

static void record_other(struct snag_convert *c, const struct rt_record *r)
{
	const enum rt_op op = rt_record_op(r);
	if (op >= RT_OPS || is_left_out(c, op, r))
		return;
	switch ((enum part)part_of[op]) {
	case EVENT:
		event_record(c, op, r);
		break;
	case SYNC:
		snag_convert_sync(c, op, r);
		break;
	case PLACE:
		snag_convert_place(c, op, r);
		break;
	case MISUSE:
		snag_convert_misuse(c, op, r);
		break;
	case ABOUT_RUN:
		run_record(c, op, r);
		break;
	case IGNORED:
		break;
	case NO_PART:
		assert(!"a record that no part of the converter handles");
	}
}

int snag_convert_records(struct snag_convert *c, const struct rt_record *r, int n)
{
	int i = 0;
	if (c->is_taken) {
		if (c->options.is_for_sink)
			snag_strtab_forget(&c->names.space[SNAG_SPACE_VARIABLE], c->used_up_to);
		c->first += c->n + c->in_runs;
		c->n = c->nruns = c->in_runs = c->nsplits = 0;
		c->is_taken = false;
	}
	snag_convert_range_go_on(c);
	snag_convert_again_go_on(c);
	while (i < n && snag_convert_is_done(c) && has_room(c, ROOM)) {
		int accesses = snag_convert_accesses(c, r + i, n - i);
		i += accesses;
		if (!accesses)
			record_other(c, &r[i++]);
	}
	return i;
}
