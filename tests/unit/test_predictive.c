/* SPDX-License-Identifier: Apache-2.0
 *
 * test_predictive.c - what makes the predictive orders cheap changes no answer
 *
 * The oracle compares the predictive orders with their definitions on small traces, where
 * nothing is ever trimmed, and nobody holds many locks.  Here longer traces are run twice: as
 * usual, and trimmed after every few events, or with all locks but few treated as those of a thread
 * that holds very many.
 */
#include "unit.h"

#include "base/memory.h"
#include "bench/generate.h"
#include "bench/random.h"
#include "detect/predictive/predictive.h"

#include <stdio.h>
#include <string.h>

enum { PIECE = 64 };

struct answers {
	uint64_t *at; /* event and a digest of what is ordered before it */
	size_t n, cap;
};

static void on_racy(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t since,
		    struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	struct answers *a = ctx;
	uint64_t digest = 0;
	for (uint32_t u = 0; u < pool->seats.nthreads; u++)
		if (u != ev->thread)
			digest = digest * 31 + snag_vclock_of_thread(pool, before, u);
	a->at = snag_grow(a->at, &a->cap, a->n + 1, sizeof(*a->at));
	a->at[a->n++] = (uint64_t)event << 32 | (uint32_t)(digest ^ digest >> 32);
}

/* How a trace is run. */
struct manner {
	bool trims;
	uint32_t max_direct; /* 0: as usual */
	size_t piece;	     /* events at a time; 0: some */
	bool order_races;
};

struct work {
	size_t sections; /* the most there were */
	size_t entries;	 /* of variables and locks */
};

/* Runs the trace in small batches. */
static struct work run(const char *name, const struct snag_trace *trace, struct manner manner,
		       struct answers *ret_answers)
{
	const struct snag_detector *d = snag_detector_find(name, strlen(name));
	struct snag_detector_env env = {
		.on_racy = on_racy, .ctx = ret_answers, .order_races = manner.order_races};
	struct work work = {0};
	struct snag_predictive *p = d->open(&env);
	if (manner.max_direct)
		p->max_direct = manner.max_direct;
	size_t most = manner.piece ? manner.piece : PIECE;
	for (size_t i = 0; i < trace->n; i += most) {
		struct snag_batch piece = {.ev = trace->ev + i,
					   .n = trace->n - i < most ? trace->n - i : most,
					   .first = i,
					   .counts = snag_names_counts(&trace->names)};
		if (manner.trims)
			p->section_limit = 0;
		d->events(p, &piece);
		work.sections = p->sections.n > work.sections ? p->sections.n : work.sections;
	}
	work.entries = p->conflicts.n;
	d->close(p);
	return work;
}

static void assert_same(const char *name, const struct answers *usual, const struct answers *other)
{
	if (usual->n != other->n ||
	    memcmp(usual->at, other->at, usual->n * sizeof(*usual->at)) != 0)
		fail_msg("%s: %zu racy accesses, then %zu, or other clocks", name, usual->n,
			 other->n);
}

static void answers_done(struct answers *a)
{
	free(a->at);
	*a = (struct answers){0};
}

static void trace_generate(struct snag_trace *trace, const struct snag_generate_options *options)
{
	struct snag_source *src;
	struct snag_error err;
	snag_trace_init(trace);
	assert_int_equal(snag_generate_source(options, &src, &err), 0);
	assert_int_equal(snag_trace_load(trace, src, &err), 0);
	snag_source_close(src);
}

static const char *const names[] = {"wcp", "dc", "sdp", "sdpx", "wdp"};

enum { NNAMES = sizeof(names) / sizeof(names[0]) };

/* A trace with nested locks and few unprotected accesses; its shape follows from the seed. */
static void nested_generate(struct snag_trace *trace, uint32_t seed, uint32_t events, double reads)
{
	struct snag_generate_options options = snag_generate_defaults;
	options.events = events;
	options.unprotected = 0.02;
	options.branches = 0.1;
	options.nesting = 3;
	options.variables = 40;
	options.reads = reads;
	options.seed = seed;
	options.threads = 2 + seed;
	options.locks = 4 + seed;
	options.fork_join = seed % 2;
	trace_generate(trace, &options);
}

static void trimming_changes_no_answer(void **state)
{
	for (uint32_t seed = 1; seed <= 6; seed++) {
		struct snag_trace trace;
		nested_generate(&trace, seed, 20000, snag_generate_defaults.reads);
		for (size_t i = 0; i < NNAMES; i++) {
			struct answers usual = {0}, trimmed = {0};
			size_t all = run(names[i], &trace, (struct manner){0}, &usual).sections;
			struct manner trims = {.trims = true};
			size_t kept = run(names[i], &trace, trims, &trimmed).sections;
			assert_same(names[i], &usual, &trimmed);
			assert_true(usual.n > 10);
			/* For sdpx every section is filed, and more of them matter. */
			assert_true(kept < all / (strcmp(names[i], "sdpx") == 0 ? 1 : 2));
			answers_done(&usual);
			answers_done(&trimmed);
		}
		snag_trace_done(&trace);
	}
}

