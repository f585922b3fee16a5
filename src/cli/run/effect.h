/* SPDX-License-Identifier: Apache-2.0
 *
 * effect.h - the effect of a race: runs the program with the two accesses in either order and
 * compares
 *
 * Idea.   Both runs follow the same schedule up to the accesses, and afterwards the same policy
 *         from the same thread on (round robin).  So what differs between them comes from the order
 *         of the two accesses.  The severity is the worst difference that the runs show.
 * Rules.  [value]   what a reading access sees, or what two writing ones leave behind
 *                   (runtime/sched/race_values.h)
 *         [branch]  a thread executed other events, or at other places
 *         [output]  standard output; the exit status; a signal; an order that does not end in time
 * Limits. Equal runs prove nothing: with another input they may differ.
 */
#ifndef SNAG_CLI_EFFECT_H
#define SNAG_CLI_EFFECT_H

#include "record/replay/replay.h"

enum cli_severity {
	CLI_SEVERITY_UNKNOWN, /* the accesses did not come together in both orders */
	CLI_SEVERITY_SAME,    /* same output, same status; the values are not known */
	CLI_SEVERITY_SAME_VALUE,
	CLI_SEVERITY_VALUE,
	CLI_SEVERITY_BRANCH,
	CLI_SEVERITY_OUTPUT, /* other output */
	CLI_SEVERITY_STATUS, /* other exit status */
	CLI_SEVERITY_HANG,   /* one order does not end in time */
	CLI_SEVERITY_CRASH,  /* a signal ends the program */
	CLI_SEVERITIES
};
extern const char *const cli_severity_text[CLI_SEVERITIES]; /* "same output", ... */

struct cli_effect {
	enum cli_severity severity;
	char words[300]; /* "other value: the read sees 1 with ..." */
};

/* Runs the program of a plan twice.  The plan is that of a replay that shows its race; it has no
 * input, and its output is caught. */
int cli_effect_find(const struct snag_replay_plan *plan, struct cli_effect *ret_effect,
		    struct snag_error *err);

/* Changes a schedule so that its last two turns, the accesses, change places. */
void cli_turns_swap(struct snag_turns *turns);

#endif
