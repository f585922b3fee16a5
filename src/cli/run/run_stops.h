/* SPDX-License-Identifier: Apache-2.0
 *
 * run_stops.h - at which events the schedules of witnesses stop, in a trace too long for the memory
 *
 * Idea.   A witness of a window begins with all events before the window, in observed order, and
 *         some first events of the window.  There a thread only stops where another one goes on: at
 *         the end of a stretch (trace/stretches.h), or at its last event of the prefix.  A schedule
 *         needs the steps of these, and of the events that the witness lists.
 * State.  listed    the events that some witness lists, ascending
 *         last[t]   the positions of the last events of thread t in prefixes, ascending
 *         done[t]   events of thread t so far
 * Cost.   4 bytes for each event that a witness lists.
 */
#ifndef SNAG_CLI_RUN_STOPS_H
#define SNAG_CLI_RUN_STOPS_H

#include "detect/analyze/analyze.h"

struct cli_stops { /* all 0: empty */
	const struct snag_stretches *stretches;
	uint32_t stretch; /* the stretch of the next event, or an earlier one */
	struct cli_stop_numbers {
		uint32_t *at;
		size_t n, cap, next;
	} listed, *last;
	uint32_t *done;
};

/* Takes the witnesses of all races.  The analysis, which was not interrupted, outlives the
 * stops. */
void cli_stops_init(struct cli_stops *s, const struct snag_analysis *a);
void cli_stops_done(struct cli_stops *s);
/* Takes the next event of the trace.  Returns whether a schedule stops there. */
bool cli_stops_take(struct cli_stops *s, uint32_t event, snag_tid thread);

#endif
