/* SPDX-License-Identifier: Apache-2.0
 *
 * random_tasks.h - random traces of tasks, run in any order that their waiting allows
 *
 * Unlike a program that is run depth first, any task that need not wait may go on at any time,
 * so isolated blocks come in all orders.  What a trace contains is drawn for each trace:
 * nested finishes, tasks that outlive their creators, isolated blocks, spawns with and without
 * a sync, frames, promises that are waited for before they are set.  A trace may end in a deadlock.
 */
#ifndef GRAPHS_RANDOM_TASKS_H
#define GRAPHS_RANDOM_TASKS_H

#include "prng.h"
#include "trace/trace.h"

enum { RANDOM_MAX_EVENTS = 512 }; /* a trace has fewer */

struct random_shape { /* what the trace turned out to have */
	bool has_spawns, has_promises, has_isolated;
	bool has_waits; /* a task waited for a promise, and went on */
};

/* About `events` events, names included; to be done with by the caller. */
void random_tasks(struct prng *random, unsigned events, struct snag_trace *ret_trace,
		  struct random_shape *ret_shape);

#endif
