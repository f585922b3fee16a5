/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c - random small traces
 *
 * Idea.   Run a random program: pick a thread that can act, pick what it does.
 *         Few variables, few locks and short critical sections, so that
 *         accesses conflict and sections compete.  A thread goes on for a while
 *         before another takes over, as in real traces.
 */
#include "generate.h"

#include "mutate.h"

#include <string.h>

const struct generate_options generate_defaults = {
	.threads = {2, 5},
	.events = {5, 20},
	.variables = {1, 3},
	.locks = {0, 3},
	.forks = 40,
	.short_lived = 15,
	.branches = 40,
	.depends = 30,
	.nested = 0,
	.loose = 15,
	.reentrant = 15,
	.unreleased = 15,
	.shared = 10,
	.atomics = 10,
	.mutants = 20,
};

enum life { UNBORN, ALIVE, ENDED };

struct generator {
	struct prng *random;
	struct draft *d;
	unsigned nevents, nthreads, nvariables, nlocks, nlocations;
	unsigned writes; /* percent of the accesses */
	bool forks, short_lived, branches, depends, nested, loose, reentrant, unreleased, shared,
		atomics;
	enum life life[MAX_THREADS];
	/* The acquires of each thread that are not released, outermost first. */
	struct snag_event held[MAX_THREADS][MAX_EVENTS];
	unsigned nheld[MAX_THREADS];
	bool begun[MAX_THREADS];
	bool closes[MAX_THREADS]; /* it takes few more locks before it has given all back */
};

static void emit(struct generator *g, unsigned thread, enum snag_op op, unsigned target)
{
	bool has_order = op >= SNAG_OP_ATOMIC_READ && op <= SNAG_OP_FENCE;
	uint8_t order = has_order ? (uint8_t)prng_below(g->random, SNAG_ORDERS) : 0;
	g->d->ev[g->d->n++] =
		(struct snag_event){.thread = thread,
				    .op = (uint8_t)op,
				    .target = target,
				    .flags = order,
				    .size = has_order && op != SNAG_OP_FENCE && target % 2 ? 4 : 0,
				    .loc = prng_below(g->random, g->nlocations)};
}

static void emit_access(struct generator *g, unsigned t)
{
	unsigned x = prng_below(g->random, g->nvariables);
	bool is_write = prng_chance(g->random, g->writes);
	if (g->atomics && prng_chance(g->random, 30))
		emit(g, t, (enum snag_op)prng_range(g->random, SNAG_OP_ATOMIC_READ, SNAG_OP_FENCE),
		     x);
	else
		emit(g, t, is_write ? SNAG_OP_WRITE : SNAG_OP_READ, x);
}

/* Whether t may take the lock now, and how: a draft of it is tried. */
static bool try_acquire(struct generator *g, unsigned t)
{
	unsigned l = prng_below(g->random, g->nlocks);
	bool is_mine = false;
	for (unsigned i = 0; i < g->nheld[t]; i++)
		is_mine |= g->held[t][i].target == l;
	if (is_mine && !g->reentrant)
		return false;
	bool is_shared = g->shared && prng_chance(g->random, 50);
	emit(g, t, is_shared ? SNAG_OP_ACQUIRE_SHARED : SNAG_OP_ACQUIRE, l);
	if (!draft_check(g->d)) {
		g->d->n--;
		return false;
	}
	g->held[t][g->nheld[t]++] = g->d->ev[g->d->n - 1];
	return true;
}

static void emit_release(struct generator *g, unsigned t)
{
	unsigned n = g->nheld[t];
	unsigned i = g->loose ? prng_below(g->random, n) : n - 1;
	struct snag_event a = g->held[t][i];
	emit(g, t, a.op == SNAG_OP_ACQUIRE ? SNAG_OP_RELEASE : SNAG_OP_RELEASE_SHARED, a.target);
	memmove(&g->held[t][i], &g->held[t][i + 1], (n - i - 1) * sizeof(a));
	g->nheld[t]--;
}

static unsigned open_sections(const struct generator *g)
{
	unsigned n = 0;
	for (unsigned t = 0; t < g->nthreads; t++)
		n += g->nheld[t];
	return n;
}

/* Sometimes with what it depends on before it, or with that alone. */
static void emit_branch(struct generator *g, unsigned t)
{
	bool has_room = g->nevents - g->d->n > open_sections(g) + 3;
	bool names = g->depends && has_room && prng_chance(g->random, 85);
	if (names)
		emit(g, t, SNAG_OP_DEPENDS, prng_below(g->random, g->nvariables));
	if (names && has_room && prng_chance(g->random, 15))
		emit(g, t, SNAG_OP_DEPENDS, prng_below(g->random, g->nvariables));
	if (!names || prng_chance(g->random, 90))
		emit(g, t, SNAG_OP_BRANCH, 0);
}

