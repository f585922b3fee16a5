/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h - the facts of a small trace that the definitions speak of
 *
 * Sets of events are bit masks, so a trace has at most MAX_EVENTS of them.
 */
#ifndef ORACLE_MODEL_H
#define ORACLE_MODEL_H

#include "trace/trace.h"

enum { MAX_EVENTS = 32, MAX_THREADS = 8, MAX_VARIABLES = 8, MAX_LOCKS = 8 };

typedef uint32_t event_set; /* bit e: event number e */

#define NO_EVENT 0xff

static inline event_set just(unsigned e)
{
	return (event_set)1 << e;
}

static inline event_set below(unsigned e) /* events 0 .. e - 1 */
{
	return just(e) - 1;
}

static inline unsigned take_first(event_set *s) /* of a set that is not empty */
{
	unsigned e = (unsigned)__builtin_ctz(*s);
	*s &= *s - 1;
	return e;
}

/* A critical section; one that is never released lasts to the end of its thread. */
struct section {
	uint8_t thread, lock;
	uint8_t acquire, release; /* release: or NO_EVENT */
	bool is_shared;
	event_set events; /* of its thread, with both bounds */
};

struct model {
	const struct snag_trace *trace;
	unsigned n, nthreads, nvariables, nlocks;

	/* by event */
	uint8_t thread[MAX_EVENTS], op[MAX_EVENTS], target[MAX_EVENTS];
	uint8_t saw[MAX_EVENTS];	 /* of a read: the last write before it, or NO_EVENT */
	event_set needs[MAX_EVENTS];	 /* hard edges: what comes before it in any run, but for
					  * its own thread: the fork of its thread, and for a
					  * join what the joined thread did, and its fork */
	event_set depends[MAX_EVENTS];	 /* of a branch: the reads it depends on */
	event_set conflicts[MAX_EVENTS]; /* plain accesses of other threads, same variable,
					  * one of the two a write */
	event_set clashes[MAX_EVENTS];	 /* the same for accesses of any kind, also atomic */
	uint8_t held[MAX_EVENTS];	 /* locks held at it, bit by lock */
	uint8_t alone[MAX_EVENTS];	 /* those of them that are not shared */

	/* by thread */
	event_set of[MAX_THREADS]; /* its events */

	/* over the whole trace */
	event_set reads, writes, branches; /* atomic accesses included */
	event_set plain;		   /* plain accesses */
	bool has_shared, has_atomic;	   /* shared locks; atomic accesses or fences */
	bool has_branch;
	bool has_depends; /* some branch may depend on some reads only */
	bool is_nested;	  /* releases undo acquires in reverse order */
	struct section section[MAX_EVENTS];
	unsigned nsections;
	/* Behind them: each atomic access as a section of its own, of a lock of its variable
	 * (MAX_LOCKS + variable). */
	unsigned nall;
};

/* False: the trace is too large, or has operations the model does not know. */
bool model_init(struct model *m, const struct snag_trace *trace);

/* The section of the lock operation `acquire`, or NULL (a nested one). */
const struct section *model_section(const struct model *m, unsigned acquire);

#endif
