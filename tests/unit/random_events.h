/* SPDX-License-Identifier: Apache-2.0
 *
 * random_events.h - random events, valid one by one but not as a trace, for codec tests
 */
#ifndef SNAG_TESTS_RANDOM_EVENTS_H
#define SNAG_TESTS_RANDOM_EVENTS_H

#include "bench/random.h"
#include "trace/names.h"

/* An event of any operation with any flags and size, its ids below the counts. */
static inline struct snag_event random_event(struct snag_random *r,
					     const struct snag_counts *counts)
{
	struct snag_event ev = {
		.thread = snag_random_below(r, counts->n[SNAG_SPACE_THREAD]),
		.loc = snag_random_below(r, counts->n[SNAG_SPACE_LOCATION]),
		.op = (uint8_t)snag_random_below(r, SNAG_OPS),
		.flags = (uint8_t)(snag_random_below(r, SNAG_ORDERS) |
				   (snag_random_below(r, 2) ? SNAG_NESTED : 0)),
		.size = (uint8_t)snag_random_below(r, 256),
	};
	enum snag_space space = snag_op_info[ev.op].space;
	if (space != SNAG_SPACE_NONE)
		ev.target = snag_random_below(r, counts->n[space]);
	return ev;
}

#endif
