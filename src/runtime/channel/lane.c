/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - a thread writes to its own ring: threads that run in parallel
 */
#include "runtime/channel/lane.h"

#include "runtime/channel/lane_put.h"
#include "runtime/memory.h"
#include "runtime/sys.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, PART_LOG = 16 };
/* Its lower half, which records have, is 0. */
#define FUEL (INT64_C(1) << 62)
enum { WAIT_NS = 50000, WAITS_BETWEEN_LOOKS = 2000 }; /* looks whether the reader lives: 0.1 s */
enum { LATE_NS = WAIT_NS * WAITS_BETWEEN_LOOKS };

static struct {
	uint64_t next;
	uint32_t lock;
	char spare[52];
} shard[RT_SHARDS] __attribute__((aligned(64)));

/* What a lane has beside its ring. */
struct kit {
	struct rt_run run;
	struct rt_place places[RT_PLACES];
	struct rt_filter filter;
};

static struct rt_ring *rings;
static struct kit *kits[RT_RINGS];	/* by ring; NULL: none yet */
static uint32_t nrings;			/* used so far */
static uint32_t ended[RT_RINGS];	/* rings whose threads have ended, a queue */
static uint64_t ended_first, ended_end; /* of it */
static uint32_t common_lock;
static uint64_t common_n; /* records of the channel */

/* Only programs that run freely make room for the rings: a limit to the size of files (ulimit -f)
 * counts for shared memory too. */
bool rt_lanes_map(int fd)
{
	if (rt_sys(SYS_ftruncate, fd, (long)(rt_channel_bytes + rt_rings_bytes), 0, 0, 0, 0) < 0)
		return false;
	long at = rt_sys(SYS_mmap, 0, (long)rt_rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 (long)rt_channel_bytes);
	rings = at < 0 && at > -PAGE ? NULL : (struct rt_ring *)at;
	nrings = 0;
	ended_first = ended_end = 0;
	memset(kits, 0,
	       sizeof(kits)); /* a child of fork has those of its parent, and other places */
	memset(shard, 0, sizeof(shard));
	return rings;
}

bool rt_lanes_forked(struct rt_thread *self)
{
	struct rt_ring *own = rt_sys_map(rt_rings_bytes);
	if (!own)
		return false;
	rt_sys_unmap(rings, rt_rings_bytes);
	rings = own;
	common_lock = 0;
	self->lane.index = 0;
	self->lane.ring = &rings[0];
	self->lane.n = 0;
	self->lane.limit = UINT64_MAX; /* into the void, over and over */
	rt_run_init(self->lane.run, &rings[0].run);
	memset(shard, 0, sizeof(shard));
	return true;
}

/* [common] */

static void common_room(void)
{
	for (unsigned waits = 1;
	     /* pairs with the release of the reader */
	     common_n - __atomic_load_n(&rt.channel->taken, __ATOMIC_ACQUIRE) >= RT_CHANNEL_RECORDS;
	     waits++) {
		if (waits % WAITS_BETWEEN_LOOKS == 0 && !rt_record_reader_lives())
			return;
		rt_sys_sleep(WAIT_NS);
	}
}

static void common_put(const struct rt_record *record)
{
	rt_sys_lock(&common_lock);
	common_room();
	struct rt_record *r = rt_channel_record(rt.channel, common_n);
	uint64_t lap = (1 + common_n / RT_CHANNEL_RECORDS) & 1;
	common_n++;
	r->loc = record->loc;
	r->arg = record->arg;
	/* pairs with the acquire of the reader */
	__atomic_store_n(&r->what, record->what | lap << RT_LAP_SHIFT, __ATOMIC_RELEASE);
	rt_sys_unlock(&common_lock);
}

/* Records of one lane. */

/* [wait] of ring.h */
static void recorder_wake(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* first the records, then this look */
	if (__atomic_load_n(&rt.channel->sleeps, __ATOMIC_RELAXED) &&
	    __atomic_exchange_n(&rt.channel->sleeps, 0, __ATOMIC_RELAXED))
		rt_sys_shared_wake(&rt.channel->sleeps);
}

