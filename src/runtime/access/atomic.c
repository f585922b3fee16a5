/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic.c - C11 atomics and fences
 *
 * Rules.  [order]  A turn may end before an atomic; the operation itself has the
 *                  order seq_cst, because other processes, and threads outside their turn,
 *                  may use the same memory.  The trace has the order that the program
 *                  specifies.
 *         [cas]    A compare-exchange that fails is a load with its failure order.
 *         [turn]   While `snag explore` orders the atomics of tasks, an operation waits for its
 *                  turn first (sched/sections.h).
 *         [free]   Threads that run in parallel do an operation, and take its number, under a lock
 *                  that the address chooses (lane.h).
 *         [spin]   A thread that reads the same value again and again yields.  With OpenMP one
 *                  thread runs at a time, also if the runtime records nothing; a fence is its
 *                  flush.
 */
#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/channel/lane.h"
#include "runtime/sched/free.h"
#include "runtime/tasks/omp_flags.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/tasks/tasks.h"
#include "runtime/tasks/updates.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/sections.h"
#include "runtime/sched/spin.h"
#include "runtime/access/stack.h"

typedef uint8_t a8;
typedef uint16_t a16;
typedef uint32_t a32;
typedef uint64_t a64;
typedef unsigned __int128 a128;

enum { WORD = 8 };

/* How an update uses the value that it replaces. */
enum taking {
	COUNTS, /* adds to it, for example */
	TAKES,	/* reads it, and may act accordingly; loads do, too */
	LAST,	/* a counter became 0: the last in every run */
};

/* The operation that follows, and the report of it, are one step. */
static struct rt_thread *begin_from(const volatile void *at, uintptr_t pc)
{
	if (rt_unlikely(rt.orders_blocks))
		rt_tasks_block_enter();
	rt_hot.calls_at = pc;
	if (rt_likely(!rt.is_free))
		return rt_sched_point();
	struct rt_thread *self = rt_free_point();
	if (self)
		rt_lane_lock(at);
	return self;
}

#define begin(at) begin_from(at, RT_CALLER)

static void record(struct rt_thread *self, enum rt_op op, enum taking takes, volatile void *at,
		   unsigned size, int order, uintptr_t pc)
{
	if (rt_unlikely(rt_has_blocks && rt_hot.has_read))
		rt_branch_address(pc, (uintptr_t)at);
	rt_hot.has_read |= op != RT_ATOMIC_WRITE;
	if (!self || self->ignoring.accesses ||
	    (__snag_omp_yield && rt_access_is_unreported((uintptr_t)at)))
		return;
	if (op != RT_ATOMIC_READ && size == WORD && __snag_omp_yield && !rt.is_alone)
		rt_own_stored_now((uintptr_t)at);
	if (rt_unlikely(self->ignoring.sync))
		order = __ATOMIC_RELAXED;
	const uint32_t update = rt.is_of_tasks ? self->update.atomic_kind : 0;
	if (rt_unlikely(update))
		rt_update(RT_UPDATE_BEGINS, update, rt_location(pc));
	rt_put(op, size < WORD ? size : WORD, (uintptr_t)at, rt_location(pc), (uint32_t)order);
	if (rt_unlikely(rt.orders_blocks))
		rt_sections_passed(self->tid);
	if (rt_unlikely(update)) {
		rt_update(RT_UPDATE_ENDS, update, rt_location(pc));
		takes = COUNTS; /* nothing uses its result, not even that of the last one */
	}
	if (!rt.is_alone && (__snag_omp_yield || rt_flag_is_known((uintptr_t)at)))
		rt_flag(op, takes != COUNTS, (uintptr_t)at, order, rt_location(pc));
	else if (!rt.is_alone && rt.is_of_tasks && op == RT_ATOMIC_UPDATE && takes != TAKES)
		rt_flag_counted(takes == LAST, (uintptr_t)at, order, rt_location(pc));
}

static void operation_report(struct rt_thread *self, enum rt_op op, enum taking takes,
			     volatile void *at, unsigned size, int order, uintptr_t pc)
{
	rt_hot.calls_at = 0;
	record(self, op, takes, at, size, order, pc);
	if (rt.is_free && self)
		rt_lane_unlock(at);
	if (rt_unlikely(rt.orders_blocks))
		rt_tasks_freed();
}

