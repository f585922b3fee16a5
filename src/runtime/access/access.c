/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - plain memory accesses: __tsan_read and __tsan_write in all sizes
 */
#include "runtime/access/access.h"

#include "runtime/channel/judge.h"
#include "runtime/channel/lane_put.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/tasks/omp_sections.h"
#include "runtime/channel/record.h"
#include "runtime/channel/run.h"
#include "runtime/options.h"
#include "runtime/sched/race_values.h"
#include "runtime/sched/sched.h"
#include "runtime/access/sites.h"
#include "runtime/access/stack.h"

#include <string.h>

struct rt_filter rt_filter;

enum { WORD = 8 };

void rt_epochs_again(void)
{
	struct rt_filter *f = rt_hot.filter;
	for (unsigned k = 0; k < RT_FILTER_SIZES; k++)
		for (uint64_t i = 0; i <= f->bytes / RT_FILTER_ENTRY; i++)
			if (f->slot[k]
				   [i]) /* does not touch pages that the system has not allocated */
				f->slot[k][i] = 0;
	rt_own.fresh = (struct own_fresh){0};
	f->epochs = rt_epoch_after(RT_SEEN);
	rt.ends++;
	f->lasting = f->lasting ? RT_SEEN : 0; /* no epoch has the number 0 */
}

void rt_lasting_end(void)
{
	rt_epoch_end();
	rt_hot.filter->lasting = rt_hot.filter->key[0]; /* an epoch of its own */
	rt_epoch_end();
}

/* Records an access inside one word, which may begin a run. */
static __attribute__((noinline)) void word_record(uint64_t what, uintptr_t pc)
{
	rt_put_what(what, rt_location(pc), (uint32_t)rt_hot.fuel);
	rt_run_note(&rt_run, what, pc, (uint64_t)rt_hot.fuel, rt_caller(), rt.written);
}

static inline uint64_t word_what(uintptr_t addr, unsigned size, bool is_write)
{
	return rt_what(is_write ? RT_WRITE : RT_READ, size, addr);
}

/* Records an access inside one word, or counts it as part of a run. */
static inline void word_put(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	const uint64_t what = word_what(addr, size, is_write);
	if (!rt_run.is_open ||
	    !rt_run_takes(&rt_run, (struct rt_step){what, pc, (uint64_t)rt_hot.fuel, rt_caller()}))
		word_record(what, pc);
}

/* Records an access; its parts, if they lie in different words. */
static __attribute__((noinline)) void words_put(uintptr_t addr, unsigned size, bool is_write,
						uintptr_t pc)
{
	for (unsigned here; size > 0; addr += here, size -= here) {
		here = WORD - (addr & (WORD - 1));
		here = here < size ? here : size;
		word_put(addr, here, is_write, pc);
	}
}

bool rt_access_is_unreported(uintptr_t addr)
{
	if (rt_is_own(addr))
		return true;
	rt_own_accessed(addr, false);
	return false;
}

/* Remembers an access. */
static inline void access_note(uintptr_t addr, unsigned k, bool is_write)
{
	/* A read of written memory does not change the slot. */
	*rt_filter_slot(addr, k) = rt_filter_entry(addr, k, is_write);
	rt_hot.has_read |= !is_write;
}

/* Records an access of a thread that special rules hold for (rt_access_is_special). */
static __attribute__((noinline)) void special_record(uintptr_t addr, uintptr_t pc, unsigned k,
						     bool is_write)
{
	if (rt_hot.self->ignoring.accesses)
		return;
	if (rt.is_unheard || rt_is_own(addr)) {
		if (rt_unlikely(rt_freed_any))
			rt_freed_used(addr, pc);
		*rt_filter_slot(addr, k) = rt_filter_entry(addr, k, is_write);
		return;
	}
	if (is_write)
		rt_before_write();
	access_note(addr, k, is_write);
	rt_own_accessed(addr, is_write);
	if (is_write && k == 3)
		rt_own_stored_word(addr);
	if (rt_unlikely(rt_hot.self->section.depth))
		rt_section_access(addr, (size_t)1 << k, is_write);
	if (rt.listener.is_judge) {
		rt_record_settle(); /* the same as before a record */
		rt_judge_access(addr, 1u << k, is_write);
	} else {
		words_put(addr, 1u << k, is_write, pc);
	}
}

