/* SPDX-License-Identifier: Apache-2.0
 *
 * The orders of isolated blocks, against all interleavings of small programs.
 *
 * A program has tasks with blocks; a block reads one variable and writes another, chosen, if the
 * program is one of those, by what it read.  A task may wait for the end of others.
 */
#include "unit.h"

#include "base/memory.h"
#include "detect/tasks/reversals.h"
#include "trace/task_path.h"

#include <string.h>

enum { TASKS = 5, BLOCKS = 3, VARIABLES = 4, MAX = TASKS * BLOCKS, NONE = -1 };

struct program {
	int ntasks, nblocks[TASKS];
	int after[TASKS]; /* the task whose end this one waits for, or NONE */
	struct block {
		int read, write,
			other; /* variables, or NONE; other: written if what is read is odd */
	} block[TASKS][BLOCKS];
};

struct machine {
	int next[TASKS];
	uint64_t memory[VARIABLES];
	struct done {
		int task, number, read, write;
	} done[MAX];
	int n;
};

static uint64_t random_state;

static int below(int n)
{
	random_state += 0x9e3779b97f4a7c15u;
	return (int)(snag_mix(random_state) % (uint64_t)n);
}

static uint64_t id_of(int task, int number)
{
	return snag_block_id(snag_task_path(0, (uint32_t)task), (uint32_t)number);
}

static bool is_enabled(const struct program *p, const struct machine *m, int t)
{
	for (int u = p->after[t]; u != NONE; u = p->after[u])
		if (m->next[u] < p->nblocks[u])
			return false;
	return m->next[t] < p->nblocks[t];
}

static void step(const struct program *p, struct machine *m, int t)
{
	const struct block *b = &p->block[t][m->next[t]];
	uint64_t seen = b->read == NONE ? 0 : m->memory[b->read];
	int write = b->other != NONE && seen & 1 ? b->other : b->write;
	m->done[m->n++] = (struct done){t, m->next[t], b->read, write};
	if (write != NONE)
		m->memory[write] = snag_mix(seen + id_of(t, m->next[t]));
	m->next[t]++;
}

static bool conflict(const struct done *a, const struct done *b)
{
	return (a->write != NONE && (a->write == b->write || a->write == b->read)) ||
	       (b->write != NONE && b->write == a->read);
}

static bool is_structural(const struct program *p, const struct done *a, const struct done *b)
{
	for (int t = b->task; t != NONE; t = p->after[t])
		if (t == a->task)
			return true;
	return false;
}

static void blocks_of(const struct program *p, const struct machine *m, struct snag_blocks *s)
{
	snag_blocks_init(s, (size_t)m->n);
	for (int b = 0; b < m->n; b++) {
		const struct done *d = &m->done[b];
		s->at[b].id = id_of(d->task, d->number);
		if (d->read != NONE)
			snag_block_use(&s->at[b], SNAG_USE_KINDS * (uint64_t)d->read,
				       SNAG_USE_READS);
		if (d->write != NONE)
			snag_block_use(&s->at[b], SNAG_USE_KINDS * (uint64_t)d->write,
				       SNAG_USE_WRITES);
		snag_block_uses_sort(&s->at[b]);
		for (int a = 0; a < b; a++) {
			if (is_structural(p, &m->done[a], &m->done[b]))
				snag_block_row_add(&s->structure, (size_t)b, (size_t)a);
			if (conflict(&m->done[a], &m->done[b]))
				snag_block_row_add(&s->conflict, (size_t)b, (size_t)a);
		}
	}
}

/* What tells orders apart: which of two conflicting blocks came first. */
static uint64_t order_of(const struct machine *m)
{
	uint64_t sum = 0;
	for (int b = 0; b < m->n; b++) {
		uint64_t id = id_of(m->done[b].task, m->done[b].number);
		sum += snag_mix(id ^ (uint64_t)m->done[b].write);
		for (int a = 0; a < b; a++)
			if (conflict(&m->done[a], &m->done[b]))
				sum += snag_mix(id + 3 * id_of(m->done[a].task, m->done[a].number));
	}
	return sum;
}

struct orders {
	uint64_t *at;
	size_t n, cap;
};

static void orders_add(struct orders *o, uint64_t order)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->at[i] == order)
			return;
	o->at = snag_grow(o->at, &o->cap, o->n + 1, sizeof(*o->at));
	o->at[o->n++] = order;
}