static void looked(struct rt_thread *self, volatile void *at, uint64_t value)
{
	enum { POLLS = 256 };
	static uint32_t polls; /* shared by all threads: it only has to grow */
	if (self)
		rt_spin_look(self, (uintptr_t)at, value);
	else if (__snag_omp_yield && ++polls % POLLS == 0)
		__snag_omp_yield();
}

/* The operations themselves: load8(at), store8(at, v), exchange8(at, v), fetch_add8(at, v) ...,
 * cas8(at, &expected, v). */

#define UPDATES(X, bits)                            \
	X(bits, exchange, exchange_n, true, y)      \
	X(bits, fetch_add, fetch_add, false, x + y) \
	X(bits, fetch_sub, fetch_sub, false, x - y) \
	X(bits, fetch_and, fetch_and, false, x &y)  \
	X(bits, fetch_or, fetch_or, false, x | y)   \
	X(bits, fetch_xor, fetch_xor, false, x ^ y) \
	X(bits, fetch_nand, fetch_nand, false, ~(x & y))

#define NATIVE_UPDATE(bits, name, builtin, takes, expression)             \
	static inline a##bits name##bits(volatile a##bits *at, a##bits v) \
	{                                                                 \
		return __atomic_##builtin(at, v, __ATOMIC_SEQ_CST);       \
	}
#define NATIVE(bits)                                                                         \
	UPDATES(NATIVE_UPDATE, bits)                                                         \
	static inline a##bits load##bits(const volatile a##bits *at)                         \
	{                                                                                    \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                \
	}                                                                                    \
	static inline void store##bits(volatile a##bits *at, a##bits v)                      \
	{                                                                                    \
		__atomic_store_n(at, v, __ATOMIC_SEQ_CST);                                   \
	}                                                                                    \
	static inline bool cas##bits(volatile a##bits *at, a##bits *expected, a##bits v)     \
	{                                                                                    \
		return __atomic_compare_exchange_n(at, expected, v, false, __ATOMIC_SEQ_CST, \
						   __ATOMIC_SEQ_CST);                        \
	}
NATIVE(8)
NATIVE(16)
NATIVE(32)
NATIVE(64)

/* 16 bytes: the only instruction is compare-exchange. */
static inline bool cas128(volatile a128 *at, a128 *expected, a128 v)
{
	a128 seen = __sync_val_compare_and_swap(at, *expected, v);
	bool is_done = seen == *expected;
	*expected = seen;
	return is_done;
}

static inline a128 load128(const volatile a128 *at)
{
	a128 value = 0;
	cas128((volatile a128 *)at, &value, 0);
	return value;
}

