/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c - a source of random well-formed traces
 *
 * Idea.   Threads are small state machines and one scheduler runs them.  A section
 *         takes 1 to `nesting` locks, in increasing order so that no deadlock is
 *         possible, does some steps after each acquire and each inner release, and
 *         releases in reverse order.  A thread that wants a held lock leaves the
 *         set of runnable threads and queues at the lock; a release makes the first
 *         of the queue runnable, which then tries again.
 *
 * Phases. FORK   T0 forks the others
 *         RUN    sections; ends while there is still room for what follows
 *         CLOSE  every open section is released, whatever was planned in it
 *         PAD    T0 fills up to the exact number of events, in a section of lock 0
 *         JOIN   T0 joins the others
 *
 * State.  thread[t]     the locks held, the plan of the section, the steps left
 *         lock[l]       holder and queue
 *         runnable      threads that are not queued
 *         spare         events still to be spent in RUN and PAD, once the releases
 *                       of all open sections and the joins are set aside
 *
 * Sites.  Code is made of functions of seven sites each (see enum site); the
 *         function of an access follows from its variable, that of an acquire from
 *         its lock, so that a location always does the same kind of thing to the
 *         same group of objects.
 *
 * Cost.   A few random numbers per event; memory for threads, locks and names.
 */
#include "bench/generate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench/random.h"

enum {
	MAX_NESTING = 16,
	MAX_IDS = 1 << 28, /* of each kind */
	SITE_STRIDE = 10,  /* site = stride * function + enum site */
	NOBODY = -1,
};

enum site {
	SITE_ACQUIRE,
	SITE_RELEASE,
	SITE_READ,
	SITE_WRITE,
	SITE_BARE_READ,
	SITE_BARE_WRITE,
	SITE_BRANCH,
	SITES,
};

enum phase { FORK, RUN, CLOSE, PAD, JOIN, END };

struct thread {
	uint32_t plan[MAX_NESTING]; /* locks of the section, ascending */
	uint32_t depth;		    /* how many of the plan are used */
	uint32_t nheld;		    /* plan[0 .. nheld) are held */
	uint32_t steps;		    /* before the next acquire or release */
	bool opening;		    /* next comes an acquire, not a release */
	int64_t next_waiting;	    /* in the queue of a lock */
	uint32_t number;	    /* of the thread that is in this place now */
};

struct lock {
	int64_t holder; /* or NOBODY */
	int64_t first_waiting, last_waiting;
};

struct generator {
	struct snag_source base;
	struct snag_generate_options o;
	struct snag_random random;
	snag_chance switches, unprotected, reads, branches, ends;
	struct snag_zipf lock_zipf; /* over locks */
	struct snag_zipf rank_zipf; /* over the variables of one lock */
	uint32_t functions;

	struct thread *thread;
	struct lock *lock;
	uint32_t *runnable, nrunnable;
	uint32_t current; /* index in runnable */

	enum phase phase;
	uint32_t cursor;  /* thread to fork, close or join next */
	uint32_t numbers; /* given to threads so far */
	uint64_t spare;
	uint64_t emitted;

	struct snag_names names;
	uint32_t *dense[SNAG_SPACES]; /* id plus 1 by own number; 0: not named yet */
	size_t thread_cap;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	size_t nev;
};

const struct snag_generate_options snag_generate_defaults = {
	.events = 1000000,
	.threads = 8,
	.variables = 10000,
	.locks = 50,
	.hot_locks = 2,
	.nesting = 2,
	.section = 8,
	.locations = 1000,
	.turn = 4,
	.skew = 0,
	.unprotected = 0.002,
	.reads = 0.7,
	.branches = 0,
	.life = 0,
	.fork_join = true,
	.seed = 1,
};

