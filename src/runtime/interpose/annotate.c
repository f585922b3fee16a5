/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate.c - annotations: calls by which a program describes its own synchronisation
 *
 * Rules.  [release]  __tsan_release(a), AnnotateHappensBefore(a): update the token of
 *                    this address, with release
 *         [acquire]  __tsan_acquire(a), AnnotateHappensAfter(a): read it, with acquire
 *         [mutex]    __tsan_mutex_*: a lock that the program implements.  The accesses between pre
 *                    and post implement the lock and do not count.  The post of a lock is acq(l),
 *                    the pre of an unlock is rel(l).
 *         [benign]   AnnotateBenignRace: races on these bytes are suppressed
 *         [ignore]   Accesses between begin and end are not recorded.  A thread that ends in
 *                    between makes a mistake (misuse.h).
 *         [order]    Between AnnotateIgnoreSyncBegin and its end, the thread's locks and other
 *                    objects of synchronisation order nothing, and its atomics are relaxed.
 *                    Handlers of signals order as always.
 *         All other functions of ThreadSanitizer's interface do nothing.
 */
#include "runtime/interpose/annotate.h"

#include "runtime/access/access.h"
#include "runtime/interpose/misuse.h"
#include "runtime/memory.h"
#include "runtime/interpose/object.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/sites.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/sync.h"

static void release(uintptr_t addr, uintptr_t pc)
{
	if (rt_sched_point())
		rt_sync_release(addr, pc);
}

static void acquire(uintptr_t addr, uintptr_t pc)
{
	if (rt_sched_point())
		rt_sync_acquire(addr, pc);
}

/* Begins (+1) or ends (-1) ignoring accesses.  pc is the place of a call that the program must
 * match with an end before its thread ends; 0: it need not, and misuse.c does not report it. */
static void ignore(int change, uintptr_t pc)
{
	struct rt_thread *self = rt_enter();
	if (!self)
		return;
	rt_sites_end();
	if (self->ignoring.accesses == 0 && change > 0)
		self->ignoring.at = pc ? rt_location(pc) : 0;
	self->ignoring.accesses += change;
}

static void ignore_sync(int change)
{
	struct rt_thread *self = rt_enter();
	if (self && self->ignoring.sync + change >= 0)
		self->ignoring.sync += change;
}

void rt_annotated_release(uintptr_t addr, uintptr_t pc)
{
	release(addr, pc);
}

void rt_annotated_acquire(uintptr_t addr, uintptr_t pc)
{
	acquire(addr, pc);
}

void rt_annotated_ignore(int change)
{
	ignore(change, 0);
}

void rt_annotated_memory(uintptr_t at, uintptr_t n)
{
	if (n && n <= UINT32_MAX && rt_enter()) {
		rt_put(RT_FORGET, 1, at, 0, (uint32_t)n);
		rt_epoch_end();
	}
}

RT_ABI(void, __tsan_acquire, void *addr)
{
	RT_SCOPE;
	acquire((uintptr_t)addr, RT_CALLER);
}

RT_ABI(void, __tsan_release, void *addr)
{
	RT_SCOPE;
	release((uintptr_t)addr, RT_CALLER);
}

RT_ABI(void, __tsan_ignore_thread_begin, void)
{
	RT_SCOPE;
	ignore(1, RT_CALLER);
}

RT_ABI(void, __tsan_ignore_thread_end, void)
{
	RT_SCOPE;
	ignore(-1, 0);
}

/* The flags of <sanitizer/tsan_interface.h> for locks that the program implements. */
enum {
	LINKER_INIT = 1 << 0, /* the lock may be used before create and after destroy */
	REENTRANT = 1 << 1,
	READ_LOCK = 1 << 3,
	TRY_LOCK = 1 << 4,
	TRY_FAILED = 1 << 5,
	RECURSIVE_LOCK = 1 << 6,
	RECURSIVE_UNLOCK = 1 << 7,
	NOT_STATIC = 1 << 8
};

