/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_atomicity.h - run a program again, steered to a write between a read and a write
 *
 * It is confirmed when the trace of the new run has the three accesses at the expected places, in this
 * order: a read and the next access of its thread to that variable, which is a write; between them a
 * write of another thread to it.
 */
#ifndef SNAG_RECORD_REPLAY_ATOMICITY_H
#define SNAG_RECORD_REPLAY_ATOMICITY_H

#include "record/replay.h"

struct snag_atomicity_plan {
	char *const *argv;
	const struct snag_turns *turns;
	const char
		*place[3]; /* of the read, the write between, the write; as of snag_location_text */
	uint64_t seed;	   /* of what comes after the schedule */
	bool is_quiet;	   /* the program's input and output are empty */
	bool stops;	   /* it is killed at the end of its turns */
	double seconds;	   /* it is killed if it takes longer; 0: never */
	const volatile sig_atomic_t *interrupt; /* likewise, when this is not 0; may be NULL */
};

int snag_replay_atomicity(const struct snag_atomicity_plan *plan,
			  struct snag_replay_result *ret_result, struct snag_error *err);

#endif