/* The same where races order their accesses. */
static void trimming_changes_no_ordered_answer(void **state)
{
	for (uint32_t seed = 1; seed <= 6; seed++) {
		struct snag_trace trace;
		nested_generate(&trace, seed, 6000, 0.3);
		for (size_t i = 0; i < NNAMES; i++) {
			struct answers defined = {0}, usual = {0}, trimmed = {0};
			struct manner ordered = {.order_races = true};
			struct manner trims = {.order_races = true, .trims = true};
			run(names[i], &trace, (struct manner){0}, &defined);
			run(names[i], &trace, ordered, &usual);
			run(names[i], &trace, trims, &trimmed);
			assert_same(names[i], &usual, &trimmed);
			assert_true(usual.n > 10 && usual.n <= defined.n);
			answers_done(&defined);
			answers_done(&usual);
			answers_done(&trimmed);
		}
		snag_trace_done(&trace);
	}
}

enum { THREADS = 8, LOCKS = 12, VARIABLES = 6 };

struct maker {
	struct snag_random random;
	struct snag_trace *trace;
	struct maker_thread {
		bool is_alive, was_forked;
		unsigned n, lock[LOCKS];
		bool is_shared[LOCKS];
	} thread[THREADS];
	unsigned holders[LOCKS]; /* shared ones */
	bool is_held[LOCKS];	 /* alone */
};

static void make(struct maker *m, unsigned thread, enum snag_op op, const char *space, unsigned id)
{
	char who[16], what[16];
	snprintf(who, sizeof(who), "T%u", thread);
	snprintf(what, sizeof(what), "%s%u", space, id);
	snag_trace_add(m->trace, who, op, what, "1");
}

static void make_acquire(struct maker *m, unsigned t)
{
	struct maker_thread *thread = &m->thread[t];
	unsigned l = snag_random_below(&m->random, LOCKS);
	bool is_shared = l == 0 && snag_random_below(&m->random, 2);
	for (unsigned i = 0; i < thread->n; i++)
		if (thread->lock[i] == l)
			return;
	if (m->is_held[l] || (m->holders[l] && !is_shared))
		return;
	make(m, t, is_shared ? SNAG_OP_ACQUIRE_SHARED : SNAG_OP_ACQUIRE, "L", l);
	m->is_held[l] = !is_shared;
	m->holders[l] += is_shared;
	thread->is_shared[thread->n] = is_shared;
	thread->lock[thread->n++] = l;
}

static void make_release(struct maker *m, unsigned t)
{
	struct maker_thread *thread = &m->thread[t];
	if (thread->n == 0)
		return;
	unsigned i = snag_random_below(&m->random, 8) ? thread->n - 1
						      : snag_random_below(&m->random, thread->n);
	unsigned l = thread->lock[i];
	bool is_shared = thread->is_shared[i];
	make(m, t, is_shared ? SNAG_OP_RELEASE_SHARED : SNAG_OP_RELEASE, "L", l);
	m->is_held[l] &= is_shared;
	m->holders[l] -= is_shared;
	thread->n--;
	for (; i < thread->n; i++) {
		thread->lock[i] = thread->lock[i + 1];
		thread->is_shared[i] = thread->is_shared[i + 1];
	}
}

/* Threads 0 to 2 are roots; the others are forked, joined by T0, and some joined again. */
static void make_fork_or_join(struct maker *m)
{
	unsigned t = 3 + snag_random_below(&m->random, THREADS - 3);
	struct maker_thread *thread = &m->thread[t];
	if (!thread->was_forked) {
		make(m, 0, SNAG_OP_FORK, "T", t);
		thread->was_forked = thread->is_alive = true;
		return;
	}
	if (thread->is_alive && thread->n && snag_random_below(&m->random, 8))
		return; /* few end while they hold a lock */
	make(m, snag_random_below(&m->random, 3), SNAG_OP_JOIN, "T", t);
	thread->is_alive = false;
}

static void make_access(struct maker *m, unsigned t)
{
	static const enum snag_op ops[] = {SNAG_OP_READ,   SNAG_OP_READ,	 SNAG_OP_READ,
					   SNAG_OP_WRITE,  SNAG_OP_WRITE,	 SNAG_OP_BRANCH,
					   SNAG_OP_BRANCH, SNAG_OP_ATOMIC_UPDATE};
	make(m, t, ops[snag_random_below(&m->random, 8)], "V",
	     snag_random_below(&m->random, VARIABLES));
}

