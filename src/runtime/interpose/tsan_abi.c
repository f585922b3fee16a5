/* SPDX-License-Identifier: Apache-2.0
 *
 * tsan_abi.c - the rest of ThreadSanitizer's interface, so that programs that use it link and run
 *
 * Rules.  [unaligned]  __sanitizer_unaligned_*: reports an access, and performs it
 *         [external]   __tsan_external_*: accesses to an object of a library, at its address
 *         [java]       __tsan_java_*: memory of another heap begins and ends; locks,
 *                      acquire and release are those of annotate.c
 *         [finalize]   Finalizers run behind all accesses to that heap so far: the heap is new
 *                      memory from there on.  A race between an access before and one behind is
 *                      lost
 *         [barrier]    __tsan_testonly_barrier_*: threads wait for each other, which orders nothing
 *         [reports]    __tsan_get_report_* return 0: the recorder makes the reports, in another
 *                      process
 *         [weak]       a program may define any of them itself
 */
#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/annotate.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/sync.h"
#include "runtime/memory.h"
#include "runtime/sched/sched.h"

#include <malloc.h>
#include <string.h>

/* [weak] */
#undef RT_ABI
#define RT_ABI(type, name, ...)                                 \
	RT_EXPORT __attribute__((weak)) type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

/* [unaligned] */
#define UNALIGNED(bits)                                                                 \
	RT_ABI(uint##bits##_t, __sanitizer_unaligned_load##bits, const void *at)        \
	{                                                                               \
		uint##bits##_t value;                                                   \
		rt_access_range((uintptr_t)at, sizeof(value), false, RT_CALLER);        \
		__builtin_memcpy(&value, at, sizeof(value));                            \
		return value;                                                           \
	}                                                                               \
	RT_ABI(void, __sanitizer_unaligned_store##bits, void *at, uint##bits##_t value) \
	{                                                                               \
		rt_access_range((uintptr_t)at, sizeof(value), true, RT_CALLER);         \
		__builtin_memcpy(at, &value, sizeof(value));                            \
	}
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* [external] A tag is only a name. */
RT_ABI(void *, __tsan_external_register_tag, const char *name)
{
	return (void *)name;
}

RT_ABI(void, __tsan_external_register_header, void *tag, const char *header)
{
}

RT_ABI(void, __tsan_external_assign_tag, void *at, void *tag)
{
}

RT_ABI(void, __tsan_external_read, void *at, void *caller, void *tag)
{
	rt_access_range((uintptr_t)at, 1, false, RT_CALLER);
}

RT_ABI(void, __tsan_external_write, void *at, void *caller, void *tag)
{
	rt_access_range((uintptr_t)at, 1, true, RT_CALLER);
}

/* [java] */
static uintptr_t java_heap, java_bytes;

RT_ABI(void, __tsan_java_init, uintptr_t at, uintptr_t n)
{
	java_heap = at;
	java_bytes = n;
	RT_SCOPE;
	rt_annotated_memory(at, n);
}

RT_ABI(int, __tsan_java_fini, void)
{
	return 0;
}

RT_ABI(void, __tsan_java_alloc, uintptr_t at, uintptr_t n)
{
	RT_SCOPE;
	rt_annotated_memory(at, n);
}

RT_ABI(void, __tsan_java_free, uintptr_t at, uintptr_t n)
{
	RT_SCOPE;
	rt_annotated_memory(at, n);
}

RT_ABI(void, __tsan_java_move, uintptr_t from, uintptr_t to, uintptr_t n)
{
	RT_SCOPE;
	rt_annotated_memory(to, n);
}

RT_ABI(uintptr_t, __tsan_java_find, uintptr_t *from, uintptr_t to)
{
	return 0;
}

RT_ABI(void, __tsan_java_finalize, void)
{
	RT_SCOPE;
	enum { PIECE = 1 << 30 };
	for (uintptr_t n = 0; n < java_bytes; n += PIECE)
		rt_annotated_memory(java_heap + n, java_bytes - n < PIECE ? java_bytes - n : PIECE);
}

RT_ABI(void, __tsan_java_mutex_lock, uintptr_t at)
{
	RT_SCOPE;
	rt_annotated_lock(at, false, 1, RT_CALLER);
}

RT_ABI(void, __tsan_java_mutex_unlock, uintptr_t at)
{
	RT_SCOPE;
	rt_annotated_unlock(at, false, false, RT_CALLER);
}

RT_ABI(void, __tsan_java_mutex_read_lock, uintptr_t at)
{
	RT_SCOPE;
	rt_annotated_lock(at, true, 1, RT_CALLER);
}

RT_ABI(void, __tsan_java_mutex_read_unlock, uintptr_t at)
{
	RT_SCOPE;
	rt_annotated_unlock(at, true, false, RT_CALLER);
}

RT_ABI(void, __tsan_java_mutex_lock_rec, uintptr_t at, int depth)
{
	RT_SCOPE;
	rt_annotated_lock(at, false, (uint32_t)depth, RT_CALLER);
}

RT_ABI(int, __tsan_java_mutex_unlock_rec, uintptr_t at)
{
	RT_SCOPE;
	return rt_annotated_unlock(at, false, true, RT_CALLER);
}

RT_ABI(void, __tsan_java_acquire, uintptr_t at)
{
	RT_SCOPE;
	if (rt_sched_point())
		rt_sync_acquire(at, RT_CALLER);
}

RT_ABI(void, __tsan_java_release, uintptr_t at)
{
	RT_SCOPE;
	if (rt_sched_point())
		rt_sync_release(at, RT_CALLER);
}

RT_ABI(void, __tsan_java_release_store, uintptr_t at)
{
	RT_SCOPE;
	if (rt_sched_point())
		rt_sync_release(at, RT_CALLER);
}

/* [barrier] */
RT_ABI(void, __tsan_testonly_barrier_init, unsigned long long *barrier, unsigned count)
{
	RT_SCOPE;
	*barrier = count;
	if (!rt_enter())
		return;
	rt_object_forget((uintptr_t)barrier, RT_TEST_BARRIER);
	rt_object_get((uintptr_t)barrier, RT_TEST_BARRIER)->need = count;
}

RT_ABI(void, __tsan_testonly_barrier_wait, unsigned long long *barrier)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	struct rt_object *o = self ? rt_object_find((uintptr_t)barrier, RT_TEST_BARRIER) : NULL;
	if (!o)
		return;
	const uint32_t round = o->depth;
	if (++o->arrived == o->need) {
		o->arrived = 0;
		o->depth++;
		rt_object_wake_all(o, 0);
		return;
	}
	while (o->depth == round)
		rt_sched_block(self, o, RT_NEVER);
}

RT_ABI(unsigned long, __tsan_testonly_shadow_stack_current_size, void)
{
	return rt_hot.self ? (unsigned long)(rt_hot.top - rt_hot.self->frames) : 0;
}

/* [reports] */
RT_ABI(void *, __tsan_get_current_report, void)
{
	return NULL;
}

#define NO_REPORT(name)         \
	RT_ABI(int, name, void) \
	{                       \
		return 0;       \
	}
NO_REPORT(__tsan_get_report_data)
NO_REPORT(__tsan_get_report_tag)
NO_REPORT(__tsan_get_report_stack)
NO_REPORT(__tsan_get_report_mop)
NO_REPORT(__tsan_get_report_loc)
NO_REPORT(__tsan_get_report_loc_object_type)
NO_REPORT(__tsan_get_report_mutex)
NO_REPORT(__tsan_get_report_thread)
NO_REPORT(__tsan_get_report_unique_tid)
NO_REPORT(__tsan_get_alloc_stack)

RT_ABI(const char *, __tsan_locate_address, uintptr_t at, char *name, size_t room,
       uintptr_t *ret_start, size_t *ret_size)
{
	if (name && room)
		name[0] = 0;
	return "";
}

#define NOTHING(name, ...)              \
	RT_ABI(void, name, __VA_ARGS__) \
	{                               \
	}
NOTHING(__sanitizer_print_stack_trace, void)
NOTHING(__sanitizer_set_death_callback, void (*f)(void))
NOTHING(__sanitizer_set_report_path, const char *path)
NOTHING(__sanitizer_set_report_fd, void *fd)
NOTHING(__sanitizer_report_error_summary, const char *text)
NOTHING(__sanitizer_sandbox_on_notify, void *arguments)

RT_ABI(void, __sanitizer_symbolize_pc, void *pc, const char *format, char *text, size_t room)
{
	if (room)
		text[0] = 0;
}

RT_ABI(void, __sanitizer_symbolize_global, void *at, const char *format, char *text, size_t room)
{
	if (room)
		text[0] = 0;
}

/* The program has its own allocator. */
RT_ABI(size_t, __sanitizer_get_allocated_size, const void *p)
{
	return p ? malloc_usable_size((void *)p) : 0;
}

RT_ABI(size_t, __sanitizer_get_estimated_allocated_size, size_t n)
{
	return n;
}

RT_ABI(int, __sanitizer_get_ownership, const void *p)
{
	return p != NULL;
}

RT_ABI(size_t, __sanitizer_get_current_allocated_bytes, void)
{
	return mallinfo2().uordblks;
}

RT_ABI(size_t, __sanitizer_get_heap_size, void)
{
	return mallinfo2().arena;
}

RT_ABI(size_t, __sanitizer_get_free_bytes, void)
{
	return mallinfo2().fordblks;
}

RT_ABI(size_t, __sanitizer_get_unmapped_bytes, void)
{
	return 0;
}

RT_ABI(int, __sanitizer_install_malloc_and_free_hooks, void (*on_malloc)(const void *, size_t),
       void (*on_free)(const void *))
{
	return 0;
}

RT_ABI(const char *, __sanitizer_get_report_path, void)
{
	return "";
}

/* Only the first caller may print about a crash. */
RT_ABI(int, __sanitizer_acquire_crash_state, void)
{
	static int is_taken;
	return !__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQ_REL);
}

RT_ABI(int, __sanitizer_get_module_and_offset_for_pc, void *pc, char *path, size_t room,
       void **offset)
{
	return 0;
}
