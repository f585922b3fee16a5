/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h - a detector inside the program, in place of the recorder
 *
 * If the option `judge` names a detector and the program is one of tasks, nothing is recorded: what
 * would be goes to that detector (src/inside), and only its verdict is told
 * (struct rt_verdict).
 */
#ifndef SNAG_RUNTIME_JUDGE_H
#define SNAG_RUNTIME_JUDGE_H

#include "runtime/channel.h"

#include <stdbool.h>
#include <stddef.h>

/* False: there is no such detector. */
bool rt_judge_begin(const char *detector, struct rt_verdict *verdict);
/* Of up to 64 bytes.  True: a read that may be left out, whoever does it, until
 * rt_lasting_end() (access.h) is called. */
bool rt_judge_access(uint64_t address, unsigned size, bool is_write);
/* The same of 2^k bytes, by k and is_write, in programs whose reads do not last. */
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
/* What there is most of: events of tasks, that another task runs, that memory is new. */
void rt_judge_task(uint8_t op, uint32_t target);
void rt_judge_turn(uint32_t task);
void rt_judge_child(uint8_t op, uint32_t task); /* it is created, and runs */
void rt_judge_ended(uint32_t to);		/* the task that runs ends, and this one does */
bool rt_judge_reuses(void);			/* numbers of tasks that have ended */
/* Then: the task that runs ends, and its creator creates another one of the same number, which runs. */
void rt_judge_next(uint32_t creator);
void rt_judge_forget(uint64_t address, uint64_t nbytes);
void rt_judge_stack(uint64_t address, uint64_t nbytes); /* the same of the end of a stack */
/* The program asks, here in its executable.  False: it is to be recorded. */
bool rt_judge_asked(enum rt_asked what, uint64_t pc);
void rt_judge_record(const struct rt_record *record); /* anything */

#endif