/* The dense id of own number `number`; names it at its first use. */
static uint32_t dense_id(struct generator *g, enum snag_space space, uint32_t number)
{
	static const char *const prefix[SNAG_SPACES] = {
		[SNAG_SPACE_THREAD] = "T",
		[SNAG_SPACE_VARIABLE] = "V",
		[SNAG_SPACE_LOCK] = "L",
		[SNAG_SPACE_LOCATION] = "",
	};
	if (space == SNAG_SPACE_THREAD)
		g->dense[space] = snag_grow(g->dense[space], &g->thread_cap, (size_t)number + 1,
					    sizeof(*g->dense[space]));
	uint32_t *id = &g->dense[space][number];
	if (*id == 0) {
		char name[16];
		int len = snprintf(name, sizeof(name), "%s%u", prefix[space], number);
		*id = snag_strtab_intern(&g->names.space[space], name, (size_t)len) + 1;
	}
	return *id - 1;
}

static void emit(struct generator *g, uint32_t t, enum snag_op op, uint32_t operand, uint32_t site)
{
	enum snag_space space = snag_op_info[op].space;
	struct snag_event *ev = &g->ev[g->nev++];
	ev->thread = dense_id(g, SNAG_SPACE_THREAD, g->thread[t].number);
	ev->target = space == SNAG_SPACE_NONE ? 0 : dense_id(g, space, operand);
	ev->loc = dense_id(g, SNAG_SPACE_LOCATION, site);
	ev->op = (uint8_t)op;
	ev->flags = ev->size = ev->part = 0;
}

static uint32_t site_of(const struct generator *g, uint32_t object, enum site kind)
{
	return object % g->functions * SITE_STRIDE + kind;
}

static uint32_t site_outside(const struct generator *g, enum snag_op op)
{
	return g->functions * SITE_STRIDE + (op == SNAG_OP_JOIN);
}

static bool holds(const struct thread *th, uint32_t lock)
{
	for (uint32_t i = 0; i < th->nheld; i++)
		if (th->plan[i] == lock)
			return true;
	return false;
}

/* A variable of the lock, or false: it has none. */
static bool draw_variable(struct generator *g, uint32_t lock, uint32_t *ret_variable)
{
	uint32_t stride = g->o.locks ? g->o.locks : 1;
	if (lock >= g->o.variables)
		return false;
	do /* the last rank exists for some locks only */
		*ret_variable = snag_zipf_draw(&g->rank_zipf, &g->random) * stride + lock;
	while (*ret_variable >= g->o.variables);
	return true;
}

/* Any variable whose lock the thread does not hold, or false: none in a few tries. */
static bool draw_unprotected(struct generator *g, const struct thread *th, uint32_t *ret_variable)
{
	if (g->o.locks == 0)
		return draw_variable(g, 0, ret_variable);
	for (int tries = 0; tries < 8; tries++) {
		uint32_t lock = snag_random_below(&g->random, g->o.locks);
		if (!holds(th, lock) && draw_variable(g, lock, ret_variable))
			return true;
	}
	return false;
}

static void step_access(struct generator *g, uint32_t t)
{
	struct thread *th = &g->thread[t];
	uint32_t variable;
	bool bare =
		snag_random_hit(&g->random, g->unprotected) && draw_unprotected(g, th, &variable);
	if (!bare) {
		uint32_t i = th->nheld > 1 ? snag_random_below(&g->random, th->nheld) : 0;
		if (th->nheld == 0 || !draw_variable(g, th->plan[i], &variable))
			return;
	}
	if (snag_random_hit(&g->random, g->reads))
		emit(g, t, SNAG_OP_READ, variable,
		     site_of(g, variable, bare ? SITE_BARE_READ : SITE_READ));
	else
		emit(g, t, SNAG_OP_WRITE, variable,
		     site_of(g, variable, bare ? SITE_BARE_WRITE : SITE_WRITE));
	g->spare--;
}

static void step_branch(struct generator *g, uint32_t t)
{
	struct thread *th = &g->thread[t];
	emit(g, t, SNAG_OP_BRANCH, 0,
	     site_of(g, th->nheld ? th->plan[th->nheld - 1] : t, SITE_BRANCH));
	g->spare--;
}

static uint32_t draw_lock(struct generator *g)
{
	if (g->o.hot_locks && (snag_random_next(&g->random) & 1))
		return snag_random_below(&g->random, g->o.hot_locks);
	return snag_zipf_draw(&g->lock_zipf, &g->random);
}

