/* SPDX-License-Identifier: Apache-2.0
 *
 * first.c - accesses to variables that have no past: the hot path of single accesses
 *
 * Idea.   If tasks are many and small, most of their accesses go to stacks that other tasks had
 *         before, and that were not accessed since: the memory is new.  Such an access makes its
 *         line ready, if it is not, and stores `who`.
 * Rules.  [first] of access.h, for one or two parts of a line of a stack.  Not while a stream
 *                 waits that the access may extend.  All other accesses go through judge_one()
 * Cost.   About 50 instructions, except for the first access of a step.
 */
#include "inside/access.h"
#include "inside/ranges.h"
#include "runtime/channel/judge.h"

#define INLINE inline __attribute__((always_inline))

/* Returns false if it is another kind of access; then nothing was done. */
static INLINE bool first_access(uint64_t address, unsigned size, bool is_write)
{
	const unsigned log = (unsigned)__builtin_ctz(size);
	struct shadow_leaf *leaf;
	if (log < SHADOW_PART_LOG - 1 || address % size || judge_streams.used ||
	    !shadow_is_recent(&judge.shadow, address, &leaf))
		return false;
	struct shadow_page *page = shadow_page_in(leaf, address);
	__asm__("" : "+r"(page)); /* so that it is kept, and not computed again */
	if (!(page->reuse & SHADOW_STACK) || (log < SHADOW_PART_LOG && page->part_log > log))
		return false;
	if (!(page->ready & shadow_line_bit(address)) && !shadow_open_new(leaf, page, address))
		return false;
	struct snag_past_cell *x = &judge.express->x[shadow_variable(page, address)];
	const bool are_two = page->part_log < log;
	if ((x->writer | x->reader) || (are_two && (x[1].writer | x[1].reader)) ||
	    !judge.express->is_all)
		return false;
	*(is_write ? &x->writer : &x->reader) = judge.express->who;
	if (are_two)
		*(is_write ? &x[1].writer : &x[1].reader) = judge.express->who;
	return true;
}

/* An access that begins its step saves more. */
#define ACCESS(name, size, is_write)                                         \
	static __attribute__((noinline)) void begin_##name(uint64_t address) \
	{                                                                    \
		if (judge_step_begin())                                      \
			rt_judge_##name(address);                            \
		else                                                         \
			rt_judge_access(address, size, is_write);            \
	}                                                                    \
	void rt_judge_##name(uint64_t address)                               \
	{                                                                    \
		if (!judge.express->who)                                     \
			begin_##name(address);                               \
		else if (!first_access(address, size, is_write))             \
			rt_judge_access(address, size, is_write);            \
	}
ACCESS(read1, 1, false)
ACCESS(read2, 2, false)
ACCESS(read4, 4, false)
ACCESS(read8, 8, false)
ACCESS(write1, 1, true)
ACCESS(write2, 2, true)
ACCESS(write4, 4, true)
ACCESS(write8, 8, true)
