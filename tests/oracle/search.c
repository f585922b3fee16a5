/* SPDX-License-Identifier: Apache-2.0
 *
 * search.c - exhaustive search over the reorderings of a small trace
 *
 * Idea.   Run the threads in every possible way and look at every state.  What a
 *         state allows next, and whether two of its next events race, depends on
 *         the state alone, so each is visited once.
 *
 * State.  done         the events that have happened, a prefix of each thread;
 *                      it says who holds which lock
 *         writer[x]    the write of x that a read would see now
 *         strayed      reads that did not see what they saw in the trace (rules DEPENDENCE
 *                      and LITERAL only); the first of a thread, if branches depend on all of
 *                      them
 *
 * Rules.  An event may happen next if it is the next one of its thread, its fork
 *         (or, for a join, what it needs of the joined thread) is done, its lock
 *         is free, and
 *         READS       a read sees the same writer as in the trace;
 *         DEPENDENCE  a read that does not strays, unless it waits.  What its thread writes
 *                     from then on is a value that no read saw, and it does no branch that
 *                     depends on the read;
 *         LITERAL     a read that does not strays, unless it waits.  Its thread does no write
 *                     any more, and no branch that depends on it: they would make it causal.
 *         Two enabled plain accesses of different threads, one a write, race: their
 *         own reads are free by all rules, but by LITERAL a racing write
 *         is a write like any other.
 *         Two states that differ only in a writer that no read still to come
 *         must see or must not miss are the same: such writers are recorded as
 *         FORGOTTEN, and likewise a read strays only if a write, or a branch that
 *         depends on it, follows.
 *
 * Reference.  Pavlogiannis, POPL 2020, section 2; Genç, Roemer, Xu and Bond,
 *             OOPSLA 2019, definitions 2.2 to 2.4.
 */
#include "search.h"

#include "base/memory.h"

#include <string.h>

enum { INITIAL = 0xff, FORGOTTEN = 0xfe }; /* values of writer[x] that are no event */
enum { MAX_STATES = 1 << 20 };

const char *const rules_name[SNAG_RULES] = {[SNAG_RULES_READS] = "READS",
					    [SNAG_RULES_DEPENDENCE] = "DEPENDENCE",
					    [SNAG_RULES_LITERAL] = "LITERAL"};

struct state {
	event_set done;
	event_set strayed;
	uint8_t writer[MAX_VARIABLES];
};

struct visit {
	struct state state;
	uint32_t from; /* the state it was reached from, the start from itself */
	uint8_t event; /* by this event */
};

struct slot {
	uint32_t run; /* other runs' slots are empty */
	uint32_t visit;
};

struct search {
	const struct model *m;
	enum snag_rules rules;
	bool preserves;			  /* sections keep their observed order */
	event_set keeps;		  /* reads that may have to keep their writer */
	event_set seen_by[MAX_EVENTS];	  /* of a write: reads in `keeps` that saw it */
	event_set initial[MAX_VARIABLES]; /* reads in `keeps` that saw no write */

	struct visit *visit; /* all states, in the order they were reached */
	size_t nvisits, cap;
	struct slot *slot; /* hash table of the states, open addressing */
	uint32_t nslots, run;

	event_set races[MAX_EVENTS];
	uint32_t race_at[MAX_EVENTS][MAX_EVENTS]; /* a state that shows it */
	bool has_deadlock;
	struct search_deadlock *deadlock;
	size_t ndeadlocks, deadlock_cap;
};

struct search *search_new(void)
{
	return snag_calloc(1, sizeof(struct search));
}

void search_free(struct search *s)
{
	if (!s)
		return;
	free(s->visit);
	free(s->slot);
	free(s->deadlock);
	free(s);
}

static uint32_t state_hash(const struct state *st)
{
	uint64_t word[2];
	_Static_assert(sizeof(*st) == sizeof(word), "a state is two words, without padding");
	memcpy(word, st, sizeof(word));
	uint64_t h = word[0] * 0x9e3779b97f4a7c15u ^ word[1];
	h = (h ^ h >> 29) * 0xff51afd7ed558ccdu;
	return (uint32_t)(h >> 32);
}

/* The slot of the state, or the empty one where it belongs. */
static struct slot *slot_find(struct search *s, const struct state *st)
{
	uint32_t i = state_hash(st) & (s->nslots - 1);
	while (s->slot[i].run == s->run &&
	       memcmp(&s->visit[s->slot[i].visit].state, st, sizeof(*st)) != 0)
		i = (i + 1) & (s->nslots - 1);
	return &s->slot[i];
}

static void slots_grow(struct search *s)
{
	s->nslots = s->nslots ? s->nslots * 2 : 1024;
	free(s->slot);
	s->slot = snag_calloc(s->nslots, sizeof(*s->slot));
	s->run = 1;
	for (size_t i = 0; i < s->nvisits; i++)
		*slot_find(s, &s->visit[i].state) =
			(struct slot){.run = s->run, .visit = (uint32_t)i};
}

