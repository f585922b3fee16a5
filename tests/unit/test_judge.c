/* SPDX-License-Identifier: Apache-2.0
 *
 * test_judge.c - detectors inside a program and the same detectors on a trace in which every byte
 * is a variable: after every access of random programs of tasks, both have found a race in what is
 * being accessed, or neither.  Accesses of all sizes, ranges, strides, blocks that are freed and
 * memory that is new; every state of the shadow, and the ways between them, occur.
 */
#include "unit.h"

#include "detect/tasks/drdp.h"
#include "inside/access.h"
#include "runtime/access/access.h"
#include "runtime/channel/judge.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 256, STACK = SHADOW_PAGE - STACK_BYTES / 2 /* of two pages */ };
enum { SPAN = 3 * SHADOW_PAGE, ROUNDS = 400, MORE_ROUNDS = 1000, DEPTH = 4, PROMISES = 4 * ROUNDS };
enum { MOST_TASKS = 1 << 20 };

/* Two pages before the end of a leaf. */
static const uint64_t place = 0x7fff01000000 - 2 * SHADOW_PAGE;

static const struct config {
	const char *detector;
	bool has_spawn, has_isolated, has_promises;
	bool is_synced; /* it is told that tasks end with a sync, which all do if there is spawn */
	bool has_no_async, has_few; /* few variables, read mostly */
	bool is_stack;		    /* single accesses, and memory that is used again and again */
	bool retires;		    /* as often as can be: drdp.h */
	bool is_loose;		    /* in the end some rounds are not waited for */
	bool has_segments;	    /* tasks one after the other that share a number inside */
} * config;

static struct rt_verdict verdict;
static void *bytes_state; /* of the detector for which bytes are variables, from 1 on */
static uint64_t bytes_races, seen_races, seen_bytes_races;
static uint32_t bytes_events, task, ntasks, npromises, round_number;
static uint32_t inside_of[MOST_TASKS]; /* the number that a task has inside */
static unsigned nracy;
static uint32_t retire_from;