static void draw_steps(struct generator *g, struct thread *th)
{
	uint32_t places =
		th->depth ? 2 * th->depth - 1 : 1; /* after each acquire and inner release */
	th->steps = snag_random_below(&g->random, 2 * g->o.section + 1);
	th->steps = (th->steps + snag_random_below(&g->random, places)) / places;
}

/* Draws the locks of a new section; a duplicate makes it one shallower. */
static void section_plan(struct generator *g, struct thread *th)
{
	uint32_t wanted = 1 + (g->o.nesting > 1 ? snag_random_below(&g->random, g->o.nesting) : 0);
	th->depth = 0;
	for (uint32_t n = 0; n < wanted; n++) {
		uint32_t lock = draw_lock(g), at = 0;
		while (at < th->depth && th->plan[at] < lock)
			at++;
		if (at < th->depth && th->plan[at] == lock)
			continue;
		memmove(th->plan + at + 1, th->plan + at, (th->depth - at) * sizeof(th->plan[0]));
		th->plan[at] = lock;
		th->depth++;
	}
	th->opening = true;
}

static void block_current(struct generator *g, uint32_t t, struct lock *l)
{
	if (l->first_waiting == NOBODY)
		l->first_waiting = t;
	else
		g->thread[l->last_waiting].next_waiting = t;
	l->last_waiting = t;
	g->thread[t].next_waiting = NOBODY;
	g->runnable[g->current] = g->runnable[--g->nrunnable];
	assert(g->nrunnable > 0); /* locks are taken in increasing order */
	g->current = snag_random_below(&g->random, g->nrunnable);
}

static void step_acquire(struct generator *g, uint32_t t)
{
	struct thread *th = &g->thread[t];
	uint32_t lock = th->plan[th->nheld];
	struct lock *l = &g->lock[lock];
	if (l->holder != NOBODY) {
		block_current(g, t, l);
		return;
	}
	l->holder = t;
	emit(g, t, SNAG_OP_ACQUIRE, lock, site_of(g, lock, SITE_ACQUIRE));
	g->spare -= 2; /* the release is set aside at once */
	th->opening = ++th->nheld < th->depth;
	draw_steps(g, th);
}

static void step_release(struct generator *g, uint32_t t)
{
	struct thread *th = &g->thread[t];
	uint32_t lock = th->plan[--th->nheld];
	struct lock *l = &g->lock[lock];
	emit(g, t, SNAG_OP_RELEASE, lock, site_of(g, lock, SITE_RELEASE));
	l->holder = NOBODY;
	if (l->first_waiting != NOBODY) {
		uint32_t woken = (uint32_t)l->first_waiting;
		l->first_waiting = g->thread[woken].next_waiting;
		g->runnable[g->nrunnable++] = woken;
	}
	if (th->nheld)
		draw_steps(g, th);
}

/* T0 joins the thread and forks another in its place. */
static void step_replace(struct generator *g, uint32_t t)
{
	emit(g, 0, SNAG_OP_JOIN, g->thread[t].number, site_outside(g, SNAG_OP_JOIN));
	g->thread[t].number = g->numbers++;
	emit(g, 0, SNAG_OP_FORK, g->thread[t].number, site_outside(g, SNAG_OP_FORK));
	g->spare -= 2;
}

static void run_step(struct generator *g)
{
	uint32_t t = g->runnable[g->current];
	struct thread *th = &g->thread[t];
	if (th->steps) {
		th->steps--;
		if (snag_random_hit(&g->random, g->branches))
			step_branch(g, t);
		else
			step_access(g, t);
	} else if (th->nheld && !th->opening) {
		step_release(g, t);
	} else if (g->o.locks == 0) {
		draw_steps(g, th);
	} else if (!th->opening && g->o.life && t && g->numbers < MAX_IDS &&
		   snag_random_hit(&g->random, g->ends)) {
		step_replace(g, t);
	} else {
		if (!th->opening)
			section_plan(g, th);
		step_acquire(g, t);
	}
	if (snag_random_hit(&g->random, g->switches))
		g->current = snag_random_below(&g->random, g->nrunnable);
}

