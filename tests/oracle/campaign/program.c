/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - random traces of up to 1,000 events
 *
 * Idea.   Run a random program, as generate.c does for tiny traces: a thread goes on for a while,
 *         takes and gives back locks, also nested, out of order, more than once or together with
 *         others, forks and joins.  Every trace has a character of its own: how many threads,
 *         variables and locks, how long sections are, which features occur.
 */
#include "program.h"

#include <stdio.h>
#include <string.h>

enum life { UNBORN, ALIVE, ENDED };
enum { MAX_HELD = 16 };

struct program {
	struct prng *random;
	struct snag_trace *trace;
	unsigned nthreads, nvariables, nlocks, nlocations;
	unsigned stay, writes, accesses; /* percent */
	unsigned depth;			 /* most locks held by a thread */
	bool forks, branches, depends, loose, reentrant, unreleased, shared, atomics;
	enum life life[PROGRAM_THREADS];
	bool names[PROGRAM_THREADS]; /* it has said that it will */
	struct {
		unsigned lock;
		bool is_shared;
	} held[PROGRAM_THREADS][MAX_HELD]; /* outermost first */
	unsigned nheld[PROGRAM_THREADS];
	unsigned nalone[PROGRAM_LOCKS], nshared[PROGRAM_LOCKS]; /* threads that hold it so */
};

static void emit(struct program *p, unsigned t, enum snag_op op, unsigned target, uint8_t flags)
{
	static const char letter[SNAG_SPACES] = {
		[SNAG_SPACE_THREAD] = 'T', [SNAG_SPACE_VARIABLE] = 'x', [SNAG_SPACE_LOCK] = 'l'};
	enum snag_space space = snag_op_info[op].space;
	char thread[16], operand[16], loc[16];
	snprintf(thread, sizeof(thread), "T%u", t);
	snprintf(operand, sizeof(operand), "%c%u", space < SNAG_SPACES ? letter[space] : '-',
		 target);
	snprintf(loc, sizeof(loc), "%u", prng_below(p->random, p->nlocations));
	snag_trace_add(p->trace, thread, op, operand, loc);
	p->trace->ev[p->trace->n - 1].flags = flags;
}

static unsigned times_held(const struct program *p, unsigned t, unsigned lock)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->nheld[t]; i++)
		n += p->held[t][i].lock == lock;
	return n;
}

static bool try_acquire(struct program *p, unsigned t)
{
	unsigned l = prng_below(p->random, p->nlocks), n = p->nheld[t];
	bool is_shared = p->shared && prng_chance(p->random, 50);
	bool is_mine = times_held(p, t, l) > 0;
	if (n == p->depth || (is_mine && !p->reentrant))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (p->held[t][i].lock == l)
			is_shared = p->held[t][i].is_shared;
	if (!is_mine && (p->nalone[l] || (!is_shared && p->nshared[l])))
		return false;
	if (!is_mine)
		++*(is_shared ? &p->nshared[l] : &p->nalone[l]);
	p->held[t][n].lock = l;
	p->held[t][n].is_shared = is_shared;
	p->nheld[t]++;
	emit(p, t, is_shared ? SNAG_OP_ACQUIRE_SHARED : SNAG_OP_ACQUIRE, l,
	     is_mine ? SNAG_NESTED : 0);
	return true;
}

static void release(struct program *p, unsigned t)
{
	unsigned n = p->nheld[t], i = p->loose ? prng_below(p->random, n) : n - 1;
	unsigned l = p->held[t][i].lock;
	bool is_shared = p->held[t][i].is_shared, is_nested = times_held(p, t, l) > 1;
	if (!is_nested)
		--*(is_shared ? &p->nshared[l] : &p->nalone[l]);
	memmove(&p->held[t][i], &p->held[t][i + 1], (n - i - 1) * sizeof(p->held[t][i]));
	p->nheld[t]--;
	emit(p, t, is_shared ? SNAG_OP_RELEASE_SHARED : SNAG_OP_RELEASE, l,
	     is_nested ? SNAG_NESTED : 0);
}

static bool try_fork(struct program *p, unsigned t)
{
	unsigned u = prng_below(p->random, p->nthreads);
	if (p->life[u] != UNBORN)
		return false;
	emit(p, t, SNAG_OP_FORK, u, 0);
	p->life[u] = ALIVE;
	return true;
}

