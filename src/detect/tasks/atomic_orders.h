/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic_orders.h - which earlier atomics an atomic operation of a task comes after, in one run
 *
 * Idea.   As in C11: an acquire comes after the releases whose values it reads.  Each release is a
 *         promise that its task sets, and an acquire gets the promises of the release sequence
 *         that it reads from.
 *
 * State.  sequence[v]  the promises of the release sequence that variable v has now
 *         task[t]      the promise of its last release fence; promises that its relaxed reads
 *                      leave for its next acquire fence
 * Rules.  [write]   ends the sequence and begins another one
 *         [update]  continues the sequence.  If it both acquires and releases, its own promise
 *                   stands for all earlier ones
 *         [commutes] An update that commutes (trace/event.h) acquires nothing: the program does
 *                   not use the value that it reads
 *         [long]    If a sequence has many promises, an update whose result is used acquires
 *                   them all, whatever its order: its own promise replaces them. A relaxed
 *                   read then leaves nothing for a fence. A fence acquires for the last few
 *                   thousand relaxed reads
 *         [fence]   a relaxed write after a release fence releases what the fence does; an acquire
 *                   fence acquires for the relaxed reads before it
 * Cost.   A read: the promises of a sequence.
 * Reference.  C11, 5.1.2.4, 7.17.3 and 7.17.4.  runtime/tasks/omp_flags.h does the same inside
 *         programs with OpenMP.
 */
#ifndef SNAG_DETECT_ATOMIC_ORDERS_H
#define SNAG_DETECT_ATOMIC_ORDERS_H

#include "trace/event.h"

#include <stddef.h>

struct snag_promise_list {
	uint32_t *at;
	size_t n, cap;
};

struct snag_atomic_orders {
	struct snag_atomic_sequence {
		struct snag_promise_list list;
		snag_tid last; /* the task of the last promise */
	} * sequence;
	size_t sequence_cap;
	struct snag_atomic_task {
		uint32_t released; /* 1 + a promise; 0: none */
		struct snag_promise_list pending;
	} * task;
	size_t task_cap;
};

void snag_atomic_orders_done(struct snag_atomic_orders *a);
void snag_atomic_orders_reserve(struct snag_atomic_orders *a, size_t ntasks, size_t nvariables);

/* Returns the promises that the task gets before this atomic operation or fence; valid until the
 * next call. */
const struct snag_promise_list *snag_atomic_acquires(struct snag_atomic_orders *a,
						     const struct snag_event *ev, bool commutes);
/* After the operation. Returns whether the task sets promise `fresh` now. */
bool snag_atomic_releases(struct snag_atomic_orders *a, const struct snag_event *ev, bool commutes,
			  uint32_t fresh);

#endif
