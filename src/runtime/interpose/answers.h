/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.h - the times that the program reads
 *
 * Idea.   What a program does can depend on the times that it reads: it shows its progress every
 *         quarter of a second, say.  So the recorded run reports every answer (RT_ANSWER), a
 *         schedule has them, and a replay gives each thread the same answers in the same order.
 *
 * Rules.  [recorded]  A thread gets the next answer that the schedule has for it.
 *         [after]     After the last answer of the schedule, the difference between the program's
 *                     time and the real clock stays what it was.
 *         [deadline]  The program computes deadlines from such answers, so the runtime compares
 *                     them with rt_answers_now().
 *         Other input from the system is not repeated.  The channel says that the program read it
 *         (rt_channel.inputs): if a replay diverges, that is a possible reason.
 */
#ifndef SNAG_RUNTIME_ANSWERS_H
#define SNAG_RUNTIME_ANSWERS_H

#include "runtime/rt.h"

#include <time.h>

/* Adds an answer of the schedule to the thread with this name (names.h), in nanoseconds. */
void rt_answers_add(uint32_t name, int64_t value);
/* Returns the time that the program knows, of CLOCK_REALTIME or CLOCK_MONOTONIC. */
struct timespec rt_answers_now(clockid_t clock);
/* From now on all clocks, except those of processor time, are this many nanoseconds further
 * ahead. */
void rt_answers_skip(int64_t nanoseconds);

#endif
