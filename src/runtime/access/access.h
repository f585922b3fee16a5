/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - plain memory accesses: the hot path
 *
 * Idea.   An access that this thread made before, with no synchronisation since, adds nothing.  A
 *         table knows these accesses (filter.h).
 *
 * Rules.  [alone]  The runtime records nothing while main is the only thread, and all others were
 *                  joined: fork and join order these accesses with all others, in every run.
 *         [read]   It records a read unless the epoch has read or written the memory.
 *         [write]  It records a write unless the epoch has written the memory.
 *         [turn]   A turn that ends for want of fuel does not end the epoch.  The epoch goes on in
 *                  the next turn of its thread, if in between other threads have only accessed
 *                  memory: their accesses take its place in the table.  Not so in a replay,
 *                  which has to record its last accesses whatever came before (option forget).
 * Guarantee.  A variable has a happens-before race with the accesses left out iff it has one
 *         without them.  The reported location is that of the first access.  Prediction can differ
 *         in a trace with races: in `w(x) w(y) w(x)`, another thread that reads this y comes after
 *         the first write of x in every reordering, but not after the second; and a thread that
 *         reads the second x seems to need only the first.  A trace without predictable races has
 *         none with accesses left out either.
 *         (`oracle --check filter,filter-m2,filter-wdp --seed 5 --traces 30000 --events 8-20
 *         --threads 2-3 --variables 2-3`: hb the same on all, m2 and wdp on 99.2 %.)
 * Cost.   About 15 instructions for an access that is left out; the plugin puts them in place, or
 *         calls check.c.
 */
#ifndef SNAG_RUNTIME_ACCESS_H
#define SNAG_RUNTIME_ACCESS_H

#include "runtime/access/filter.h"
#include "runtime/rt.h"
#include "runtime/tasks/tasks.h"

#define RT_SEEN (1ull << 3)
#define RT_WRITTEN (1ull << 63)

/* An epoch is what its entries have beside the address: its number, in two parts, and RT_SEEN.  To
 * add one, fill the gap with ones, so that the lower part carries into the upper one. */
#define RT_EPOCH_ONE (1ull << 4)
#define RT_EPOCH_GAP ((1ull << 48) - (1ull << RT_FILTER_LOG))
static inline uint64_t rt_epoch_after(uint64_t epoch)
{
	return ((epoch | RT_EPOCH_GAP) + RT_EPOCH_ONE) & ~RT_EPOCH_GAP;
}

/* the filter of threads that take turns: rt_hot.filter */
extern struct rt_filter rt_filter RT_HIDDEN;

static inline uint64_t *rt_filter_slot(uintptr_t addr, unsigned k)
{
	const uintptr_t bytes = RT_FILTER_ENTRY, high = addr >> (RT_FILTER_LOG + k);
	uintptr_t at = addr * (bytes >> k) + high * (RT_FILTER_STEP * bytes);
	struct rt_filter *f = rt_hot.filter;
	return (uint64_t *)((char *)f->slot[k] + (at & f->bytes));
}

/* Returns the value of the slot after a read, or a write, of this epoch. */
static inline uint64_t rt_filter_entry(uintptr_t addr, unsigned k, bool is_write)
{
	return (addr & ~RT_FILTER_BITS(k)) | rt_hot.filter->key[is_write];
}

/* [read] [write] Returns whether an access of 2^k bytes adds nothing. */
static inline bool rt_access_is_known(uintptr_t addr, unsigned k, bool is_write)
{
	uint64_t differs = *rt_filter_slot(addr, k) ^ rt_filter_entry(addr, k, is_write);
	return is_write ? differs == 0 : differs << 1 == 0;
}

static inline void rt_epoch_go_on(uint64_t epoch)
{
	struct rt_filter *f = rt_hot.filter;
	f->stretch++;
	f->key[0] = epoch;
	f->key[1] = epoch | RT_WRITTEN;
}

/* Begins another epoch, with the turn. */
RT_COLD void rt_epochs_again(void); /* all numbers are used up: begins again with the first */
static inline void rt_epoch_new(void)
{
	if (rt_unlikely(rt.is_fresh))
		rt_tasks_known();
	if (rt_unlikely(rt_own.stores.n))
		own_stores_look(&rt_own);
	struct rt_filter *f = rt_hot.filter;
	f->epochs = rt_epoch_after(f->epochs);
	if (rt_unlikely(f->epochs & RT_WRITTEN))
		rt_epochs_again();
	rt_epoch_go_on(f->epochs);
}

/* Ends the epoch, and the epochs that other threads have kept for their next turn. */
static inline void rt_epoch_end(void)
{
	rt.ends++;
	rt_epoch_new();
}

/* Marks memory that only the running context can reach until its next event.  Its accesses there
 * happen before those of all other contexts, so a detector in the process does not need them. */
static inline void rt_fresh_mark(enum own_fresh_kind kind, uintptr_t low, size_t nbytes)
{
	own_fresh_add(&rt_own, kind, low, nbytes, rt_hot.filter->key[0]);
}

static inline bool rt_is_alone_with(uintptr_t addr)
{
	return own_is_fresh(&rt_own, addr, rt_hot.filter->key[0]);
}

static inline void rt_before_write(void)
{
	void (*f)(void) = rt.before_write;
	if (rt_unlikely(f != NULL)) {
		rt.before_write = NULL;
		f();
	}
}

/* Ends the time for which reads were left out for longer than an epoch; the first call begins
 * it. */
void rt_lasting_end(void);

/* interpose/freed.h: while main is alone, an access may be to freed memory. */
extern bool rt_freed_any RT_HIDDEN;
void rt_freed_used(uintptr_t addr, uintptr_t pc) RT_HIDDEN;

/* Records an access of any size and place; counts as one event. */
void rt_access_range(uintptr_t addr, size_t n, bool is_write, uintptr_t pc);
/* The same for elements of 2 or 4 bytes each: memory without earlier accesses is divided into such
 * variables. */
void rt_access_elements(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
/* For an event with several accesses. rt_access_count() counts the event, which may end the
 * turn; it returns false if the caller must record no access. rt_access_more() records one of
 * them. */
bool rt_access_count(void);
void rt_access_more(uintptr_t addr, size_t n, bool is_write, uintptr_t pc);
void rt_access_look(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write); /* of 2^k bytes */
/* An access as the compiler reports it: 1, 2, 4, 8 or 16 bytes. */
void rt_access_sized(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc);
/* Returns whether accesses of the running thread take the slow path: it ignores accesses, is in a
 * critical section, or uses OpenMP. */
bool rt_access_is_special(void);
/* For code that records an access by itself: returns whether to leave it out, because the memory is
 * private to the running context.  If not, notes that the context uses its stack there. */
bool rt_access_is_unreported(uintptr_t addr);
/* Reports accesses to n bytes at each of `count` places, `step` bytes apart, together. Returns
 * false, and reports nothing, if that is not possible. */
bool rt_access_places(uintptr_t addr, size_t n, int64_t step, uint64_t count, bool is_write);

#endif
