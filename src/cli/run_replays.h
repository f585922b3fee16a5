/* SPDX-License-Identifier: Apache-2.0
 *
 * run_replays.h - the predicted races of a run, replayed
 *
 * The witness of a race becomes a list of turns (record/turns.h), which the program then follows
 * (record/replay.h), or which goes into the file of the witness for `snag replay`.
 */
#ifndef SNAG_CLI_RUN_REPLAYS_H
#define SNAG_CLI_RUN_REPLAYS_H

#include "record/turns.h"
#include "report/incident.h"

/* What replaying needs of the run that was analysed. */
struct cli_replays {
	const struct snag_report *report;
	const struct snag_step *step; /* NULL: events were left out, so that numbers do not fit */
	char *const *argv;
	uint64_t seed;
	double seconds; /* that the run took */
};

/* The members of a witness file that say how to replay it; ctx is a struct cli_replays. */
void cli_replays_members(void *ctx, const struct snag_race *race, struct snag_json *j);
/* Runs the program through the witness of a race, for at most so long.  The words, if it was tried,
 * are to be freed. */
enum snag_replay cli_replay(const struct cli_replays *r, const struct snag_race *race,
			    double seconds, char **ret_words);
/* Replays each predicted race once, until Ctrl-C. */
void cli_replays_run(const struct cli_replays *r, struct snag_incidents *all);

#endif
