/* SPDX-License-Identifier: Apache-2.0
 *
 * shrink.c - delta debugging of traces
 *
 * Idea.   Try simpler traces, the boldest steps first, and keep each that is
 *         well formed and still fails; start over until no step is left.
 *         Steps: leave out a thread; leave out an acquire with its release;
 *         leave out an event; give two variables, locks or threads one name; turn
 *         an operation into a simpler one.
 */
#include "shrink.h"

#include <string.h>

struct shrinker {
	struct draft *best;
	shrink_predicate *still_fails;
	void *ctx;
};

static bool keep_if_failing(struct shrinker *s, struct draft *d)
{
	struct snag_trace trace;
	if (d->n == 0 || !draft_check(d))
		return false;
	draft_to_trace(d, &trace);
	bool fails = s->still_fails(s->ctx, &trace);
	snag_trace_done(&trace);
	if (fails)
		*s->best = *d;
	return fails;
}

/* Without the events of the set. */
static bool try_without(struct shrinker *s, event_set without)
{
	struct draft d = {.n = 0};
	for (unsigned e = 0; e < s->best->n; e++)
		if (!(without & just(e)))
			d.ev[d.n++] = s->best->ev[e];
	return without && keep_if_failing(s, &d);
}

static bool shrink_threads(struct shrinker *s)
{
	for (unsigned t = 0; t < 16; t++) {
		event_set of = 0;
		for (unsigned e = 0; e < s->best->n; e++) {
			const struct snag_event *ev = &s->best->ev[e];
			bool names_it =
				snag_op_info[ev->op].space == SNAG_SPACE_THREAD && ev->target == t;
			if (ev->thread == t || names_it)
				of |= just(e);
		}
		if (try_without(s, of))
			return true;
	}
	return false;
}

static bool shrink_pairs(struct shrinker *s)
{
	for (unsigned a = 0; a < s->best->n; a++)
		for (unsigned b = a + 1; b < s->best->n; b++)
			if (s->best->ev[a].target == s->best->ev[b].target &&
			    snag_op_info[s->best->ev[a].op].space ==
				    snag_op_info[s->best->ev[b].op].space &&
			    try_without(s, just(a) | just(b)))
				return true;
	return false;
}

static bool shrink_events(struct shrinker *s)
{
	for (unsigned e = s->best->n; e-- > 0;)
		if (try_without(s, just(e)))
			return true;
	return false;
}

/* Calls everything named `from` in the name space `to`. */
static bool try_rename(struct shrinker *s, enum snag_space space, unsigned from, unsigned to)
{
	struct draft d = *s->best;
	bool changed = false;
	for (unsigned e = 0; e < d.n; e++) {
		if (snag_op_info[d.ev[e].op].space == space && d.ev[e].target == from) {
			d.ev[e].target = to;
			changed = true;
		}
		if (space == SNAG_SPACE_THREAD && d.ev[e].thread == from) {
			d.ev[e].thread = to;
			changed = true;
		}
	}
	return changed && keep_if_failing(s, &d);
}

static bool shrink_names(struct shrinker *s)
{
	static const enum snag_space space[] = {SNAG_SPACE_VARIABLE, SNAG_SPACE_LOCK,
						SNAG_SPACE_THREAD};
	for (unsigned i = 0; i < 3; i++)
		for (unsigned from = 1; from < 16; from++)
			for (unsigned to = 0; to < from; to++)
				if (try_rename(s, space[i], from, to))
					return true;
	return false;
}

static bool shrink_operations(struct shrinker *s)
{
	for (unsigned e = 0; e < s->best->n; e++) {
		struct draft d = *s->best;
		uint8_t *op = &d.ev[e].op;
		if (*op == SNAG_OP_ATOMIC_READ || *op == SNAG_OP_ATOMIC_WRITE)
			*op = *op == SNAG_OP_ATOMIC_READ ? SNAG_OP_READ : SNAG_OP_WRITE;
		else if (*op == SNAG_OP_ATOMIC_UPDATE)
			*op = SNAG_OP_ATOMIC_WRITE;
		else
			continue;
		if (keep_if_failing(s, &d))
			return true;
	}
	return false;
}

void shrink(struct draft *d, shrink_predicate *still_fails, void *ctx)
{
	struct shrinker s = {.best = d, .still_fails = still_fails, .ctx = ctx};
	while (shrink_threads(&s) || shrink_pairs(&s) || shrink_events(&s) || shrink_names(&s) ||
	       shrink_operations(&s))
		;
}