static bool has_room(struct rt_lane *l)
{
	/* pairs with the release of the reader: the slots are no longer read */
	const uint64_t end = __atomic_load_n(&l->ring->taken, __ATOMIC_ACQUIRE) + RT_RING_RECORDS;
	if (end < l->n + RT_RING_ROOM)
		return false;
	l->limit = l->n + RT_RING_ROOM;
	return true;
}

/* Sleeps until there is room.  Returns false if that takes long. */
static bool room_await(struct rt_lane *l)
{
	struct rt_ring *ring = l->ring;
	const rt_time late = rt_sys_now() + LATE_NS;
	ring->needs = l->n + RT_RING_ROOM - RT_RING_RECORDS;
	__atomic_store_n(&ring->waits, 1, __ATOMIC_RELEASE); /* pairs with the acquire in merge.c */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);	     /* and only then looks again */
	while (!has_room(l))
		if (rt_sys_shared_wait(&ring->waits, 1, late) == -ETIMEDOUT)
			return false;
	__atomic_store_n(&ring->waits, 0, __ATOMIC_RELAXED);
	return true;
}

RT_COLD void rt_lane_room(struct rt_lane *l)
{
	recorder_wake();
	while (!has_room(l))
		if (!room_await(l) && !rt_record_reader_lives()) {
			rt_record_gone();
			l->limit = UINT64_MAX; /* into the void, over and over */
			return;
		}
}

static void lane_copy(struct rt_lane *l, const struct rt_record *r)
{
	rt_lane_write(l, r->what, r->loc, r->arg);
}

static uint64_t number_of(uint32_t which)
{
	return __atomic_fetch_add(&shard[which].next, 1, __ATOMIC_SEQ_CST);
}

static uint32_t fuel_of(const struct rt_lane *l)
{
	return (uint32_t)(l == &rt_hot.self->lane ? rt_hot.fuel : l->fuel);
}

static void order_put(struct rt_lane *l, uint32_t which, bool is_step)
{
	if (l->limit - l->n < 2) /* the record behind it has room, too */
		rt_lane_room(l);
	l->told = fuel_of(l);
	rt_lane_write(l, rt_what(RT_ORDER, is_step, number_of(which)), l->told, which);
}

static void step_put(struct rt_lane *l, uint32_t which, const struct rt_record *r)
{
	order_put(l, which, true);
	lane_copy(l, r);
}

void rt_lane_count(struct rt_lane *l)
{
	l->told = (uint32_t)rt_hot.fuel;
	rt_lane_write(l, rt_what(RT_COUNT, 0, 0), 0, l->told);
}

/* What the record of a step says of the fuel: events since the last one that has it, `most` of
 * them. */
static inline uint32_t events_since(struct rt_lane *l, uint32_t most)
{
	const uint32_t fuel = (uint32_t)rt_hot.fuel, events = l->told - fuel;
	l->told = fuel;
	if (rt_likely(events <= most))
		return events;
	rt_lane_count(l);
	return 0;
}

/* A step in one record. */
static inline void short_put(struct rt_lane *l, uint64_t what, uint32_t loc)
{
	if (rt_unlikely(l->n == l->limit))
		rt_lane_room(l);
	rt_lane_write(l, what, loc, (uint32_t)number_of(rt_shard_at(what & RT_ADDRESS_MASK)));
}

void rt_lane_mutex(bool is_taken, bool gives_up, uintptr_t at, uint32_t loc)
{
	struct rt_lane *l = &rt_hot.self->lane;
	rt_lane_run_end(l);
	const uint32_t events = events_since(l, RT_STEP_LOCK_EVENTS);
	short_put(l,
		  rt_what(is_taken ? RT_STEP_ACQUIRE : RT_STEP_RELEASE,
			  events | (gives_up ? RT_STEP_GIVES_UP : 0), at),
		  loc);
}

static void atomic_put(struct rt_lane *l, enum rt_op op, const struct rt_record *r)
{
	const uint32_t events = events_since(l, RT_STEP_ATOMIC_EVENTS);
	const unsigned size = (unsigned)__builtin_ctz(rt_record_size(r)) |
			      (r->arg & RT_STEP_ORDER) << RT_STEP_ORDER_SHIFT |
			      events << RT_STEP_ATOMIC_SHIFT;
	short_put(l, rt_what(op, size, rt_record_address(r)), r->loc);
}

