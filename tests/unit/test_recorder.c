/* SPDX-License-Identifier: Apache-2.0
 *
 * test_recorder.c - what the runtime records of plain accesses: filter, runs, call stacks, channel
 *
 * The code that lives inside programs, here in a process that can have sanitizers.  Loops, random
 * accesses and calls go through the ABI; what comes out of the channel is taken apart by the rules
 * of channel.h alone and compared with what was done, byte by byte: nothing is invented, and what
 * is left out was done before in the same epoch.
 */
#include "unit.h"

#include "runtime/access/access.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/options.h"
#include "runtime/sched/race_values.h"
#include "runtime/channel/record.h"
#include "runtime/access/stack.h"
#include "runtime/sched/stranger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rt rt;
__thread struct rt_hot rt_hot;
struct rt_options rt_options = {.runs = 1};
struct own rt_own;
bool rt_stranger_may_come, rt_freed_any;

/* What is not tested here: there is one thread, with fuel, and no task. */
void rt_begin(void)
{
}
void rt_race_values_access(uintptr_t addr, unsigned size)
{
	fail(); /* no test follows a schedule */
}

bool rt_sched_event(void);
bool rt_sched_event(void)
{
	return false;
}
#define NEVER(type, name, ...)                    \
	type name(__VA_ARGS__);                   \
	type name(__VA_ARGS__)                    \
	{                                         \
		fail_msg("%s was called", #name); \
		__builtin_unreachable();          \
	}
NEVER(void, rt_own_doubt, void)
NEVER(void, rt_freed_used, uintptr_t addr, uintptr_t pc)
NEVER(void, rt_done_note, uintptr_t addr, bool is_write)
NEVER(void, rt_section_access, uintptr_t addr, bool is_write)
NEVER(void, rt_lane_access, uintptr_t addr, unsigned size, bool is_write, uintptr_t pc)
NEVER(void, rt_lane_range, uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc)
NEVER(void, rt_lane_room, struct rt_lane *l)
NEVER(bool, rt_lane_is_seen, void)
NEVER(bool, rt_lanes_map, int fd)
NEVER(void, rt_lane_put, const struct rt_record *record)
NEVER(bool, rt_judge_begin, const char *detector, struct rt_verdict *verdict)
NEVER(bool, rt_judge_access, uint64_t address, unsigned size, bool is_write)
#define NEVER_NEW(name) NEVER(void, rt_judge_##name, uint64_t address)
NEVER_NEW(read1)
NEVER_NEW(read2)
NEVER_NEW(read4)
NEVER_NEW(read8)
NEVER_NEW(write1)
NEVER_NEW(write2)
NEVER_NEW(write4)
NEVER_NEW(write8)
NEVER(void, rt_judge_places, uint64_t address, uint64_t size, int64_t step, uint64_t count,
      bool is_write)
NEVER(void, rt_sched_become, struct rt_thread *self, struct rt_thread *to)
const struct rt_listener rt_judged;
NEVER(struct rt_thread *, rt_stranger_enter, void)
NEVER(void, rt_leave_free, void)
NEVER(void, rt_signals_free, struct rt_thread *self)
NEVER(bool, rt_tasks_may_launch, void)
NEVER(void, rt_tasks_known, void)
NEVER(bool, rt_omp_may_launch, void)

typedef void access_pc(uintptr_t addr, uintptr_t pc);
#define BOTH(n) __tsan_read##n##_pc, __tsan_write##n##_pc
access_pc BOTH(1), BOTH(2), BOTH(4), BOTH(8), BOTH(16);
access_pc __tsan_unaligned_read16_pc, __tsan_unaligned_write16_pc;
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

enum { SIZES = 5, BYTES = 1 << 14, CALLS = 200000, DEPTH = 4, FUEL = 1 << 30, NODES = 4096 };
/* Two stretches of memory, far apart, that share slots of the filter; there is a border of these in
 * both. */
enum { STRETCH = BYTES / 2, BORDER = STRETCH / 2 };
static const uint64_t base = 0x121200400000 - BORDER, apart = 1ull << 41;

static uint64_t address_of(uint32_t at)
{
	return at < STRETCH ? base + at : base + apart + at - STRETCH;
}

static uint64_t offset_of(uint64_t address)
{
	return address < base + apart ? address - base : address - base - apart + STRETCH;
}

static access_pc *const of_size[SIZES][2] = {
	{BOTH(1)}, {BOTH(2)}, {BOTH(4)}, {BOTH(8)}, {BOTH(16)}};

struct call {
	uint32_t at; /* offset_of its address */
	uint8_t log, is_write;
	uint32_t epoch, pc;
	uint32_t depth, caller[DEPTH];
	uint8_t told[16]; /* which bytes were */
};

static struct call *call;
static uint32_t ncalls, depth, caller[DEPTH], epoch;

static struct rt_record told[CALLS]; /* since the last run */
static size_t ntold;
static struct {
	uint32_t pc, parent;
} node[NODES];
static uint64_t taken, events, in_runs;

static void channel_open(void)
{
	size_t nbytes = RT_CHANNEL_HEADER + RT_CHANNEL_RECORDS * sizeof(struct rt_record);
	rt_options.channel = memfd_create("channel", 0);
	assert_int_equal(ftruncate((int)rt_options.channel, (off_t)nbytes), 0);
	struct rt_channel *c =
		mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)rt_options.channel, 0);
	c->magic = RT_CHANNEL_MAGIC;
	c->records = RT_CHANNEL_RECORDS;
	c->reader = (uint32_t)getpid();
	munmap(c, nbytes);
	memset(&rt, 0, sizeof(rt));
	assert_true(rt_record_open());
	taken = 0;
}