static void close_step(struct generator *g)
{
	if (g->thread[g->cursor].nheld)
		step_release(g, g->cursor);
	else if (++g->cursor == g->o.threads)
		g->phase = PAD;
}

static void pad_step(struct generator *g)
{
	struct thread *th = &g->thread[0];
	if (th->nheld == 0 && g->o.locks && g->spare >= 2) {
		th->plan[0] = 0;
		th->depth = 1;
		step_acquire(g, 0);
	} else if (g->spare > 0) {
		step_access(g, 0);
	} else if (th->nheld) {
		step_release(g, 0);
	} else {
		g->phase = JOIN;
		g->cursor = 1;
	}
}

static void generator_step(struct generator *g)
{
	switch (g->phase) {
	case FORK:
		if (!g->o.fork_join || g->cursor >= g->o.threads)
			g->phase = RUN;
		else
			emit(g, 0, SNAG_OP_FORK, g->thread[g->cursor++].number,
			     site_outside(g, SNAG_OP_FORK));
		break;
	case RUN:
		/* A step spends at most 2, and PAD can spend 0 or 2 and more. */
		if (g->spare >= 4) {
			run_step(g);
		} else {
			g->phase = CLOSE;
			g->cursor = 0;
		}
		break;
	case CLOSE:
		close_step(g);
		break;
	case PAD:
		pad_step(g);
		break;
	case JOIN:
		if (!g->o.fork_join || g->cursor >= g->o.threads)
			g->phase = END;
		else
			emit(g, 0, SNAG_OP_JOIN, g->thread[g->cursor++].number,
			     site_outside(g, SNAG_OP_JOIN));
		break;
	case END:
		break;
	}
}

static int generator_next(struct snag_source *src, struct snag_batch *ret_batch,
			  struct snag_error *err)
{
	struct generator *g = (struct generator *)src;
	g->nev = 0;
	while (g->nev + 1 < SNAG_BATCH_EVENTS && g->phase != END)
		generator_step(g);
	if (g->nev == 0)
		return 0;
	*ret_batch = (struct snag_batch){.ev = g->ev,
					 .n = g->nev,
					 .first = g->emitted,
					 .counts = snag_names_counts(&g->names)};
	g->emitted += g->nev;
	return 1;
}

static double generator_progress(const struct snag_source *src)
{
	const struct generator *g = (const struct generator *)src;
	return (double)g->emitted / (double)g->o.events;
}

static void generator_close(struct snag_source *src)
{
	struct generator *g = (struct generator *)src;
	snag_zipf_done(&g->lock_zipf);
	snag_zipf_done(&g->rank_zipf);
	snag_names_done(&g->names);
	for (int s = 0; s < SNAG_SPACES; s++)
		free(g->dense[s]);
	free(g->thread);
	free(g->lock);
	free(g->runnable);
	free(g);
}

static int generator_again(const struct snag_source *src, struct snag_source **ret_src,
			   struct snag_error *err)
{
	int rc = snag_generate_source(&((const struct generator *)src)->o, ret_src, err);
	return rc < 0 ? rc : 1;
}

static const struct snag_source_ops generator_ops = {.next = generator_next,
						     .progress = generator_progress,
						     .close = generator_close,
						     .again = generator_again};