void rt_lane_lock(const volatile void *at)
{
	rt_sys_lock(&shard[rt_shard_at((uintptr_t)at)].lock);
}

void rt_lane_unlock(const volatile void *at)
{
	rt_sys_unlock(&shard[rt_shard_at((uintptr_t)at)].lock);
}

/* [begins] [ends] A number of each part of the heap that the memory lies in. */
static void heap_put(struct rt_lane *l, uint64_t address, uint64_t nbytes)
{
	uint64_t first = address >> PART_LOG, end = (address + nbytes) >> PART_LOG;
	uint64_t n = end - first < RT_HEAPS ? end - first + 1 : RT_HEAPS;
	for (uint64_t i = 0; i < n; i++)
		order_put(l, RT_SHARD_HEAP + (uint32_t)(first + i) % RT_HEAPS, false);
}

static uint64_t forgotten(const struct rt_record *r)
{
	return rt_record_size(r) ? r->arg : (uint64_t)r->arg * PAGE;
}

static inline enum rt_op step_of(enum rt_op atomic)
{
	return atomic == RT_ATOMIC_READ	   ? RT_STEP_READ
	       : atomic == RT_ATOMIC_WRITE ? RT_STEP_WRITE
					   : RT_STEP_UPDATE;
}

static inline bool is_common(enum rt_op op) /* [common] */
{
	return op == RT_NODE || op == RT_MODULE || op == RT_MODULE_END || op == RT_TEXT ||
	       op == RT_DEFAULT || op == RT_NOTE;
}

void rt_lane_put(const struct rt_record *r)
{
	struct rt_lane *l = &rt_hot.self->lane;
	if (is_common(rt_record_op(r))) {
		common_put(r);
		return;
	}
	rt_lane_run_end(l);
	switch (rt_record_op(r)) {
	case RT_FORK:
	case RT_JOIN:
		step_put(l, RT_SHARD_LIFE, r);
		break;
	case RT_ACQUIRE:
	case RT_RELEASE:
	case RT_ACQUIRE_SHARED:
	case RT_RELEASE_SHARED:
	case RT_LOCK_ENDS:
		step_put(l, rt_shard_at(rt_record_address(r)), r);
		break;
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		atomic_put(l, step_of(rt_record_op(r)), r);
		break;
	case RT_SYNC_READ:
	case RT_SYNC_WRITE:
	case RT_SYNC_UPDATE:
		step_put(l, rt_shard_of((uint64_t)r->arg << 48), r);
		break;
	case RT_ALLOC:
		heap_put(l, rt_record_address(r), r->arg);
		lane_copy(l, r);
		break;
	case RT_FREE:
		lane_copy(l, r);
		heap_put(l, rt_record_address(r), r->arg);
		rt_epoch_new();
		break;
	case RT_FORGET:
		heap_put(l, rt_record_address(r), forgotten(r));
		lane_copy(l, r);
		heap_put(l, rt_record_address(r), forgotten(r));
		rt_epoch_new();
		break;
	case RT_FENCE:
		rt_lane_count(l);
		lane_copy(l, r);
		break;
	case RT_READ:
	case RT_WRITE:
	case RT_COUNT:
		l->told = r->arg;
		lane_copy(l, r);
		break;
	default:
		lane_copy(l, r);
		break;
	}
}

/* The life of lanes.  The caller is in the runtime. */

static bool ring_take(uint32_t *ret_index)
{
	if (ended_first == ended_end && nrings == RT_RINGS)
		return false;
	for (;;) {
		uint32_t i = ended[ended_first % RT_RINGS];
		/* pairs with the release of the reader */
		if (ended_first < ended_end &&
		    __atomic_load_n(&rings[i].is_read, __ATOMIC_ACQUIRE)) {
			ended_first++;
			*ret_index = i;
			return true;
		}
		if (nrings < RT_RINGS) {
			*ret_index = nrings++;
			return true;
		}
		if (!rt_record_reader_lives())
			return false;
		rt_sys_sleep(WAIT_NS);
	}
}

