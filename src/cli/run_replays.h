/* SPDX-License-Identifier: Apache-2.0
 *
 * run_replays.h - the predicted races of a run, replayed
 *
 * The witness of a race becomes a list of turns (record/turns.h), which the program then follows
 * (record/replay.h), or which goes into the file of the witness for `snag replay`.
 *
 * Budget.  All replays of a run, of predicted races and of suspects (run_suspects.h), have a time
 *         together.  Predicted races come first, in the order of the report, then suspects.  A replay
 *         ends when the time is over, when it has shown its race, or when it can no longer do so.  A
 *         schedule that begins as one before that could not be followed is not tried
 *         (record/dead_ends.h).  What was not replayed for want of time is counted, and the report
 *         says so.
 */
#ifndef SNAG_CLI_RUN_REPLAYS_H
#define SNAG_CLI_RUN_REPLAYS_H

#include "cli/run_steps.h"
#include "record/dead_ends.h"
#include "report/incident.h"

/* The replays of a program of a few milliseconds take 5 to 20 milliseconds each.  With this time
 * fifty of them come to their end, and some on a machine that is ten times slower. */
#define CLI_REPLAYS_LEAST_SECONDS 1.0

/* What replaying needs of the run that was analysed. */
struct cli_replays {
	const struct snag_report *report;
	struct cli_steps *steps; /* NULL: events were left out, so that numbers do not fit */
	char *const *argv;
	uint64_t seed;
	double seconds; /* that the run took */
	double budget;	/* seconds for all replays together ... */
	double spent;	/* ... and how much of it is used up */
	struct snag_replay_tally tally;
	struct snag_dead_ends dead_ends;
	struct cli_replayed { /* predicted races that were tried */
		const struct snag_race *race;
		enum snag_replay outcome;
		char *words;
	} * done;
	size_t ndone, done_cap;
};

/* The members of a witness file that say how to replay it; ctx is a struct cli_replays. */
void cli_replays_members(void *ctx, const struct snag_race *race, struct snag_json *j);
/* The budget of a run that took `seconds`, unless the user gives one. */
double cli_replays_budget(double seconds);
bool cli_replays_have_time(const struct cli_replays *r);
/* Runs the program through the witness of a race, for at most so long, and as long as there is time:
 * NOT_TRIED if that was too short.  The words, if it was tried, are to be freed. */
enum snag_replay cli_replay(struct cli_replays *r, const struct snag_race *race, double seconds,
			    char **ret_words);
/* Replays each predicted race that is to be reported, until the time is over, or Ctrl-C.  What was
 * replayed before is not replayed again. */
void cli_replays_run(struct cli_replays *r, struct snag_incidents *all);
void cli_replays_done(struct cli_replays *r);

#endif
