/* SPDX-License-Identifier: Apache-2.0
 *
 * exhaust.c - is there a witness?  By trying everything, where that is few enough
 *
 * Idea.   Run the threads in every order that obeys the rules, and see whether the two accesses
 *         come to be next at the same time.  It shares nothing with the engine but the trace.
 *
 * State.  How many events each thread has done, the last write of each variable, and what each
 *         thread has read otherwise than it did.  By DEPENDENCE what it writes from then on is a
 *         value that no read saw; by LITERAL it may do no write any more.  It may do no branch that
 *         depends on one of these reads, and a read that waits must see what it saw.  States seen
 *         before are not looked at again.
 *
 * Rules.  [step]   an event happens after those of its thread; a thread after its fork; a join when
 *                  the joined thread has done what it did; an acquire when no other thread holds
 *                  the lock so that it may not
 *         [alone]  an event that can only help (a release, fork, join, branch, a read that sees
 *                  what it saw) is taken as soon as possible, and alone
 *
 * Guarantee.  Exact, unless the states are too many.
 */
#include "exhaust.h"

#include "program.h"

#include "base/memory.h"

#include <string.h>

enum { MAX_STATES = 1 << 10, SLOTS = 2 * MAX_STATES };

struct state {
	uint16_t done[PROGRAM_THREADS];
	uint16_t last[PROGRAM_VARIABLES];  /* event number + 1, 0: the initial value, or STRANGE */
	uint16_t strayed[PROGRAM_THREADS]; /* see struct step */
};

/* What was read before the thread named anything: every branch depends on it. */
#define BEFORE_NAMING ((uint16_t)(1u << PROGRAM_VARIABLES))
#define ALL_READS UINT16_MAX

_Static_assert(PROGRAM_VARIABLES < 16, "a bit for each, and one more");

/* A value that no read of the trace saw. */
#define STRANGE UINT16_MAX

struct step {
	uint8_t op;
	bool is_wait;
	bool is_nested;
	uint16_t target;
	uint16_t saw;	       /* of a read: event number + 1, or 0 */
	uint16_t event;	       /* number */
	uint16_t joins;	       /* of a join: events of the joined thread */
	uint16_t depends;      /* of a read: its bit; of a branch: those it depends on */
	uint8_t alone, shared; /* locks held before it, bits */
};

struct exhaust {
	unsigned nthreads;
	struct step *step[PROGRAM_THREADS]; /* with one more, for the locks at the end */
	unsigned length[PROGRAM_THREADS];
	unsigned forker[PROGRAM_THREADS], fork_at[PROGRAM_THREADS]; /* none: the thread itself */
	unsigned position[PROGRAM_EVENTS];
	const struct snag_trace *trace;

	struct state *state; /* all seen; those from `next` on are not looked at yet */
	unsigned nstates;
	uint32_t *slot; /* open addressing, state number + 1 */
};

static bool reads(uint8_t op)
{
	return op == SNAG_OP_READ || op == SNAG_OP_ATOMIC_READ || op == SNAG_OP_ATOMIC_UPDATE;
}

static bool writes(uint8_t op)
{
	return op == SNAG_OP_WRITE || op == SNAG_OP_ATOMIC_WRITE || op == SNAG_OP_ATOMIC_UPDATE;
}

/* Which reads the p-th event of t depends on, or as which others depend on it; *names says whether
 * there were DEPENDS events so far, and `before` which variables they name since the last
 * branch. */
static uint16_t depends_of(const struct snag_event *ev, bool *names, uint16_t *before)
{
	uint16_t bit = (uint16_t)(1u << ev->target), named = *before;
	switch (ev->op) {
	case SNAG_OP_DEPENDS:
		*names = true;
		*before |= bit;
		return 0;
	case SNAG_OP_BRANCH:
		*before = 0;
		return named ? named | BEFORE_NAMING : ALL_READS;
	case SNAG_OP_READ:
	case SNAG_OP_ATOMIC_READ:
		return *names ? bit : BEFORE_NAMING;
	case SNAG_OP_ATOMIC_UPDATE:
		return *names ? bit : BEFORE_NAMING;
	default:
		return 0;
	}
}

