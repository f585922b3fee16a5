/* SPDX-License-Identifier: Apache-2.0
 *
 * test_generate.c - generated traces are exact, well-formed, protected and repeatable
 *
 * The rules of traces are checked here by themselves, not by wellformed.c, so that
 * either can find fault with the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/generate.h"
#include "trace/trace.h"

enum { MAX_THREADS = 200, MAX_LOCKS = 400, MAX_HELD = 16 };

struct tally {
	uint64_t reads, writes, branches, acquires, bare, switches;
	uint64_t acquires_of[MAX_LOCKS], accesses_of_variable_0;
	uint32_t deepest;
};

static struct snag_trace load(const struct snag_generate_options *o)
{
	struct snag_source *src;
	struct snag_error err;
	struct snag_trace trace;
	assert_int_equal(snag_generate_source(o, &src, &err), 0);
	snag_trace_init(&trace);
	assert_int_equal(snag_trace_load(&trace, src, &err), 0);
	snag_source_close(src);
	return trace;
}

/* The number in a name: 12 of "T12". */
static uint32_t number(const struct snag_trace *trace, enum snag_space space, uint32_t id)
{
	const char *name = snag_name(&trace->names, space, id);
	return (uint32_t)atoi(name + (space != SNAG_SPACE_LOCATION));
}

struct state {
	uint32_t held[MAX_THREADS][MAX_HELD], nheld[MAX_THREADS];
	bool taken[MAX_LOCKS], forked[MAX_THREADS], joined[MAX_THREADS];
};

static void check_lock(struct state *s, struct tally *c, uint32_t t, uint32_t l, bool is_acquire)
{
	if (is_acquire) {
		assert_false(s->taken[l]);
		if (s->nheld[t]) /* increasing order: no deadlock is possible, nor reentrancy */
			assert_true(s->held[t][s->nheld[t] - 1] < l);
		s->held[t][s->nheld[t]++] = l;
		s->taken[l] = true;
		c->acquires++;
		c->acquires_of[l]++;
		c->deepest = s->nheld[t] > c->deepest ? s->nheld[t] : c->deepest;
	} else {
		assert_true(s->nheld[t] > 0);
		assert_int_equal(s->held[t][--s->nheld[t]], l);
		s->taken[l] = false;
	}
}

static void check_access(const struct state *s, struct tally *c, uint32_t t, uint32_t v,
			 uint32_t locks)
{
	bool is_protected = false;
	for (uint32_t i = 0; i < s->nheld[t]; i++)
		is_protected |= s->held[t][i] == v % locks;
	c->bare += !is_protected;
	c->accesses_of_variable_0 += v == 0;
}

static struct tally check(const struct snag_trace *trace, const struct snag_generate_options *o)
{
	static struct state s;
	struct tally c = {0};
	memset(&s, 0, sizeof(s));
	assert_int_equal(trace->n, o->events);
	for (size_t i = 0; i < trace->n; i++) {
		const struct snag_event *ev = &trace->ev[i];
		uint32_t t = number(trace, SNAG_SPACE_THREAD, ev->thread);
		enum snag_space space = snag_op_info[ev->op].space;
		uint32_t object = space == SNAG_SPACE_NONE ? 0 : number(trace, space, ev->target);
		assert_true(t < o->threads && !s.joined[t]);
		assert_true(t == 0 || !o->fork_join || s.forked[t]);
		c.switches += i > 0 && trace->ev[i - 1].thread != ev->thread;
		switch (ev->op) {
		case SNAG_OP_READ:
		case SNAG_OP_WRITE:
			assert_true(object < o->variables);
			check_access(&s, &c, t, object, o->locks ? o->locks : 1);
			c.reads += ev->op == SNAG_OP_READ;
			c.writes += ev->op == SNAG_OP_WRITE;
			break;
		case SNAG_OP_ACQUIRE:
		case SNAG_OP_RELEASE:
			assert_true(object < o->locks);
			check_lock(&s, &c, t, object, ev->op == SNAG_OP_ACQUIRE);
			break;
		case SNAG_OP_FORK:
			assert_true(o->fork_join && t == 0 && !s.forked[object]);
			s.forked[object] = true;
			break;
		case SNAG_OP_JOIN:
			assert_true(t == 0 && s.forked[object]);
			s.joined[object] = true;
			break;
		case SNAG_OP_BRANCH:
			c.branches++;
			break;
		default:
			fail();
		}
	}
	for (uint32_t t = 0; t < o->threads; t++) {
		assert_int_equal(s.nheld[t], 0);
		assert_true(t == 0 || s.joined[t] == o->fork_join);
	}
	return c;
}

