/* SPDX-License-Identifier: Apache-2.0
 *
 * linearise.h - turns the needed events into a witness, greedily
 */
#ifndef SNAG_WITNESS_DECIDE_LINEARISE_H
#define SNAG_WITNESS_DECIDE_LINEARISE_H

#include "witness/decide/state.h"

/* One of two alternatives holds in every witness: first[i] before then[i].  SNAG_NO_EVENT: that
 * one is impossible.  The observed alternative comes first. */
struct snag_choice {
	uint32_t first[2], then[2];
};

enum { SNAG_MAX_CHOICES = 64 };

struct snag_line {
	struct snag_state *s;
	uint32_t *done;		     /* by thread */
	struct snag_line_wait *wait; /* by thread */
	struct snag_line_lock *lock; /* by lock */
	struct snag_line_variable *variable;
	uint32_t stamp;	 /* entries of these two with another stamp are untouched */
	uint64_t *key;	 /* by thread: the smallest is preferred */
	uint32_t *ready; /* threads with events left, by key */
	uint32_t nready;
	uint32_t last_before; /* the last event before the window */

	uint32_t *event; /* the window, in the order found */
	size_t nevents, event_cap;
	/* When stuck: the choices that caused it. */
	struct snag_choice choice[SNAG_MAX_CHOICES];
	uint32_t nchoices;
};

void snag_line_init(struct snag_line *line, struct snag_state *s);
void snag_line_done(struct snag_line *line);

/* Tries to run the window after everything before it, in observed order as far as possible.
 * With prefer != NULL the threads prefer[0], then prefer[1], run first as far as possible.
 * Returns true if event[] is the order.  Otherwise it got stuck: choice[] says why or, if the
 * cause is before the window, missing[] of the state. */
bool snag_linearise(struct snag_line *line, const snag_tid *prefer);

/* Notes as missing the writes of the variable before the window that were observed after w. */
void snag_miss_overwrites(struct snag_state *s, uint32_t variable, uint32_t w);

#endif
