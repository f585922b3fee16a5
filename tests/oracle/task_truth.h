/* SPDX-License-Identifier: Apache-2.0
 *
 * task_truth.h - which variables of a trace of tasks race, by definition
 *
 * Every event is a node.  Edges are what trace/event.h says; `before` is their closure, as
 * bits.  Two accesses race if they conflict, neither is before the other, they are not both
 * isolated, not both atomic, and no lock that one of them holds alone is held by both.
 */
#ifndef ORACLE_TASK_TRUTH_H
#define ORACLE_TASK_TRUTH_H

#include "trace/trace.h"

enum { TRUTH_EVENTS = 512 };

struct task_truth {
	uint64_t before[TRUTH_EVENTS][TRUTH_EVENTS / 64]; /* [e]: the events before e */
	bool is_isolated[TRUTH_EVENTS];
	uint32_t alone[TRUTH_EVENTS], held[TRUTH_EVENTS]; /* locks there, a bit each */
	uint32_t racy;					  /* a bit per variable */
	uint32_t excused; /* variables with parallel conflicting accesses that are kept apart */
};

/* `blocks_in_order`: isolated blocks are ordered as they were observed (the computation graph),
 * so no access is excused for being isolated. */
void task_truth(struct task_truth *truth, const struct snag_trace *trace, bool blocks_in_order);

static inline bool task_truth_is_before(const struct task_truth *truth, size_t a, size_t b)
{
	return truth->before[b][a / 64] >> a % 64 & 1;
}

/* Whether two accesses conflict, nothing orders them and nothing keeps them apart. */
bool task_truth_is_race(const struct task_truth *truth, const struct snag_trace *trace, size_t a,
			size_t b);

#endif
