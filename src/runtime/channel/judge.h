/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h - the detector inside the program: the functions that src/inside implements
 *
 * If the option `judge` names a detector and the program is one of tasks, the runtime records
 * nothing.  It calls these functions instead (judged.c, access.c).  Only the verdict leaves the
 * process (struct rt_verdict).
 */
#ifndef SNAG_RUNTIME_JUDGE_H
#define SNAG_RUNTIME_JUDGE_H

#include "runtime/channel/channel.h"

#include <stdbool.h>
#include <stddef.h>

/* Starts the detector of that name; returns false if there is none. */
bool rt_judge_begin(const char *detector, struct rt_verdict *verdict);
/* An access to up to 64 bytes.  Returns true for a read that every task may leave out until
 * rt_lasting_end() (access.h) is called. */
bool rt_judge_access(uint64_t address, unsigned size, bool is_write);
/* The same for 2^k bytes, by k and is_write, in programs whose reads do not last (rt_lasting_end()). */
typedef void rt_judge_new_access(uint64_t address);
rt_judge_new_access rt_judge_read1, rt_judge_read2, rt_judge_read4, rt_judge_read8;
rt_judge_new_access rt_judge_write1, rt_judge_write2, rt_judge_write4, rt_judge_write8;
static rt_judge_new_access *const rt_judge_new[4][2] __attribute__((unused)) = {
	{rt_judge_read1, rt_judge_write1},
	{rt_judge_read2, rt_judge_write2},
	{rt_judge_read4, rt_judge_write4},
	{rt_judge_read8, rt_judge_write8},
};
/* `size` bytes at each of `count` places, `step` apart. */
void rt_judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write);
/* An event of the running task; another task runs from now on. */
void rt_judge_task(uint8_t op, uint32_t target);
void rt_judge_turn(uint32_t task);
void rt_judge_child(uint8_t op, uint32_t task); /* the running task creates one, which runs */
void rt_judge_ended(uint32_t to);		/* the running task ends, and `to` runs */
/* Returns whether the detector can reuse the number of a task that has ended.  If so, the second
 * one ends the running task, and `creator` creates another one with its number, which runs. */
bool rt_judge_reuses(void);
void rt_judge_next(uint32_t creator);
/* The memory is new: earlier accesses do not count; the same for the end of a stack. */
void rt_judge_forget(uint64_t address, uint64_t nbytes);
void rt_judge_stack(uint64_t address, uint64_t nbytes);
/* The program met an obstacle at this place of its executable.  Returns false if the obstacle needs a
 * recorded run. */
bool rt_judge_obstacle(enum rt_obstacle what, uint64_t pc);
void rt_judge_record(const struct rt_record *record); /* anything else */

#endif