static int options_check(const struct snag_generate_options *o, struct snag_error *err)
{
	uint64_t least = 4 + (o->fork_join ? 2 * ((uint64_t)o->threads - 1) : 0);
#define REQUIRE(condition, ...)                                                       \
	do {                                                                          \
		if (!(condition))                                                     \
			return snag_fail(err, SNAG_EINPUT, "generate: " __VA_ARGS__); \
	} while (0)
	REQUIRE(o->threads >= 1 && o->threads <= MAX_IDS, "threads must be 1 to %d", MAX_IDS);
	REQUIRE(o->variables >= 1 && o->variables <= MAX_IDS, "variables must be 1 to %d", MAX_IDS);
	REQUIRE(o->locks <= MAX_IDS, "locks must be 0 to %d", MAX_IDS);
	REQUIRE(o->locations <= MAX_IDS, "locations must be at most %d", MAX_IDS);
	REQUIRE(o->hot_locks <= o->locks, "more hot locks than locks");
	REQUIRE(o->nesting >= 1 && o->nesting <= MAX_NESTING, "nesting must be 1 to %d",
		MAX_NESTING);
	REQUIRE(o->section >= 1 && o->section <= MAX_IDS, "section must be 1 to %d", MAX_IDS);
	REQUIRE(o->turn >= 1, "turn must be at least 1");
	REQUIRE(o->skew >= 0 && o->skew <= 10, "skew must be 0 to 10");
	REQUIRE(o->unprotected >= 0 && o->unprotected <= 1, "unprotected must be a share, 0 to 1");
	REQUIRE(o->reads >= 0 && o->reads <= 1, "reads must be a share, 0 to 1");
	REQUIRE(o->branches >= 0 && o->branches < 1, "branches must be a share below 1");
	REQUIRE(o->life == 0 || (o->life >= 1 && o->fork_join && o->locks > 0),
		"life must be 0, or at least 1 with fork-join and locks");
	REQUIRE(o->locks > 0 || o->unprotected == 1, "without locks, unprotected must be 1");
	REQUIRE(o->events >= least && o->events < SNAG_MAX_EVENTS,
		"events must be %llu (for so many threads) to %llu", (unsigned long long)least,
		(unsigned long long)SNAG_MAX_EVENTS - 1);
#undef REQUIRE
	return 0;
}

int snag_generate_source(const struct snag_generate_options *options, struct snag_source **ret_src,
			 struct snag_error *err)
{
	int rc = options_check(options, err);
	if (rc < 0)
		return rc;
	const struct snag_generate_options *o = options;
	struct generator *g = snag_calloc(1, sizeof(*g));
	g->base = (struct snag_source){
		.ops = &generator_ops, .name = "<generated>", .names = &g->names};
	g->o = *o;
	snag_random_init(&g->random, o->seed);
	g->switches = snag_chance_of(1 / o->turn);
	g->unprotected = snag_chance_of(o->unprotected);
	g->reads = snag_chance_of(o->reads);
	g->branches = snag_chance_of(o->branches);
	g->ends = snag_chance_of(o->life ? 1 / o->life : 0);
	if (o->locks)
		snag_zipf_init(&g->lock_zipf, o->locks, o->skew);
	snag_zipf_init(&g->rank_zipf, o->locks ? (o->variables - 1) / o->locks + 1 : o->variables,
		       o->skew);
	g->functions = o->locations > SITES + 2 ? (o->locations - 2) / SITES : 1;

	g->thread = snag_calloc(o->threads, sizeof(*g->thread));
	for (; g->numbers < o->threads; g->numbers++)
		g->thread[g->numbers].number = g->numbers;
	g->runnable = snag_calloc(o->threads, sizeof(*g->runnable));
	for (g->nrunnable = 0; g->nrunnable < o->threads; g->nrunnable++)
		g->runnable[g->nrunnable] = g->nrunnable;
	g->lock = snag_calloc(o->locks + 1, sizeof(*g->lock));
	for (uint32_t l = 0; l < o->locks; l++)
		g->lock[l] = (struct lock){NOBODY, NOBODY, NOBODY};
	g->phase = FORK;
	g->cursor = 1;
	g->spare = o->events - (o->fork_join ? 2 * ((uint64_t)o->threads - 1) : 0);

	snag_names_init(&g->names);
	const uint32_t numbers[SNAG_SPACES] = {
		[SNAG_SPACE_VARIABLE] = o->variables,
		[SNAG_SPACE_LOCK] = o->locks,
		[SNAG_SPACE_LOCATION] = g->functions * SITE_STRIDE + 2,
	};
	for (int s = 0; s < SNAG_SPACES; s++)
		if (numbers[s])
			g->dense[s] = snag_calloc(numbers[s], sizeof(uint32_t));
	*ret_src = &g->base;
	return 0;
}
