/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_deep.h - threads that hold very many locks
 *
 * Idea.   An access updates an entry for every held lock (predictive_conflicts.h).  That works
 *         for a handful of locks, not for 100,000.  So only the *direct* sections, which a
 *         thread opens while it holds few, are handled like this.  Of the others, the *deep*
 *         ones, a variable remembers all at once: the stack of deep sections that its accessor
 *         held.
 *         Two accesses conflict under a lock if each was in a section of it.  Take the sections
 *         in a stack whose locks another thread holds now.  The one released last stands for
 *         all, because they belong to one thread, whose clock only grows.
 *
 * State.  Of a thread: its deep sections as a list, as a stack (predictive_sections.h) and as a
 *         set of locks.  Of a variable: records, one per thread, kind and largest set of locks:
 *         a later access of its thread with the same locks or more stands for it.  Of a lock:
 *         its deep sections in order, as long as a stack has them.  Of a stack: which thread
 *         compared itself with it last, when, and what it found; later that thread examines only
 *         sections that it has entered since.
 *
 * Rules.  At an access, for each held lock:
 *         [direct, direct]  predictive_access.h
 *         [deep, direct]    examine the entries of the variable's table, or the deep sections
 *                           entered since the thread's last record there, whichever are fewer
 *         [any, deep]       the records of other threads: each direct section looks up its
 *                           lock's deep sections by the time of the access; for the deep ones
 *                           the stack is compared, if the sets of locks intersect at all
 *
 * Cost.   An access O(direct sections x records), and what has changed since the last one:
 *         sections entered, new stacks.  Locks held shared, and those of atomics, are always
 *         direct.
 */
#ifndef SNAG_DETECT_PREDICTIVE_DEEP_H
#define SNAG_DETECT_PREDICTIVE_DEEP_H

#include "detect/predictive/predictive.h"

/* Handles an access by a thread that holds deep sections, or to a variable that has records. */
void snag_predictive_deep_access(const struct snag_order_rules *rules, struct snag_predictive *p,
				 const struct snag_event *ev, uint32_t event, bool is_write);
/* Begins a deep section of the lock. */
void snag_predictive_deep_open(struct snag_predictive *p, struct snag_predictive_thread *t,
			       struct snag_predictive_lock *l, uint32_t section);
/* Ends it. */
void snag_predictive_deep_close(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t section);

#endif
