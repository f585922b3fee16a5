/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - a detector inside the program
 *
 * Idea.   The detector is the one that reads traces, and it gets the same events, but one by one
 *         as they happen.  Nothing is named, written or sent, and variables are parts of memory
 *         (shadow.h).  A program of tasks runs on one worker, so its events are in order.
 *
 *         Findings are only counted.  A program whose verdict is not clean runs once more,
 *         recorded, for a report with details.
 *
 * Rules.  [access]  one event for each variable it touches, unless it adds nothing (access.h)
 *         [number]  a program that reads the number of a thread, or how many there are, is
 *                   judged all the same; the place is reported.  So is a place that was not
 *                   reported in detail
 *         [other]   operations for which the detector has no rules are counted.  Then there is
 *                   no verdict, so nothing more is judged; nor after a race, if one is enough
 */
#include "runtime/channel/judge.h"

#include "inside/access.h"
#include "inside/ranges.h"
#include "runtime/access/access.h"
#include "runtime/access/sites.h"

#include <string.h>

enum { PAGE = 4096, MORE = 1024 /* ids */ };

extern const struct snag_detector snag_detector_spbags, snag_detector_espbags, snag_detector_drdp;

static const struct snag_detector *const known[] = {&snag_detector_spbags, &snag_detector_espbags,
						    &snag_detector_drdp};

struct judge judge;
static struct snag_detector_env env;
static struct rt_verdict *verdict;
static struct snag_counts counts;
static uint64_t nops[SNAG_OPS]; /* events of tasks */
static uint64_t lasting_ended;

static void doubt(void) /* [other] */
{
	verdict->doubts++;
	judge.is_over = true;
}

static void on_race_with(void *ctx, const struct snag_event *event, uint32_t number, uint32_t other)
{
	verdict->races = ++judge.races;
	judge.is_over |= verdict->one_will_do;
}

/* Does nothing: the detector knows its doubts, and answers at the end whether it proves
 * anything. */
static void on_doubt(void *ctx, enum snag_doubt why, const struct snag_event *event,
		     uint32_t number, uint32_t other)
{
}

static void on_refuse(void *ctx, const struct snag_event *event, uint32_t number, const char *why)
{
	doubt();
}

static bool on_is_same(void *ctx, uint32_t first, uint32_t n)
{
	const struct snag_past_cell *one = &judge.express->x[first];
	bool is_same = judge.express->is_all && !snag_past_is_list(one->writer | one->reader);
	for (uint32_t i = 1; is_same && i < n; i++)
		is_same = one[i].writer == one->writer && one[i].reader == one->reader;
	return is_same;
}

static void on_more(void *ctx)
{
	counts.n[SNAG_SPACE_VARIABLE] = judge.shadow.nvariables;
	judge.detector->inside->reserve(judge.state, &counts);
}

/* Ids of the space are below this, or will be. */
static __attribute__((noinline)) void known_more(enum snag_space space, uint32_t end)
{
	counts.n[space] = end < UINT32_MAX - MORE ? end + MORE : end;
	judge.detector->inside->reserve(judge.state, &counts);
}

static inline void known_below(enum snag_space space, uint32_t end)
{
	if (__builtin_expect(counts.n[space] < end, 0))
		known_more(space, end);
}

bool rt_judge_begin(const char *name, struct rt_verdict *to)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i]->name, name) == 0)
			judge.detector = known[i];
	if (!judge.detector)
		return false;
	verdict = to;
	env = (struct snag_detector_env){
		.on_race_with = on_race_with, .on_doubt = on_doubt, .on_refuse = on_refuse};
	judge.shadow.is_same = on_is_same;
	judge.shadow.more = on_more;
	judge.step = 1;
	judge.state = judge.detector->open(&env);
	judge.express = judge.detector->inside->express(judge.state);
	judge.shadow.ctx = judge.state;
	judge.shadow.forget = judge.detector->inside->forget;
	judge.shadow.spread = judge.detector->inside->spread;
	return true;
}

/* Returns whether some accesses of the step were not judged yet. */
static inline bool accesses_wait(void)
{
	return rt_sites.n | judge.nlate | judge_streams.used | judge_streams.nranges;
}

static __attribute__((noinline)) void accesses_end(void)
{
	if (rt_sites.n)
		rt_sites_end();
	if (judge.nlate)
		judge_late_flush();
	judge_ranges_flush();
}

/* Returns whether there is still something to judge; flushes the accesses of the step before. */
static inline bool step_ends(void)
{
	if (judge.is_over)
		return false;
	if (accesses_wait())
		accesses_end();
	judge.step++;
	return true;
}

/* [lasting] Makes the runtime forget which reads it may leave out, if some may not be any more. */
static inline void lasting_look(void)
{
	if (!judge.may_last)
		return;
	uint64_t ended = judge.express->ended + judge.shadow.nforgotten;
	if (__builtin_expect(ended == lasting_ended, 1))
		return;
	lasting_ended = ended;
	rt_lasting_end();
}

/* Returns whether the detector has rules for this operation of a task. */
static inline bool is_judged(uint8_t op)
{
	nops[op]++;
	if (__builtin_expect((judge.detector->ops | judge.detector->launch_ops) >> op & 1, 1))
		return true;
	doubt();
	return false;
}

void rt_judge_task(uint8_t op, uint32_t target)
{
	if (!step_ends() || !is_judged(op))
		return;
	enum snag_space space = snag_op_info[op].space;
	struct snag_event ev = {.thread = judge.thread, .target = target, .op = op};
	if (space != SNAG_SPACE_NONE)
		known_below(space, target + 1);
	judge.detector->inside->sync(judge.state, &ev, ++judge.nevents);
	lasting_look();
}

