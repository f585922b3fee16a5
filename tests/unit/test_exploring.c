/* SPDX-License-Identifier: Apache-2.0
 *
 * test_exploring.c - runs as moves, their reversals and classes, shrinking, failures
 */
#include "explore/classes.h"
#include "explore/failure.h"
#include "explore/orders.h"
#include "explore/shrink.h"
#include "explore/sources.h"

#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A run as records: threads T1 and T2, created by T0. */
struct script {
	struct rt_record record[256];
	int n;
	uint32_t thread, events; /* that runs; in its turn */
};

static void put(struct script *s, enum rt_op op, unsigned size, uint64_t address, uint32_t loc,
		uint32_t arg)
{
	s->record[s->n++] = (struct rt_record){.what = address | (uint64_t)op << RT_OP_SHIFT |
						       (uint64_t)size << RT_SIZE_SHIFT,
					       .loc = loc,
					       .arg = arg};
}

enum { FUEL = 1000 };

static void turn(struct script *s, uint32_t thread)
{
	put(s, RT_SWITCH, 0, s->events, FUEL, thread);
	s->thread = thread;
	s->events = 0;
}

static void event(struct script *s, uint32_t thread)
{
	if (s->thread != thread)
		turn(s, thread);
	put(s, RT_COUNT, 0, 0, 0, FUEL - ++s->events);
}

static void access_to(struct script *s, uint32_t thread, bool is_write, uint64_t address)
{
	event(s, thread);
	put(s, is_write ? RT_WRITE : RT_READ, 4, address, 0, FUEL - s->events);
}

static void lock(struct script *s, uint32_t thread, bool takes, uint64_t address)
{
	event(s, thread);
	put(s, RT_TOUCH, RT_MUTEX, address, 0, 0);
	put(s, takes ? RT_ACQUIRE : RT_RELEASE, 0, address, 0, 0);
}

static void begin(struct script *s)
{
	*s = (struct script){.thread = UINT32_MAX};
	turn(s, 0);
	for (uint32_t t = 1; t <= 2; t++) {
		event(s, 0);
		put(s, RT_FORK, 0, 0, 0, t);
	}
}

static void moves_of(const struct script *s, struct snag_moves *ret)
{
	*ret = (struct snag_moves){0};
	snag_moves_add(ret, s->record, s->n);
	snag_moves_end(ret);
}

static uint64_t class_of(const struct script *s, size_t *ret_reversals)
{
	struct snag_moves m;
	struct snag_relation r;
	moves_of(s, &m);
	assert_true(snag_relation_make(&r, &m));
	uint64_t class = r.class;
	if (ret_reversals)
		*ret_reversals = r.nreversals;
	snag_relation_done(&r);
	snag_moves_done(&m);
	return class;
}

enum { X = 0x1000, Y = 0x2000, M = 0x3000 };

static void test_classes_of_accesses(void **unused)
{
	struct script s;
	size_t n;
	(void)unused;
	begin(&s); /* w(x) of T1, r(x) of T2 */
	access_to(&s, 1, true, X);
	access_to(&s, 2, false, X);
	uint64_t write_first = class_of(&s, &n);
	assert_int_equal(n, 1);
	begin(&s);
	access_to(&s, 2, false, X);
	access_to(&s, 1, true, X);
	assert_true(class_of(&s, &n) != write_first);
	assert_int_equal(n, 1);
	begin(&s); /* other memory, or other bytes of a word: no order */
	access_to(&s, 1, true, X);
	access_to(&s, 2, false, Y);
	access_to(&s, 2, true, X + 4);
	uint64_t apart = class_of(&s, &n);
	assert_int_equal(n, 0);
	begin(&s);
	access_to(&s, 2, false, Y);
	access_to(&s, 2, true, X + 4);
	access_to(&s, 1, true, X);
	assert_true(class_of(&s, NULL) == apart);
	begin(&s); /* two reads */
	access_to(&s, 1, false, X);
	access_to(&s, 2, false, X);
	class_of(&s, &n);
	assert_int_equal(n, 0);
}

static void section(struct script *s, uint32_t thread, uint64_t address)
{
	lock(s, thread, true, M);
	access_to(s, thread, true, address);
	lock(s, thread, false, M);
}

static void test_sections(void **unused)
{
	struct script s;
	size_t n;
	(void)unused;
	begin(&s);
	section(&s, 1, X);
	section(&s, 2, X);
	uint64_t one_first = class_of(&s, &n);
	assert_int_equal(n, 1); /* the acquires; not the accesses inside */
	begin(&s);
	section(&s, 2, X);
	section(&s, 1, X);
	assert_true(class_of(&s, NULL) != one_first);
}

