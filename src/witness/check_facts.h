/* SPDX-License-Identifier: Apache-2.0
 *
 * check_facts.h - facts about the events of a trace, one event after another
 *
 * Only the checker of witnesses (check.c) uses this file.  It shares nothing with the analyses
 * and with the engine that decides candidates.
 *
 * State.  Of an event:
 *         pit        its position in its thread, from 0
 *         saw        read: the last write of the variable before it; join: the last event of the
 *                    joined thread before it (its fork, if it did nothing); otherwise, or if
 *                    there is none, SNAG_NO_EVENT
 */
#ifndef SNAG_WITNESS_CHECK_FACTS_H
#define SNAG_WITNESS_CHECK_FACTS_H

#include "trace/race.h"
#include "trace/trace.h"

struct snag_facts {
	uint32_t pit, saw;
	uint32_t saw_pit; /* of a join: the position of the event it saw */
};

/* A walk through the trace, up to event number `next`. */
struct snag_facts_walk {
	const struct snag_trace *trace;
	uint32_t next;
	uint32_t *nevents;	      /* by thread: so far */
	uint32_t *last_of, *last_pit; /* by thread: its last event, or its fork; its position */
	uint32_t *fork, *fork_pit;    /* by thread */
	uint32_t *last_write;	      /* by variable */
};

void snag_facts_begin(struct snag_facts_walk *w, const struct snag_trace *trace);
void snag_facts_end(struct snag_facts_walk *w);

static inline bool snag_facts_is_read(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static inline bool snag_facts_is_write(uint8_t op)
{
	return op == SNAG_OP_WRITE || op == SNAG_OP_ATOMIC_WRITE || op == SNAG_OP_ATOMIC_UPDATE;
}

/* Returns the facts of the next event, which must exist. */
static inline struct snag_facts snag_facts_step(struct snag_facts_walk *w)
{
	uint32_t e = w->next++;
	const struct snag_event *ev = &w->trace->ev[e];
	struct snag_facts f = {.pit = w->nevents[ev->thread]++, .saw = SNAG_NO_EVENT};
	w->last_of[ev->thread] = e;
	w->last_pit[ev->thread] = f.pit;
	if (snag_facts_is_read(ev->op))
		f.saw = w->last_write[ev->target];
	if (snag_facts_is_write(ev->op))
		w->last_write[ev->target] = e;
	if (ev->op == SNAG_OP_JOIN) {
		f.saw = w->last_of[ev->target];
		f.saw_pit = w->last_pit[ev->target];
	}
	if (ev->op == SNAG_OP_FORK && w->fork[ev->target] == SNAG_NO_EVENT) {
		w->last_of[ev->target] = w->fork[ev->target] = e;
		w->last_pit[ev->target] = w->fork_pit[ev->target] = f.pit;
	}
	return f;
}

#endif