#define WIDE_UPDATE(bits, name, builtin, takes, expression)               \
	static inline a##bits name##bits(volatile a##bits *at, a##bits y) \
	{                                                                 \
		a##bits x = 0;                                            \
		while (!cas##bits(at, &x, expression))                    \
			;                                                 \
		return x;                                                 \
	}
UPDATES(WIDE_UPDATE, 128)

static inline void store128(volatile a128 *at, a128 v)
{
	exchange128(at, v);
}

/* The thread that counts down to 0 is the last one in every run: it takes. */
#define ABI_UPDATE(bits, name, builtin, takes, expression)                                        \
	static inline a##bits name##bits##_makes(a##bits x, a##bits y)                            \
	{                                                                                         \
		(void)x;                                                                          \
		return (a##bits)(expression);                                                     \
	}                                                                                         \
	RT_ABI(a##bits, __tsan_atomic##bits##_##name, volatile a##bits *at, a##bits v, int order) \
	{                                                                                         \
		RT_SCOPE;                                                                         \
		struct rt_thread *self = begin(at);                                               \
		a##bits old = name##bits(at, v);                                                  \
		enum taking is_taken = takes				 ? TAKES                  \
				       : name##bits##_makes(old, v) == 0 ? LAST                   \
									 : COUNTS;                \
		if (name##bits##_makes(old, v) != old)                                            \
			rt_spin_written((uintptr_t)at, bits / 8);                                 \
		operation_report(self, RT_ATOMIC_UPDATE, is_taken, at, bits / 8, order,           \
				 RT_CALLER);                                                      \
		looked(self, at, (uint64_t)old);                                                  \
		return old;                                                                       \
	}

#define ABI_CAS(bits, strength)                                                                \
	RT_ABI(int, __tsan_atomic##bits##_compare_exchange_##strength, volatile a##bits *at,   \
	       a##bits *expected, a##bits v, int order, int failure)                           \
	{                                                                                      \
		RT_SCOPE;                                                                      \
		struct rt_thread *self = begin(at);                                            \
		bool is_done = cas##bits(at, expected, v);                                     \
		operation_report(self, is_done ? RT_ATOMIC_UPDATE : RT_ATOMIC_READ, TAKES, at, \
				 bits / 8, is_done ? order : failure, RT_CALLER);              \
		if (is_done)                                                                   \
			rt_spin_written((uintptr_t)at, bits / 8);                              \
		else                                                                           \
			looked(self, at, (uint64_t)*expected);                                 \
		return is_done;                                                                \
	}

#define ABI(bits)                                                                                \
	UPDATES(ABI_UPDATE, bits)                                                                \
	ABI_CAS(bits, strong)                                                                    \
	ABI_CAS(bits, weak)                                                                      \
	RT_ABI(a##bits, __tsan_atomic##bits##_compare_exchange_val, volatile a##bits *at,        \
	       a##bits expected, a##bits v, int order, int failure)                              \
	{                                                                                        \
		RT_SCOPE;                                                                        \
		struct rt_thread *self = begin(at);                                              \
		bool is_done = cas##bits(at, &expected, v);                                      \
		operation_report(self, is_done ? RT_ATOMIC_UPDATE : RT_ATOMIC_READ, TAKES, at,   \
				 bits / 8, is_done ? order : failure, RT_CALLER);                \
		if (is_done)                                                                     \
			rt_spin_written((uintptr_t)at, bits / 8);                                \
		else                                                                             \
			looked(self, at, (uint64_t)expected);                                    \
		return expected;                                                                 \
	}                                                                                        \
	RT_ABI(a##bits, __tsan_atomic##bits##_load, const volatile a##bits *at, int order)       \
	{                                                                                        \
		RT_SCOPE;                                                                        \
		struct rt_thread *self = begin(at);                                              \
		a##bits value = load##bits(at);                                                  \
		operation_report(self, RT_ATOMIC_READ, TAKES, (volatile void *)at, bits / 8,     \
				 order, RT_CALLER);                                              \
		looked(self, (volatile void *)at, (uint64_t)value);                              \
		return value;                                                                    \
	}                                                                                        \
	RT_ABI(void, __tsan_atomic##bits##_store, volatile a##bits *at, a##bits v, int order)    \
	{                                                                                        \
		RT_SCOPE;                                                                        \
		struct rt_thread *self = begin(at);                                              \
		store##bits(at, v);                                                              \
		rt_spin_written((uintptr_t)at, bits / 8);                                        \
		operation_report(self, RT_ATOMIC_WRITE, COUNTS, at, bits / 8, order, RT_CALLER); \
	}
ABI(8)
ABI(16)
ABI(32)
ABI(64)
ABI(128)

RT_ABI(void, __tsan_atomic_thread_fence, int order)
{
	RT_SCOPE;
	struct rt_thread *self = rt.is_free ? rt_free_point() : rt_sched_point();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (self && !self->ignoring.accesses)
		rt_put(RT_FENCE, 0, 0, rt_location(RT_CALLER), (uint32_t)order);
	if (self && !self->ignoring.accesses && (__snag_omp_yield || rt.is_of_tasks) &&
	    !rt.is_alone)
		rt_flags_flush(rt_location(RT_CALLER));
	if (__snag_omp_yield)
		__snag_omp_yield();
}

/* Orders a thread and its own signal handler, which only concerns the compiler. */
RT_ABI(void, __tsan_atomic_signal_fence, int order)
{
}
