/* SPDX-License-Identifier: Apache-2.0
 *
 * simd.c - the order of the statements of simd loops
 *
 * Idea.   Some iterations of a simd loop run in lockstep, and then the next ones; how many is not
 *         specified.  So statement k of iteration i comes before statement m of iteration j if
 *         k < m and i <= j, whether or not they run together.  Nothing else is certain but the
 *         order within an iteration.  Inside a statement, its reads come before its first
 *         write in the same way.
 *
 *         Between two parts of the body each iteration gets the promise of the iteration
 *         before, and sets its own.  So this promise stands for all iterations before it, and
 *         for no other part.
 *
 * State.  last[b]   by boundary between two parts: the promise of the last iteration there, + 1.
 *                   2k: inside of statement k; 2k + 1: behind it
 *         now       the next boundary of this iteration
 *         ended[]   the same for whole iterations, a ring of as many as safelen says
 * Rules.  [part]    A boundary that an iteration jumps over comes when it ends, or with the
 *                   next one.
 *         [write]   2k comes before the first write that is reported, or with 2k + 1.
 *         [safe]    With safelen(n) an iteration comes after those that are n or more before it.
 * Guarantee.  Exact for bodies whose statements snag cc tells apart
 *             (cc/openmp/openmp_statements.h).
 * Cost.   Two events for each boundary and iteration: only when a run without them has found a
 *         race.
 * Reference.  OpenMP 5.1, 2.11.5.1; OpenMP Examples, SIMD.8.
 */
#include "omp/core.h"

#include <string.h>

enum { MOST_SAFE = 1 << 16 }; /* a larger safelen allows any number, as if the clause was missing */

struct mp_lockstep {
	uint32_t *last;
	size_t n, cap;
	size_t now;
	unsigned statement; /* the statement that runs */
	bool is_reported;   /* its statements are reported one by one */
	uint32_t *ended;    /* + 1; NULL: no safelen */
	uint64_t safe;
	uint64_t iteration; /* from 0 */
};

struct mp_lockstep *mp_lockstep_new(void)
{
	if (!mp.hooks)
		return NULL;
	struct mp_lockstep *l = mp_alloc(sizeof(*l));
	l->is_reported = mp_asks(SNAG_OMP_IS_LOCKSTEP);
	return l;
}

void mp_lockstep_free(struct mp_lockstep *l)
{
	if (!l)
		return;
	mp_free(l->last);
	mp_free(l->ended);
	mp_free(l);
}

bool mp_lockstep_loop(struct mp_lockstep *l, uint64_t safe)
{
	mp_free(l->ended);
	l->safe = safe <= MOST_SAFE ? safe : 0;
	l->ended = l->safe ? mp_alloc(l->safe * sizeof(*l->ended)) : NULL;
	l->iteration = 0;
	if (l->n)
		memset(l->last, 0, l->n * sizeof(*l->last));
	l->n = 0;
	return l->is_reported || l->ended;
}

/* Orders a statement after the ones before it and before the ones behind it, by promises. */
static void link_add(uint32_t *last)
{
	if (*last)
		mp_report(SNAG_OP_PROMISE_GET, *last - 1);
	uint32_t promise = mp_promise();
	mp_report(SNAG_OP_PROMISE_SET, promise);
	*last = promise + 1;
}

static void boundaries_grow(struct mp_lockstep *l, size_t n)
{
	l->last = mp_grow(l->last, &l->cap, n, sizeof(*l->last));
	l->n = n > l->n ? n : l->n;
}

static void boundaries_pass(struct mp_lockstep *l, size_t end) /* [part] */
{
	boundaries_grow(l, end);
	while (l->now < end)
		link_add(&l->last[l->now++]);
}

static void written(void) /* [write] */
{
	struct mp_lockstep *l = mp.now->task->team->lockstep;
	if (l && mp.now->task->is_implicit)
		boundaries_pass(l, 2 * (size_t)l->statement + 1);
}

void mp_lockstep_statement(struct mp_lockstep *l, unsigned number)
{
	const struct mp_task *t = mp.now->task;
	if (!l->is_reported || !t->is_implicit || t->id == t->base_id)
		return;
	boundaries_pass(l, 2 * (size_t)number + 2);
	l->statement = number + 1;
	mp.hooks->before_write(written);
}

void mp_lockstep_iteration(struct mp_lockstep *l, bool begins)
{
	uint32_t *ended = l->ended ? &l->ended[l->iteration % l->safe] : NULL;
	if (!begins) {
		if (l->is_reported) {
			mp.hooks->before_write(NULL);
			boundaries_pass(l, l->n);
		}
		if (ended) { /* the iterations that have ended come before it, too */
			uint32_t before = l->iteration ? l->ended[(l->iteration - 1) % l->safe] : 0;
			*ended = before;
			link_add(ended);
		}
		l->iteration++;
		return;
	}
	if (ended && *ended) /* [safe] */
		mp_report(SNAG_OP_PROMISE_GET, *ended - 1);
	l->now = 0;
	l->statement = 0;
	if (l->is_reported)
		mp.hooks->before_write(written);
}
