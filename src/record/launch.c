/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - reads the records of a program that was started with a channel, up to its end
 */
#include "record/launch_state.h"

#include "base/memory.h"
#include "record/merge.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_NS = 100000, LONG_NS = 2000000, TAKEN_EVERY = 1024 };
enum { LOOK_MS = 10 };			 /* between tests of a program that is no child */
enum { MANY = RT_CHANNEL_RECORDS / 16 }; /* the recorder wakes up for this many records */

struct snag_launch *snag_launch_new(void)
{
	struct snag_launch *l = snag_calloc(1, sizeof(*l));
	l->fd = l->pidfd = -1;
	l->pause_ns = SHORT_NS;
	return l;
}

void snag_attached_answer(const struct snag_attached *to, int status)
{
	if (to->at) /* pairs with the acquire in verdict_wait */
		__atomic_store_n(&to->at->answer, 1 + (uint32_t)(status & 0xff), __ATOMIC_RELEASE);
}

/* Copies the records that are there: up to `room`, to the end of the lap, and until `taken` is due.
 * Returns how many.  The program does not change a record that it has written. */
static int records_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	const struct rt_record *slot = rt_channel_record(l->channel, l->n);
	const uint64_t lap = (1 + l->n / RT_CHANNEL_RECORDS) & 1;
	const int most = TAKEN_EVERY - (int)(l->n % TAKEN_EVERY);
	int n = 0;
	for (room = room < most ? room : most; n < room; n++) {
		/* pairs with the release in rt_put */
		const uint64_t what = __atomic_load_n(&slot[n].what, __ATOMIC_ACQUIRE);
		if ((what >> RT_LAP_SHIFT & 1) != lap)
			break;
		ret[n] = (struct rt_record){.what = what, .loc = slot[n].loc, .arg = slot[n].arg};
	}
	l->n += (uint64_t)n;
	if (n == most) /* pairs with the acquire in rt_record_room */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

_Static_assert((int)RT_CHANNEL_RECORDS % (int)TAKEN_EVERY == 0,
	       "`taken` is stored at the end of every lap");

/* Makes records of the runs that were open when the program ended: it had counted them, but not
 * recorded them.  Returns how many records. */
static int runs_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	struct rt_open_run *run = &l->channel->run;
	if (l->merge)
		return snag_merge_rest(l->merge, ret, room);
	if (!run->events || run->at != l->n)
		return 0;
	*ret = rt_open_run_record(run);
	run->events = 0;
	return 1;
}

/* Notes the end of the program.  From now on the signals of the terminal are for the tool. */
static void end_note(struct snag_launch *l)
{
	l->has_ended = true;
	if (l->passes)
		snag_launch_signals_keep(l);
}

/* Returns whether a program that is not a child has written its status, or has ended.  Waits at
 * most `milliseconds`. */
static bool attached_has_ended(struct snag_launch *l, int milliseconds)
{
	struct pollfd end = {.fd = l->pidfd, .events = POLLIN};
	bool is_gone = poll(&end, 1, milliseconds) == 1;
	/* pairs with the release in verdict_wait: all records before are there */
	uint32_t finished = __atomic_load_n(&l->channel->finished, __ATOMIC_ACQUIRE);
	if (finished)
		l->status = W_EXITCODE((int)(finished - 1), 0);
	return finished || is_gone;
}

static bool has_ended(struct snag_launch *l)
{
	if (!l->has_ended && (l->pidfd >= 0 ? attached_has_ended(l, 0)
					    : waitpid(l->pid, &l->status, WNOHANG) == l->pid))
		end_note(l);
	return l->has_ended;
}

/* If few records came in a pause, the next pause is longer, so that waking up costs little. */
static void records_await(struct snag_launch *l)
{
	if (l->read - l->waited >= MANY)
		l->pause_ns = l->pause_ns / 2 > SHORT_NS ? l->pause_ns / 2 : SHORT_NS;
	else
		l->pause_ns = l->pause_ns * 2 < LONG_NS ? l->pause_ns * 2 : LONG_NS;
	l->waited = l->read;
	const struct timespec pause = {0, l->pause_ns};
	if (!l->merge) {
		nanosleep(&pause, NULL);
		return;
	}
	/* [wait] of ring.h */
	__atomic_store_n(&l->channel->sleeps, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &l->channel->sleeps, FUTEX_WAIT, 1, &pause, NULL, 0);
	__atomic_store_n(&l->channel->sleeps, 0, __ATOMIC_RELAXED);
}

