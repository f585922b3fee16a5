/* SPDX-License-Identifier: Apache-2.0
 *
 * vain.c - threads that look at memory again and again, in an exhaustive search
 */
#include "explore/vain.h"

enum { LONGEST = 16, ROOM = LONGEST * SNAG_LOOKS + 1 }; /* moves of a loop; of all its rounds */

/* The last moves of a thread, the latest first. */
struct window {
	uint32_t move[ROOM];
	uint32_t n;
};

/* [private] */
static bool is_private(const struct snag_moves *m, uint64_t word, uint32_t thread)
{
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; m->at[i].thread != thread && k < m->at[i].n; k++) {
			const struct snag_touch *t = &m->touch[m->at[i].first + k];
			if (t->kind == SNAG_TOUCH_MEMORY && t->key == word)
				return false;
		}
	return true;
}

static bool only_reads(const struct snag_moves *m, uint32_t move)
{
	const struct snag_move *v = &m->at[move];
	for (uint32_t i = 0; i < v->n; i++) {
		const struct snag_touch *t = &m->touch[v->first + i];
		if (t->kind != SNAG_TOUCH_MEMORY ||
		    (t->is_write && !is_private(m, t->key, v->thread)))
			return false;
	}
	return true;
}

/* Takes `last` and the moves of its thread before it. */
static void window_take(struct window *w, const struct snag_moves *m, uint32_t last)
{
	w->move[0] = last;
	w->n = 1;
	for (uint32_t i = last; i-- > 0 && w->n < ROOM;) {
		if (m->at[i].thread == m->at[last].thread)
			w->move[w->n++] = i;
	}
}

/* The same memory at the same place; [try] one of them may write. */
static bool is_same(const struct snag_moves *m, uint32_t a, uint32_t b)
{
	const struct snag_move *x = &m->at[a], *y = &m->at[b];
	bool is = x->place == y->place && x->n == y->n && x->n > 0;
	for (uint32_t i = 0; is && i < x->n; i++) {
		const struct snag_touch *s = &m->touch[x->first + i], *t = &m->touch[y->first + i];
		is = s->kind == t->kind && s->key == t->key && s->mask == t->mask;
	}
	return is;
}

/* How many moves a round of the loop has; 0: there is no loop of SNAG_LOOKS rounds. */
static uint32_t period_find(const struct window *w, const struct snag_moves *m)
{
	for (uint32_t p = 1; p <= LONGEST && SNAG_LOOKS * p < w->n; p++) {
		bool repeats = true;
		for (uint32_t i = 0; repeats && i <= (SNAG_LOOKS - 1) * p; i++)
			repeats = is_same(m, w->move[i], w->move[i + p]);
		if (repeats)
			return p;
	}
	return 0;
}

static bool is_read_by(const struct window *w, uint32_t n, const struct snag_moves *m,
		       const struct snag_touch *write)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct snag_move *v = &m->at[w->move[i]];
		for (uint32_t k = 0; k < v->n; k++) {
			const struct snag_touch *t = &m->touch[v->first + k];
			if (t->key == write->key && t->mask & write->mask)
				return true;
		}
	}
	return false;
}

bool snag_reversal_is_vain(const struct snag_relation *r, const struct snag_reversal *v)
{
	const struct snag_moves *m = r->moves;
	struct window w;
	window_take(&w, m, v->second);
	const uint32_t period = period_find(&w, m), n = SNAG_LOOKS * period + 1;
	if (!period)
		return false;
	for (uint32_t i = 1; i < n; i++)
		if (!only_reads(m, w.move[i]))
			return false;
	/* All rounds have read the same values if nothing but the first of the reversal wrote them.
	 * */
	for (uint32_t i = w.move[n - 1]; i < v->second; i++) {
		const struct snag_move *other = &m->at[i];
		bool counts = i != v->first && other->thread != m->at[v->second].thread;
		for (uint32_t k = 0; counts && k < other->n; k++) {
			const struct snag_touch *t = &m->touch[other->first + k];
			if (t->kind == SNAG_TOUCH_MEMORY && t->is_write && is_read_by(&w, n, m, t))
				return false;
		}
	}
	return true;
}