/* A thread that waits for a lock and gets it later makes the same class. */
static void test_attempt(void **unused)
{
	struct script s;
	(void)unused;
	begin(&s);
	section(&s, 1, X);
	section(&s, 2, Y);
	uint64_t expected = class_of(&s, NULL);
	begin(&s);
	lock(&s, 1, true, M);
	event(&s, 2);
	put(&s, RT_TOUCH, RT_MUTEX, M, 0, 0);
	put(&s, RT_TOUCH, RT_TOUCH_BLOCKS | RT_MUTEX, M, 0, 0);
	uint32_t before = s.events;
	/* T1 has made one event in its first turn. */
	turn(&s, 1);
	s.events = 0;
	access_to(&s, 1, true, X);
	lock(&s, 1, false, M);
	turn(&s, 2);
	assert_int_equal(before, 1);
	put(&s, RT_ACQUIRE, 0, M, 0, 0);
	access_to(&s, 2, true, Y);
	lock(&s, 2, false, M);
	assert_true(class_of(&s, NULL) == expected);
}

/* A lock that is never released: the one who waits could have been first. */
static void test_pending(void **unused)
{
	struct script s;
	struct snag_moves m;
	struct snag_relation r;
	struct snag_turns t;
	(void)unused;
	begin(&s);
	lock(&s, 1, true, M);
	event(&s, 2);
	put(&s, RT_TOUCH, RT_TOUCH_BLOCKS | RT_MUTEX, M, 0, 0);
	moves_of(&s, &m);
	assert_true(snag_relation_make(&r, &m));
	assert_int_equal(r.nreversals, 1);
	snag_reversal_turns(&r, &r.reversal[0], &t);
	assert_int_equal(t.n, 2); /* T0 creates both, T2 takes the lock */
	assert_int_equal(t.at[0].thread, 0);
	assert_int_equal(t.at[0].events, 2);
	assert_int_equal(t.at[1].thread, 2);
	assert_int_equal(t.at[1].events, 1);
	snag_turns_done(&t);
	snag_relation_done(&r);
	snag_moves_done(&m);
}

static void test_reversal_turns(void **unused)
{
	struct script s;
	struct snag_moves m;
	struct snag_relation r;
	struct snag_turns t;
	(void)unused;
	begin(&s); /* T1: w(y) w(x) w(y); T2: r(x) */
	access_to(&s, 1, true, Y);
	access_to(&s, 1, true, X);
	access_to(&s, 1, true, Y);
	access_to(&s, 2, false, X);
	moves_of(&s, &m);
	assert_true(snag_relation_make(&r, &m));
	assert_int_equal(r.nreversals, 1);
	snag_reversal_turns(&r, &r.reversal[0], &t);
	assert_int_equal(t.n, 3); /* T0 2, T1 1: up to before w(x), T2 1 */
	assert_int_equal(t.at[1].thread, 1);
	assert_int_equal(t.at[1].events, 1);
	assert_int_equal(t.at[2].thread, 2);
	snag_turns_done(&t);
	snag_relation_done(&r);
	snag_moves_done(&m);
}

static void test_classes_end(void **unused)
{
	struct snag_classes c = {0};
	struct snag_turns t;
	struct snag_moves m;
	struct script s;
	(void)unused;
	assert_true(snag_classes_next(&c, &t)); /* any run */
	assert_int_equal(t.n, 0);
	assert_false(snag_classes_next(&c, &t));
	begin(&s);
	access_to(&s, 1, true, X);
	access_to(&s, 2, false, X);
	moves_of(&s, &m);
	assert_true(snag_classes_add(&c, &m));
	assert_false(snag_classes_add(&c, &m));
	snag_moves_done(&m);
	assert_true(snag_classes_next(&c, &t));
	snag_turns_done(&t);
	begin(&s);
	access_to(&s, 2, false, X);
	access_to(&s, 1, true, X);
	moves_of(&s, &m);
	assert_true(snag_classes_add(&c, &m));
	snag_moves_done(&m);
	assert_true(snag_classes_next(&c, &t)); /* back, which was not tried as a reversal */
	snag_turns_done(&t);
	assert_false(snag_classes_next(&c, &t));
	assert_int_equal(snag_tally_n(&c.classes), 2);
	snag_classes_done(&c);
}

static void test_orders(void **unused)
{
	struct snag_seen_orders o = {0};
	struct snag_turns t;
	struct snag_moves m;
	struct snag_relation r;
	struct script s;
	(void)unused;
	begin(&s);
	put(&s, RT_NODE, 0, 0x71, 0, 1);
	put(&s, RT_NODE, 0, 0x72, 0, 2);
	access_to(&s, 1, true, X);
	s.record[s.n - 1].loc = 1;
	access_to(&s, 2, false, X);
	s.record[s.n - 1].loc = 2;
	moves_of(&s, &m);
	assert_true(snag_relation_make(&r, &m));
	/* The order of the two, and after what each of them came. */
	assert_int_equal(snag_seen_orders_add(&o, &r, false, 1), 3);
	assert_int_equal(snag_seen_orders_add(&o, &r, false, 1), 0);
	assert_true(snag_seen_orders_next(&o, 1, &t)); /* the other way round */
	snag_turns_done(&t);
	assert_true(snag_seen_orders_next(&o, 1, &t)); /* the read without a source: the same */
	snag_turns_done(&t);
	assert_false(snag_seen_orders_next(&o, 1, &t));
	assert_true(snag_seen_orders_all(&o) == 3);
	assert_int_equal(snag_seen_orders_add(&o, &r, true, 1), 0);
	assert_true(snag_seen_orders_next(&o, 1, &t)); /* from the pool */
	snag_turns_done(&t);
	assert_false(snag_seen_orders_next(&o, 1, &t));
	snag_relation_done(&r);
	snag_moves_done(&m);
	snag_seen_orders_done(&o);
}

