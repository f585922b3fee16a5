/* SPDX-License-Identifier: Apache-2.0
 *
 * task_path.h - tasks and isolated blocks by names that are the same in every schedule
 *
 * Tasks are numbered as they are created, and this depends on the schedule.  As long as tasks do
 * the same, two positions do not: that of a task among the children of its creator, and that of
 * a block in its task.  Both are hashed to 64 bits.  The first task has path 0.
 */
#ifndef SNAG_TRACE_TASK_PATH_H
#define SNAG_TRACE_TASK_PATH_H

#include <stdint.h>

static inline uint64_t snag_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Of the nth child, from 0. */
static inline uint64_t snag_task_path(uint64_t creator, uint32_t nth)
{
	return snag_mix(creator + 0x9e3779b97f4a7c15u * (2 * (uint64_t)nth + 1));
}

/* Of the nth block, from 0. */
static inline uint64_t snag_block_id(uint64_t task, uint32_t nth)
{
	return snag_mix(task + 0x9e3779b97f4a7c15u * (2 * (uint64_t)nth + 2));
}

#endif