static void channel_close(void)
{
	munmap(rt.channel, RT_CHANNEL_HEADER + RT_CHANNEL_RECORDS * sizeof(struct rt_record));
	close((int)rt_options.channel);
}

/* The next record, if it is there. */
static bool record_take(struct rt_record *ret)
{
	const struct rt_record *r = rt_channel_record(rt.channel, taken);
	uint64_t what = __atomic_load_n(&r->what, __ATOMIC_ACQUIRE);
	if ((what >> RT_LAP_SHIFT & 1) != ((1 + taken / RT_CHANNEL_RECORDS) & 1))
		return false;
	*ret = *r;
	__atomic_store_n(&rt.channel->taken, ++taken, __ATOMIC_RELEASE);
	return true;
}

static void stack_check(const struct call *c, uint32_t loc)
{
	assert_int_equal(node[loc].pc, c->pc);
	for (uint32_t i = c->depth; i > 0; i--) {
		loc = node[loc].parent;
		assert_int_equal(node[loc].pc, c->caller[i - 1]);
	}
	assert_int_equal(node[loc].parent, 0);
}

/* The fuel says which call it was of. */
static void access_check(const struct rt_record *r)
{
	uint32_t number = FUEL - 1 - r->arg, size = rt_record_size(r);
	uint64_t at = offset_of(rt_record_address(r));
	assert_true(number < ncalls);
	struct call *c = &call[number];
	assert_int_equal(rt_record_op(r) == RT_WRITE, c->is_write);
	assert_true(at >= c->at && at + size <= c->at + (1u << c->log));
	assert_true(at / 8 == (at + size - 1) / 8);
	for (uint32_t i = 0; i < size; i++)
		assert_int_equal(c->told[at - c->at + i]++, 0);
	stack_check(c, r->loc);
	events++;
}

static void again(const struct rt_record *r)
{
	const size_t period = rt_record_size(r);
	assert_true(period > 0 && period <= RT_RUN_MAX && ntold >= 2 * period);
	for (uint32_t i = 0; i < r->arg; i++, in_runs++) {
		struct rt_record next = told[ntold - period], before = told[ntold - 2 * period];
		next.what += (next.what & RT_ADDRESS_MASK) - (before.what & RT_ADDRESS_MASK);
		next.arg += next.arg - before.arg;
		told[ntold++] = next;
		access_check(&next);
	}
	ntold = 0;
}

static void channel_drain(void)
{
	struct rt_record r;
	while (record_take(&r)) {
		r.what &= ~(1ull << RT_LAP_SHIFT);
		switch (rt_record_op(&r)) {
		case RT_NODE:
			assert_true(r.arg > 0 && r.arg < NODES && r.loc < r.arg);
			node[r.arg].pc = (uint32_t)rt_record_address(&r);
			node[r.arg].parent = r.loc;
			break;
		case RT_AGAIN:
			again(&r);
			break;
		case RT_COUNT:
			break;
		default:
			told[ntold++] = r;
			access_check(&r);
			break;
		}
	}
}

static void access_make(uint32_t at, unsigned log, bool is_write, uint32_t pc)
{
	struct call *c = &call[ncalls++];
	at -= at < STRETCH && at + 16 > STRETCH ? 16 : 0;
	*c = (struct call){at, (uint8_t)log, is_write, epoch, pc, depth, {0}, {0}};
	memcpy(c->caller, caller, sizeof(caller));
	if (log == 4 && at % 16)
		(is_write ? __tsan_unaligned_write16_pc : __tsan_unaligned_read16_pc)(base + at,
										      pc);
	else
		of_size[log][is_write](address_of(at), pc);
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)rand() % n;
}

/* A loop of a few accesses, each with a stride; now and then one of them is elsewhere. */
static void loop_make(void)
{
	struct {
		uint32_t at, stride, pc;
		unsigned log;
		bool is_write;
	} step[RT_RUN_MAX + 2];
	uint32_t n = 1 + below(below(4) ? 4 : RT_RUN_MAX + 2), rounds = 1 + below(60);
	for (uint32_t i = 0; i < n; i++) {
		unsigned log = below(SIZES);
		step[i].log = log;
		step[i].at = BYTES / 4 + (below(BYTES / 2) & ~((1u << log) - 1));
		step[i].at += below(8) ? 0 : below(8);
		step[i].stride = (below(8) - 4) << log;
		step[i].pc = 1000 + below(100);
		step[i].is_write = below(2);
	}
	for (uint32_t k = 0; k < rounds; k++)
		for (uint32_t i = 0; i < n; i++) {
			uint32_t at =
				below(200) ? step[i].at + k * step[i].stride : below(BYTES - 16);
			access_make(at, step[i].log, step[i].is_write, step[i].pc);
			if (!below(300)) /* known, if nothing is wrong, and yet an event */
				access_make(at, step[i].log, step[i].is_write, 1000);
		}
}

