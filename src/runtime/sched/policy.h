/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.h - which thread runs next, and for how long
 *
 * random  any thread, each as likely; turns of random length, which grows with the run; at one
 *         synchronisation in `switch_in` the turn ends, more rarely as the run gets longer; a
 *         new thread runs before its creator continues half of the time
 * rr      round robin: turns of fixed length, in the order of thread numbers
 * pct     the thread with the highest priority, from its next synchronisation on; priorities
 *         are random and change at few random events (Burckhardt et al., ASPLOS 2010).  The
 *         length of the run decides how likely it is that these are in it.  Unless the option
 *         pct_events says it, each order of magnitude is as likely, so that runs of 100 events
 *         have changes, too
 * pos, surw, stay  choose before every event: walk.h
 * A schedule file overrides all of them, as far as the run can follow it.
 */
#ifndef SNAG_RUNTIME_POLICY_H
#define SNAG_RUNTIME_POLICY_H

#include "runtime/rt.h"

void rt_policy_begin(void); /* reads the options */
/* Called in the child of a fork: no schedule names its threads. */
void rt_policy_forked(void);
uint64_t rt_policy_random(uint64_t n);	 /* returns a random number below n > 0 */
void rt_policy_new(struct rt_thread *t); /* gives the new thread a priority */
/* Returns which of the n > 0 ready threads runs next.  `last` had the turn before, or is NULL. */
struct rt_thread *rt_policy_choose(struct rt_thread *const *ready, uint32_t n,
				   const struct rt_thread *last);
/* Returns how many events the turn has that t begins. */
int64_t rt_policy_fuel(const struct rt_thread *t);
/* Returns whether the turn of t, which synchronises, ends here. */
bool rt_policy_at_sync(const struct rt_thread *t);
/* Returns whether `child`, which t has just created, runs before t continues. */
bool rt_policy_child_first(const struct rt_thread *t, const struct rt_thread *child);
/* Notes that t yielded, because it found nothing to do. */
void rt_policy_yielded(struct rt_thread *t);
/* Notes that a turn of t ended after this many events. */
void rt_policy_used(struct rt_thread *t, uint64_t events);

/* Returns whether the schedule to follow has turns left. */
bool rt_policy_is_scheduled(void);
/* Returns the thread that the schedule wants to run, or NULL if there is no such thread.  If the
 * thread whose turn it is joins another one, this is the other one, because schedules leave out
 * threads that only end. */
struct rt_thread *rt_policy_wanted(void);
/* Returns which of the two last turns of the schedule runs, 1 or 2: those of the accesses of a
 * race; 0: none of them. */
unsigned rt_policy_race_turn(void);
/* Returns the thread of the last turn of the schedule; NULL: there is none. */
struct rt_thread *rt_policy_last(void);
/* Returns whether the current turn has events left, and is one of the schedule or of a thread
 * that the schedule's thread waits for. */
bool rt_policy_follows(void);

#endif