static bool try_fork(struct generator *g, unsigned t)
{
	unsigned u = prng_below(g->random, g->nthreads);
	if (g->life[u] != UNBORN)
		return false;
	emit(g, t, SNAG_OP_FORK, u);
	g->life[u] = ALIVE;
	return true;
}

static bool try_join(struct generator *g, unsigned t)
{
	unsigned u = prng_below(g->random, g->nthreads);
	if (u == t || g->life[u] == UNBORN || (g->nheld[u] && !g->unreleased))
		return false;
	emit(g, t, SNAG_OP_JOIN, u);
	g->life[u] = ENDED;
	return true;
}

static void act(struct generator *g, unsigned t)
{
	unsigned dice = prng_below(g->random, 100);
	bool begins = !g->begun[t];
	g->begun[t] = true;
	if (g->depends && begins && dice < 70) { /* from here on it may name */
		emit(g, t, SNAG_OP_DEPENDS, prng_below(g->random, g->nvariables));
		return;
	}
	if (g->short_lived && prng_chance(g->random, 40) &&
	    (prng_chance(g->random, 50) ? try_fork(g, t) : try_join(g, t)))
		return;
	/* One lock inside another, then all are given back. */
	unsigned release = 25, acquire = 50;
	if (g->nested) {
		g->closes[t] = g->nheld[t] > 0 && (g->closes[t] || g->nheld[t] > 1);
		release = g->closes[t] ? 65 : 5;
		acquire = g->closes[t] ? 70 : 85;
	}
	if (g->nheld[t] && dice < release)
		emit_release(g, t);
	else if (g->nlocks && dice >= release && dice < acquire && try_acquire(g, t))
		return;
	else if (g->branches && dice >= 50 && dice < (g->depends ? 66 : 58))
		emit_branch(g, t);
	else if (g->forks && dice >= 58 && dice < 70 && try_fork(g, t))
		return;
	else if (g->forks && dice >= 70 && dice < 74 && try_join(g, t))
		return;
	else
		emit_access(g, t);
}

/* A thread that is alive; usually the one that acted last. */
static unsigned pick_thread(struct generator *g, unsigned last)
{
	unsigned stays = !g->nested ? 60 : g->nheld[last] ? 85 : 20;
	if (g->life[last] == ALIVE && prng_chance(g->random, stays))
		return last;
	unsigned t = prng_below(g->random, g->nthreads);
	while (g->life[t] != ALIVE)
		t = (t + 1) % g->nthreads;
	return t;
}

static void generate_random(const struct generate_options *o, struct prng *random,
			    struct draft *ret_draft)
{
	struct generator g = {.random = random, .d = ret_draft};
	g.nevents = prng_range(random, o->events.low, o->events.high);
	g.nthreads = prng_range(random, o->threads.low, o->threads.high);
	g.nvariables = prng_range(random, o->variables.low, o->variables.high);
	g.nlocks = prng_range(random, o->locks.low, o->locks.high);
	g.nlocations = prng_range(random, 1, 20);
	g.forks = prng_chance(random, o->forks);
	g.short_lived = prng_chance(random, o->short_lived);
	if (g.short_lived) {
		g.forks = true;
		g.nthreads = prng_range(random, 4, MAX_THREADS);
	}
	g.depends = prng_chance(random, o->depends);
	g.branches = prng_chance(random, o->branches) || g.depends;
	/* A write depends on all reads: few, so that much depends on what is named. */
	g.writes = g.depends ? prng_range(random, 10, 40) : 50;
	/* No number is drawn if there is no choice: other traces stay as they are. */
	g.nested = o->nested && prng_chance(random, o->nested);
	g.loose = prng_chance(random, o->loose);
	g.reentrant = prng_chance(random, o->reentrant);
	g.unreleased = prng_chance(random, o->unreleased);
	g.shared = prng_chance(random, o->shared);
	g.atomics = prng_chance(random, o->atomics);

	ret_draft->n = 0;
	for (unsigned t = 0; t < g.nthreads; t++)
		g.life[t] = t == 0 || !g.forks || prng_chance(random, 20) ? ALIVE : UNBORN;
	unsigned t = 0;
	while (ret_draft->n < g.nevents) {
		t = pick_thread(&g, t);
		if (!g.unreleased && open_sections(&g) >= g.nevents - ret_draft->n) {
			while (!g.nheld[t])
				t = (t + 1) % g.nthreads;
			emit_release(&g, t);
		} else {
			act(&g, t);
		}
	}
	draft_check(ret_draft); /* for the marks: what is emitted obeys the rules */
}

void generate_draft(const struct generate_options *options, struct prng *random,
		    struct draft *ret_draft)
{
	if (prng_chance(random, options->mutants))
		mutate_known(random, options->events.high, ret_draft);
	else
		generate_random(options, random, ret_draft);
}
