/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h - names of threads that are the same in every schedule
 *
 * Idea.   The number of a thread says how many were created before it, so it changes with the
 *         order in which other threads create theirs.  Its name does not: the main thread is
 *         named 0, and another thread by its creator's name and its index among the threads that
 *         its creator created.  A schedule declares a number for each such pair, and its turns
 *         name threads by these numbers.
 *
 * State.  by_pair    a hash table: (creator, index) to name, all that the schedule declares
 *         tid_of     the number in this run of the thread with a name; 0: not created yet
 *
 * Rules.  [declared]    a new thread gets the name that is declared for its creator and index
 *         [undeclared]  in a schedule with declarations, other threads have no name (RT_NAMELESS)
 *         [old]         in a schedule without declarations, or without a schedule, the name of a
 *                       thread is its number
 */
#ifndef SNAG_RUNTIME_NAMES_H
#define SNAG_RUNTIME_NAMES_H

#include "runtime/rt.h"

#define RT_NAMELESS (UINT32_MAX - 1)
enum { RT_NAME_MAX = 1 << 24 }; /* the largest that can be declared */

/* Makes room for n declarations. */
void rt_names_expect(uint32_t n);
/* Declares a name; false: it is too large, or there is no room. */
bool rt_names_declare(uint32_t name, uint32_t creator, uint32_t index);
/* Names a thread that `creator` has just created; call it once, with the record RT_FORK. */
void rt_names_created(struct rt_thread *creator, struct rt_thread *t);
/* Returns the thread that has this name; NULL: it is not created yet, or is gone. */
struct rt_thread *rt_names_find(uint32_t name);

#endif
