/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - a detector inside the program
 *
 * Idea.   The detector is the one that reads traces, and gets the same events; but as they arise,
 *         one by one: nothing is named, written or sent, and variables are parts of memory
 *         (shadow.h).  A program of tasks runs on one worker, so what it does is in order.
 *
 *         What is found is counted only.  A program whose verdict is not clean runs once more, recorded,
 *         for a report that says what and where.
 *
 * Rules.  [access]  one event for each variable it touches, unless it adds nothing (inside.h)
 *         [freed]   the end of a block is a write of what was accessed there
 *         [other]   what the detector has no rules for is counted: no verdict then, so nothing more
 *                   is looked at
 */
#include "runtime/judge.h"

#include "detect/detector.h"
#include "inside/shadow.h"

#include <string.h>

enum { FREED_BYTES = 1024, PAGE = 4096 };

extern const struct snag_detector snag_detector_spbags, snag_detector_espbags, snag_detector_drdp;

static const struct snag_detector *const known[] = {&snag_detector_spbags, &snag_detector_espbags,
						    &snag_detector_drdp};

static const struct snag_detector *detector;
static struct snag_detector_env env;
static void *state;
static struct shadow shadow;
static struct rt_verdict *verdict;
static struct snag_express *express;
static struct snag_counts counts;
static uint32_t thread, nevents; /* who runs; so far */
static uint64_t nops[SNAG_OPS];	 /* events of tasks */

static void on_race_with(void *ctx, const struct snag_event *event, uint32_t number, uint32_t other)
{
	verdict->races++;
}

/* It will not say that it proves anything. */
static void on_doubt(void *ctx, enum snag_doubt why, const struct snag_event *event,
		     uint32_t number, uint32_t other)
{
}

static void on_refuse(void *ctx, const struct snag_event *event, uint32_t number, const char *why)
{
	verdict->doubts++;
}

static void on_forget(void *ctx, uint32_t from, uint32_t n)
{
	detector->inside->forget(state, from, n);
}

static void on_split(void *ctx, uint32_t from, uint32_t n, uint32_t to, uint32_t parts)
{
	detector->inside->split(state, from, n, to, parts);
}

static void on_more(void *ctx)
{
	counts.n[SNAG_SPACE_VARIABLE] = shadow.nvariables;
	detector->inside->reserve(state, &counts);
}

/* Ids of the space are below this. */
static void known_below(enum snag_space space, uint32_t end)
{
	if (counts.n[space] >= end)
		return;
	counts.n[space] = end;
	detector->inside->reserve(state, &counts);
}

bool rt_judge_begin(const char *name, struct rt_verdict *to)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i]->name, name) == 0)
			detector = known[i];
	if (!detector)
		return false;
	verdict = to;
	env = (struct snag_detector_env){
		.on_race_with = on_race_with, .on_doubt = on_doubt, .on_refuse = on_refuse};
	shadow.forget = on_forget;
	shadow.split = on_split;
	shadow.more = on_more;
	shadow.last_key = UINT64_MAX;
	state = detector->open(&env);
	express = detector->inside->express(state);
	return true;
}

/* ---- records ---- */

