/* SPDX-License-Identifier: Apache-2.0
 *
 * test_contended_memory.c - the pass over memory against a model that keeps everything
 *
 * The model has a clock for every access of every byte, of K and of happens-before, and compares
 * each access with all before it.  What it finds contended must be needed (contended_memory.h).
 * If all accesses are single aligned words, nothing else is.
 */
#include "base/memory.h"
#include "detect/slice/contended.h"
#include "detect/slice/contended_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, BYTES = 1 << 14, LOCKS = 3, EVENTS = 400 };

/* The bytes lie across the end of a page of the shadow. */
static const uint64_t BASE = 0x7f0000ff9000;

struct clock {
	uint32_t at[THREADS];
};

struct past {
	uint32_t thread;
	bool is_write;
	uint32_t time; /* of its thread */
};

struct byte {
	struct past *past;
	size_t n, cap;
	struct clock written; /* K at its last write */
	bool is_written, is_contended;
};

struct model {
	struct clock kept[THREADS], hb[THREADS], lock[LOCKS];
	bool is_held[LOCKS];
	uint32_t holder[LOCKS];
	struct byte byte[BYTES];
	uint8_t contended[BYTES]; /* in some life */
};

static uint64_t state;

static uint32_t choose(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static void join(struct clock *to, const struct clock *from)
{
	for (int u = 0; u < THREADS; u++)
		if (to->at[u] < from->at[u])
			to->at[u] = from->at[u];
}

static void tick(struct model *m, uint32_t t)
{
	m->kept[t].at[t]++;
	m->hb[t].at[t]++;
}

static void byte_access(struct model *m, struct byte *b, uint32_t t, bool is_write)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct past *p = &b->past[i];
		if (p->thread != t && (is_write || p->is_write) &&
		    (p->time > m->kept[t].at[p->thread] || p->time > m->hb[t].at[p->thread]))
			b->is_contended = true;
	}
	b->past = snag_grow(b->past, &b->cap, b->n + 1, sizeof(*b->past));
	b->past[b->n++] = (struct past){t, is_write, m->kept[t].at[t]};
}

/* An access inside a word. */
static void model_word(struct model *m, uint32_t t, uint64_t address, uint64_t n, bool is_write)
{
	struct byte *b = &m->byte[address - BASE];
	tick(m, t);
	for (uint64_t i = 0; i < n; i++)
		byte_access(m, &b[i], t, is_write);
	for (uint64_t i = 0; i < n; i++) {
		if (!is_write && b[i].is_written)
			join(&m->kept[t], &b[i].written);
		if (is_write) {
			b[i].written = m->kept[t];
			b[i].is_written = true;
		}
	}
}

/* A range is accessed word by word. */
static void model_access(struct model *m, uint32_t t, uint64_t address, uint64_t n, bool is_write)
{
	for (uint64_t at = address, next; at < address + n; at = next) {
		next = (at | 7) + 1;
		next = next < address + n ? next : address + n;
		model_word(m, t, at, next - at, is_write);
	}
}

static void model_begin(struct model *m, uint64_t address, uint64_t n)
{
	for (uint64_t i = address - BASE; i < address - BASE + n; i++) {
		m->contended[i] |= m->byte[i].is_contended;
		m->byte[i].n = 0;
		m->byte[i].is_written = m->byte[i].is_contended = false;
	}
}

struct pair {
	struct model *model;
	struct snag_contended_memory *memory;
	bool is_even; /* aligned words of 8 bytes only */
};

static void both_access(struct pair *p, uint32_t t, uint64_t address, uint64_t n, bool is_write)
{
	const struct snag_bytes_at place = {address, n, is_write, 0};
	model_access(p->model, t, address, n, is_write);
	snag_contended_memory_access(p->memory, &place);
}

/* Some accesses of a loop. */
static void both_run(struct pair *p, uint32_t t)
{
	struct snag_bytes_step step[4];
	uint32_t period = 1 + choose(4), rounds = 1 + choose(60),
		 n = rounds * period + choose(period);
	for (uint32_t i = 0; i < period; i++) {
		unsigned size = 1u << choose(4);
		int64_t stride = (int64_t)size * ((int64_t)choose(5) - 2);
		uint64_t middle = BASE + BYTES / 2 + (uint64_t)choose(64) * 8;
		step[i] = (struct snag_bytes_step){{middle, size, choose(3) == 0, 0}, stride};
	}
	struct snag_bytes_step naive[4];
	memcpy(naive, step, sizeof(naive));
	for (uint32_t i = 0; i < n; i++) {
		struct snag_bytes_step *s = &naive[i % period];
		model_access(p->model, t, s->next.address, s->next.nbytes, s->next.is_write);
		s->next.address += (uint64_t)s->stride;
	}
	snag_contended_memory_run(p->memory, step, period, n);
}