static uint32_t below(uint32_t n)
{
	static uint64_t state = 1;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* In the process of its own. */
static void wrong(const char *what)
{
	fprintf(stderr, "%s, round %u, task %u: %s\n", config->detector, round_number, task, what);
	_exit(1);
}

static void on_race_with(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	bytes_races++;
}

static void on_doubt(void *ctx, enum snag_doubt why, const struct snag_event *ev, uint32_t event,
		     uint32_t first)
{
}

static void on_refuse(void *ctx, const struct snag_event *ev, uint32_t event, const char *why)
{
	wrong(why);
}

static void bytes_event(enum snag_op op, uint32_t target)
{
	struct snag_event ev = {.thread = task, .target = target, .op = (uint8_t)op};
	struct snag_batch batch = {.ev = &ev, .n = 1, .first = ++bytes_events};
	batch.counts.n[SNAG_SPACE_THREAD] = ntasks + 1;
	batch.counts.n[SNAG_SPACE_VARIABLE] = SPAN + 1;
	batch.counts.n[SNAG_SPACE_PROMISE] = PROMISES;
	snag_drdp_retire_from = UINT32_MAX; /* this one keeps everything */
	judge.detector->events(bytes_state, &batch);
	snag_drdp_retire_from = retire_from;
}

static void bytes_access(uint64_t at, uint64_t n, bool is_write)
{
	for (uint64_t i = at; i < at + n; i++)
		bytes_event(is_write ? SNAG_OP_WRITE : SNAG_OP_READ, 1 + (uint32_t)i);
}

static void record(enum rt_op op, unsigned size, uint64_t address, uint32_t arg)
{
	rt_judge_record(&(struct rt_record){.what = address | (uint64_t)op << RT_OP_SHIFT |
						    (uint64_t)size << RT_SIZE_SHIFT,
					    .arg = arg});
}

static void both_event(enum snag_op op, uint32_t target)
{
	record(RT_TASK, op, 0, target);
	bytes_event(op, target);
}

static void both_agree(void)
{
	bool inside = verdict.races > seen_races, bytes = bytes_races > seen_bytes_races;
	if (inside != bytes)
		wrong(inside ? "a race only inside" : "a race only by bytes");
}

/* Reads that may be left out, by size and place, as the runtime remembers them. */
static bool is_lasting[9][SPAN];
static unsigned nlasting, nlasting_ranges; /* that were */

void rt_lasting_end(void)
{
	memset(is_lasting, 0, sizeof(is_lasting));
}

static void access_report(uint64_t at, unsigned size, bool is_write)
{
	bool *lasts = &is_lasting[size][at];
	if ((is_write || !*lasts) && below(2))
		*lasts = rt_judge_access(place + at, size, is_write);
	else if (is_write || !*lasts) {
		rt_judge_new[__builtin_ctz(size)][is_write](place + at);
		*lasts = false;
	}
	nlasting += *lasts;
}

static void access_one(bool is_write)
{
	unsigned size = config->has_few ? 8 : 1u << below(4);
	uint64_t at = below(SPAN / 8) * 8;
	if (config->is_stack && below(16))
		size = 4u << below(2);
	if (config->has_few)
		at %= 16;
	else if (config->is_stack)
		at = STACK + at % STACK_BYTES;
	else if (below(4)) /* few places, so that they meet */
		at = at % 64 + below(3) * SHADOW_PAGE;
	if (!config->has_few)
		at += below(8) ? below(8) & ~(size - 1) : below(8); /* mostly aligned */
	at = at + size <= SPAN ? at : SPAN - size;
	access_report(at, size, is_write);
	bytes_access(at, size, is_write);
}

static void access_range(bool is_write)
{
	static const uint32_t unit[] = {SHADOW_PAGE, SHADOW_PAGE, 64, 64, 8, 8, 4, 1};
	uint32_t u = unit[below(8)], n = below(u == SHADOW_PAGE ? 3 : 40) + 1;
	uint64_t at = below(SPAN / u) * u, size = n * u;
	size = size < SPAN - at ? size : SPAN - at;
	if (config->has_few) {
		at = 0;
		size = 64;
	}
	if (below(2) && !config->has_few)
		record(is_write ? RT_WRITE_RANGE : RT_READ_RANGE, 0, place + at, (uint32_t)size);
	else
		rt_judge_places(place + at, size, 0, 1, is_write);
	for (unsigned i = 0; i < 1 << JUDGE_LASTING_LOG; i++)
		nlasting_ranges += !is_write && judge.lasting[i].lasts;
	bytes_access(at, size, is_write);
}

/* Several columns, one after the other. */
static void access_columns(bool is_write)
{
	uint64_t size = 1u << below(4), step = size * (1 + below(600)), count = 1 + below(12);
	uint64_t at = below(SPAN / 2), columns = 1 + below(step / size > 8 ? 8 : 2);
	while (at + (columns - 1) * size + (count - 1) * step + size > SPAN)
		count = count > 1 ? count / 2 : (at /= 2, 1);
	for (uint64_t c = 0; c < columns; c++, at += size) {
		bool is_back = below(2);
		rt_judge_places(place + at + (is_back ? (count - 1) * step : 0), size,
				is_back ? -(int64_t)step : (int64_t)step, count, is_write);
		for (uint64_t i = 0; i < count; i++)
			bytes_access(at + i * step, size, is_write);
	}
}

/* The end of a block, and another one at its place. */
static void block_new(void)
{
	uint32_t at = below(SPAN / 16) * 16, n = (1 + below(below(2) ? 4 : SPAN / 16)) * 16;
	if (config->has_few) {
		at = 0;
		n = 16;
	}
	if (config->is_stack) {
		at = STACK + below(STACK_BYTES / 8) * 8;
		n = (1 + below(STACK_BYTES / 8)) * 8;
	}
	n = n < SPAN - at ? n : SPAN - at;
	if (below(2) && n <= 1024) {
		record(RT_FREE, 0, place + at, n);
		for (uint32_t i = at; i < at + n; i++)
			if (shadow_is_touched(&judge.shadow, place + i))
				bytes_access(i, 1, true);
	}
	if (config->is_stack)
		rt_judge_stack(place + at, n);
	else if (below(2))
		record(RT_ALLOC, 0, place + at, n);
	else
		rt_judge_forget(place + at, n);
	judge.detector->inside->forget(bytes_state, 1 + at, n);
}

static void access_any(void)
{
	static const uint32_t few[] = {0, 3, 7, 7, 7}, stack[] = {3, 3, 7, 7, 7};
	bool is_write = below(config->has_few ? 20 : 3) == 0;
	switch (config->has_few ? few[below(5)] : config->is_stack ? stack[below(5)] : below(8)) {
	case 0:
	case 1:
		access_range(is_write);
		break;
	case 2:
		access_columns(is_write);
		break;
	case 3:
		if (!below(4))
			block_new();
		break;
	default:
		access_one(is_write);
	}
	if (below(2)) { /* the ranges that wait are judged now */
		record(RT_COUNT, 0, 0, 0);
		both_agree();
	}
}

static void switch_to(uint32_t to)
{
	record(RT_SWITCH, 0, 0, inside_of[to]);
	task = to;
}

/* A task is created and runs / ends, and another one runs: told at once, or one by one. */
static void task_new(uint32_t inside)
{
	if (++ntasks == MOST_TASKS)
		wrong("too many tasks");
	inside_of[ntasks] = inside;
}

static void child_begin(enum snag_op op)
{
	task_new(ntasks + 1);
	if (below(2)) {
		both_event(op, ntasks);
		switch_to(ntasks);
		return;
	}
	rt_judge_child((uint8_t)op, ntasks);
	bytes_event(op, ntasks);
	task = ntasks;
}

static void child_end(uint32_t next)
{
	if (below(2)) {
		both_event(SNAG_OP_TASK_END, 0);
		switch_to(next);
		return;
	}
	rt_judge_ended(inside_of[next]);
	bytes_event(SNAG_OP_TASK_END, 0);
	task = next;
}

static void body(int depth);

static void child(int depth)
{
	uint32_t self = task;
	bool is_spawned = config->has_spawn && below(2);
	if (!strcmp(config->detector, "spbags") || config->has_no_async)
		is_spawned = true;
	child_begin(is_spawned ? SNAG_OP_TASK_SPAWN : SNAG_OP_TASK_CREATE);
	body(depth + 1);
	bool may_leak = !config->is_synced && !strcmp(config->detector, "drdp");
	if (config->has_spawn && !(may_leak && below(2)))
		both_event(SNAG_OP_SYNC, 0);
	child_end(self);
}

/* The last task has ended, and there is another one. */
static void segment_next(uint32_t creator)
{
	rt_judge_next(inside_of[creator]);
	bytes_event(SNAG_OP_TASK_END, 0);
	task_new(inside_of[task]);
	task = creator;
	bytes_event(SNAG_OP_TASK_CREATE, ntasks);
	task = ntasks;
}

static void segments(int depth)
{
	uint32_t self = task, n = below(12);
	child_begin(SNAG_OP_TASK_CREATE);
	for (;; n--) {
		if (below(6))
			for (unsigned i = below(3); i > 0; i--)
				access_any();
		else
			body(depth + 1);
		if (n == 0)
			break;
		segment_next(self);
	}
	child_end(self);
}

static void promise(void)
{
	if (npromises && below(2))
		both_event(SNAG_OP_PROMISE_GET, below(npromises));
	else if (npromises < PROMISES)
		both_event(SNAG_OP_PROMISE_SET, npromises++);
}

static void body(int depth)
{
	bool may_finish = strcmp(config->detector, "spbags") != 0;
	for (unsigned n = below(config->has_few ? 12 : 7); n > 0; n--) {
		uint32_t what = depth < DEPTH ? below(10) : 9;
		if (what < 3) {
			child(depth);
		} else if (what == 3 && may_finish) {
			both_event(SNAG_OP_FINISH_BEGIN, 0);
			body(depth + 1);
			both_event(SNAG_OP_FINISH_END, 0);
		} else if (what == 4 && config->has_spawn) {
			both_event(SNAG_OP_SYNC, 0);
		} else if (what == 5 && config->has_isolated) {
			both_event(SNAG_OP_ISOLATED_BEGIN, 0);
			access_any();
			both_event(SNAG_OP_ISOLATED_END, 0);
		} else if (what == 6 && config->has_promises) {
			promise();
		} else if (what == 7 && config->has_segments) {
			segments(depth);
		} else {
			access_any();
		}
	}
}

/* Rounds, each in new memory and after all tasks of those before. */
static void run(void)
{
	static struct snag_detector_env env = {
		.on_race_with = on_race_with, .on_doubt = on_doubt, .on_refuse = on_refuse};
	if (!rt_judge_begin(config->detector, &verdict))
		wrong("no such detector");
	snag_drdp_retire_from = retire_from = config->retires ? 1 : UINT32_MAX;
	bytes_state = judge.detector->open(&env);
	if (config->is_synced)
		record(RT_NOTE, 0, RT_DIALECT_SNAG, RT_NOTE_TASKS);
	switch_to(0);
	bool is_spbags = !strcmp(config->detector, "spbags");
	const uint32_t rounds = config->has_few || config->is_stack ? MORE_ROUNDS : ROUNDS;
	for (round_number = 0; round_number < rounds; round_number++) {
		seen_races = verdict.races;
		seen_bytes_races = bytes_races;
		judge.express->min_age = 0; /* young readers, too */
		bool is_finish = !is_spbags;
		if (config->is_loose && round_number > rounds / 2)
			is_finish = below(4);
		if (is_finish)
			both_event(SNAG_OP_FINISH_BEGIN, 0);
		body(0);
		both_event(is_finish ? SNAG_OP_FINISH_END : SNAG_OP_SYNC, 0);
		both_agree();
		nracy += verdict.races > seen_races;
		if (config->retires && below(2))
			continue; /* what was done there comes before */
		record(RT_FORGET, 0, place, SPAN / SHADOW_PAGE);
		judge.detector->inside->forget(bytes_state, 1, SPAN);
	}
	if (verdict.doubts)
		wrong("inside it was refused");
	bool is_mixed = config->has_spawn && !config->has_no_async;
	bool may_last = config->is_synced && !is_mixed && !config->has_isolated;
	if (config->has_few && may_last && nlasting < rounds / 4)
		wrong("too few reads left out");
	if (config->has_few && may_last && nlasting_ranges < rounds / 8)
		wrong("too few ranges left out");
	if (nracy < rounds / 8 || nracy > rounds * 7 / 8)
		wrong("too few or too many rounds with a race");
}

/* In a process of its own: there is one judge in each. */
static void bytes_agree(void **state)
{
	config = *state;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL); /* cmocka's would go on with the next test */
		run();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	static struct config configs[] = {
		{"spbags", .has_spawn = true},
		{"espbags"},
		{"espbags", .has_spawn = true, .has_isolated = true},
		{"drdp"},
		{"drdp", .has_spawn = true, .has_isolated = true},
		{"drdp", .has_spawn = true, .has_few = true},
		{"drdp", .has_spawn = true, .has_promises = true, .is_synced = true},
		{"drdp", .has_spawn = true, .has_isolated = true, .is_synced = true},
		{"drdp", .has_spawn = true, .is_stack = true},
		{"drdp", .has_isolated = true, .is_stack = true},
		{"espbags", .is_stack = true},
		{"espbags", .is_synced = true, .has_few = true},
		{"espbags", .has_spawn = true, .is_synced = true, .has_no_async = true,
		 .has_few = true},
		{"espbags", .has_spawn = true, .has_isolated = true, .is_synced = true},
		{"espbags", .has_spawn = true, .is_synced = true, .has_few = true},
		{"drdp", .is_synced = true, .has_few = true},
		{"drdp", .has_spawn = true, .is_synced = true, .has_no_async = true},
		{"drdp", .has_spawn = true, .is_synced = true, .has_no_async = true,
		 .has_few = true},
		{"drdp", .has_spawn = true, .has_isolated = true, .is_synced = true,
		 .has_no_async = true, .has_few = true},
		{"drdp", .retires = true},
		{"drdp", .has_spawn = true, .has_isolated = true, .retires = true},
		{"drdp", .is_synced = true, .has_few = true, .retires = true},
		{"drdp", .has_spawn = true, .is_synced = true, .has_no_async = true,
		 .has_few = true, .retires = true},
		{"drdp", .has_segments = true},
		{"drdp", .has_segments = true, .has_few = true},
		{"drdp", .has_segments = true, .has_few = true, .is_synced = true},
		{"drdp", .has_segments = true, .has_spawn = true, .has_isolated = true},
		{"drdp", .has_segments = true, .has_spawn = true, .has_few = true},
		{"drdp", .has_segments = true, .has_spawn = true, .has_promises = true},
		{"drdp", .has_segments = true, .has_promises = true, .has_few = true},
		{"drdp", .has_segments = true, .has_few = true, .retires = true},
		{"drdp", .has_segments = true, .has_spawn = true, .has_isolated = true,
		 .retires = true},
		{"drdp", .has_segments = true, .is_stack = true, .retires = true},
		{"drdp", .has_promises = true, .retires = true},
		{"drdp", .has_few = true, .retires = true, .is_loose = true},
		{"drdp", .has_segments = true, .has_few = true, .retires = true, .is_loose = true},
		{"drdp", .has_segments = true, .has_promises = true, .has_few = true,
		 .retires = true},
		{"drdp", .has_segments = true, .has_promises = true, .has_isolated = true,
		 .has_spawn = true, .retires = true},
	};
	enum { N = sizeof(configs) / sizeof(configs[0]) };
	struct CMUnitTest tests[N];
	for (int i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){"bytes_agree", bytes_agree, NULL, NULL, &configs[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