static void step_add(struct exhaust *x, const struct snag_event *ev, unsigned e, unsigned saw)
{
	unsigned t = ev->thread, p = x->length[t]++;
	struct step *s = &x->step[t][p];
	x->position[e] = p;
	s->op = ev->op;
	s->is_wait = snag_event_is_wait(ev);
	s->is_nested = ev->flags & SNAG_NESTED;
	s->target = (uint16_t)ev->target;
	s->saw = (uint16_t)saw;
	s->event = (uint16_t)e;
	s[1] = (struct step){.alone = s->alone, .shared = s->shared};
	if (s->is_nested)
		return;
	uint8_t bit = (uint8_t)(1u << ev->target % 8);
	if (ev->op == SNAG_OP_ACQUIRE)
		s[1].alone |= bit;
	else if (ev->op == SNAG_OP_RELEASE)
		s[1].alone &= (uint8_t)~bit;
	else if (ev->op == SNAG_OP_ACQUIRE_SHARED)
		s[1].shared |= bit;
	else if (ev->op == SNAG_OP_RELEASE_SHARED)
		s[1].shared &= (uint8_t)~bit;
}

struct exhaust *exhaust_new(const struct snag_trace *trace)
{
	struct exhaust *x = snag_calloc(1, sizeof(*x));
	unsigned last[PROGRAM_VARIABLES] = {0};
	bool names[PROGRAM_THREADS] = {false};
	uint16_t named[PROGRAM_THREADS] = {0};
	x->trace = trace;
	x->nthreads = snag_names_counts(&trace->names).n[SNAG_SPACE_THREAD];
	x->state = snag_calloc(MAX_STATES, sizeof(*x->state));
	x->slot = snag_calloc(SLOTS, sizeof(*x->slot));
	for (unsigned t = 0; t < x->nthreads; t++) {
		x->step[t] = snag_calloc(trace->n + 1, sizeof(*x->step[t]));
		x->forker[t] = t;
	}
	for (unsigned e = 0; e < trace->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		step_add(x, ev, e, reads(ev->op) ? last[ev->target] : 0);
		struct step *s = &x->step[ev->thread][x->length[ev->thread] - 1];
		s->depends = depends_of(ev, &names[ev->thread], &named[ev->thread]);
		if (writes(ev->op))
			last[ev->target] = e + 1;
		if (ev->op == SNAG_OP_JOIN)
			s->joins = (uint16_t)x->length[ev->target];
		if (ev->op == SNAG_OP_FORK) {
			x->forker[ev->target] = ev->thread;
			x->fork_at[ev->target] = x->length[ev->thread] - 1;
		}
	}
	return x;
}

void exhaust_free(struct exhaust *x)
{
	for (unsigned t = 0; t < x->nthreads; t++)
		free(x->step[t]);
	free(x->state);
	free(x->slot);
	free(x);
}

static bool is_born(const struct exhaust *x, const struct state *s, unsigned t)
{
	unsigned u = x->forker[t];
	return u == t || s->done[u] > x->fork_at[t];
}

static bool may_take(const struct exhaust *x, const struct state *s, unsigned t,
		     const struct step *next)
{
	uint8_t bit = (uint8_t)(1u << next->target % 8), alone = 0, shared = 0;
	for (unsigned u = 0; u < x->nthreads; u++)
		if (u != t) {
			alone |= x->step[u][s->done[u]].alone;
			shared |= x->step[u][s->done[u]].shared;
		}
	return !(alone & bit) && (next->op == SNAG_OP_ACQUIRE_SHARED || !(shared & bit));
}

enum move { NOT_NOW, ONE_OF_MANY, ALONE };