static void something_make(void)
{
	switch (below(10)) {
	case 0:
		if (depth < DEPTH) {
			caller[depth] = 1 + depth * 2 + below(2); /* no recursion: it is folded */
			__tsan_func_entry((void *)(uintptr_t)caller[depth++]);
		}
		break;
	case 1:
		if (depth > 0) {
			depth--;
			__tsan_func_exit();
		}
		break;
	case 2:
		rt_epoch_end();
		epoch++;
		break;
	case 3:
		rt_put(RT_COUNT, 0, 0, 0, 0);
		break;
	case 4:
		access_make(below(BYTES - 16), below(SIZES), below(2), 1000 + below(100));
		break;
	default:
		loop_make();
		break;
	}
}

/* What is not told of an access was done before in its epoch: read or written, or, of a write,
 * written. */
static void rest_check(void)
{
	uint32_t *seen = calloc(BYTES, sizeof(*seen)), *written = calloc(BYTES, sizeof(*written));
	for (struct call *c = call; c < call + ncalls; c++)
		for (uint32_t i = 0, at = c->at; i < 1u << c->log; i++, at++) {
			if (!c->told[i])
				assert_int_equal((c->is_write ? written : seen)[at], c->epoch);
			seen[at] = c->epoch;
			written[at] = c->is_write ? c->epoch : written[at];
		}
	free(seen);
	free(written);
}

static void what_is_recorded(void **state)
{
	static struct rt_thread self;
	static struct rt_frame frames[DEPTH + 1];
	channel_open();
	self.frames = frames;
	rt_hot = (struct rt_hot){.filter = &rt_filter,
				 .places = rt_places,
				 .fuel = FUEL,
				 .top = frames,
				 .end = frames + DEPTH + 1,
				 .self = &self};
	call = calloc(CALLS, sizeof(*call));
	srand(7);
	rt_filter.epochs = ~(RT_WRITTEN | RT_EPOCH_GAP | 7) - 20 * RT_EPOCH_ONE; /* anew soon */
	rt_epoch_end();
	epoch = 1;
	while (ncalls + 2 * 60 * (RT_RUN_MAX + 2) < CALLS) {
		something_make();
		channel_drain();
	}
	rt_run_end();
	channel_drain();
	rest_check();
	assert_true(events > CALLS / 4 && events < 3 * CALLS);
	assert_true(in_runs > CALLS / 10);
	free(call);
	channel_close();
}

/* A reader beside the writer, which has to wait for it again and again. */
enum { LAPS = 4 };

static void *reader(void *ret_wrong)
{
	uint64_t *wrong = ret_wrong;
	for (struct rt_record r; taken < LAPS * (uint64_t)RT_CHANNEL_RECORDS;)
		if (record_take(&r)) {
			uint64_t n = taken - 1;
			*wrong += rt_record_op(&r) != RT_COUNT || rt_record_address(&r) != n ||
				  rt_record_size(&r) != n % 200 || r.arg != (uint32_t)(n * 3) ||
				  r.loc != (uint32_t)(n * 5);
		}
	return NULL;
}

static void laps_of_the_channel(void **state)
{
	pthread_t thread;
	uint64_t wrong = 0;
	channel_open();
	pthread_create(&thread, NULL, reader, &wrong);
	for (uint64_t n = 0; n < LAPS * (uint64_t)RT_CHANNEL_RECORDS; n++)
		rt_put(RT_COUNT, n % 200, n, (uint32_t)(n * 5), (uint32_t)(n * 3));
	pthread_join(thread, NULL);
	assert_int_equal(wrong, 0);
	channel_close();
}

static void texts(void **state)
{
	struct rt_record r;
	channel_open();
	for (size_t n = 0; n < 40; n++) {
		char *text = malloc(n), got[48] = {0}; /* so that a look behind it is seen */
		memset(text, 'a' + (int)n % 26, n);
		rt_record_text(RT_MODULE, 0x1000, text, n);
		assert_true(record_take(&r));
		assert_int_equal(rt_record_op(&r), RT_MODULE);
		assert_int_equal(r.arg, n);
		for (size_t at = 0; at < n; at += 12) {
			assert_true(record_take(&r));
			uint32_t word[3] = {r.arg, r.loc, (uint32_t)rt_record_address(&r)};
			memcpy(got + at, word, sizeof(word));
		}
		assert_false(record_take(&r));
		assert_memory_equal(got, text, n);
		free(text);
	}
	channel_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_recorded),
		cmocka_unit_test(laps_of_the_channel),
		cmocka_unit_test(texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
