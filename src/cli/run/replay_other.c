/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_other.c - replays of witnesses that are not of a race: of deadlocks, atomicity violations
 *                  and uses of freed memory that are no races
 */
#include "cli/run/replay_other.h"

#include "record/replay/replay_atomicity.h"
#include "record/replay/replay_deadlock.h"
#include "record/replay/replay_freed.h"

const char *cli_replay_other_kind(const struct snag_replay_file *file)
{
	if (file->wait)
		return "a deadlock";
	if (file->is_behind)
		return "a use of freed memory that is no race";
	return file->naccesses == SNAG_REPLAY_ACCESSES ? "an atomicity violation" : NULL;
}

static struct snag_steering steering(const struct cli_replay_other *how)
{
	return (struct snag_steering){.argv = how->argv,
				      .turns = &how->file->turns,
				      .seed = how->seed,
				      .is_quiet = how->is_quiet,
				      .stops = how->is_quiet && !how->file->wait,
				      .seconds = how->seconds,
				      .interrupt = how->interrupt};
}

/* Confirmed: the threads waited for each other. */
static int deadlock_replay(const struct cli_replay_other *how,
			   struct snag_replay_result *ret_result, struct snag_error *err)
{
	const struct snag_deadlock_plan plan = {.how = steering(how),
						.place = (const char *const *)how->file->wait,
						.n = how->file->nwaits};
	return snag_replay_deadlock(&plan, ret_result, err);
}

/* Confirmed: the write came between the read and the write that follows it. */
static int atomicity_replay(const struct cli_replay_other *how,
			    struct snag_replay_result *ret_result, struct snag_error *err)
{
	struct snag_atomicity_plan plan = {.how = steering(how)};
	for (size_t i = 0; i < SNAG_REPLAY_ACCESSES; i++)
		plan.place[i] = how->file->access[i].place;
	return snag_replay_atomicity(&plan, ret_result, err);
}

/* Confirmed: the memory was accessed after it was freed. */
static int freed_replay(const struct cli_replay_other *how, struct snag_replay_result *ret_result,
			struct snag_error *err)
{
	const struct snag_freed_plan plan = {.how = steering(how),
					     .access = how->file->access[0].place,
					     .end = how->file->access[1].place};
	return snag_replay_freed(&plan, ret_result, err);
}

int cli_replay_other(const struct cli_replay_other *how, struct snag_replay_result *ret_result,
		     struct snag_error *err)
{
	*ret_result = (struct snag_replay_result){0};
	return (how->file->wait	       ? deadlock_replay
		: how->file->is_behind ? freed_replay
				       : atomicity_replay)(how, ret_result, err);
}
