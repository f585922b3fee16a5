/* SPDX-License-Identifier: Apache-2.0
 *
 * judging.h - programs of tasks that are judged from inside
 *
 * A detector in the program is many times faster than one that reads what it tells, but says only
 * whether there is a race.  So a program of tasks runs so first; if the verdict is not clean it
 * runs once more, recorded, for the report.
 */
#ifndef SNAG_CLI_JUDGING_H
#define SNAG_CLI_JUDGING_H

#include "record/live.h"

/* The detector to put into the program, by name; NULL: none of the list (NULL: the default) can
 * be, or what the program reads can be read only once. */
const char *cli_judge_choose(const char *list);

/* A run that was judged so. */
struct cli_judged {
	bool was_there;
	bool is_of_tasks;
	bool has_simd; /* loops: a race may be none, if the order of their statements is looked at */
	uint64_t races;
	uint64_t events; /* up to the first of them */
	int status;
	bool is_unknown; /* whether there is a race, and it cannot run again */
};
struct cli_judged cli_judged(const struct snag_live_end *end);
/* What its verdict says: NULL: that the program has to run again, recorded. */
const char *cli_judge_words(const struct snag_live_end *end);
/* Whether only what the program asked keeps it from being a proof: see judged_asked.h. */
bool cli_judge_asks(const struct snag_live_end *end);
/* Whether only the order of isolated blocks does; other orders can then be run (run_orders.h). */
bool cli_judge_depends_on_order(const struct snag_live_end *end);
/* Whether the program can be run again with the same input. */
bool cli_judge_can_repeat(void);
/* Why it has nothing to say of tasks, though the program was built for some and ended well; NULL: there
 * were. */
const char *cli_judge_silence(const struct snag_live_end *end);
/* After how many events that run may be cut: it need not go on for long after the race.  0: never. */
uint64_t cli_judged_events(const struct cli_judged *before);
/* Makes ready for the second run: what it reads and writes. */
enum snag_launch_io cli_judge_again(void);

#endif