static struct tally generate(const struct snag_generate_options *o)
{
	struct snag_trace trace = load(o);
	struct tally c = check(&trace, o);
	snag_trace_done(&trace);
	return c;
}

static void assert_near(double value, double expected, double tolerance)
{
	if (value < expected - tolerance || value > expected + tolerance)
		fail_msg("%g is not within %g of %g", value, tolerance, expected);
}

static void test_defaults(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 200000;
	struct tally c = generate(&o);
	double accesses = (double)(c.reads + c.writes);
	assert_near((double)c.bare / accesses, o.unprotected, 0.0005);
	assert_near((double)c.reads / accesses, o.reads, 0.01);
	assert_near((double)(c.acquires_of[0] + c.acquires_of[1]) / (double)c.acquires, 0.5, 0.03);
	assert_int_equal(c.deepest, 2);
	assert_int_equal(c.branches, 0);
}

static void test_turn(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 100000;
	o.threads = 100;
	o.locks = 400; /* nobody waits long */
	o.hot_locks = 0;
	o.turn = 7;
	struct tally c = generate(&o);
	assert_near((double)o.events / (double)c.switches, 6.5, 0.7);
}

static void test_protected(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 50000;
	o.unprotected = 0;
	o.nesting = 5;
	o.branches = 0.25;
	struct tally c = generate(&o);
	assert_int_equal(c.bare, 0);
	assert_near((double)c.branches / (double)(c.reads + c.writes + c.branches), 0.25, 0.02);
}

static void test_skew(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 100000;
	o.hot_locks = 0;
	o.skew = 1;
	struct tally c = generate(&o);
	/* The first of 50 has 1 / (1 + 1/2 + ... + 1/50) = 0.222 of all draws. */
	assert_near((double)c.acquires_of[0] / (double)c.acquires, 0.21, 0.02);
	assert_true(c.accesses_of_variable_0 > 100 * (c.reads + c.writes) / o.variables);
}

static void test_odd_shapes(void **state)
{
	struct snag_generate_options base = snag_generate_defaults;
	base.events = 20000;
	struct snag_generate_options o[8];
	for (int i = 0; i < 8; i++)
		o[i] = base;
	o[0].threads = 1;
	o[1].threads = 150; /* most of them wait at the one lock */
	o[1].locks = o[1].hot_locks = 1;
	o[2].variables = 1;
	o[3].locks = o[3].hot_locks = 0;
	o[3].unprotected = 1;
	o[4].fork_join = false;
	o[5].variables = 3; /* fewer than locks */
	o[5].locks = 300;
	o[6].nesting = 16;
	o[6].locks = 16;
	o[6].threads = 100;
	o[7].locations = 0;
	o[7].turn = 1;
	for (int i = 0; i < 8; i++)
		generate(&o[i]);
}

static void test_every_length(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.threads = 3;
	for (o.events = 8; o.events < 300; o.events++)
		for (o.seed = 0; o.seed < 5; o.seed++)
			generate(&o);
}

