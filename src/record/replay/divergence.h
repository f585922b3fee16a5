/* SPDX-License-Identifier: Apache-2.0
 *
 * divergence.h - why a replay did not reach its goal, in words
 *
 * A replay diverges for one of two reasons: a thread whose turn it is cannot run, or the threads
 * took their turns but did something else.  Then the program has read other input from the system.
 * Everything else repeats: the schedule, the addresses, the times that threads read
 * (runtime/interpose/answers.h), and standard input if it is a file.
 */
#ifndef SNAG_RECORD_DIVERGENCE_H
#define SNAG_RECORD_DIVERGENCE_H

#include "record/live.h"
#include "record/replay/replay.h"

struct snag_sentence { /* text that grows up to its room */
	char *at;
	size_t n, room;
};
__attribute__((format(printf, 2, 3))) void snag_sentence_add(struct snag_sentence *w,
							     const char *format, ...);

/* Adds where the schedule could not be followed, and why its thread could not run. */
void snag_divergence_stuck(struct snag_sentence *w, const struct snag_turns *turns,
			   const struct snag_convert_notes *notes, const struct snag_names *names);
/* Names the input of the program that can differ from run to run.  Adds nothing if the program read
 * no such input. */
void snag_divergence_causes(struct snag_sentence *w, const struct snag_live_end *end);
/* Copies to the result how the run ended.  The caller has set result->is_confirmed. */
void snag_replay_end_take(struct snag_replay_result *result, const struct snag_live_end *end);
/* Says in result->words why a replay missed its goal.  `missed` is the goal in negated words: "the
 * threads did not wait for each other". */
void snag_divergence_fill(struct snag_replay_result *result, const struct snag_live_end *end,
			  const struct snag_turns *turns, const struct snag_names *names,
			  const char *missed);

#endif
