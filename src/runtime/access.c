/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - plain memory accesses: __tsan_read and __tsan_write in all sizes
 */
#include "runtime/access.h"

#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stack.h"

#include <string.h>

uint64_t rt_filter[1 << RT_FILTER_LOG];

void rt_epoch_wrapped(void)
{
	memset(rt_filter, 0, sizeof(rt_filter));
	rt.epoch = 1;
}

static inline uint64_t *filter_slot(uintptr_t word)
{
	return &rt_filter[(word + (word >> RT_FILTER_LOG) * RT_FILTER_STEP) &
			  ((1 << RT_FILTER_LOG) - 1)];
}

/* The upper part of the entry of a word in this epoch. */
static inline uint64_t filter_key(uintptr_t word)
{
	return word >> RT_FILTER_LOG << (RT_EPOCH_SHIFT + RT_EPOCH_BITS) |
	       rt.epoch << RT_EPOCH_SHIFT;
}

/* The bytes of a word that an access of `size` at addr touches. */
static inline uint8_t mask_of(uintptr_t addr, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << (addr & 7));
}

/* Its own stack or thread-local storage, where these are nobody else's business. */
static bool is_own(uintptr_t addr)
{
	const struct rt_thread *self = rt_hot.self;
	return self->own_high && (addr - self->own_low < self->own_high - self->own_low ||
				  (uintptr_t)__builtin_thread_pointer() - addr - 1 < rt.tls_bytes);
}

/* Records an access inside one word and remembers it. */
static __attribute__((noinline)) void word_record(uintptr_t addr, unsigned size, bool is_write,
						  uintptr_t pc)
{
	uint64_t key = filter_key(addr >> 3), *slot = filter_slot(addr >> 3);
	uint64_t mask = mask_of(addr, size);
	if (rt_hot.self->ignores)
		return;
	if (*slot >> RT_EPOCH_SHIFT != key >> RT_EPOCH_SHIFT)
		*slot = key;
	*slot |= mask << RT_SEEN_SHIFT | (is_write ? mask : 0);
	if (rt.is_alone || is_own(addr))
		return;
	rt_hot.has_read |= !is_write;
	rt_put(is_write ? RT_WRITE : RT_READ, size, addr, rt_location(pc), (uint32_t)rt_hot.fuel);
}

static inline void word_access(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	const uint64_t high = ~0ull << RT_EPOCH_SHIFT;
	uint64_t need = (uint64_t)mask_of(addr, size) << (is_write ? 0 : RT_SEEN_SHIFT);
	if (rt_unlikely((*filter_slot(addr >> 3) & (high | need)) !=
			(filter_key(addr >> 3) | need)))
		word_record(addr, size, is_write, pc);
}

/* The fuel is used up: a new turn, or this thread may not run at all. */
static RT_COLD bool refuel_slow(void)
{
	return rt_sched_event();
}

static inline bool refuel(void)
{
	rt_hot.fuel++;
	return (rt.on || !rt.has_begun) && refuel_slow();
}

static inline void access_aligned(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	if (rt_unlikely(--rt_hot.fuel < 0) && !refuel())
		return;
	word_access(addr, size, is_write, pc);
}

/* May cross into the next word, or the one behind. */
static inline void access_any(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	if (rt_unlikely(--rt_hot.fuel < 0) && !refuel())
		return;
	while (size > 0) {
		unsigned here = 8 - (addr & 7);
		here = here < size ? here : size;
		word_access(addr, here, is_write, pc);
		addr += here;
		size -= here;
	}
}

enum { SHORT_RANGE = 64, RANGE_MAX = 1 << 30 };

void rt_access_range(uintptr_t addr, size_t n, bool is_write, uintptr_t pc)
{
	if (n == 0)
		return;
	if (n <= SHORT_RANGE) {
		access_any(addr, (unsigned)n, is_write, pc);
		return;
	}
	if (rt_unlikely(--rt_hot.fuel < 0) && !refuel())
		return;
	if (rt_hot.self->ignores || rt.is_alone || is_own(addr))
		return;
	rt_hot.has_read |= !is_write;
	rt_put(RT_COUNT, 0, 0, 0, (uint32_t)rt_hot.fuel);
	for (; n > 0; n -= n < RANGE_MAX ? n : RANGE_MAX, addr += RANGE_MAX)
		rt_put(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, 0, addr, rt_location(pc),
		       (uint32_t)(n < RANGE_MAX ? n : RANGE_MAX));
}

#define ADDR uintptr_t addr
#define ACCESS(kind, is_write, size, how, call)                           \
	RT_ABI(RT_HOT void, __tsan_##kind##size, ADDR)                    \
	{                                                                 \
		access_##how(addr, size, is_write, call);                 \
	}                                                                 \
	RT_ABI(RT_HOT void, __tsan_##kind##size##_pc, ADDR, uintptr_t pc) \
	{                                                                 \
		access_##how(addr, size, is_write, pc);                   \
	}
#define BOTH(prefix, size, how)                           \
	ACCESS(prefix##read, false, size, how, RT_CALLER) \
	ACCESS(prefix##write, true, size, how, RT_CALLER)

BOTH(, 1, aligned)
BOTH(, 2, aligned)
BOTH(, 4, aligned)
BOTH(, 8, aligned)
BOTH(, 16, any)
BOTH(unaligned_, 2, any)
BOTH(unaligned_, 4, any)
BOTH(unaligned_, 8, any)
BOTH(unaligned_, 16, any)

/* Reads and writes in one call, of newer compilers. */
#define READ_WRITE(prefix, size)                                     \
	RT_ABI(RT_HOT void, __tsan_##prefix##read_write##size, ADDR) \
	{                                                            \
		access_any(addr, size, false, RT_CALLER);            \
		access_any(addr, size, true, RT_CALLER);             \
	}
READ_WRITE(, 1)
READ_WRITE(, 2)
READ_WRITE(, 4)
READ_WRITE(, 8)
READ_WRITE(, 16)
READ_WRITE(unaligned_, 2)
READ_WRITE(unaligned_, 4)
READ_WRITE(unaligned_, 8)
READ_WRITE(unaligned_, 16)

RT_ABI(void, __tsan_read_range, ADDR, size_t n)
{
	rt_access_range(addr, n, false, RT_CALLER);
}

RT_ABI(void, __tsan_write_range, ADDR, size_t n)
{
	rt_access_range(addr, n, true, RT_CALLER);
}

RT_ABI(void, __tsan_read_range_pc, ADDR, size_t n, uintptr_t pc)
{
	rt_access_range(addr, n, false, pc);
}

RT_ABI(void, __tsan_write_range_pc, ADDR, size_t n, uintptr_t pc)
{
	rt_access_range(addr, n, true, pc);
}

/* Writing the same pointer to the table of virtual functions again is no write. */
RT_ABI(void, __tsan_vptr_update, void **at, void *value)
{
	if (*at != value)
		access_any((uintptr_t)at, sizeof(*at), true, RT_CALLER);
}

RT_ABI(void, __tsan_vptr_read, void **at)
{
	access_any((uintptr_t)at, sizeof(*at), false, RT_CALLER);
}
