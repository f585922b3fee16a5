/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_freed.h - runs a program again, steered to an access after the free of its memory
 *
 * It is confirmed when the new run accesses freed memory at the expected place, after the block was
 * freed at the expected place.
 */
#ifndef SNAG_RECORD_REPLAY_FREED_H
#define SNAG_RECORD_REPLAY_FREED_H

#include "record/replay/replay.h"
#include "record/replay/steering.h"

struct snag_freed_plan {
	struct snag_steering how;
	const char *access, *end; /* places, as of snag_location_text */
};

int snag_replay_freed(const struct snag_freed_plan *plan, struct snag_replay_result *ret_result,
		      struct snag_error *err);

#endif