struct seen_sources {
	const struct snag_moves *m;
	uint64_t shown[8], other[8];
	struct snag_reversal reversal[8];
	size_t nshown, nothers;
};

static void on_source(void *ctx, uint64_t source, const struct snag_reversal *other)
{
	struct seen_sources *x = ctx;
	if (!other)
		x->shown[x->nshown++] = source;
	else if (x->m->at[other->second].thread == 3) {
		x->reversal[x->nothers] = *other;
		x->other[x->nothers++] = source;
	}
}

/* T1 and T2 write at the same place, then T3 reads: it could come after the first write, or before
 * both.  The reversals of relation.h only turn the second write round. */
static void test_sources(void **unused)
{
	struct seen_sources x = {0};
	struct snag_moves m;
	struct snag_relation r;
	struct script s;
	(void)unused;
	begin(&s);
	event(&s, 0);
	put(&s, RT_FORK, 0, 0, 0, 3);
	put(&s, RT_NODE, 0, 0x71, 0, 1);
	put(&s, RT_NODE, 0, 0x72, 0, 2);
	for (uint32_t t = 1; t <= 3; t++) {
		access_to(&s, t, t < 3, X);
		s.record[s.n - 1].loc = t < 3 ? 1 : 2;
	}
	moves_of(&s, &m);
	x.m = &m;
	assert_true(snag_relation_make(&r, &m));
	snag_sources_each(&r, on_source, &x);
	assert_int_equal(x.nshown, 3);
	assert_int_equal(x.nothers, 2);
	assert_int_equal(m.at[x.reversal[0].first].thread, 2);
	assert_int_equal(m.at[x.reversal[1].first].thread, 1);
	assert_true(x.other[0] == x.shown[2]); /* the same places as shown */
	assert_true(x.other[1] != x.shown[2]);
	snag_relation_done(&r);
	snag_moves_done(&m);
}

/* Fails iff T2 runs between two turns of T1. */
static bool is_between(void *ctx, const struct snag_turns *turns, struct snag_turns *ret)
{
	bool has_one = false, has_two = false, fails = false;
	++*(unsigned *)ctx;
	for (size_t i = 0; i < turns->n; i++) {
		fails |= turns->at[i].thread == 1 && has_one && has_two;
		has_two |= turns->at[i].thread == 2 && has_one;
		has_one |= turns->at[i].thread == 1;
	}
	if (fails)
		snag_turns_copy(ret, turns);
	return fails;
}

static void test_shrink(void **unused)
{
	struct snag_turns t = {0};
	unsigned runs = 0;
	const struct snag_shrink how = {
		.fails = is_between, .ctx = &runs, .runs = 1000, .seconds = 60};
	(void)unused;
	for (uint32_t i = 0; i < 40; i++)
		snag_turns_add(&t, i % 4, 3);
	assert_int_equal(snag_turns_switches(&t), 39);
	snag_shrink(&how, &t);
	assert_true(snag_turns_switches(&t) <= 3);
	assert_true(runs <= 1000);
	snag_turns_done(&t);
}

static void test_failures(void **unused)
{
	const struct snag_expectation zero = {.status = 0, .same_output = true, .output = 5};
	struct snag_expectation ignores = {.status = 0, .ignored = 1u << SNAG_FAILURE_RACE};
	struct snag_trial_end end = {.output = 5};
	(void)unused;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_NONE);
	end.output = 6;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_OUTPUT);
	end.status = 3 << 8;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_STATUS);
	end.status = SIGABRT;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_ASSERTION);
	end.status = SIGSEGV;
	uint64_t number = snag_failure_of(&end, &zero).number;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_CRASH);
	end.status = SIGSEGV | 0x80; /* with a core dump it is the same */
	assert_true(snag_failure_of(&end, &zero).number == number);
	end.races = 1;
	assert_int_equal(snag_failure_of(&end, &zero).kind, SNAG_FAILURE_RACE);
	assert_int_equal(snag_failure_of(&end, &ignores).kind, SNAG_FAILURE_CRASH);
	end = (struct snag_trial_end){.status = SIGKILL, .was_late = true};
	assert_int_equal(snag_failure_of(&end, &ignores).kind, SNAG_FAILURE_HANG);
	assert_int_equal(snag_failure_find("deadlock", 8), SNAG_FAILURE_DEADLOCK);
	assert_int_equal(snag_failure_find("none", 4), SNAG_FAILURE_NONE);
	assert_int_equal(snag_failure_find("rac", 3), SNAG_FAILURE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_of_accesses),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_attempt),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_reversal_turns),
		cmocka_unit_test(test_classes_end),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_shrink),
		cmocka_unit_test(test_failures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
