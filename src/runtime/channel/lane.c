/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - a thread writes to its own ring: threads that run in parallel
 *
 * The filter of each thread ([known]), by words of 8 bytes:
 *
 *   63             31 30         16 15      8 7        0
 *   +----------------+-------------+---------+---------+
 *   |    high bits   |    epoch    |  seen   | written |
 *   +----------------+-------------+---------+---------+
 */
#include "runtime/channel/lane.h"

#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/channel/ring.h"
#include "runtime/memory.h"
#include "runtime/sys.h"

#include <string.h>
#include <sys/mman.h>

enum {
	FILTER_LOG = 15, /* 256 KB; pages that are not needed are not there */
	FILTER_STEP = 0x9b7,
	EPOCH_BITS = 15,
	EPOCH_SHIFT = 16,
	SEEN_SHIFT = 8,
	RANGE_MAX = 1 << 30,
	PAGE = 4096,
};
enum { LIFE, HEAP, HEAP_LOG = 5, HEAPS = 1 << HEAP_LOG, OBJECTS = HEAP + HEAPS, PART_LOG = 16 };
enum { WAIT_NS = 50000, WAITS_BETWEEN_LOOKS = 2000 }; /* looks whether the reader lives: 0.1 s */
enum { ROOM_WANTED = RT_RING_RECORDS / 4 };

static struct {
	uint64_t next;
	uint32_t lock;
	char spare[52];
} shard[RT_SHARDS] __attribute__((aligned(64)));

static struct rt_ring *rings;
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

static RT_COLD void lane_room(struct rt_lane *l)
{
	for (unsigned waits = 1;; waits++) {
		/* pairs with the release of the reader: the slots are no longer read */
		uint64_t taken = __atomic_load_n(&l->ring->taken, __ATOMIC_ACQUIRE);
		l->limit = taken + RT_RING_RECORDS;
		if (l->limit >= l->n + ROOM_WANTED)
			return;
		if (waits % WAITS_BETWEEN_LOOKS == 0 && !rt_record_reader_lives()) {
			rt_record_gone();
			l->limit = UINT64_MAX; /* into the void, over and over */
			return;
		}
		rt_sys_sleep(WAIT_NS);
	}
}

static inline void lane_put(struct rt_lane *l, uint64_t what, uint32_t loc, uint32_t arg)
{
	if (rt_unlikely(l->n == l->limit))
		lane_room(l);
	rt_ring_write(l->ring, l->n++, what, loc, arg);
}

static void lane_copy(struct rt_lane *l, const struct rt_record *r)
{
	lane_put(l, r->what, r->loc, r->arg);
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
		lane_room(l);
	lane_put(l, rt_what(RT_ORDER, is_step, number_of(which)), fuel_of(l), which);
}

static void step_put(struct rt_lane *l, uint32_t which, const struct rt_record *r)
{
	order_put(l, which, true);
	lane_copy(l, r);
}

static uint32_t shard_of(uint64_t object)
{
	return OBJECTS + (uint32_t)((object * 0x9e3779b97f4a7c15u) >> 32) % (RT_SHARDS - OBJECTS);
}

static uint32_t shard_at(const volatile void *at)
{
	return shard_of((uintptr_t)at >> 3);
}

void rt_lane_lock(const volatile void *at)
{
	rt_sys_lock(&shard[shard_at(at)].lock);
}

void rt_lane_unlock(const volatile void *at)
{
	rt_sys_unlock(&shard[shard_at(at)].lock);
}

/* [begins] [ends] A number of each part of the heap that the memory lies in. */
static void heap_put(struct rt_lane *l, uint64_t address, uint64_t nbytes)
{
	uint64_t first = address >> PART_LOG, end = (address + nbytes) >> PART_LOG;
	uint64_t n = end - first < HEAPS ? end - first + 1 : HEAPS;
	for (uint64_t i = 0; i < n; i++)
		order_put(l, HEAP + (uint32_t)(first + i) % HEAPS, false);
}

static uint64_t forgotten(const struct rt_record *r)
{
	return rt_record_size(r) ? r->arg : (uint64_t)r->arg * PAGE;
}

