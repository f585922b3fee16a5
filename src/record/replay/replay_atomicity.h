/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_atomicity.h - runs a program again, steered to a write between a read and a write
 *
 * It is confirmed when the trace of the new run has the three accesses at the expected places, in
 * this order: a read and the next access of its thread to that variable, which is a write; between
 * them a write of another thread to it.
 */
#ifndef SNAG_RECORD_REPLAY_ATOMICITY_H
#define SNAG_RECORD_REPLAY_ATOMICITY_H

#include "record/replay/replay.h"
#include "record/replay/steering.h"

struct snag_atomicity_plan {
	struct snag_steering how;
	/* of the read, the write between, the write; as of snag_location_text */
	const char *place[3];
};

int snag_replay_atomicity(const struct snag_atomicity_plan *plan,
			  struct snag_replay_result *ret_result, struct snag_error *err);

#endif
