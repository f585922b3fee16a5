/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.h - isolated blocks in the order that a file says: `snag explore`
 *
 * Idea.   Blocks have names that are the same in every schedule (trace/task_path.h).  While blocks
 *         of the file are left, a task may enter only the next of them.  After that, tasks may
 *         enter all blocks as they come.  But the blocks that the file lists behind a 0 sleep
 *         (detect/tasks/reversals.h): tasks enter them only when there are no others.
 *
 * State.  by thread number of the task: its path, how many tasks it created and blocks it
 *         entered; the names of the file, and how many of them have been entered
 * Rules.  [stuck]  No task can continue: only blocks that sleep are left, or the next block of the
 *                  file does not come, because the program behaves differently than in the run
 *                  that the order was computed from.  The runtime records this.  From then on
 *                  tasks may enter all blocks.
 */
#ifndef SNAG_RUNTIME_SECTIONS_H
#define SNAG_RUNTIME_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether there is an order to follow; reads the file at the first call. */
bool rt_sections_are_ordered(void);
/* Returns whether blocks are also what tasks of <snag/task.h> do while they hold locks, and atomic
 * operations. */
bool rt_sections_are_of_all(void);

/* Only if there is an order: */
void rt_sections_created(uint32_t creator, uint32_t task);
bool rt_sections_may_enter(uint32_t task);
void rt_sections_entered(uint32_t task);
/* The same where blocks may lie inside each other, and count as one: the outermost is entered. */
void rt_sections_began(uint32_t task);
void rt_sections_ended(uint32_t task);
/* Enters and leaves a block; does nothing inside another one. */
void rt_sections_passed(uint32_t task);
bool rt_sections_is_inside(uint32_t task);
void rt_sections_stuck(void);

#endif
