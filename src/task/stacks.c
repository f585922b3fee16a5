/* SPDX-License-Identifier: Apache-2.0
 *
 * stacks.c - a pool of stacks for fibers
 *
 * State.  Stacks lie in slabs of 16 MiB, each above its guard page:
 *
 *           | guard | stack 0 ... | guard | stack 1 ... | ...
 *
 *         Free stacks form a list, linked by numbers outside of them, so that a free stack can
 *         lose its pages.
 *
 * Guards. Protecting a page cuts a mapping in two, and a process may have only 65,530 mappings.
 *         Linux 6.13 marks guard pages without cutting.  Before that, the first 24,000 stacks
 *         have a guard page.  Further stacks are checked when they are given back: their lowest
 *         word is 0 until something overflows into it.
 *
 * Memory. About `keep` free stacks keep their pages.  If there are more, the slab whose stacks
 *         have all been free for the longest time, and will be taken last, gives its pages back:
 *         one system call for 63 stacks, and none for programs whose tasks come and go.
 *
 * Colour. Stacks that begin at the same place of a page would compete for the same few lines of
 *         the first-level cache.  So they begin 128 bytes apart.
 */
#include "task/stacks.h"

#include "base/pages.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

enum { SLAB_BYTES = 16 << 20, KEEP_BYTES = 64 << 20, MAX_PROTECTED = 24000, MAX_STACKS = 1 << 30 };
enum { COLOURS = 16, COLOUR_BYTES = 128 };

struct stack_slab {
	char *base;
	uint32_t nfree;	       /* in the list of free stacks */
	bool is_cold;	       /* all are, and their pages are given back */
	uint32_t older, newer; /* in the list of idle slabs: all are, and hold pages */
};

void snag_stacks_init(struct snag_stacks *stacks, size_t nbytes)
{
	size_t page = snag_pages_round(1);
	*stacks = (struct snag_stacks){.nbytes = snag_pages_round(nbytes), .free = SNAG_STACK_NONE};
	stacks->oldest = stacks->newest = SNAG_STACK_NONE;
	stacks->stride = page + stacks->nbytes;
	stacks->per_slab =
		stacks->stride < SLAB_BYTES ? (uint32_t)(SLAB_BYTES / stacks->stride) : 1;
	stacks->keep = (uint32_t)(KEEP_BYTES / stacks->stride);
	stacks->may_mark = true;
	stacks->may_protect = MAX_PROTECTED;
}

void snag_stacks_done(struct snag_stacks *stacks)
{
	for (size_t i = 0; i < stacks->nslabs; i++)
		snag_pages_unmap(stacks->slab[i].base, stacks->per_slab * stacks->stride);
	snag_pages_free(stacks->slab, stacks->slab_cap, sizeof(*stacks->slab));
	snag_pages_free(stacks->next, stacks->next_cap, sizeof(*stacks->next));
	snag_stacks_init(stacks, stacks->nbytes);
}

static char *stack_guard(const struct snag_stacks *stacks, uint32_t number)
{
	return stacks->slab[number / stacks->per_slab].base +
	       number % stacks->per_slab * stacks->stride;
}

struct snag_stack snag_stacks_at(const struct snag_stacks *stacks, uint32_t number)
{
	return (struct snag_stack){
		.base = stack_guard(stacks, number) + (stacks->stride - stacks->nbytes),
		.nbytes = stacks->nbytes - number % COLOURS * COLOUR_BYTES,
	};
}

static bool slab_add(struct snag_stacks *stacks)
{
	size_t nbytes = stacks->per_slab * stacks->stride;
	void *slabs = snag_pages_grow(stacks->slab, &stacks->slab_cap, stacks->nslabs + 1,
				      sizeof(*stacks->slab));
	if (!slabs)
		return false;
	stacks->slab = slabs;
	char *base = snag_pages_map(nbytes);
	if (!base)
		return false;
	madvise(base, nbytes, MADV_NOHUGEPAGE); /* a stack that uses a page shall cost a page */
	stacks->slab[stacks->nslabs++] = (struct stack_slab){.base = base};
	return true;
}