/* [step]: whether the next event of t may happen; *s becomes the state after it. */
static enum move try_move(const struct exhaust *x, unsigned t, enum snag_rules rules,
			  struct state *s)
{
	const struct step *next = &x->step[t][s->done[t]];
	enum move move = ALONE;
	if (!is_born(x, s, t))
		return NOT_NOW;
	if (next->op == SNAG_OP_BRANCH && s->strayed[t] & next->depends)
		return NOT_NOW;
	if (next->op == SNAG_OP_JOIN &&
	    (s->done[next->target] < next->joins || !is_born(x, s, next->target)))
		return NOT_NOW;
	if ((next->op == SNAG_OP_ACQUIRE || next->op == SNAG_OP_ACQUIRE_SHARED) &&
	    !next->is_nested) {
		if (!may_take(x, s, t, next))
			return NOT_NOW;
		move = ONE_OF_MANY;
	}
	if (reads(next->op) && s->last[next->target] != next->saw) {
		if (rules == SNAG_RULES_READS || next->is_wait)
			return NOT_NOW;
		s->strayed[t] |= next->depends;
		move = ONE_OF_MANY;
	}
	if (writes(next->op)) {
		if (rules == SNAG_RULES_LITERAL && s->strayed[t])
			return NOT_NOW;
		s->last[next->target] = s->strayed[t] ? STRANGE : (uint16_t)(next->event + 1);
		move = ONE_OF_MANY;
	}
	s->done[t]++;
	return move;
}

/* Adds the state unless it was seen. */
static void state_add(struct exhaust *x, const struct state *s)
{
	const unsigned char *byte = (const unsigned char *)s;
	uint64_t hash = 14695981039346656037u;
	for (size_t i = 0; i < sizeof(*s); i++)
		hash = (hash ^ byte[i]) * 1099511628211u;
	size_t at = (hash ^ hash >> 32) & (SLOTS - 1);
	for (; x->slot[at]; at = (at + 1) & (SLOTS - 1))
		if (memcmp(&x->state[x->slot[at] - 1], s, sizeof(*s)) == 0)
			return;
	x->state[x->nstates++] = *s;
	x->slot[at] = x->nstates;
}

enum exhaust_answer exhaust_run(struct exhaust *x, unsigned e1, unsigned e2, enum snag_rules rules)
{
	const unsigned racer[2] = {x->trace->ev[e1].thread, x->trace->ev[e2].thread};
	const unsigned at[2] = {x->position[e1], x->position[e2]};
	unsigned end[PROGRAM_THREADS];
	memcpy(end, x->length, sizeof(end));
	bool has_strayed, is_write[2];
	for (int i = 0; i < 2; i++) {
		end[racer[i]] = at[i];
		is_write[i] = rules == SNAG_RULES_LITERAL &&
			      x->trace->ev[i ? e2 : e1].op == SNAG_OP_WRITE;
	}
	memset(x->slot, 0, SLOTS * sizeof(*x->slot));
	x->nstates = 0;
	state_add(x, &(struct state){0});
	for (unsigned next = 0; next < x->nstates; next++) {
		const struct state now = x->state[next];
		has_strayed = (is_write[0] && now.strayed[racer[0]]) ||
			      (is_write[1] && now.strayed[racer[1]]);
		if (now.done[racer[0]] == at[0] && now.done[racer[1]] == at[1] && !has_strayed &&
		    is_born(x, &now, racer[0]) && is_born(x, &now, racer[1]))
			return EXHAUST_RACE;
		if (x->nstates + PROGRAM_THREADS > MAX_STATES)
			return EXHAUST_TOO_MANY;
		struct state after[PROGRAM_THREADS];
		unsigned n = 0;
		for (unsigned t = 0; t < x->nthreads; t++) {
			after[n] = now;
			enum move move =
				now.done[t] < end[t] ? try_move(x, t, rules, &after[n]) : NOT_NOW;
			n += move != NOT_NOW;
			if (move == ALONE) { /* [alone] */
				after[0] = after[n - 1];
				n = 1;
				break;
			}
		}
		for (unsigned i = 0; i < n; i++)
			state_add(x, &after[i]);
	}
	return EXHAUST_NO_RACE;
}