static void both_lock(struct pair *p, uint32_t t)
{
	struct model *m = p->model;
	uint32_t l = choose(LOCKS);
	struct snag_event ev = {.thread = t, .target = l, .op = SNAG_OP_ACQUIRE};
	if (m->is_held[l] && m->holder[l] != t)
		return;
	tick(m, t);
	if (m->is_held[l]) {
		ev.op = SNAG_OP_RELEASE;
		m->lock[l] = m->hb[t];
	} else {
		join(&m->hb[t], &m->lock[l]);
	}
	m->is_held[l] = !m->is_held[l];
	m->holder[l] = t;
	snag_contended_memory_sync(p->memory, &ev);
}

static void both_fork(struct pair *p)
{
	for (uint32_t u = 1; u < THREADS; u++) {
		const struct snag_event ev = {.thread = 0, .target = u, .op = SNAG_OP_FORK};
		tick(p->model, 0);
		join(&p->model->kept[u], &p->model->kept[0]);
		join(&p->model->hb[u], &p->model->hb[0]);
		snag_contended_memory_sync(p->memory, &ev);
		tick(p->model, 0);
	}
}

/* An access somewhere: few words are used often, some pages are used as a whole. */
static void both_somewhere(struct pair *p, uint32_t t)
{
	bool is_write = choose(3) == 0;
	if (!p->is_even && choose(12) == 0) {
		uint64_t n = choose(2) ? 8 * (1 + choose(900)) : 1 + choose(9000);
		uint64_t at = choose(2) ? 8 * choose(500) : choose(4000);
		both_access(p, t, BASE + at, n, is_write);
		return;
	}
	unsigned size = p->is_even ? 8 : 1u << choose(4);
	uint64_t at = choose(4) ? choose(96) : choose(BYTES - 16);
	if (p->is_even)
		at = at / 8 * 8;
	else if (choose(3))
		at = at / size * size;
	if (at / 8 != (at + size - 1) / 8) /* a record lies inside a word */
		size = 8 - (unsigned)(at % 8);
	both_access(p, t, BASE + 8000 / 8 * 8 + at % 8000, size, is_write);
}

static void one_compare(uint64_t seed, bool is_even)
{
	struct pair p = {.is_even = is_even};
	p.model = snag_calloc(1, sizeof(*p.model));
	p.memory = snag_contended_memory_new(SNAG_WANT_HB | SNAG_WANT_KEPT);
	state = seed;
	for (uint32_t i = 0, n = choose(20); i < n; i++)
		both_somewhere(&p, 0);
	both_fork(&p);
	for (uint32_t i = 0, t = 0; i < EVENTS; i++) {
		if (choose(6) == 0)
			t = choose(THREADS);
		snag_contended_memory_thread(p.memory, t);
		uint32_t what = choose(40);
		if (what < 6) {
			both_lock(&p, t);
		} else if (what < 9 && !is_even) {
			both_run(&p, t);
		} else if (what == 9) {
			uint64_t at = BASE + 8 * choose(BYTES / 8 - 700),
				 nbytes = 8 * (1 + choose(600));
			model_begin(p.model, at, nbytes);
			snag_contended_memory_begin(p.memory, at, nbytes);
		} else {
			both_somewhere(&p, t);
		}
	}
	model_begin(p.model, BASE, BYTES);
	snag_contended_memory_end(p.memory);
	for (uint64_t at = 0; at < BYTES; at += 8) {
		bool is_contended = false;
		for (uint64_t i = at; i < at + 8; i++)
			is_contended |= p.model->contended[i];
		bool is_needed =
			snag_word_set_has(snag_contended_memory_needed(p.memory), BASE + at, 8);
		if (is_contended > is_needed || (is_even && is_needed > is_contended)) {
			printf("seed %llu, %s: byte %llu: contended %d, needed %d\n",
			       (unsigned long long)seed, is_even ? "even" : "any",
			       (unsigned long long)at, is_contended, is_needed);
			fail();
		}
	}
	for (size_t i = 0; i < BYTES; i++)
		free(p.model->byte[i].past);
	free(p.model);
	snag_contended_memory_free(p.memory);
}

/* SNAG_SEEDS: how many. */
static uint64_t seeds(void)
{
	const char *text = getenv("SNAG_SEEDS");
	return text ? strtoull(text, NULL, 10) : 200;
}

static void test_superset(void **unused)
{
	for (uint64_t seed = 1; seed <= seeds(); seed++)
		one_compare(seed, false);
}

static void test_exact(void **unused)
{
	for (uint64_t seed = 1; seed <= seeds(); seed++)
		one_compare(seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_superset),
					   cmocka_unit_test(test_exact)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