static bool memory_open(void *at, size_t from, size_t nbytes)
{
	const size_t first = from & ~(size_t)(PAGE - 1);
	return rt_sys(SYS_mprotect, (long)((char *)at + first), (long)(from + nbytes - first),
		      PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

/* Entries of the filter: the more threads live, the smaller are those of the last.  Pages that are
 * not needed are not there. */
static unsigned filter_log(uint32_t index)
{
	enum { LARGE_LOG = 20, FEW = 4, MEDIUM_LOG = 18, MORE = 8, SMALL_LOG = 16, MANY = 64 };
	return index < FEW    ? LARGE_LOG
	       : index < MORE ? MEDIUM_LOG
	       : index < MANY ? SMALL_LOG
			      : RT_FILTER_LOG;
}

/* Only as much of the filter is there as it uses. */
static struct kit *kit_new(uint32_t index)
{
	const unsigned log = filter_log(index);
	const size_t row = (size_t)RT_FILTER_ENTRY << log, at = offsetof(struct kit, filter);
	long map = rt_sys(SYS_mmap, 0, sizeof(struct kit), PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct kit *kit = (struct kit *)map;
	if ((map < 0 && map > -PAGE) ||
	    !memory_open(kit, 0, at + offsetof(struct rt_filter, slot[0])))
		return NULL;
	for (unsigned k = 0; k < RT_FILTER_SIZES; k++)
		if (!memory_open(kit, at + offsetof(struct rt_filter, slot[k]), row))
			return NULL;
	if (!memory_open(kit, at + offsetof(struct rt_filter, known_loop),
			 sizeof(kit->filter.known_loop)))
		return NULL;
	kit->filter.bytes = RT_FILTER_BYTES(log);
	kit->filter.epochs = RT_SEEN; /* number 0 */
	return kit;
}

/* What the thread before left is of epochs before, and of the same places in the code. */
static struct kit *kit_take(uint32_t index)
{
	if (!kits[index])
		kits[index] = kit_new(index);
	return kits[index];
}

bool rt_lane_take(struct rt_thread *t)
{
	struct rt_lane *l = &t->lane;
	if (!ring_take(&l->index))
		return false;
	struct kit *kit = kit_take(l->index);
	if (!kit) {
		rings[l->index].is_read = 1;
		ended[ended_end++ % RT_RINGS] = l->index;
		return false;
	}
	l->ring = &rings[l->index];
	l->ring->is_read = 0;
	l->n = l->ring->written;
	l->limit = l->n; /* asks for room first */
	l->fuel = t->sched.turn_fuel = FUEL;
	l->told = 0;
	l->filter = &kit->filter;
	l->run = &kit->run;
	l->places = kit->places;
	rt_run_init(l->run, &l->ring->run);
	common_put(&(struct rt_record){.what = rt_what(RT_RING, 0, l->index), .arg = t->tid});
	return true;
}

/* The calling thread uses what is its own. */
static void kit_use(const struct rt_lane *l)
{
	rt_hot.fuel = l->fuel;
	rt_hot.filter = l->filter;
	rt_hot.places = l->places;
	rt_epoch_new();
}

void rt_lanes_begin(struct rt_thread *main)
{
	common_n = rt.written;
	__atomic_store_n(&rt.channel->is_parallel, 1, __ATOMIC_RELAXED);
	rt.written = rt.limit = 0; /* rt_record_room() gets every record */
	if (!rt_lane_take(main))
		rt_fail("no memory for the first thread");
	kit_use(&main->lane);
}

void rt_lane_begins(void)
{
	struct rt_lane *l = &rt_hot.self->lane;
	kit_use(l);
	order_put(l, RT_SHARD_LIFE, false);
}

/* [ends] The stack goes, which lies anywhere. */
void rt_lane_end(struct rt_thread *t)
{
	struct rt_lane *l = &t->lane;
	rt_lane_run_end(l);
	for (uint32_t i = 0; i < RT_HEAPS; i++)
		order_put(l, RT_SHARD_HEAP + i, false);
	order_put(l, RT_SHARD_LIFE, false);
	rt_lane_write(l, rt_what(RT_END, 0, 0), 0, 0);
	l->ring->written = l->n;
	ended[ended_end++ % RT_RINGS] = l->index;
	if (t != rt_hot.self)
		return;
	rt_hot.fuel = 0;
	rt_hot.filter = &rt_filter;
	rt_hot.places = rt_places;
}