void rt_lane_put(const struct rt_record *r)
{
	struct rt_thread *self = rt_hot.self;
	struct rt_lane *l = &self->lane;
	switch (rt_record_op(r)) {
	case RT_NODE:
	case RT_MODULE:
	case RT_MODULE_END:
	case RT_TEXT:
	case RT_DEFAULT:
	case RT_NOTE:
		common_put(r);
		break;
	case RT_FORK:
	case RT_JOIN:
		step_put(l, LIFE, r);
		break;
	case RT_ACQUIRE:
	case RT_RELEASE:
	case RT_ACQUIRE_SHARED:
	case RT_RELEASE_SHARED:
	case RT_LOCK_ENDS:
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		step_put(l, shard_of(rt_record_address(r) >> 3), r);
		break;
	case RT_SYNC_READ:
	case RT_SYNC_WRITE:
	case RT_SYNC_UPDATE:
		step_put(l, shard_of((uint64_t)r->arg << 48), r);
		break;
	case RT_ALLOC:
		heap_put(l, rt_record_address(r), r->arg);
		lane_copy(l, r);
		break;
	case RT_FREE:
		lane_copy(l, r);
		heap_put(l, rt_record_address(r), r->arg);
		self->lane.epoch++;
		break;
	case RT_FORGET:
		heap_put(l, rt_record_address(r), forgotten(r));
		lane_copy(l, r);
		heap_put(l, rt_record_address(r), forgotten(r));
		self->lane.epoch++;
		break;
	case RT_FENCE:
		lane_put(l, rt_what(RT_COUNT, 0, 0), 0, (uint32_t)rt_hot.fuel);
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

bool rt_lane_take(struct rt_thread *t)
{
	struct rt_lane *l = &t->lane;
	if (!ring_take(&l->index))
		return false;
	l->ring = &rings[l->index];
	l->ring->is_read = 0;
	l->n = l->ring->written;
	l->limit = l->n; /* asks for room first */
	l->places = rt_alloc(RT_PLACES * sizeof(*l->places));
	common_put(&(struct rt_record){.what = rt_what(RT_RING, 0, l->index), .arg = t->tid});
	return true;
}

void rt_lanes_begin(struct rt_thread *main)
{
	common_n = rt.written;
	__atomic_store_n(&rt.channel->is_parallel, 1, __ATOMIC_RELAXED);
	rt.written = rt.limit = 0; /* rt_record_room() gets every record */
	rt_lane_take(main);
	rt_hot.places = main->lane.places;
}

void rt_lane_begins(void)
{
	struct rt_lane *l = &rt_hot.self->lane;
	rt_hot.places = l->places;
	order_put(l, LIFE, false);
}

/* [ends] The stack goes, which lies anywhere. */
void rt_lane_end(struct rt_thread *t)
{
	struct rt_lane *l = &t->lane;
	for (uint32_t i = 0; i < HEAPS; i++)
		order_put(l, HEAP + i, false);
	order_put(l, LIFE, false);
	lane_put(l, rt_what(RT_END, 0, 0), 0, 0);
	l->ring->written = l->n;
	ended[ended_end++ % RT_RINGS] = l->index;
	rt_hot.places = rt_places;
}

void rt_lane_forget(struct rt_thread *t)
{
	struct rt_lane *l = &t->lane;
	rt_free(l->filter, sizeof(*l->filter) << FILTER_LOG);
	rt_free(l->places, RT_PLACES * sizeof(*l->places));
	*l = (struct rt_lane){0};
}

/* Accesses. */

bool rt_lane_is_seen(void)
{
	struct rt_thread *self = rt_self();
	return self && !self->is_open && !self->ignores && !rt.is_alone;
}

static RT_COLD void filter_clear(struct rt_lane *l)
{
	if (l->filter)
		memset(l->filter, 0, sizeof(*l->filter) << FILTER_LOG);
	else
		l->filter = rt_alloc(sizeof(*l->filter) << FILTER_LOG);
	l->epoch = 1;
}

/* [known] Whether the thread has made this access in this epoch; it has from here on. */
static inline bool is_known(struct rt_lane *l, uintptr_t addr, unsigned size, bool is_write)
{
	if (rt_unlikely(!l->filter || l->epoch >> EPOCH_BITS))
		filter_clear(l);
	const uintptr_t word = addr >> 3;
	/* arrays that lie powers of two apart do not meet */
	const uintptr_t at = word + (word >> FILTER_LOG) * FILTER_STEP;
	uint64_t *slot = &l->filter[at & ((1 << FILTER_LOG) - 1)];
	const uint64_t mask = (uint64_t)((1u << size) - 1) << (addr & 7);
	const uint64_t key =
		word >> FILTER_LOG << (EPOCH_SHIFT + EPOCH_BITS) | l->epoch << EPOCH_SHIFT;
	const uint64_t need = is_write ? mask : mask << SEEN_SHIFT;
	if ((*slot & (~0ull << EPOCH_SHIFT | need)) == (key | need))
		return true;
	if (*slot >> EPOCH_SHIFT != key >> EPOCH_SHIFT)
		*slot = key;
	*slot |= mask << SEEN_SHIFT | (is_write ? mask : 0);
	return false;
}

static void word_put(struct rt_lane *l, uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	if (rt_unlikely(rt_has_blocks && rt_hot.has_read))
		rt_branch_address(pc, addr);
	rt_hot.has_read |= !is_write;
	lane_put(l, rt_what(is_write ? RT_WRITE : RT_READ, size, addr), rt_location(pc),
		 (uint32_t)rt_hot.fuel);
}

void rt_lane_access(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
{
	struct rt_thread *self = rt_hot.self;
	if (!rt_lane_is_seen())
		return;
	while (size > 0) {
		unsigned here = 8 - (addr & 7);
		here = here < size ? here : size;
		if (!is_known(&self->lane, addr, here, is_write))
			word_put(&self->lane, addr, here, is_write, pc);
		addr += here;
		size -= here;
	}
	if (rt_unlikely(self->signals_kept != self->signals_run))
		rt_signals_free(self); /* they came meanwhile */
}

void rt_lane_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
{
	struct rt_lane *l = &rt_hot.self->lane;
	const uint32_t loc = rt_location(pc);
	if (rt_unlikely(rt_has_blocks && rt_hot.has_read)) /* its length may depend on a read */
		rt_branch(pc);
	rt_hot.has_read |= !is_write;
	lane_put(l, rt_what(RT_COUNT, 0, 0), 0, (uint32_t)rt_hot.fuel);
	for (; n > 0; n -= n < RANGE_MAX ? n : RANGE_MAX, addr += RANGE_MAX)
		lane_put(l, rt_what(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, element, addr), loc,
			 (uint32_t)(n < RANGE_MAX ? n : RANGE_MAX));
}
