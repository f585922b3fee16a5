/* SPDX-License-Identifier: Apache-2.0
 *
 * run_replays.h - the predicted races of a run, replayed
 *
 * The witness of a race becomes a list of turns (record/turns.h).  The program follows it
 * (record/replay/replay.h), or it goes into the file of the witness for `snag replay`.
 *
 * Budget.  All replays of a run share one time limit: those of predicted races, in the order of the
 *         report, then those of suspects (run_suspects.h).  A replay ends when the time is over,
 *         when it has shown its race, or when it can no longer show it.  snag does not try a
 *         schedule that begins like one that could not be followed (record/replay/dead_ends.h).
 *         The report counts what was not replayed for lack of time.
 */
#ifndef SNAG_CLI_RUN_REPLAYS_H
#define SNAG_CLI_RUN_REPLAYS_H

#include "cli/run/run_steps.h"
#include "detect/analyze/analyze.h"
#include "record/replay/dead_ends.h"
#include "report/incident/incident.h"

/* A replay of a program of a few milliseconds takes 5 to 20 milliseconds.  This time is enough for
 * fifty of them, and for some on a machine that is ten times slower. */
#define CLI_REPLAYS_LEAST_SECONDS 1.0
#define CLI_REPLAYS_EFFECTS_SECONDS 10.0

/* The data of the analysed run that its replays need. */
struct cli_replays {
	const struct snag_report *report;
	struct cli_steps *steps; /* NULL: events were left out, so that numbers do not match */
	char *const *argv;
	uint64_t seed;
	double seconds;		  /* how long the observed run took */
	double budget;		  /* seconds for all replays together */
	double spent;		  /* the part of the budget that is used up */
	bool reports_unconfirmed; /* like other races */
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
/* The budget of a run that took `seconds`, unless the user gives one; more if the user wants
 * effects, of which some are seen only after seconds. */
double cli_replays_budget(double seconds, bool wants_effects);
bool cli_replays_have_time(const struct cli_replays *r);
/* Runs the program through the witness of a race, for at most `seconds`, as long as there is
 * time. Returns NOT_TRIED if the time was too short. If it was tried, the caller frees the
 * words. */
enum snag_replay cli_replay(struct cli_replays *r, const struct snag_race *race, double seconds,
			    char **ret_words);
/* Runs each reported race that has a witness in both orders of its accesses, and says what
 * differs (effect.h), until the time is over. If the user did not ask for it, begins no
 * race whose two runs would not fit into CLI_REPLAYS_LEAST_SECONDS. */
void cli_replays_effects(struct cli_replays *r, struct snag_incidents *all, bool is_asked);
/* Sets the effect of uses of freed memory, which needs no further run. */
void cli_replays_freed(struct snag_incidents *all);
/* Replays each predicted race that will be reported and was not replayed before, until the time is
 * over or the user interrupts. */
void cli_replays_run(struct cli_replays *r, struct snag_incidents *all);
/* Threads ran in parallel, so snag does not know what a racy read saw. If the run had a race, a
 * predicted one may depend on such a read. snag then reports it only if a replay confirms it. */
void cli_replays_doubt(struct snag_analysis *a);
void cli_replays_done(struct cli_replays *r);

#endif