void rt_judge_turn(uint32_t task)
{
	if (!step_ends())
		return;
	known_below(SNAG_SPACE_THREAD, task + 1);
	judge.thread = task;
	judge.detector->inside->turn(judge.state, task);
	lasting_look();
}

void rt_judge_child(uint8_t op, uint32_t task)
{
	if (!step_ends() || !is_judged(op))
		return;
	known_below(SNAG_SPACE_THREAD, task + 1);
	uint32_t creator = judge.thread;
	judge.thread = task;
	judge.detector->inside->child(judge.state, creator, task, op);
	lasting_look();
}

void rt_judge_ended(uint32_t to)
{
	if (!step_ends() || !is_judged(SNAG_OP_TASK_END))
		return;
	uint32_t ended = judge.thread;
	judge.thread = to;
	judge.detector->inside->ended(judge.state, ended, to);
	lasting_look();
}

void rt_judge_next(uint32_t creator)
{
	if (!step_ends() || !is_judged(SNAG_OP_TASK_END) || !is_judged(SNAG_OP_TASK_CREATE))
		return;
	judge.detector->inside->segment(judge.state, creator, judge.thread);
}

bool rt_judge_reuses(void)
{
	return judge.detector->inside->segment;
}

static __attribute__((noinline)) void forget_later(uint64_t address, uint64_t nbytes, bool is_stack)
{
	if (judge.is_over)
		return;
	accesses_end();
	(is_stack ? rt_judge_stack : rt_judge_forget)(address, nbytes);
}

static inline void memory_forget(uint64_t address, uint64_t nbytes, bool is_stack)
{
	if (accesses_wait())
		forget_later(address, nbytes, is_stack);
	else if (shadow_forget(&judge.shadow, address, nbytes, is_stack))
		lasting_look();
}

void rt_judge_forget(uint64_t address, uint64_t nbytes)
{
	memory_forget(address, nbytes, false);
}

void rt_judge_stack(uint64_t address, uint64_t nbytes)
{
	memory_forget(address, nbytes, true);
}

static void stat_report(void *ctx, const char *name, uint64_t value)
{
	if (verdict->nstats == RT_STATS)
		return;
	struct rt_stat *stat = &verdict->stat[verdict->nstats++];
	for (size_t i = 0; i + 1 < sizeof(stat->name) && name[i]; i++)
		stat->name[i] = name[i];
	stat->value = value;
}

static void stats_report(void)
{
	memset(verdict->stat, 0, sizeof(verdict->stat));
	verdict->nstats = 0;
	for (unsigned op = 0; op < SNAG_OPS; op++)
		if (nops[op])
			stat_report(NULL, snag_op_info[op].text, nops[op]);
	if (judge.detector->stats)
		judge.detector->stats(judge.state, stat_report, NULL);
}

static void note(const struct rt_record *r)
{
	if (r->arg == RT_NOTE_LAUNCH) {
		verdict->launched++;
		return;
	}
	if (r->arg == RT_NOTE_TASKS) {
		judge.may_last = rt_sites.may = rt_record_address(r) == RT_DIALECT_SNAG;
		if (judge.may_last && judge.detector->inside->synced)
			judge.detector->inside->synced(judge.state);
		if (judge.may_last)
			rt_lasting_end();
		return;
	}
	if (r->arg != RT_NOTE_LAUNCHED) {
		doubt();
		return;
	}
	verdict->ended++;
	verdict->proves = judge.detector->proves(judge.state);
	stats_report();
}

bool rt_judge_obstacle(enum rt_obstacle what, uint64_t pc) /* [number] */
{
	static const bool is_judged[] = {
#define OBSTACLE(name, kind, is_judged, is_answer, words) [RT_OBSTACLE_##name] = is_judged,
#include "trace/obstacles.def"
#undef OBSTACLE
	};
	if (!is_judged[what])
		return false;
	if (!verdict->obstacle[what] && verdict->launched > verdict->ended)
		verdict->obstacle[what] = pc;
	return true;
}

bool rt_judge_access(uint64_t address, unsigned size, bool is_write)
{
	if (__builtin_expect(judge.is_over, 0)) /* [other] */
		return false;
	return judge_one(address, size, is_write);
}

void rt_judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write)
{
	if (!judge.is_over)
		judge_ranges_add(address, size, step, count, is_write);
}

void rt_judge_record(const struct rt_record *r)
{
	enum rt_op op = rt_record_op(r);
	if (!step_ends())
		return;
	switch (op) {
	case RT_READ:
	case RT_WRITE:
		judge_access(rt_record_address(r), rt_record_size(r), op == RT_WRITE);
		break;
	case RT_READ_RANGE:
	case RT_WRITE_RANGE:
		judge_range(rt_record_address(r), r->arg, op == RT_WRITE_RANGE);
		break;
	case RT_TASK:
		rt_judge_task((uint8_t)rt_record_size(r), r->arg);
		break;
	case RT_ALLOC:
		rt_judge_forget(rt_record_address(r), r->arg);
		break;
	case RT_FORGET:
		rt_judge_forget(rt_record_address(r),
				(uint64_t)r->arg * (rt_record_size(r) ? 1 : PAGE));
		break;
	case RT_FREE:
		judge_freed(rt_record_address(r), r->arg);
		break;
	case RT_SWITCH:
		rt_judge_turn(r->arg);
		break;
	case RT_NOTE:
		note(r);
		break;
	case RT_BEGIN:
	case RT_NODE:
	case RT_STACK:
	case RT_LABEL:
	case RT_MODULE:
	case RT_MODULE_END:
	case RT_TEXT:
	case RT_COUNT:
	case RT_BRANCH:
	case RT_NONE:
		break;
	default: /* locks, atomics, threads */
		if (verdict->launched > verdict->ended)
			doubt();
		break;
	}
	lasting_look();
}