static void guard_add(struct snag_stacks *stacks, uint32_t number)
{
	size_t page = stacks->stride - stacks->nbytes;
	char *guard = stack_guard(stacks, number);
	if (stacks->nguarded != number) /* an earlier one failed */
		return;
	if (stacks->may_mark && madvise(guard, page, MADV_GUARD_INSTALL) != 0)
		stacks->may_mark = false;
	if (stacks->may_mark ||
	    (number < stacks->may_protect && mprotect(guard, page, PROT_NONE) == 0))
		stacks->nguarded++;
}

static uint32_t stack_fresh(struct snag_stacks *stacks)
{
	uint32_t number = stacks->nfresh;
	if (number == MAX_STACKS)
		return SNAG_STACK_NONE;
	void *next =
		snag_pages_grow(stacks->next, &stacks->next_cap, number + 1, sizeof(*stacks->next));
	if (!next)
		return SNAG_STACK_NONE;
	stacks->next = next;

	int saved = errno;
	bool is_there = number / stacks->per_slab < stacks->nslabs || slab_add(stacks);
	if (is_there) {
		guard_add(stacks, number);
		stacks->nfresh++;
	}
	errno = saved;
	return is_there ? number : SNAG_STACK_NONE;
}

static void idle_add(struct snag_stacks *stacks, uint32_t number)
{
	struct stack_slab *slab = &stacks->slab[number];
	slab->newer = SNAG_STACK_NONE;
	slab->older = stacks->newest;
	if (slab->older != SNAG_STACK_NONE)
		stacks->slab[slab->older].newer = number;
	else
		stacks->oldest = number;
	stacks->newest = number;
}

static void idle_remove(struct snag_stacks *stacks, uint32_t number)
{
	struct stack_slab *slab = &stacks->slab[number];
	if (slab->older != SNAG_STACK_NONE)
		stacks->slab[slab->older].newer = slab->newer;
	else
		stacks->oldest = slab->newer;
	if (slab->newer != SNAG_STACK_NONE)
		stacks->slab[slab->newer].older = slab->older;
	else
		stacks->newest = slab->older;
}

/* Gives the pages of the slab back that has been idle for the longest time. */
static void idle_cool(struct snag_stacks *stacks)
{
	struct stack_slab *slab = &stacks->slab[stacks->oldest];
	int saved = errno;
	idle_remove(stacks, stacks->oldest);
	madvise(slab->base, stacks->per_slab * stacks->stride, MADV_DONTNEED);
	errno = saved;
	slab->is_cold = true;
	stacks->warm -= stacks->per_slab;
}

uint32_t snag_stacks_take(struct snag_stacks *stacks)
{
	uint32_t number = stacks->free, in = number / stacks->per_slab;
	if (number == SNAG_STACK_NONE)
		return stack_fresh(stacks);
	stacks->free = stacks->next[number];

	struct stack_slab *slab = &stacks->slab[in];
	if (slab->is_cold) {
		slab->is_cold = false;
		stacks->warm += stacks->per_slab;
	} else if (slab->nfree == stacks->per_slab) {
		idle_remove(stacks, in);
	}
	slab->nfree--;
	stacks->warm--;
	return number;
}

void snag_stacks_give(struct snag_stacks *stacks, uint32_t number)
{
	uint32_t in = number / stacks->per_slab;
	assert((number < stacks->nguarded ||
		*(const size_t *)snag_stacks_at(stacks, number).base == 0) &&
	       "a task has overflowed its stack");
	stacks->next[number] = stacks->free;
	stacks->free = number;
	stacks->warm++;
	if (++stacks->slab[in].nfree < stacks->per_slab)
		return;
	idle_add(stacks, in);
	if (stacks->warm >= stacks->keep + stacks->per_slab)
		idle_cool(stacks);
}