static void all_interleavings(const struct program *p, const struct machine *m, struct orders *o)
{
	bool has_ended = true;
	for (int t = 0; t < p->ntasks; t++) {
		struct machine copy = *m;
		if (!is_enabled(p, m, t))
			continue;
		has_ended = false;
		step(p, &copy, t);
		all_interleavings(p, &copy, o);
	}
	if (has_ended)
		orders_add(o, order_of(m));
}

static bool is_asleep(const struct snag_order_plan *plan, uint64_t id)
{
	for (size_t i = plan->nbegin; i < plan->n; i++)
		if (plan->id[i] == id)
			return true;
	return false;
}

/* As the runtime does: the blocks of the beginning first, then as they come, those that sleep only
 * if there is no other, and then all. */
static void follow(const struct program *p, struct snag_order_plan plan, struct machine *m)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < plan.nbegin; i++) {
		int t = 0;
		while (t < p->ntasks &&
		       (!is_enabled(p, m, t) || id_of(t, m->next[t]) != plan.id[i]))
			t++;
		assert_true(t < p->ntasks); /* every beginning is possible */
		step(p, m, t);
	}
	for (int t = 0; t <= p->ntasks; t++) {
		if (t == p->ntasks && plan.n == plan.nbegin)
			return;
		if (t == p->ntasks) {
			plan.n = plan.nbegin;
			t = -1;
		} else if (is_enabled(p, m, t) && !is_asleep(&plan, id_of(t, m->next[t]))) {
			step(p, m, t);
			t = -1;
		}
	}
}

struct tally {
	size_t runs, new;
};

static struct tally explore(const struct program *p, struct orders *found)
{
	struct snag_reversals *r = snag_reversals_new();
	struct snag_order_plan plan;
	struct tally tally = {0, 0};
	while (snag_reversals_next(r, &plan)) {
		struct machine m;
		struct snag_blocks b;
		follow(p, plan, &m);
		blocks_of(p, &m, &b);
		enum snag_order_run result = snag_reversals_add(r, &b);
		assert_int_not_equal(result, SNAG_ORDER_DIVERGED);
		snag_blocks_done(&b);
		snag_order_plan_done(&plan);
		if (result == SNAG_ORDER_NEW)
			orders_add(found, order_of(&m));
		tally.new += result == SNAG_ORDER_NEW;
		tally.runs++;
	}
	snag_reversals_free(r);
	return tally;
}

/* Every order is run once to its end. */
static struct tally check(const struct program *p)
{
	struct orders all = {0}, found = {0};
	struct machine m = {0};
	all_interleavings(p, &m, &all);
	struct tally tally = explore(p, &found);
	assert_int_equal(found.n, all.n);
	assert_int_equal(tally.new, all.n);
	free(all.at);
	free(found.at);
	return tally;
}

static void program_random(struct program *p, bool is_fixed)
{
	memset(p, 0, sizeof(*p));
	p->ntasks = 2 + below(TASKS - 1);
	for (int t = 0, left = 8; t < p->ntasks; t++) {
		p->after[t] = t && below(4) == 0 ? below(t) : NONE;
		p->nblocks[t] = below(BLOCKS + 1);
		p->nblocks[t] = p->nblocks[t] < left ? p->nblocks[t] : left;
		left -= p->nblocks[t];
		for (int b = 0; b < p->nblocks[t]; b++)
			p->block[t][b] =
				(struct block){below(VARIABLES + 1) - 1, below(VARIABLES + 1) - 1,
					       is_fixed ? NONE : below(VARIABLES + 1) - 1};
	}
}

static void test_random(void **state)
{
	size_t runs = 0, orders = 0, most = 0;
	random_state = 1;
	for (int i = 0; i < 600; i++) {
		struct program p;
		program_random(&p, i % 2);
		struct tally tally = check(&p);
		runs += tally.runs;
		orders += tally.new;
		most = tally.new > most ? tally.new : most;
	}
	assert_true(most > 200);
	assert_true(runs < orders + orders / 4); /* few are in vain */
}

/* n tasks with one block each: n! orders if they conflict, one if not. */
static void test_factorial(void **state)
{
	size_t factorial = 1;
	for (int n = 1; n <= TASKS; n++) {
		struct program p = {.ntasks = n};
		factorial *= (size_t)n;
		for (int t = 0; t < n; t++) {
			p.after[t] = NONE;
			p.nblocks[t] = 1;
			p.block[t][0] = (struct block){0, 0, NONE};
		}
		struct tally tally = check(&p);
		assert_int_equal(tally.new, factorial);
		assert_int_equal(tally.runs, factorial);
		for (int t = 0; t < n; t++)
			p.block[t][0] = (struct block){0, NONE, NONE};
		assert_int_equal(check(&p).runs, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_factorial),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
