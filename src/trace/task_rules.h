/* SPDX-License-Identifier: Apache-2.0
 *
 * task_rules.h - the rules of traces of tasks
 *
 * Part of wellformed.c, which knows which tasks ran, were created and have ended.  This file
 * knows the open scopes of tasks and what tasks wait for.
 *
 * Rules.  [task]      Another task creates every task except the first, once, before its first
 *                     event.  A task that has ended has no further events.
 *         [kinds]     A trace with events of tasks has no forks and joins of threads.
 *         [locks]     have the rules of lock_rules.h, with tasks for threads.
 *         [end]       A task ends outside its finishes, procedures and isolated blocks.
 *         [finish]    closes what the task opened last, when all tasks it waits for have ended.
 *         [frame]     closes what the task opened last.
 *         [sync]      comes when all tasks spawned in the frame have ended.
 *         [promise]   is set at most once, and got only when it is set.
 *         [isolated]  blocks do not nest and contain only accesses, atomics and locks; no other
 *                     task has events before one closes.
 *
 * State.  task[t]     its innermost scope, and what waits for it
 *         scope[]     frames and finishes: the open ones, and those with tasks that have not
 *                     ended; entries are reused
 * Cost.   O(1) per event; 12 bytes per task, 8 per promise.
 */
#ifndef SNAG_TRACE_TASK_RULES_H
#define SNAG_TRACE_TASK_RULES_H

#include "trace/source.h"

#define SNAG_NO_PLACE UINT64_MAX

struct snag_task_rules {
	struct snag_ruled_task {
		uint32_t scope;	 /* innermost; 0: has not begun, or has ended */
		uint32_t finish; /* the finish that waits for the task */
		uint32_t frame;	 /* the frame that spawned it, or 0 */
	} * task;
	uint64_t *set; /* by promise: 1 + where it was set, or 0 */
	struct snag_ruled_scope {
		uint32_t below;		/* of the same task; 0: none */
		uint32_t finish, frame; /* the innermost of each kind: it or one below */
		uint32_t live;		/* tasks that it waits for and that have not ended */
		bool is_open;
	} * scope; /* from 1 on; 1 is the finish around the first task */
	size_t task_cap, set_cap, nscopes, scope_cap;
	uint32_t free_scopes;
	uint32_t isolated; /* 1 + the task in an isolated block, or 0 */
	uint64_t isolated_since;
};

/* Why an event is impossible. */
struct snag_task_fault {
	const char *why;
	uint64_t since; /* the place of the event that it contradicts, or SNAG_NO_PLACE */
};

void snag_task_rules_init(struct snag_task_rules *r);
void snag_task_rules_done(struct snag_task_rules *r);
void snag_task_rules_reserve(struct snag_task_rules *r, const struct snag_counts *counts);

/* The first task begins. */
void snag_task_rules_first(struct snag_task_rules *r, snag_tid task);

/* Checks an event of a task that has begun.  The caller has checked that the task that a
 * TASK_CREATE or TASK_SPAWN names has not begun.  Returns whether the event is possible. */
bool snag_task_rules_check(struct snag_task_rules *r, const struct snag_event *ev, uint64_t place,
			   struct snag_task_fault *ret_fault);

#endif
