/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - writing records to the channel
 */
#include "runtime/channel/record.h"

#include "runtime/access/access.h"
#include "runtime/fail.h"
#include "runtime/channel/judge.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/ring.h"
#include "runtime/channel/mute.h"
#include "runtime/tasks/omp.h"
#include "runtime/options.h"
#include "runtime/sys.h"
#include "runtime/tasks/tasks.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { WAIT_NS = 1000000, WAITS_BETWEEN_LOOKS = 100 }; /* looks whether the reader lives: 0.1 s */

/* A wait for little room would soon be followed by another wait. */
enum { ROOM_WANTED = RT_CHANNEL_RECORDS / 4 };

static struct rt_channel *channel_map(int fd)
{
	const size_t nbytes = rt_channel_bytes;
	long at = rt_sys(SYS_mmap, 0, (long)nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at < 0 && at > -4096)
		return NULL;
	struct rt_channel *c = (struct rt_channel *)at;
	if (c->magic == RT_CHANNEL_MAGIC && c->records == RT_CHANNEL_RECORDS)
		return c;
	/* If the program observed itself instead, it would start the same tool again, without end. */
	if (!((c->magic ^ RT_CHANNEL_MAGIC) & RT_CHANNEL_FAMILY))
		rt_fail("this program was built by another version of snag: build it again");
	rt_sys_unmap(c, nbytes);
	return NULL;
}

/* Starts a detector in this process, if the options name one; it gets all events. */
static bool judge_begin(struct rt_channel *c)
{
	if (!rt_options.judge[0] || !(rt_tasks_may_launch() || rt_omp_may_launch()) ||
	    !rt_judge_begin(rt_options.judge, &c->verdict))
		return false;
	c->verdict.was_judged = c->verdict.one_will_do = 1;
	return true;
}

bool rt_record_open(void)
{
	if (rt_options.channel < 0)
		return false;
	struct rt_channel *c = channel_map((int)rt_options.channel);
	uint32_t no_owner = 0;
	if (!c || !__atomic_compare_exchange_n(&c->owner, &no_owner, (uint32_t)rt_sys_getpid(),
					       false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	if (rt_options.free && !rt_lanes_map((int)rt_options.channel))
		rt_fail("no memory for the rings of threads");
	rt_sys(SYS_close, rt_options.channel, 0, 0, 0, 0, 0);
	rt.channel = c;
	rt.listener = judge_begin(c) ? rt_judged : rt_recorder;
	rt.limit = rt.listener.record ? 0 : c->records; /* the judge gets each record */
	rt_run_init(&rt_run, &c->run);
	rt_filter.epochs = RT_SEEN; /* number 0 */
	rt_filter.bytes =
		RT_FILTER_BYTES(rt.listener.is_judge ? RT_FILTER_SMALL_LOG : RT_FILTER_MAX_LOG);
	return true;
}

/* Returns whether the process has ended and its parent has not waited for it yet. */
static bool is_zombie(uint32_t pid)
{
	struct rt_line path = {.n = 0};
	char stat[128] = {0};
	rt_line_text(&path, "/proc/");
	rt_line_number(&path, pid);
	rt_line_text(&path, "/stat");
	path.text[path.n] = 0;
	if (rt_sys_read_file(path.text, stat, sizeof(stat) - 1) <= 0)
		return false;
	size_t name_end = sizeof(stat) - 3;
	while (name_end > 0 && stat[name_end] != ')')
		name_end--;
	return stat[name_end + 1] == ' ' && stat[name_end + 2] == 'Z';
}

bool rt_record_reader_lives(void)
{
	return !__atomic_load_n(&rt.channel->ended, __ATOMIC_RELAXED) &&
	       rt_sys(SYS_kill, rt.channel->reader, 0, 0, 0, 0, 0) != -3 /* ESRCH */ &&
	       !is_zombie(rt.channel->reader);
}

void rt_record_gone(void)
{
	static bool is_said;
	struct rt_line line = {.n = 0};
	if (is_said || !rt.on || rt.channel->is_attached || rt.channel->ended ||
	    rt.channel->owner != (uint32_t)rt_sys_getpid() || rt_record_reader_lives())
		return;
	is_said = true;
	rt_line_text(&line, "snag: the recorder has ended: this program is no longer observed");
	rt_line_print(&line);
}

static uint64_t true_limit; /* while there seems to be no room: see rt.before */

void rt_record_before(void (*f)(void))
{
	if (!rt.before)
		true_limit = rt.limit;
	rt.before = f;
	rt.limit = f || rt.is_mute ? rt.written : true_limit;
}

void rt_record_settle_now(void)
{
	void (*f)(void) = rt.before;
	rt_record_before(NULL);
	f();
}

bool rt_record_room(struct rt_record record)
{
	if (rt.is_free) {
		rt_lane_put(&record);
		return false;
	}
	if (rt.before) {
		rt_record_settle_now();
		if (rt.written < rt.limit)
			return true;
	}
	if (rt.listener.record) {
		rt.listener.record(&record);
		return false;
	}
	if (rt.is_mute && !rt_mute_puts(rt_record_op(&record)))
		return false;
	rt.is_waiting = true;
	for (unsigned waits = 0;; waits++) {
		/* pairs with the release of the reader: the slots are no longer read */
		uint64_t taken = __atomic_load_n(&rt.channel->taken, __ATOMIC_ACQUIRE);
		rt.limit = taken + RT_CHANNEL_RECORDS;
		if (rt.limit >= rt.written + ROOM_WANTED)
			break;
		if (waits % WAITS_BETWEEN_LOOKS == WAITS_BETWEEN_LOOKS - 1 &&
		    !rt_record_reader_lives()) {
			rt_record_gone();
			rt.limit = UINT64_MAX; /* into the void, over and over */
			break;
		}
		rt_sys_sleep(WAIT_NS);
	}
	rt.is_waiting = false;
	if (rt.is_mute)
		rt.limit = rt.written + 1; /* rt_record_room() gets the next record, too */
	return true;
}

void rt_record_drain(void)
{
	enum {
		TAKEN_EVERY = 1024
	}; /* the tool also stores `taken` after so many, before it has analysed them */
	if (rt_likely(!rt_options.halt_on_error) || rt.is_free || rt.is_mute ||
	    rt.listener.is_judge)
		return;
	if (rt.written % TAKEN_EVERY == 0)
		rt_put(RT_COUNT, 0, 0, 0, (uint32_t)rt_hot.fuel);
	rt.is_waiting = true;
	while (__atomic_load_n(&rt.channel->taken, __ATOMIC_ACQUIRE) < rt.written &&
	       rt_record_reader_lives())
		rt_sys_sleep(WAIT_NS);
	rt.is_waiting = false;
}

void rt_record_text(enum rt_op op, uint64_t address, const char *text, size_t n)
{
	rt_put(op, 0, address, 0, (uint32_t)n);
	for (size_t at = 0; at < n; at += 12) {
		uint32_t word[3] = {0};
		memcpy(word, text + at, n - at < 12 ? n - at : 12);
		rt_put(RT_TEXT, 0, word[2], word[1], word[0]);
	}
}
