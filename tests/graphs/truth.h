/* SPDX-License-Identifier: Apache-2.0
 *
 * truth.h - the order of events of tasks, straight from its definition in trace/event.h
 */
#ifndef GRAPHS_TRUTH_H
#define GRAPHS_TRUTH_H

#include "random_tasks.h"

struct truth {
	const struct snag_trace *trace;
	/* before[b] has bit a: event a comes before event b. */
	uint64_t before[RANDOM_MAX_EVENTS][RANDOM_MAX_EVENTS / 64];
};

/* The trace must outlive it. */
void truth_init(struct truth *truth, const struct snag_trace *trace, bool has_isolated);

static inline bool truth_precedes(const struct truth *truth, uint32_t a, uint32_t b)
{
	return truth->before[b][a / 64] >> a % 64 & 1;
}

/* Two accesses that conflict, and neither comes before the other. */
bool truth_is_race(const struct truth *truth, uint32_t a, uint32_t b);
/* A bit for every variable that has such a pair. */
uint64_t truth_racy_variables(const struct truth *truth);

#endif