/* At least two threads stay. */
static bool try_join(struct program *p, unsigned t)
{
	unsigned u = prng_below(p->random, p->nthreads), alive = 0;
	for (unsigned i = 0; i < p->nthreads; i++)
		alive += p->life[i] == ALIVE;
	if (u == t || p->life[u] != ALIVE || alive < 3 || (p->nheld[u] && !p->unreleased))
		return false;
	emit(p, t, SNAG_OP_JOIN, u, 0);
	p->life[u] = ENDED;
	return true;
}

static void access_variable(struct program *p, unsigned t)
{
	unsigned x = prng_below(p->random, p->nvariables);
	if (p->atomics && prng_chance(p->random, 20))
		emit(p, t,
		     (enum snag_op)prng_range(p->random, SNAG_OP_ATOMIC_READ,
					      SNAG_OP_ATOMIC_UPDATE),
		     x, 0);
	else
		emit(p, t, prng_chance(p->random, p->writes) ? SNAG_OP_WRITE : SNAG_OP_READ, x, 0);
}

/* Mostly with what it depends on before it, if any does. */
static void branch(struct program *p, unsigned t)
{
	if (p->depends && prng_chance(p->random, 97))
		do
			emit(p, t, SNAG_OP_DEPENDS, prng_below(p->random, p->nvariables), 0);
		while (prng_chance(p->random, 20));
	emit(p, t, SNAG_OP_BRANCH, 0, 0);
}

static void act(struct program *p, unsigned t)
{
	if (p->depends && !p->names[t]) {
		emit(p, t, SNAG_OP_DEPENDS, 0, 0);
		p->names[t] = true;
	}
	if (prng_chance(p->random, p->accesses))
		access_variable(p, t);
	else if (p->branches && prng_chance(p->random, p->depends ? 40 : 15))
		branch(p, t);
	else if (p->forks && prng_chance(p->random, 10) && try_fork(p, t))
		return;
	else if (p->forks && prng_chance(p->random, 1) && try_join(p, t))
		return;
	else if (p->nheld[t] && prng_chance(p->random, 50))
		release(p, t);
	else if (!p->nlocks || !try_acquire(p, t))
		access_variable(p, t);
}

static unsigned pick_thread(struct program *p, unsigned last)
{
	if (p->life[last] == ALIVE && prng_chance(p->random, p->stay))
		return last;
	unsigned t = prng_below(p->random, p->nthreads);
	while (p->life[t] != ALIVE)
		t = (t + 1) % p->nthreads;
	return t;
}

static void end_sections(struct program *p)
{
	for (unsigned t = 0; t < p->nthreads; t++)
		while (p->life[t] == ALIVE && p->nheld[t])
			release(p, t);
}

void program_run(struct prng *random, struct snag_trace *ret_trace)
{
	struct program p = {.random = random, .trace = ret_trace};
	unsigned most = prng_chance(random, 50) ? 100 : PROGRAM_EVENTS;
	unsigned nevents = prng_range(random, 20, most - PROGRAM_THREADS * 4);
	p.nthreads = prng_range(random, 2, PROGRAM_THREADS);
	p.nvariables = prng_range(random, 1, PROGRAM_VARIABLES);
	p.nlocks = prng_range(random, 0, PROGRAM_LOCKS);
	p.nlocations = prng_range(random, 1, 50);
	p.stay = prng_range(random, 0, 95);
	p.writes = prng_range(random, 10, 80);
	p.accesses = prng_range(random, 20, 80);
	p.depth = prng_range(random, 1, 4);
	p.forks = prng_chance(random, 40);
	p.branches = prng_chance(random, 40);
	p.loose = prng_chance(random, 20);
	p.reentrant = prng_chance(random, 15);
	p.unreleased = prng_chance(random, 15);
	p.shared = prng_chance(random, 15);
	p.atomics = prng_chance(random, 15);
	p.depends = p.branches && prng_chance(random, 30);
	if (p.depends) /* a write depends on all reads, so few */
		p.writes = prng_range(random, 5, 30);
	snag_trace_init(ret_trace);
	for (unsigned t = 0; t < p.nthreads; t++)
		p.life[t] = t == 0 || !p.forks || prng_chance(random, 20) ? ALIVE : UNBORN;
	for (unsigned t = 0; ret_trace->n < nevents;) {
		t = pick_thread(&p, t);
		act(&p, t);
	}
	if (!p.unreleased)
		end_sections(&p);
}