static inline bool is_judged_specially(const struct rt_thread *self)
{
	return rt_unlikely((uint32_t)self->ignoring.accesses | self->section.depth |
			   self->omp.own.is_watched) ||
	       rt_unlikely(rt.is_unheard) || rt_unlikely(rt.before_write != NULL);
}

/* The same for a detector in this process. For most accesses no special rule holds. */
static RT_INLINE void judged_record(uintptr_t addr, uint64_t *slot, uint64_t entry, uintptr_t pc,
				    unsigned k, bool is_write)
{
	const uint64_t lasting = (addr & ~RT_FILTER_BITS(k)) | rt_hot.filter->lasting;
	if (is_judged_specially(rt_hot.self) || rt_unlikely(rt.before != NULL))
		special_record(addr, pc, k, is_write);
	else if (is_write || *slot != lasting)
		*slot = rt_judge_access(addr, 1u << k, is_write) ? lasting : entry;
}

/* The same in programs that use OpenMP: some memory is private, and stacks are used again. */
static RT_INLINE void judged_omp(uintptr_t addr, uint64_t *slot, uint64_t entry, uintptr_t pc,
				 unsigned k, bool is_write)
{
	const struct rt_thread *self = rt_hot.self;
	if (own_is_near(&self->omp.own, addr) || own_is_tls(&rt_own, addr)) {
		*slot = entry;
		return;
	}
	if (is_judged_specially(self) || rt_unlikely(own_in_hull(&rt_own.heap, addr))) {
		special_record(addr, pc, k, is_write);
		return;
	}
	*slot = entry;
	rt_own_accessed(addr, is_write);
	if (is_write && k == 3)
		rt_own_stored_word(addr);
	rt_record_settle();
	rt_judge_new[k][is_write](addr);
}

static inline bool is_special(const struct rt_thread *self)
{
	return (uint64_t)rt.is_unheard | (uint64_t)self->ignoring.accesses | self->section.depth |
	       rt_own.tls_bytes;
}

bool rt_access_is_special(void)
{
	return is_special(rt_hot.self);
}

/* Records an access of the common kind: inside one word, at a known place, without special rules,
 * and part of the open run or of no run.  Returns false, and does nothing, for any other access.
 * Calls no function, so that few registers are saved. */
static RT_INLINE bool quick_record(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	const struct rt_thread *self = rt_hot.self;
	const uint64_t what = word_what(addr, 1u << k, is_write);
	uint32_t caller, loc;
	if (rt_unlikely(is_special(self) || (addr & (WORD - 1)) + (1u << k) > WORD ||
			!rt_caller_is_known(&caller)))
		return false;
	if (rt_run.is_open) {
		if (!rt_run_takes(&rt_run,
				  (struct rt_step){what, pc, (uint64_t)rt_hot.fuel, caller}))
			return false;
	} else {
		if (rt_unlikely(!rt_run.rest || rt.written == rt.limit ||
				!rt_location_is_known(pc, caller, &loc)))
			return false;
		rt_run.rest--;
		rt_put_there(what, loc, (uint32_t)rt_hot.fuel);
	}
	access_note(addr, k, is_write);
	return true;
}

/* Records any access and remembers it. */
static __attribute__((noinline)) void access_record(uintptr_t addr, uintptr_t pc, unsigned k,
						    bool is_write)
{
	if (is_special(rt_hot.self)) {
		special_record(addr, pc, k, is_write);
		return;
	}
	access_note(addr, k, is_write);
	words_put(addr, 1u << k, is_write, pc);
}

/* The same by size, each in its own function: a known access does not pay for the registers that
 * they save. */
#define JUDGED uintptr_t addr, uint64_t *slot, uint64_t entry, uintptr_t pc
#define RECORD(name, k, is_write)                                                         \
	static __attribute__((noinline)) void record_##name(uintptr_t addr, uintptr_t pc) \
	{                                                                                 \
		if (rt_unlikely(rt_has_blocks && rt_hot.has_read))                        \
			rt_branch_address(pc, addr);                                      \
		if (rt.is_free) {                                                         \
			if (!rt_lane_quick(addr, pc, k, is_write))                        \
				rt_lane_access(addr, pc, k, is_write);                    \
			return;                                                           \
		}                                                                         \
		if (!quick_record(addr, pc, k, is_write))                                 \
			access_record(addr, pc, k, is_write);                             \
	}                                                                                 \
	static __attribute__((noinline)) void plain_##name(JUDGED)                        \
	{                                                                                 \
		judged_record(addr, slot, entry, pc, k, is_write);                        \
	}                                                                                 \
	static __attribute__((noinline)) void judged_##name(JUDGED)                       \
	{                                                                                 \
		if (rt_own.tls_bytes)                                                     \
			judged_omp(addr, slot, entry, pc, k, is_write);                   \
		else                                                                      \
			plain_##name(addr, slot, entry, pc);                              \
	}