static void trace_make(struct snag_trace *trace, uint64_t seed, size_t n)
{
	struct maker m = {.trace = trace};
	snag_trace_init(trace);
	snag_random_init(&m.random, seed);
	for (unsigned t = 0; t < 3; t++)
		m.thread[t].is_alive = true;
	while (trace->n < n) {
		unsigned t = snag_random_below(&m.random, THREADS);
		unsigned what = snag_random_below(&m.random, 128);
		if (what == 0)
			make_fork_or_join(&m);
		else if (!m.thread[t].is_alive)
			continue;
		else if (what < 24)
			make_acquire(&m, t);
		else if (what < 46)
			make_release(&m, t);
		else
			make_access(&m, t);
	}
}

/* Trimmed, and with nearly all sections deep. */
static void manners_change_no_answer(void **state)
{
	static const struct manner manners[] = {{.trims = true, .piece = 4},
						{.max_direct = 1},
						{.max_direct = 2, .trims = true, .piece = 16},
						{.max_direct = 3}};
	size_t nracy = 0;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct snag_trace trace;
		trace_make(&trace, seed, 500);
		for (size_t i = 0; i < NNAMES; i++) {
			struct answers usual = {0}, other = {0};
			run(names[i], &trace, (struct manner){.max_direct = UINT32_MAX}, &usual);
			run(names[i], &trace, manners[seed % 4], &other);
			assert_same(names[i], &usual, &other);
			nracy += usual.n;
			answers_done(&usual);
			answers_done(&other);
		}
		snag_trace_done(&trace);
	}
	assert_true(nracy > 10000);
}

/* One thread takes the locks one by one. */
static void make_one_by_one(struct maker *m, unsigned t, unsigned many)
{
	for (unsigned l = 0; l < many; l++) {
		make(m, t, SNAG_OP_ACQUIRE, "L", l);
		make(m, t, SNAG_OP_WRITE, "V", l);
		make(m, t, SNAG_OP_RELEASE, "L", l);
	}
	make(m, t, SNAG_OP_WRITE, "Z", 0);
}

/* One thread takes all, and accesses all variables. */
static void make_all_at_once(struct maker *m, unsigned t, unsigned many)
{
	for (unsigned l = 0; l < many; l++)
		make(m, t, SNAG_OP_ACQUIRE, "L", l);
	for (unsigned x = 0; x < many; x++)
		make(m, t, x % 2 ? SNAG_OP_WRITE : SNAG_OP_READ, "V", x);
	make(m, t, SNAG_OP_WRITE, "Z", 0);
	for (unsigned l = many; l-- > 0;)
		make(m, t, SNAG_OP_RELEASE, "L", l);
}

/* No lock need hear of every variable. */
static void many_locks_cost_little(void **state)
{
	enum { MANY = 400, FEW = 64 };
	struct snag_trace trace;
	struct maker m = {.trace = &trace};
	snag_trace_init(&trace);
	make_one_by_one(&m, 2, MANY);
	make_all_at_once(&m, 0, MANY);
	make_all_at_once(&m, 1, MANY);
	make_one_by_one(&m, 3, MANY);
	for (size_t i = 0; i < NNAMES; i++) {
		struct answers usual = {0}, other = {0};
		struct manner direct = {.max_direct = UINT32_MAX};
		struct work work = run(names[i], &trace, (struct manner){0}, &usual);
		run(names[i], &trace, direct, &other);
		assert_same(names[i], &usual, &other);
		assert_true(usual.n > 0);
		assert_true(work.entries < (size_t)FEW * MANY);
		answers_done(&usual);
		answers_done(&other);
	}
	snag_trace_done(&trace);
}

/* "0+a": thread, operation (+ acquire, - release, < > the same shared, w, r, f fork, j join),
 * operand. */
static void trace_parse(struct snag_trace *trace, const char *text)
{
	static const struct {
		char letter;
		enum snag_op op;
	} ops[] = {{'+', SNAG_OP_ACQUIRE},	  {'-', SNAG_OP_RELEASE},
		   {'<', SNAG_OP_ACQUIRE_SHARED}, {'>', SNAG_OP_RELEASE_SHARED},
		   {'w', SNAG_OP_WRITE},	  {'r', SNAG_OP_READ},
		   {'f', SNAG_OP_FORK},		  {'j', SNAG_OP_JOIN}};
	snag_trace_init(trace);
	for (const char *at = text; *at; at += at[3] ? 4 : 3) {
		char thread[] = {at[0], 0}, what[] = {at[2], 0};
		size_t i = 0;
		while (ops[i].letter != at[1])
			i++;
		snag_trace_add(trace, thread, ops[i].op, what, "1");
	}
}