static struct rt_object *lock_of(uintptr_t addr)
{
	struct rt_object *o = rt_object_get(addr, RT_ANNOTATED);
	if (o->lock == UINT32_MAX)
		o->lock = rt_new_lock();
	return o;
}

/* A call that contradicts the rules of locks is reported, and not recorded. */
static void hand_lock(struct rt_thread *self, struct rt_object *o, unsigned flags, uint32_t depth,
		      uintptr_t pc)
{
	const bool is_read = flags & READ_LOCK, is_try = flags & TRY_LOCK;
	if (o->owner == self && is_read)
		rt_misuse_of_lock(RT_MISUSE_READ_LOCK, o, pc);
	else if (o->owner && o->owner != self && !is_read) /* two threads hold it */
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, pc);
	else if (o->owner == self && !((flags | o->made_with) & (REENTRANT | RECURSIVE_LOCK)))
		rt_misuse_of_lock(RT_MISUSE_DOUBLE_LOCK, o, pc);
	if (o->owner == self && !is_read)
		o->depth += depth;
	if (o->owner)
		return;
	if (is_read) {
		rt_put(RT_ACQUIRE_SHARED, is_try, o->addr, rt_location(pc), o->lock);
		struct rt_reader *r = rt_alloc(sizeof(*r));
		*r = (struct rt_reader){.next = o->readers, .thread = self, .depth = 1};
		o->readers = r;
	} else if (!o->readers) {
		o->taken_at = rt_location(pc);
		o->taken_by = self->as;
		rt_put(RT_ACQUIRE, is_try, o->addr, o->taken_at, o->lock);
		o->owner = self;
		o->depth = depth;
	}
}

static int hand_unlock(struct rt_thread *self, struct rt_object *o, bool is_read, bool is_all,
		       uintptr_t pc)
{
	int depth = (int)o->depth;
	if (is_read) {
		struct rt_reader **link = &o->readers, *r;
		while (*link && (*link)->thread != self)
			link = &(*link)->next;
		r = *link;
		if (!r) {
			rt_misuse_of_lock(o->owner ? RT_MISUSE_READ_UNLOCK : RT_MISUSE_UNLOCK, o,
					  pc);
			return 0;
		}
		rt_put(RT_RELEASE_SHARED, 0, o->addr, rt_location(pc), o->lock);
		*link = r->next;
		rt_free(r, sizeof(*r));
		return 0;
	}
	if (o->owner != self)
		rt_misuse_of_lock(RT_MISUSE_UNLOCK, o, pc);
	if (o->owner != self || (!is_all && --o->depth > 0))
		return 1;
	rt_put(RT_RELEASE, 0, o->addr, rt_location(pc), o->lock);
	o->owner = NULL;
	o->depth = 0;
	return depth;
}

void rt_annotated_lock(uintptr_t lock, bool is_read, uint32_t depth, uintptr_t pc)
{
	struct rt_thread *self = rt_sched_point();
	if (self)
		hand_lock(self, lock_of(lock), is_read ? READ_LOCK : REENTRANT, depth, pc);
}

int rt_annotated_unlock(uintptr_t lock, bool is_read, bool is_all, uintptr_t pc)
{
	struct rt_thread *self = rt_sched_point();
	return self ? hand_unlock(self, lock_of(lock), is_read, is_all, pc) : 0;
}

bool rt_annotated_is_mine(uintptr_t lock)
{
	const struct rt_thread *self = rt_enter();
	const struct rt_object *o = self ? rt_object_find(lock, RT_ANNOTATED) : NULL;
	return o && o->owner == self;
}

