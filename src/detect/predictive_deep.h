/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_deep.h - threads that hold very many locks
 *
 * Idea.   An access tells every lock held of itself (predictive_conflicts.h), which is fine for
 *         a handful and hopeless for 100,000.  So only the sections a thread opens while it holds
 *         few are dealt with so, the direct ones; of the others, the deep ones, a variable
 *         remembers all at once: the stack of them that its accessor held.
 *         Two accesses conflict under a lock if each was in a section of it.  Of the
 *         sections in a stack whose locks another thread holds now, the one released last
 *         stands for all: they are of one thread, whose clock only grows.
 *
 * State.  Of a thread: its deep sections as a list, as a stack (predictive_sections.h) and as a
 *         set of locks.  Of a variable: records, one per thread, kind and largest
 *         set of locks: a later access of its thread with the same locks or more stands for it.
 *         Of a lock: its deep sections in order, as long as a stack has them.
 *         Of a stack: which thread compared itself with it last and when, and what it found:
 *         later it has to look only at sections it has entered since.
 *
 * Rules.  At an access, for each lock held:
 *         [direct, direct]  predictive_access.h
 *         [deep, direct]    the entries of the variable's table are looked through, or the
 *                           deep sections entered since the thread's last record there:
 *                           what is fewer
 *         [any, deep]       the records of other threads: each direct section looks its lock's deep
 *                           sections up by the time of the access; for the deep ones the
 *                           stack is compared, if the sets of locks meet at all
 *
 * Cost.   An access O(direct sections x records), and what has changed since the last one: sections
 *         entered, stacks not seen yet.  Locks held shared, and those of atomics, are always
 *         direct.
 */
#ifndef SNAG_DETECT_PREDICTIVE_DEEP_H
#define SNAG_DETECT_PREDICTIVE_DEEP_H

#include "detect/predictive.h"

/* An access by a thread that holds deep sections, or to a variable that has records. */
void snag_predictive_deep_access(const struct snag_order_rules *rules, struct snag_predictive *p,
				 const struct snag_event *ev, uint32_t event, bool is_write);
/* A section of the lock begins, which is deep. */
void snag_predictive_deep_open(struct snag_predictive *p, struct snag_predictive_thread *t,
			       struct snag_predictive_lock *l, uint32_t section);
/* It ends. */
void snag_predictive_deep_close(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t section);

#endif