static void visit_add(struct search *s, const struct state *st, uint32_t from, unsigned event)
{
	if (s->nvisits * 2 >= s->nslots)
		slots_grow(s);
	struct slot *slot = slot_find(s, st);
	if (slot->run == s->run)
		return;
	s->visit = snag_grow(s->visit, &s->cap, s->nvisits + 1, sizeof(*s->visit));
	s->visit[s->nvisits] = (struct visit){.state = *st, .from = from, .event = (uint8_t)event};
	*slot = (struct slot){.run = s->run, .visit = (uint32_t)s->nvisits++};
}

/* The threads whose hold on its lock keeps the acquire `e` from happening. */
static uint32_t holders(const struct model *m, event_set done, unsigned e)
{
	const struct section *mine = model_section(m, e);
	uint32_t threads = 0;
	for (unsigned i = 0; mine && i < m->nsections; i++) {
		const struct section *s = &m->section[i];
		bool is_open = (done & just(s->acquire)) &&
			       (s->release == NO_EVENT || !(done & just(s->release)));
		if (is_open && s->lock == mine->lock && !(s->is_shared && mine->is_shared))
			threads |= 1u << s->thread;
	}
	return threads;
}

/* Whether a competing section that was observed later has begun before the acquire `e`. */
static bool is_overtaken(const struct model *m, event_set done, unsigned e)
{
	const struct section *mine = model_section(m, e);
	for (unsigned i = 0; mine && i < m->nsections; i++) {
		const struct section *s = &m->section[i];
		if (s->lock == mine->lock && s->thread != mine->thread && s->acquire > e &&
		    (done & just(s->acquire)) && !(s->is_shared && mine->is_shared))
			return true;
	}
	return false;
}

/* The threads a blocked thread waits for, by thread: locks only. */
static bool is_deadlock(const struct model *m, const uint32_t *waits_for, uint32_t waiting)
{
	/* Take away threads that wait for nobody in the set; the rest is a deadlock. */
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned t = 0; t < m->nthreads; t++)
			if ((waiting & 1u << t) && !(waits_for[t] & waiting)) {
				waiting &= ~(1u << t);
				changed = true;
			}
	}
	return waiting != 0;
}

static bool sees_its_writer(const struct search *s, const struct state *st, unsigned e)
{
	uint8_t saw = s->m->saw[e] == NO_EVENT ? INITIAL : s->m->saw[e];
	return st->writer[s->m->target[e]] == saw;
}

/* May `e`, enabled in st, happen as far as reads are concerned; sets *ret_strays. */
static bool reads_allow(const struct search *s, const struct state *st, unsigned e,
			bool *ret_strays)
{
	const struct model *m = s->m;
	event_set strayed = st->strayed & m->of[m->thread[e]];
	/* One stands for all, but for those that wait. */
	bool is_known = strayed && !m->has_depends && !(m->waits & just(e));
	bool wrong = (s->keeps & just(e)) && !is_known && !sees_its_writer(s, st, e);
	*ret_strays = wrong;
	if (wrong && (s->rules == SNAG_RULES_READS || (m->waits & just(e))))
		return false;
	if (s->rules == SNAG_RULES_READS)
		return true;
	if (m->branches & just(e))
		return !(strayed & m->depends[e]);
	return s->rules == SNAG_RULES_DEPENDENCE || !(m->writes & just(e)) || (!strayed && !wrong);
}

/* Forgets the writers that no read to come asks for. */
static void forget(const struct search *s, struct state *st)
{
	for (unsigned x = 0; x < s->m->nvariables; x++) {
		uint8_t w = st->writer[x];
		event_set asks = w == FORGOTTEN ? 0 : w == INITIAL ? s->initial[x] : s->seen_by[w];
		if (!(asks & ~st->done))
			st->writer[x] = FORGOTTEN;
	}
}

/* Whether the thread of a racing write must not have strayed. */
static bool has_strayed(const struct search *s, const struct state *st, unsigned e)
{
	return s->rules == SNAG_RULES_LITERAL && (s->m->writes & just(e)) &&
	       (st->strayed & s->m->of[s->m->thread[e]]);
}

static void note_races(struct search *s, uint32_t at, const struct state *st, event_set enabled)
{
	const struct model *m = s->m;
	for (event_set rest = enabled & m->plain; rest;) {
		unsigned e1 = take_first(&rest);
		if (has_strayed(s, st, e1))
			continue;
		for (event_set others = rest & m->conflicts[e1] & ~s->races[e1]; others;) {
			unsigned e2 = take_first(&others);
			if (has_strayed(s, st, e2))
				continue;
			s->races[e1] |= just(e2);
			s->races[e2] |= just(e1);
			s->race_at[e1][e2] = s->race_at[e2][e1] = at;
		}
	}
}