static void hand_destroy(uintptr_t addr, unsigned flags, uintptr_t pc)
{
	struct rt_object *o = rt_enter() ? rt_object_find(addr, RT_ANNOTATED) : NULL;
	if (o && (flags | o->made_with) & (LINKER_INIT | NOT_STATIC))
		return;
	if (o && (o->owner || o->readers))
		rt_misuse_of_lock(RT_MISUSE_DESTROY_LOCKED, o, pc);
	if (o)
		rt_object_forget(addr, RT_ANNOTATED);
}

void rt_annotated_create(uintptr_t lock)
{
	if (rt_enter())
		rt_object_forget(lock, RT_ANNOTATED);
}

void rt_annotated_destroy(uintptr_t lock, uintptr_t pc)
{
	hand_destroy(lock, 0, pc);
}

RT_ABI(void, __tsan_mutex_create, void *addr, unsigned flags)
{
	RT_SCOPE;
	if (!rt_enter())
		return;
	rt_object_forget((uintptr_t)addr, RT_ANNOTATED);
	rt_object_get((uintptr_t)addr, RT_ANNOTATED)->made_with = flags;
}

RT_ABI(void, __tsan_mutex_destroy, void *addr, unsigned flags)
{
	RT_SCOPE;
	hand_destroy((uintptr_t)addr, flags, RT_CALLER);
}

RT_ABI(void, __tsan_mutex_pre_lock, void *addr, unsigned flags)
{
	RT_SCOPE;
	ignore(1, 0);
}

RT_ABI(void, __tsan_mutex_post_lock, void *addr, unsigned flags, int depth)
{
	RT_SCOPE;
	ignore(-1, 0);
	struct rt_thread *self = rt_sched_point();
	if (self && !(flags & TRY_FAILED))
		hand_lock(self, lock_of((uintptr_t)addr), flags, depth > 0 ? (uint32_t)depth : 1,
			  RT_CALLER);
}

RT_ABI(int, __tsan_mutex_pre_unlock, void *addr, unsigned flags)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	int depth = self ? hand_unlock(self, lock_of((uintptr_t)addr), flags & READ_LOCK,
				       flags & RECURSIVE_UNLOCK, RT_CALLER)
			 : 0;
	ignore(1, 0);
	return depth;
}

RT_ABI(void, __tsan_mutex_post_unlock, void *addr, unsigned flags)
{
	RT_SCOPE;
	ignore(-1, 0);
}

#define NOTHING(name, ...)              \
	RT_ABI(void, name, __VA_ARGS__) \
	{                               \
	}
NOTHING(__tsan_mutex_pre_signal, void *addr, unsigned flags)
NOTHING(__tsan_mutex_post_signal, void *addr, unsigned flags)
NOTHING(__tsan_mutex_pre_divert, void *addr, unsigned flags)
NOTHING(__tsan_mutex_post_divert, void *addr, unsigned flags)
NOTHING(__tsan_flush_memory, void)
NOTHING(__tsan_on_thread_idle, void)

/* For the functions that the macros of dynamic_annotations.h call. */
typedef const char *file_name;

RT_ABI(void, AnnotateHappensBefore, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	release(addr, RT_CALLER);
}

RT_ABI(void, AnnotateHappensAfter, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	acquire(addr, RT_CALLER);
}

RT_ABI(void, AnnotateCondVarSignal, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	release(addr, RT_CALLER);
}

RT_ABI(void, AnnotateCondVarSignalAll, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	release(addr, RT_CALLER);
}

RT_ABI(void, AnnotateCondVarWait, file_name file, int line, uintptr_t addr, uintptr_t lock)
{
	RT_SCOPE;
	acquire(addr, RT_CALLER);
}

RT_ABI(void, AnnotateRWLockCreate, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	rt_annotated_create(addr);
}

RT_ABI(void, AnnotateRWLockCreateStatic, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	if (rt_enter())
		rt_object_get(addr, RT_ANNOTATED)->made_with |= LINKER_INIT;
}

RT_ABI(void, AnnotateRWLockDestroy, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	hand_destroy(addr, 0, RT_CALLER);
}

