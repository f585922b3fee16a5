/* SPDX-License-Identifier: Apache-2.0
 *
 * shrink.c - makes the schedule of a failure smaller
 */
#include "explore/shrink.h"

#include "base/clock.h"
#include "base/memory.h"

#include <string.h>

size_t snag_turns_switches(const struct snag_turns *turns)
{
	size_t n = 0;
	for (size_t i = 1; i < turns->n; i++)
		n += turns->at[i].thread != turns->at[i - 1].thread;
	return n;
}

void snag_turns_copy(struct snag_turns *ret, const struct snag_turns *from)
{
	*ret = (struct snag_turns){0};
	for (size_t i = 0; i < from->n; i++)
		snag_turns_add(ret, from->at[i].thread, from->at[i].events);
	snag_creators_copy(&ret->creators, &from->creators);
	snag_answers_copy(&ret->answers, &from->answers);
}

struct attempt {
	const struct snag_shrink *how;
	struct snag_turns *best;
	unsigned runs;
	double begin;
};

static bool is_over(const struct attempt *a)
{
	return a->runs >= a->how->runs || snag_seconds_now() - a->begin > a->how->seconds;
}

/* Tries a schedule, which ends here; true: it is the best one now, because the run had fewer
 * switches. */
static bool try(struct attempt *a, struct snag_turns *turns)
{
	struct snag_turns made = {0};
	a->runs++;
	bool is_better = a->how->fails(a->how->ctx, turns, &made) &&
			 snag_turns_switches(&made) < snag_turns_switches(a->best);
	snag_turns_done(turns);
	if (is_better) {
		snag_turns_done(a->best);
		*a->best = made;
	} else {
		snag_turns_done(&made);
	}
	return is_better;
}

/* The first n turns. */
static void beginning(const struct snag_turns *from, size_t n, struct snag_turns *ret)
{
	snag_turns_copy(ret, from);
	ret->n = n < ret->n ? n : ret->n;
}

/* The turns without turn `out`; the turn `longer`, if there is one, goes on with it. */
static void without(const struct snag_turns *from, size_t out, size_t longer,
		    struct snag_turns *ret)
{
	*ret = (struct snag_turns){0};
	for (size_t k = 0; k < from->n; k++) {
		if (k != out)
			snag_turns_add(ret, from->at[k].thread, from->at[k].events);
		if (k == longer)
			snag_turns_add(ret, from->at[out].thread, from->at[out].events);
	}
	snag_creators_copy(&ret->creators, &from->creators);
	snag_answers_copy(&ret->answers, &from->answers);
}

/* The turn i goes on with the thread's next one, if it has one; false: it has not. */
static bool joined(const struct snag_turns *from, size_t i, struct snag_turns *ret)
{
	size_t next = i + 1;
	while (next < from->n && from->at[next].thread != from->at[i].thread)
		next++;
	if (next == from->n)
		return false;
	without(from, next, i, ret);
	return true;
}

static bool round_beginnings(struct attempt *a)
{
	bool is_better = false;
	for (size_t step = (a->best->n + 1) / 2; step > 0 && !is_over(a);) {
		struct snag_turns t;
		size_t n = a->best->n;
		beginning(a->best, n > step ? n - step : 0, &t);
		if (try(a, &t))
			is_better = true;
		else
			step /= 2;
		step = step > a->best->n ? a->best->n : step;
	}
	return is_better;
}

static bool round_joins(struct attempt *a)
{
	bool is_better = false;
	for (size_t i = 0; i < a->best->n && !is_over(a);) {
		struct snag_turns t;
		if (joined(a->best, i, &t) && try(a, &t))
			is_better = true; /* the same place, of the new turns */
		else
			i++;
	}
	return is_better;
}

/* A turn comes later, or not at all. */
static bool round_drops(struct attempt *a)
{
	bool is_better = false;
	for (size_t i = 0; i < a->best->n && !is_over(a);) {
		struct snag_turns t;
		without(a->best, i, SIZE_MAX, &t);
		if (try(a, &t))
			is_better = true;
		else
			i++;
	}
	return is_better;
}

unsigned snag_shrink(const struct snag_shrink *how, struct snag_turns *turns)
{
	struct attempt a = {.how = how, .best = turns, .begin = snag_seconds_now()};
	while (!is_over(&a) && (round_beginnings(&a) | round_joins(&a) | round_drops(&a)))
		;
	return a.runs;
}