/* Whom thread t waits for in a state: by a join, or by an acquire that may wait. */
static uint32_t waited_for(const struct model *m, event_set done, unsigned t)
{
	event_set rest = m->of[t] & ~done;
	if (!rest)
		return 0;
	unsigned e = (unsigned)__builtin_ctz(rest), u = m->target[e];
	event_set joined = m->op[e] == SNAG_OP_JOIN ? m->of[u] & below(e) : 0;
	if (m->needs[e] & ~done & ~joined)
		return 0; /* it has not started, or the thread that it waits for has not */
	if (m->trace->ev[e].flags & SNAG_NO_WAIT)
		return 0;
	return joined & ~done ? 1u << u : holders(m, done, e);
}

/* Whether these threads, and no fewer of them, are a circle. */
static bool is_circle(const struct model *m, const uint32_t *waits_for, uint32_t threads)
{
	unsigned first = (unsigned)__builtin_ctz(threads), t = first, n = 0;
	do {
		uint32_t next = waits_for[t] & threads;
		if (__builtin_popcount(next) != 1)
			return false;
		t = (unsigned)__builtin_ctz(next);
	} while (++n <= m->nthreads && t != first);
	return t == first && n == (unsigned)__builtin_popcount(threads) && n > 1;
}

static void deadlock_add(struct search *s, event_set requests, uint32_t at)
{
	for (size_t i = 0; i < s->ndeadlocks; i++)
		if (s->deadlock[i].requests == requests)
			return;
	s->deadlock =
		snag_grow(s->deadlock, &s->deadlock_cap, s->ndeadlocks + 1, sizeof(*s->deadlock));
	s->deadlock[s->ndeadlocks++] = (struct search_deadlock){requests, at};
}

/* Every set of threads is tried. */
static void note_deadlocks(struct search *s, uint32_t at, event_set done)
{
	const struct model *m = s->m;
	uint32_t waits_for[MAX_THREADS], waiting = 0;
	for (unsigned t = 0; t < m->nthreads; t++) {
		waits_for[t] = waited_for(m, done, t);
		waiting |= waits_for[t] ? 1u << t : 0;
	}
	for (uint32_t some = waiting; some; some = (some - 1) & waiting) {
		event_set requests = 0;
		if (!(some & (some - 1)) || !is_circle(m, waits_for, some))
			continue;
		for (unsigned t = 0; t < m->nthreads; t++)
			if (some & 1u << t)
				requests |= just((unsigned)__builtin_ctz(m->of[t] & ~done));
		deadlock_add(s, requests, at);
	}
}

/* The state after e, which is enabled; false: what it reads does not allow it. */
static bool step(const struct search *s, struct state *st, unsigned e)
{
	const struct model *m = s->m;
	bool strays;
	if (!reads_allow(s, st, e, &strays) || (s->preserves && is_overtaken(m, st->done, e)))
		return false;
	st->done |= just(e);
	if (strays)
		st->strayed |= just(e);
	if (m->writes & just(e))
		st->writer[m->target[e]] =
			st->strayed & m->of[m->thread[e]] ? FORGOTTEN : (uint8_t)e;
	forget(s, st);
	return true;
}

static void expand(struct search *s, uint32_t at)
{
	const struct model *m = s->m;
	struct state st = s->visit[at].state;
	uint32_t waits_for[MAX_THREADS], waiting = 0;
	event_set enabled = 0;

	for (unsigned t = 0; t < m->nthreads; t++) {
		event_set rest = m->of[t] & ~st.done;
		if (!rest)
			continue;
		unsigned e = (unsigned)__builtin_ctz(rest);
		if (m->needs[e] & ~st.done)
			continue;
		waits_for[t] = holders(m, st.done, e);
		if (waits_for[t])
			waiting |= 1u << t;
		else
			enabled |= just(e);
	}
	if (waiting && is_deadlock(m, waits_for, waiting))
		s->has_deadlock = true;
	note_deadlocks(s, at, st.done);
	note_races(s, at, &st, enabled);

	while (enabled) {
		struct state next = st;
		unsigned e = take_first(&enabled);
		if (step(s, &next, e))
			visit_add(s, &next, at, e);
	}
}