static void test_repeatable(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	o.events = 30000;
	o.skew = 0.8;
	struct snag_trace a = load(&o), b = load(&o);
	assert_memory_equal(a.ev, b.ev, a.n * sizeof(*a.ev));
	o.seed++;
	struct snag_trace c = load(&o);
	assert_memory_not_equal(a.ev, c.ev, a.n * sizeof(*a.ev));
	snag_trace_done(&a);
	snag_trace_done(&b);
	snag_trace_done(&c);
}

static void test_again(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	struct snag_source *first, *second;
	struct snag_error err;
	struct snag_batch a, b;
	o.events = 10000;
	assert_int_equal(snag_generate_source(&o, &first, &err), 0);
	assert_int_equal(snag_source_next(first, &a, &err), 1);
	assert_int_equal(snag_source_again(first, &second, &err), 1);
	assert_int_equal(snag_source_next(second, &b, &err), 1);
	assert_int_equal(a.n, b.n);
	assert_memory_equal(a.ev, b.ev, a.n * sizeof(*a.ev));
	snag_source_close(first);
	snag_source_close(second);
}

/* Ids count in order of first appearance, and batches carry the counts. */
static void test_ids(void **state)
{
	struct snag_source *src;
	struct snag_error err;
	struct snag_batch batch;
	struct snag_generate_options o = snag_generate_defaults;
	o.fork_join = false;
	o.events = 10000;
	uint32_t seen[SNAG_SPACES] = {0};
	uint64_t first = 0;
	assert_int_equal(snag_generate_source(&o, &src, &err), 0);
	while (snag_source_next(src, &batch, &err) > 0) {
		assert_int_equal(batch.first, first);
		first += batch.n;
		for (size_t i = 0; i < batch.n; i++) {
			const struct snag_event *ev = &batch.ev[i];
			const uint32_t space[3] = {SNAG_SPACE_THREAD, snag_op_info[ev->op].space,
						   SNAG_SPACE_LOCATION};
			const uint32_t id[3] = {ev->thread, ev->target, ev->loc};
			for (int k = 0; k < 3; k++) {
				assert_true(id[k] <= seen[space[k]]);
				seen[space[k]] += id[k] == seen[space[k]];
				assert_true(id[k] < batch.counts.n[space[k]]);
			}
		}
	}
	assert_int_equal(first, o.events);
	assert_true(snag_source_progress(src) == 1);
	snag_source_close(src);
}

static void test_refused(void **state)
{
	struct snag_generate_options o[7];
	for (int i = 0; i < 7; i++)
		o[i] = snag_generate_defaults;
	o[0].threads = 0;
	o[1].events = 10;
	o[2].locks = o[2].hot_locks = 0;
	o[3].hot_locks = 51;
	o[4].unprotected = 1.5;
	o[5].nesting = 17;
	o[6].turn = 0.5;
	for (int i = 0; i < 7; i++) {
		struct snag_source *src = NULL;
		struct snag_error err = {0};
		assert_int_equal(snag_generate_source(&o[i], &src, &err), SNAG_EINPUT);
		assert_null(src);
		assert_non_null(strstr(err.msg, "generate: "));
	}
}

static void threads_follow_each_other(void **state)
{
	struct snag_generate_options o = snag_generate_defaults;
	struct snag_source_options checked = {0};
	struct snag_source *src;
	struct snag_error err;
	struct snag_batch batch;
	uint64_t n = 0;
	uint32_t threads = 0;
	o.events = 50000;
	o.life = 3;
	assert_int_equal(snag_generate_source(&o, &src, &err), 0);
	src = snag_wellformed_source(src, &checked);
	int rc;
	while ((rc = snag_source_next(src, &batch, &err)) > 0) {
		n += batch.n;
		threads = batch.counts.n[SNAG_SPACE_THREAD];
	}
	assert_int_equal(rc, 0);
	assert_int_equal(n, o.events);
	assert_in_range(threads, 500, 5000);
	snag_source_close(src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_follow_each_other),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_protected),
		cmocka_unit_test(test_skew),
		cmocka_unit_test(test_odd_shapes),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_repeatable),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_turn),
		cmocka_unit_test(test_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