RECORD(read1, 0, false)
RECORD(read2, 1, false)
RECORD(read4, 2, false)
RECORD(read8, 3, false)
RECORD(write1, 0, true)
RECORD(write2, 1, true)
RECORD(write4, 2, true)
RECORD(write8, 3, true)

#define BY_SIZE(what)                                                             \
	{                                                                         \
		{what##read1, what##write1}, {what##read2, what##write2},         \
			{what##read4, what##write4}, {what##read8, what##write8}, \
	}
static void (*const record_of[RT_FILTER_SIZES][2])(uintptr_t addr, uintptr_t pc) = BY_SIZE(record_);
static void (*const judged_of[RT_FILTER_SIZES][2])(JUDGED) = BY_SIZE(judged_);

/* Reports an access that the filter does not know, unless only the running context can reach the
 * memory. */
static inline void access_report(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (rt.listener.is_judge)
		judged_of[k][is_write](addr, rt_filter_slot(addr, k),
				       rt_filter_entry(addr, k, is_write), pc);
	else
		record_of[k][is_write](addr, pc);
}

static inline void access_look(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (rt_is_alone_with(addr) || rt_likely(rt_access_is_known(addr, k, is_write)))
		return;
	access_report(addr, pc, k, is_write);
}

void rt_access_look(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	access_look(addr, pc, k, is_write);
}

/* The runtime is off: accesses do nothing. */
static inline bool is_off(void)
{
	return !rt.on && rt.has_begun;
}

/* The fuel is used up: begins a new turn.  Returns whether the thread may run. */
static RT_COLD bool refuel(void)
{
	rt_hot.fuel++;
	return !is_off() && rt_sched_event();
}

static RT_COLD void access_turn(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (rt_hot.self)
		rt_hot.self->sched.aim = addr;
	if (!rt.is_free && refuel()) {
		if (rt_unlikely(rt_options.effect))
			rt_race_values_access(addr, 1u << k);
		access_look(addr, pc, k, is_write);
	}
}

static RT_INLINE void access_refuel(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (!is_off())
		access_turn(addr, pc, k, is_write);
}

/* An event: an access of 2^k bytes at any address. */
static inline void access_one(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (rt_unlikely(--rt_hot.fuel < 0))
		access_refuel(addr, pc, k, is_write);
	else
		access_look(addr, pc, k, is_write);
}

bool rt_access_count(void)
{
	return rt_likely(--rt_hot.fuel >= 0) || (!rt.is_free && refuel());
}

static inline void two_look(uintptr_t addr, uintptr_t pc, bool is_write)
{
	access_look(addr, pc, 3, is_write);
	access_look(addr + WORD, pc, 3, is_write);
}

static RT_COLD void two_turn(uintptr_t addr, uintptr_t pc, bool is_write)
{
	if (!rt.is_free && refuel())
		two_look(addr, pc, is_write);
}

static RT_INLINE void two_refuel(uintptr_t addr, uintptr_t pc, bool is_write)
{
	if (!is_off())
		two_turn(addr, pc, is_write);
}

/* 16 bytes that were counted. */
static inline void two_new(uintptr_t addr, uintptr_t pc, bool is_write)
{
	if (rt_unlikely(rt_hot.fuel < 0))
		two_refuel(addr, pc, is_write);
	else
		two_look(addr, pc, is_write);
}

static inline void access_two(uintptr_t addr, uintptr_t pc, bool is_write)
{
	rt_hot.fuel--;
	two_new(addr, pc, is_write);
}

void rt_access_sized(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	if (size > WORD)
		access_two(addr, pc, is_write);
	else
		access_one(addr, pc, (unsigned)__builtin_ctz(size), is_write);
}

/* An access that was counted, and is not known. */
static RT_INLINE void access_new(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write)
{
	if (rt_unlikely(rt_hot.fuel < 0))
		access_refuel(addr, pc, k, is_write);
	else if (rt_is_alone_with(addr))
		*rt_filter_slot(addr, k) = rt_filter_entry(addr, k, is_write);
	else
		access_report(addr, pc, k, is_write);
}

#define ADDR uintptr_t addr
#define ACCESS(name, how, ...)                                      \
	RT_ABI(RT_HOT void, __tsan_##name, ADDR)                    \
	{                                                           \
		access_##how(addr, RT_CALLER, __VA_ARGS__);         \
	}                                                           \
	RT_ABI(RT_HOT void, __tsan_##name##_pc, ADDR, uintptr_t pc) \
	{                                                           \
		access_##how(addr, pc, __VA_ARGS__);                \
	}
/* Reads and writes in one call, of newer compilers. */
#define READ_WRITE(name, n)                                 \
	RT_ABI(RT_HOT void, __tsan_##name, ADDR)            \
	{                                                   \
		rt_access_range(addr, n, false, RT_CALLER); \
		rt_access_range(addr, n, true, RT_CALLER);  \
	}
#define SIZE(prefix, n, ...)                        \
	ACCESS(prefix##read##n, __VA_ARGS__, false) \
	ACCESS(prefix##write##n, __VA_ARGS__, true) \
	READ_WRITE(prefix##read_write##n, n)

SIZE(, 1, one, 0)
SIZE(, 2, one, 1)
SIZE(, 4, one, 2)
SIZE(, 8, one, 3)
SIZE(, 16, two)
SIZE(unaligned_, 2, one, 1)
SIZE(unaligned_, 4, one, 2)
SIZE(unaligned_, 8, one, 3)
SIZE(unaligned_, 16, two)

/* Accesses that were counted and are not in the filter.  Inlined checks call the first function;
 * check.c calls the second, which has the pc as an argument. */
#define NEW_OF(name, is_write, how, ...)                            \
	RT_ABI(RT_HOT void, __snag_new_##name, ADDR)                \
	{                                                           \
		how(addr, RT_CALLER, ##__VA_ARGS__, is_write);      \
	}                                                           \
	RT_HIDDEN void rt_new_##name(uintptr_t addr, uintptr_t pc); \
	RT_HOT void rt_new_##name(uintptr_t addr, uintptr_t pc)     \
	{                                                           \
		how(addr, pc, ##__VA_ARGS__, is_write);             \
	}
#define NEW(n, ...)                         \
	NEW_OF(read##n, false, __VA_ARGS__) \
	NEW_OF(write##n, true, __VA_ARGS__)
NEW(1, access_new, 0)
NEW(2, access_new, 1)
NEW(4, access_new, 2)
NEW(8, access_new, 3)
NEW(16, two_new)

/* The same for a site (sites.h). */
static inline bool site_takes(struct rt_site *site, uintptr_t addr, unsigned size, bool is_write)
{
	return !rt_site_rests(site) && rt_sites.may && rt_likely(rt_hot.fuel >= 0) &&
	       !rt_hot.self->ignoring.accesses && !rt_is_alone_with(addr) &&
	       rt_site_access(site, addr, size, is_write);
}

#define NEXT(n, how, ...)                                                     \
	RT_ABI(RT_HOT void, __snag_next_read##n, ADDR, struct rt_site *site)  \
	{                                                                     \
		if (!site_takes(site, addr, n, false))                        \
			how(addr, RT_CALLER, ##__VA_ARGS__, false);           \
	}                                                                     \
	RT_ABI(RT_HOT void, __snag_next_write##n, ADDR, struct rt_site *site) \
	{                                                                     \
		if (!site_takes(site, addr, n, true))                         \
			how(addr, RT_CALLER, ##__VA_ARGS__, true);            \
	}
NEXT(1, access_new, 0)
NEXT(2, access_new, 1)
NEXT(4, access_new, 2)
NEXT(8, access_new, 3)
NEXT(16, two_new)

/* Writing the same pointer to the table of virtual functions again is no write. */
RT_ABI(void, __tsan_vptr_update, void **at, void *value)
{
	if (*at != value)
		access_one((uintptr_t)at, RT_CALLER, 3, true);
}

RT_ABI(void, __tsan_vptr_read, void **at)
{
	access_one((uintptr_t)at, RT_CALLER, 3, false);
}