static void prepare(struct search *s)
{
	const struct model *m = s->m;
	s->keeps = 0;
	memset(s->seen_by, 0, sizeof(s->seen_by));
	memset(s->initial, 0, sizeof(s->initial));
	memset(s->races, 0, sizeof(s->races));
	s->has_deadlock = false;
	s->ndeadlocks = 0;
	s->nvisits = 0;
	s->run++;
	for (event_set rest = m->reads; rest;) {
		unsigned e = take_first(&rest);
		event_set effects = m->writes & m->of[m->thread[e]] & ~below(e); /* or its own */
		for (event_set later = m->branches; later;) {
			unsigned b = take_first(&later);
			if (m->depends[b] & just(e))
				effects |= just(b);
		}
		if (s->rules != SNAG_RULES_READS && !effects && !(m->waits & just(e)))
			continue;
		s->keeps |= just(e);
		if (m->saw[e] == NO_EVENT)
			s->initial[m->target[e]] |= just(e);
		else
			s->seen_by[m->saw[e]] |= just(e);
	}
}

static bool run(struct search *s, const struct model *m, enum snag_rules rules, bool preserves)
{
	s->m = m;
	s->rules = rules;
	s->preserves = preserves;
	prepare(s);
	struct state start = {0};
	memset(start.writer, INITIAL, sizeof(start.writer));
	for (unsigned x = m->nvariables; x < MAX_VARIABLES; x++)
		start.writer[x] = FORGOTTEN;
	forget(s, &start);
	visit_add(s, &start, 0, NO_EVENT);
	for (uint32_t at = 0; at < s->nvisits; at++) {
		if (s->nvisits > MAX_STATES)
			return false;
		expand(s, at);
	}
	return true;
}

bool search_run(struct search *s, const struct model *m, enum snag_rules rules)
{
	return run(s, m, rules, false);
}

bool search_run_preserving(struct search *s, const struct model *m)
{
	return run(s, m, SNAG_RULES_READS, true);
}

event_set search_races(const struct search *s, unsigned e1)
{
	return s->races[e1];
}

bool search_has_race(const struct search *s)
{
	for (unsigned e = 0; e < s->m->n; e++)
		if (s->races[e])
			return true;
	return false;
}

bool search_has_deadlock(const struct search *s)
{
	return s->has_deadlock;
}

unsigned search_deadlocks(const struct search *s, const struct search_deadlock **ret)
{
	*ret = s->deadlock;
	return (unsigned)s->ndeadlocks;
}

static unsigned path_to(const struct search *s, uint32_t at, uint32_t *events)
{
	unsigned n = (unsigned)__builtin_popcount(s->visit[at].state.done);
	for (unsigned i = n; i-- > 0; at = s->visit[at].from)
		events[i] = s->visit[at].event;
	return n;
}

unsigned search_deadlock_witness(const struct search *s, const struct search_deadlock *d,
				 uint32_t *events)
{
	return path_to(s, d->at, events);
}

/* The events that may happen next in a state, as far as reads allow them. */
static event_set enabled_in(const struct search *s, const struct state *st)
{
	const struct model *m = s->m;
	event_set enabled = 0;
	for (unsigned t = 0; t < m->nthreads; t++) {
		event_set rest = m->of[t] & ~st->done;
		unsigned e = rest ? (unsigned)__builtin_ctz(rest) : 0;
		struct state next = *st;
		if (rest && !(m->needs[e] & ~st->done) && !holders(m, st->done, e) &&
		    step(s, &next, e))
			enabled |= just(e);
	}
	return enabled;
}

/* Every step makes a state with one more event, so states come in the order of their numbers. */
bool search_between(struct search *s, unsigned read, unsigned between, event_set *ret_next)
{
	*ret_next = 0;
	if (s->nvisits > MAX_STATES / 16)
		return false;
	bool *is_after = snag_calloc(s->nvisits, sizeof(*is_after));
	for (size_t at = 0; at < s->nvisits; at++) {
		const struct state st = s->visit[at].state;
		event_set enabled = enabled_in(s, &st);
		if (is_after[at])
			*ret_next |= enabled;
		while (enabled) {
			struct state next = st;
			unsigned e = take_first(&enabled);
			step(s, &next, e);
			if (is_after[at] || (e == between && (st.done & just(read))))
				is_after[slot_find(s, &next)->visit] = true;
		}
	}
	free(is_after);
	return true;
}

event_set search_behind(const struct search *s, unsigned end)
{
	const struct model *m = s->m;
	event_set next = 0;
	for (size_t at = 0; at < s->nvisits; at++) {
		event_set done = s->visit[at].state.done;
		for (unsigned t = 0; done & just(end) && t < m->nthreads; t++) {
			event_set rest = m->of[t] & ~done;
			unsigned e = rest ? (unsigned)__builtin_ctz(rest) : 0;
			if (rest && !(m->needs[e] & ~done) && !holders(m, done, e))
				next |= just(e);
		}
	}
	return next;
}

unsigned search_states(const struct search *s)
{
	return (unsigned)s->nvisits;
}

unsigned search_witness(const struct search *s, unsigned e1, unsigned e2, uint32_t *events)
{
	unsigned n = path_to(s, s->race_at[e1][e2], events);
	events[n] = e1;
	events[n + 1] = e2;
	return n + 2;
}