static __attribute__((noinline)) void variable_access(uint32_t variable, bool is_write)
{
	struct snag_event ev = {.thread = thread,
				.target = variable,
				.op = is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
	if (is_write)
		detector->inside->write(state, &ev, ++nevents);
	else
		detector->inside->read(state, &ev, ++nevents);
}

/* Inside one word of 8 bytes. */
static inline __attribute__((always_inline)) void word_access(uint64_t address, unsigned size,
							      bool is_write)
{
	struct shadow_page *page = shadow_touch(&shadow, address);
	if (__builtin_expect(!shadow_fits(page, address, size), 0))
		shadow_divide(&shadow, page, address, size);
	uint32_t variable = shadow_variable(page, address);
	for (uint32_t i = 0; i < size >> page->part_log; i++)
		if (!snag_express_knows(express, variable + i, is_write))
			variable_access(variable + i, is_write);
}

void rt_judge_access(uint64_t address, unsigned size, bool is_write)
{
	if (__builtin_expect(verdict->doubts != 0, 0)) /* [other] */
		return;
	unsigned here = 8 - (unsigned)(address & 7);
	if (__builtin_expect(here < size, 0)) { /* in two words, perhaps of two pages */
		word_access(address, here, is_write);
		address += here;
		size -= here;
	}
	word_access(address, size, is_write);
}

/* Variables in a row.  What an access makes of a cell depends on the cell alone while the step is
 * the same (inside.h); so what it made of the one before will do, if that was the same. */
static void row_access(uint32_t from, uint32_t n, bool is_write)
{
	struct snag_past_cell *x = express->x, before, after;
	bool is_known = false;
	for (uint32_t v = from; v < from + n; v++) {
		if (is_known && x[v].writer.who == before.writer.who &&
		    x[v].reader.who == before.reader.who) {
			x[v] = after;
			continue;
		}
		uint64_t races = verdict->races;
		before = x[v];
		if (!snag_express_knows(express, v, is_write))
			variable_access(v, is_write);
		after = x[v];
		is_known = express->who && races == verdict->races &&
			   !snag_past_is_list(&before.writer) &&
			   !snag_past_is_list(&before.reader) &&
			   !snag_past_is_list(&after.writer) && !snag_past_is_list(&after.reader);
	}
}

/* Bytes of one page. */
static void page_access(uint64_t address, uint64_t end, bool is_write)
{
	struct shadow_page *page = shadow_touch_range(&shadow, address, end);
	if (!shadow_fits(page, address | end, 8))
		shadow_divide(&shadow, page, address | end, 8);
	row_access(shadow_variable(page, address), (uint32_t)((end - address) >> page->part_log),
		   is_write);
}

static void range_access(uint64_t address, uint64_t nbytes, bool is_write)
{
	for (uint64_t end = address + nbytes; address < end;) {
		uint64_t next = (address | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		page_access(address, next, is_write);
		address = next;
	}
}

static void block_freed(uint64_t address, uint64_t nbytes) /* [freed] */
{
	uint64_t end = address + (nbytes < FREED_BYTES ? nbytes : FREED_BYTES);
	for (; address + 8 <= end; address += 8)
		if (shadow_is_touched(&shadow, address))
			word_access(address, 8, true);
}

static void task_event(const struct rt_record *r)
{
	struct snag_event ev = {
		.thread = thread, .target = r->arg, .op = (uint8_t)rt_record_size(r)};
	enum snag_space space = snag_op_info[ev.op].space;
	if (space != SNAG_SPACE_NONE)
		known_below(space, r->arg + 1);
	nops[ev.op]++;
	if (detector->ops >> ev.op & 1)
		detector->inside->sync(state, &ev, ++nevents);
	else
		verdict->doubts++;
}

static void stat_tell(void *ctx, const char *name, uint64_t value)
{
	if (verdict->nstats == RT_STATS)
		return;
	struct rt_stat *stat = &verdict->stat[verdict->nstats++];
	for (size_t i = 0; i + 1 < sizeof(stat->name) && name[i]; i++)
		stat->name[i] = name[i];
	stat->value = value;
}

static void stats_tell(void)
{
	memset(verdict->stat, 0, sizeof(verdict->stat));
	verdict->nstats = 0;
	for (unsigned op = 0; op < SNAG_OPS; op++)
		if (nops[op])
			stat_tell(NULL, snag_op_info[op].text, nops[op]);
	if (detector->stats)
		detector->stats(state, stat_tell, NULL);
}

static void note(const struct rt_record *r)
{
	if (r->arg == RT_NOTE_LAUNCH) {
		verdict->launched++;
		return;
	}
	if (r->arg != RT_NOTE_LAUNCHED) {
		verdict->doubts += r->arg != RT_NOTE_TASKS;
		return;
	}
	verdict->ended++;
	verdict->proves = detector->proves(state);
	stats_tell();
}

void rt_judge_record(const struct rt_record *r)
{
	enum rt_op op = rt_record_op(r);
	if (verdict->doubts)
		return;
	switch (op) {
	case RT_READ:
	case RT_WRITE:
		word_access(rt_record_address(r), rt_record_size(r), op == RT_WRITE);
		break;
	case RT_READ_RANGE:
	case RT_WRITE_RANGE:
		range_access(rt_record_address(r), r->arg, op == RT_WRITE_RANGE);
		break;
	case RT_TASK:
		task_event(r);
		break;
	case RT_ALLOC:
		shadow_forget(&shadow, rt_record_address(r), r->arg);
		break;
	case RT_FORGET:
		shadow_forget(&shadow, rt_record_address(r),
			      (uint64_t)r->arg * (rt_record_size(r) ? 1 : PAGE));
		break;
	case RT_FREE:
		block_freed(rt_record_address(r), r->arg);
		break;
	case RT_SWITCH:
		thread = r->arg;
		known_below(SNAG_SPACE_THREAD, thread + 1);
		detector->inside->turn(state, thread);
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
		verdict->doubts += verdict->launched > verdict->ended;
		break;
	}
}