static void assert_same_in(const char *name, const char *text, struct manner manner, size_t nracy)
{
	struct snag_trace trace;
	struct answers usual = {0}, other = {0};
	trace_parse(&trace, text);
	run(name, &trace, (struct manner){0}, &usual);
	run(name, &trace, manner, &other);
	assert_int_equal(usual.n, nracy);
	assert_same(name, &usual, &other);
	answers_done(&usual);
	answers_done(&other);
	snag_trace_done(&trace);
}

/* What was found in a stack counts only while the lock it is about is held. */
static void left_locks_count_no_more(void **state)
{
	assert_same_in("sdp",
		       "0+f 0+a 0+b 0wx 0wy 0-b 0wz 0-a 0-f "
		       "1+g 1+b 1+a 1wx 1-a 1wy 1ry 1wz 1-b 1-g",
		       (struct manner){.max_direct = 1}, 1);
}

/* Of the sections of a stack that matter, the one released last does, whoever else looked. */
static void last_release_counts(void **state)
{
	struct manner deep = {.max_direct = 1};
	assert_same_in("dc", /* the lock taken first is not that left last */
		       "0+f 0+a 0+b 0wx 0-a 0wz 0-b 0-f 1+g 1+a 1+b 1wx 1f3 3wz 1wq 2wq", deep, 1);
	assert_same_in("dc", /* what thread 1 found says nothing of thread 2, which had b before */
		       "0+f 0+a 0+b 0wx 0-a 0wz 0-b 0-f 2+h 2+b 1+g 1+a 1wx 1-a 1-g 2+a 2wx 2f3 "
		       "3wz 1wq 2wq",
		       deep, 1);
}

/* A lock is in the variable's table, but it is another thread that holds it now. */
static void locks_of_others_do_not_count(void **state)
{
	assert_same_in("dc", "0+c 0wx 0-c 2+h 2+c 1+g 1+a 1+b 1+d 1+e 1+i 1+j 1+k 1+l 1wx",
		       (struct manner){.max_direct = 1}, 1);
}

/* A section that a stack still has is found however many of its lock there were since. */
static void many_sections_are_found(void **state)
{
#define FIVE(text) text text text text text
#define SECTION "0+f 0+a 0wy 0-a 0-f "
	assert_same_in("dc",
		       "0wz 0+f 0+a 0wx 0-a 0-f " FIVE(FIVE(SECTION)) "1+a 1wx 1-a 1wz 1wq 2wq",
		       (struct manner){.max_direct = 1}, 1);
#undef SECTION
#undef FIVE
}

/* A shared section can matter later, when its thread has told of itself. */
static void shared_sections_stay(void **state)
{
	assert_same_in("sdpx", "7<a 7>a 7+b 7-b 2+b 2wx 2-b 1+b 1wx 1+a 4wx 1-a 1wx",
		       (struct manner){.trims = true, .piece = 1}, 2);
}

/* Thread 0 leaves l inside m.  Thread 1 has learned of that, and then of the end of m, so that only
 * what it left elsewhere knows the one and not the other: thread 2, which takes it up, must learn
 * of the end of m when it leaves m too. */
static void clocks_left_behind_count(void **state)
{
	struct manner trims = {.trims = true, .piece = 1};
	assert_same_in("wcp", /* with a lock */
		       "0+m 0+l 0wx 0-l 0-m 0+h 0-h 0+k 0wz 0-k 1+h 1-h 1+l 1wx 1-l 1+k 1wz 1-k "
		       "2+l 2-l 2+m 2-m 1wq 2wq",
		       trims, 1);
	assert_same_in("wcp", /* with a shared lock */
		       "0+m 0+l 0wx 0-l 0-m 0+h 0-h 0+k 0wz 0-k 1+h 1-h 1+l 1wx 1-l 1<p 1>p 1+k "
		       "1wz 1-k 1+l 1wx 1-l 2+p 2-p 2+m 2-m 1wq 2wq",
		       trims, 1);
	assert_same_in("dc", /* with a thread that has ended */
		       "0+m 0+l 0wx 0-l 0-m 0+k 0wz 0-k 1f3 3+l 3wx 3-l 1j3 1+k 1wz 1-k 1f4 4+l "
		       "4wx 4-l 2j3 2+m 2-m 1wq 2wq",
		       trims, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trimming_changes_no_answer),
		cmocka_unit_test(trimming_changes_no_ordered_answer),
		cmocka_unit_test(manners_change_no_answer),
		cmocka_unit_test(many_locks_cost_little),
		cmocka_unit_test(left_locks_count_no_more),
		cmocka_unit_test(last_release_counts),
		cmocka_unit_test(locks_of_others_do_not_count),
		cmocka_unit_test(many_sections_are_found),
		cmocka_unit_test(shared_sections_stay),
		cmocka_unit_test(clocks_left_behind_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
