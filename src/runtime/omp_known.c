/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_known.c - whether others get to know what a thread of OpenMP has for itself
 */
#include "runtime/omp_known.h"

#include "omp/hooks.h"
#include "runtime/access.h"
#include "runtime/memory.h"
#include "runtime/omp_blocks.h"
#include "runtime/tasks.h"

enum { WORD = 8, FIRST = 256, MOST_STACKS = 256 };

struct rt_written rt_written;
static size_t room;

/* Stacks of implicit tasks that tasks they have created know of. */
static struct stack {
	struct rt_private *of;
	uint32_t implicit;
	uintptr_t low, high;
} stack[MOST_STACKS];
static unsigned nstacks;
struct rt_stacks_hull rt_stacks_hull; /* all of them lie in it */

static struct rt_words given; /* by the library, last: arguments of a task to be */

void rt_args_given(uintptr_t at, size_t nbytes)
{
	given = (struct rt_words){at, at + nbytes};
}

bool rt_args_are_at(uintptr_t addr)
{
	return addr - given.at < given.end - given.at;
}

void rt_private_doubt(void)
{
	rt_tasks_asked(RT_ASKED_PRIVATE, (uintptr_t)__snag_omp_place());
}

void rt_written_note(uintptr_t addr, size_t nbytes)
{
	struct rt_private *self = &rt_hot.self->private;
	const uintptr_t at = (addr + WORD - 1) & -(uintptr_t)WORD;
	const uintptr_t end = (addr + nbytes) & -(uintptr_t)WORD;
	if (at >= end || rt_is_private(self, at) || rt_args_are_at(at))
		return;
	rt_written.by = self;
	struct rt_words *last = rt_written.words + rt_written.n;
	if (rt_written.n && last[-1].end == at) {
		last[-1].end = end;
		return;
	}
	if (rt_written.n == room) {
		size_t more = room ? 2 * room : FIRST;
		rt_written.words =
			rt_grow(rt_written.words, room * sizeof(*last), more * sizeof(*last));
		room = more;
	}
	rt_written.end = &rt_written.words[rt_written.n].end;
	rt_written.words[rt_written.n++] = (struct rt_words){at, end};
}

/* Whether one of the words is an address on that stack. */
static inline bool words_look(struct rt_words w, const struct rt_private *self)
{
	bool is_known = false;
	for (uintptr_t at = w.at; at < w.end; at += WORD) {
		const uintptr_t value = *(const uintptr_t *)at;
		is_known |= rt_is_private(self, value) && !rt_block_is_of(at, self->implicit);
		if (rt_unlikely(rt_block_may_be(value)))
			rt_block_known(value, at); /* [block] */
	}
	return is_known;
}

static void stack_lent(struct rt_private *of) /* [args] */
{
	if (of->is_listed)
		return;
	of->is_listed = true;
	if (nstacks == MOST_STACKS) {
		rt_private_doubt();
		return;
	}
	stack[nstacks++] = (struct stack){of, of->implicit, of->low, of->high};
	uintptr_t low = of->low, high = of->high, end = rt_stacks_hull.low + rt_stacks_hull.nbytes;
	low = end && rt_stacks_hull.low < low ? rt_stacks_hull.low : low;
	rt_stacks_hull = (struct rt_stacks_hull){low, (end > high ? end : high) - low};
}

void rt_stack_known(struct rt_private *of) /* [stack] */
{
	of->is_known = true;
	if (of->untold_in == of->phase)
		rt_private_doubt();
}

enum { MET_WORDS = 64, MET_LOG = 12 }; /* words of a stack as bits of a set */
_Static_assert(1 << MET_LOG == MET_WORDS * 64, "a bit each");

static inline uint64_t met_bit(uintptr_t addr)
{
	return addr / WORD * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MET_LOG);
}

static void met_forget(struct rt_private *of)
{
	if (!of->met)
		of->met = rt_alloc(MET_WORDS * sizeof(*of->met));
	for (unsigned i = 0; i < MET_WORDS; i++)
		of->met[i] = 0;
}

void rt_stacks_met(uintptr_t addr)
{
	for (unsigned i = 0; i < nstacks; i++) {
		struct rt_private *of = stack[i].of;
		if (addr < stack[i].low || addr >= stack[i].high || of == &rt_hot.self->private ||
		    of->implicit != stack[i].implicit)
			continue;
		if (of->met_in != of->phase)
			met_forget(of);
		of->met_in = of->phase;
		of->met[met_bit(addr) / 64] |= UINT64_C(1) << met_bit(addr) % 64;
		if (of->untold_in == of->phase && !of->is_lent)
			rt_private_doubt();
	}
}

void rt_stacks_forget(void)
{
	for (unsigned i = 0; i < nstacks; i++)
		stack[i].of->is_listed = false;
	nstacks = 0;
	rt_stacks_hull = (struct rt_stacks_hull){0};
}

void rt_written_look(void) /* [look] */
{
	const size_t n = rt_written.n;
	bool is_known = false;
	rt_written.end = NULL;
	rt_written.n = 0; /* what is told below ends no epoch */
	for (size_t i = 0; i < n; i++)
		is_known |= words_look(rt_written.words[i], rt_written.by);
	if (is_known)
		rt_stack_known(rt_written.by);
}

void rt_word_look(uintptr_t at)
{
	struct rt_private *self = &rt_hot.self->private;
	if (at % WORD == 0 && !rt_is_private(self, at) &&
	    words_look((struct rt_words){at, at + WORD}, self))
		rt_stack_known(self);
}

/* Those in the arguments are looked at by themselves. */
static void written_drop(uintptr_t at, uintptr_t end)
{
	size_t kept = 0;
	for (size_t i = 0; i < rt_written.n; i++) {
		const struct rt_words w = rt_written.words[i];
		if (w.at < at || w.end > end)
			rt_written.words[kept++] = w;
	}
	rt_written.n = kept;
	rt_written.end = NULL;
}

bool rt_args_look(uintptr_t from, size_t nbytes) /* [args] */
{
	struct rt_private *self = &rt_hot.self->private;
	if (!rt_nblocks && !self->implicit)
		return false;
	bool has_stack = false, has_block = false;
	for (uintptr_t at = from; at + WORD <= from + nbytes; at += WORD) {
		const uintptr_t value = *(const uintptr_t *)at;
		has_stack |= rt_is_private(self, value);
		has_block |= rt_block_may_be(value) && rt_block_lend(value, at);
	}
	if (has_stack)
		stack_lent(self);
	if (has_stack || has_block)
		self->is_lent = true; /* what it did before, it did before */
	written_drop(from, from + nbytes);
	return has_stack || has_block;
}

void rt_stack_untold(bool has_tasks)
{
	struct rt_private *self = &rt_hot.self->private;
	self->untold_in = self->phase;
	self->is_watched = has_tasks && self->met_in == self->phase;
	if (self->is_watched) { /* instead */
		rt_hot.self->own_bytes = 0;
		rt_epoch_end();
	}
	if (self->is_known)
		rt_private_doubt();
}

bool rt_stack_is_watched(uintptr_t addr)
{
	const struct rt_private *self = &rt_hot.self->private;
	if (!rt_is_private(self, addr))
		return false;
	if (self->met[met_bit(addr) / 64] >> met_bit(addr) % 64 & 1)
		rt_private_doubt();
	return true;
}