RT_ABI(void, AnnotateRWLockAcquired, file_name file, int line, uintptr_t addr, uintptr_t is_writer)
{
	RT_SCOPE;
	rt_annotated_lock(addr, !is_writer, 1, RT_CALLER);
}

RT_ABI(void, AnnotateRWLockReleased, file_name file, int line, uintptr_t addr, uintptr_t is_writer)
{
	RT_SCOPE;
	rt_annotated_unlock(addr, !is_writer, false, RT_CALLER);
}

void rt_annotated_benign(uintptr_t addr, uintptr_t n)
{
	if (rt_enter() && rt.listener.needs_places)
		rt_put(RT_BENIGN, 0, addr, 0, n < UINT32_MAX ? (uint32_t)n : UINT32_MAX);
}

RT_ABI(void, AnnotateBenignRaceSized, file_name file, int line, uintptr_t addr, uintptr_t n,
       file_name why)
{
	RT_SCOPE;
	rt_annotated_benign(addr, n);
}

RT_ABI(void, WTFAnnotateBenignRaceSized, file_name file, int line, uintptr_t addr, uintptr_t n,
       file_name why)
{
	RT_SCOPE;
	rt_annotated_benign(addr, n);
}

RT_ABI(void, AnnotateBenignRace, file_name file, int line, uintptr_t addr, file_name why)
{
	RT_SCOPE;
	rt_annotated_benign(addr, 1);
}

RT_ABI(void, WTFAnnotateHappensBefore, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	release(addr, RT_CALLER);
}

RT_ABI(void, WTFAnnotateHappensAfter, file_name file, int line, uintptr_t addr)
{
	RT_SCOPE;
	acquire(addr, RT_CALLER);
}

#define IGNORE(name, change)                         \
	RT_ABI(void, name, file_name file, int line) \
	{                                            \
		RT_SCOPE;                            \
		ignore(change, RT_CALLER);           \
	}
IGNORE(AnnotateIgnoreReadsBegin, 1)
IGNORE(AnnotateIgnoreReadsEnd, -1)
IGNORE(AnnotateIgnoreWritesBegin, 1)
IGNORE(AnnotateIgnoreWritesEnd, -1)

RT_ABI(void, AnnotateIgnoreSyncBegin, file_name file, int line)
{
	RT_SCOPE;
	ignore_sync(1);
}

RT_ABI(void, AnnotateIgnoreSyncEnd, file_name file, int line)
{
	RT_SCOPE;
	ignore_sync(-1);
}

NOTHING(AnnotateNewMemory, file_name file, int line, uintptr_t addr, uintptr_t n)
NOTHING(AnnotatePublishMemoryRange, file_name file, int line, uintptr_t addr, uintptr_t n)
NOTHING(AnnotateUnpublishMemoryRange, file_name file, int line, uintptr_t addr, uintptr_t n)
NOTHING(AnnotateMemoryIsInitialized, file_name file, int line, uintptr_t addr, uintptr_t n)
NOTHING(AnnotateMemoryIsUninitialized, file_name file, int line, uintptr_t addr, uintptr_t n)
NOTHING(AnnotateExpectRace, file_name file, int line, uintptr_t addr, file_name why)
NOTHING(AnnotateFlushExpectedRaces, file_name file, int line)
NOTHING(AnnotateFlushState, file_name file, int line)
NOTHING(AnnotateEnableRaceDetection, file_name file, int line, int enable)
NOTHING(AnnotateMutexIsNotPHB, file_name file, int line, uintptr_t addr)
NOTHING(AnnotateMutexIsUsedAsCondVar, file_name file, int line, uintptr_t addr)
NOTHING(AnnotateNoOp, file_name file, int line, uintptr_t addr)
NOTHING(AnnotateTraceMemory, file_name file, int line, uintptr_t addr)
NOTHING(AnnotateThreadName, file_name file, int line, file_name name)