static int common_take(void *launch, struct rt_record *ret, int room)
{
	struct snag_launch *l = launch;
	int n = records_take(l, ret, room);
	if (n == 0) /* as in records_take */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

/* Threads run in parallel: from here on their records are merged. */
static bool merge_begin(struct snag_launch *l)
{
	void *at = mmap(NULL, rt_rings_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->fd,
			(off_t)rt_channel_bytes);
	if (at == MAP_FAILED)
		return false;
	l->rings = at;
	l->merge = snag_merge_new(at, common_take, l);
	return true;
}

/* The records that are there, up to `room`; returns how many, or -1: there is no memory. */
static int some_take(struct snag_launch *l, struct rt_record *ret, int room)
{
	if (l->merge)
		return snag_merge_next(l->merge, ret, room);
	int n = records_take(l, ret, room);
	if (!l->channel->is_parallel)
		return n;
	return merge_begin(l) ? snag_merge_rings(l->merge, ret, n) : -1;
}

int snag_launch_next(struct snag_launch *l, struct rt_record *ret_record, int room)
{
	int n = some_take(l, ret_record, room);
	l->read += n > 0 ? (uint64_t)n : 0;
	if (n != 0)
		return n;
	__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE); /* as in records_take */
	bool was_ended = l->has_ended;
	if (has_ended(l)) { /* once more, for the last records of the program */
		n = was_ended ? runs_take(l, ret_record, room) : 0;
		return was_ended && n == 0 ? -1 : n;
	}
	records_await(l);
	return 0;
}

int snag_launch_take(struct snag_launch *l, struct rt_record *ret_record, int room)
{
	int n = records_take(l, ret_record, room);
	if (n == 0) /* as in snag_launch_next */
		__atomic_store_n(&l->channel->taken, l->n, __ATOMIC_RELEASE);
	return n;
}

void snag_launch_rewind(struct snag_launch *l)
{
	l->n = l->waited = 0;
}

struct rt_channel *snag_launch_channel(const struct snag_launch *l)
{
	return l->channel;
}

bool snag_launch_has_ended(struct snag_launch *l)
{
	return has_ended(l);
}

void snag_launch_abandon(struct snag_launch *l)
{
	__atomic_store_n(&l->channel->ended, 1, __ATOMIC_RELAXED);
	if (l->has_ended)
		return;
	if (l->pidfd >= 0)
		while (!attached_has_ended(l, LOOK_MS))
			;
	else
		while (waitpid(l->pid, &l->status, 0) < 0 && errno == EINTR)
			;
	end_note(l);
}

void snag_launch_kill(struct snag_launch *l)
{
	if (!l->has_ended)
		kill(l->pid, SIGKILL);
}

void snag_launch_halt(struct snag_launch *l, int status)
{
	/* pairs with the acquire in halt() of signals.c */
	__atomic_store_n(&l->channel->answer, 1 + (uint32_t)(status & 0xff), __ATOMIC_RELEASE);
	if (!l->has_ended)
		kill(l->pid, RT_SIGNAL);
}

int snag_launch_status(const struct snag_launch *l)
{
	return l->status;
}

int snag_launch_pid(const struct snag_launch *l)
{
	return l->pid;
}

const char *snag_launch_opened(const struct snag_launch *l)
{
	char *end = l->channel->opened + RT_OPENED; /* the program can overwrite it: */
	end[-1] = end[-2] = 0;
	return l->channel->opened;
}

const uint64_t *snag_launch_executed(const struct snag_launch *l)
{
	return l->channel->executed;
}

bool snag_launch_was_claimed(const struct snag_launch *l)
{
	return l->channel->owner != 0;
}

const struct rt_verdict *snag_launch_verdict(const struct snag_launch *l)
{
	return &l->channel->verdict;
}

bool snag_launch_has_unseen_heap(const struct snag_launch *l)
{
	return l->channel->has_unseen_heap != 0;
}

uint32_t snag_launch_inputs(const struct snag_launch *l)
{
	return l->channel->inputs;
}

void snag_launch_free(struct snag_launch *l)
{
	if (!l)
		return;
	if (l->channel && l->pidfd < 0) /* otherwise the program still waits for the answer */
		munmap(l->channel, rt_channel_bytes);
	if (l->rings)
		munmap(l->rings, rt_rings_bytes);
	snag_merge_free(l->merge);
	if (l->pidfd >= 0)
		close(l->pidfd);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}
