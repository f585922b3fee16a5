/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.h - isolated blocks in the order that a file says: `snag explore`
 *
 * Idea.   Blocks are known by names that are the same in every schedule
 *         (trace/task_path.h).  While blocks of the file are left, only the next of
 *         them may be entered; then all may, as they come, but those that the file lists
 *         behind a 0 only when there are no others (detect/tasks/reversals.h: they sleep).
 *
 * State.  by thread number of the task: its path, how many tasks it created and blocks it
 *         entered; the names of the file, and how many of them have been entered
 * Rules.  [stuck]  nothing can go on: only blocks that sleep are left, or the next one of the
 *                  file does not come, and the program does not do what it did when the
 *                  order was made; the recorder is told that.  From then on all may enter.
 */
#ifndef SNAG_RUNTIME_SECTIONS_H
#define SNAG_RUNTIME_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is an order to follow; reads the file at the first call. */
bool rt_sections_are_ordered(void);

/* Only if there is one: */
void rt_sections_created(uint32_t creator, uint32_t task);
bool rt_sections_may_enter(uint32_t task);
void rt_sections_entered(uint32_t task);
void rt_sections_stuck(void);

#endif
