/* SPDX-License-Identifier: Apache-2.0
 *
 * check_deadlock.c - the detector deadlock against the exhaustive search
 *
 *   requests    exactly the circles of requests without a chord that some reordering reaches; none
 *               is undecided
 *   locations   one deadlock for every set of locations that has one
 *   witness     accepted by the checker, and by the definitions
 *   damaged     on damaged witnesses the checker and the definitions agree
 *   search      the checker accepts the witnesses of the search
 */
#include "check.h"

#include "detect/analyze/analyze.h"
#include "found.h"
#include "naive.h"
#include "prng.h"
#include "trace/deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
	const struct search_deadlock *deadlock;
	unsigned n;
	bool pairs, whole; /* how the detector is asked */
};

static void sets_text(const struct expected *ex, char *to, size_t size)
{
	size_t at = 0;
	to[0] = '\0';
	for (unsigned i = 0; i < ex->n && at + 100 < size; i++)
		for (event_set rest = ex->deadlock[i].requests; rest;) {
			unsigned e = take_first(&rest);
			at += (size_t)snprintf(to + at, size - at, "%u%s", e, rest ? "-" : " ");
		}
}

static enum outcome differ(const struct expected *ex, const struct snag_findings *f,
			   const char *what, struct reason *why)
{
	char expected[600], found[600] = "";
	size_t at = 0;
	sets_text(ex, expected, sizeof(expected));
	for (size_t i = 0; i < f->ndeadlocks && at + 100 < sizeof(found); i++)
		for (size_t k = 0; k < f->deadlock[i].n; k++)
			at += (size_t)snprintf(found + at, sizeof(found) - at, "%u%s",
					       f->deadlock[i].wait[k].at.event,
					       k + 1 < f->deadlock[i].n ? "-" : " ");
	return check_fail(why, "%s (%s, %s)\n  search:   %s\n  detector: %s", what,
			  ex->pairs ? "all" : "locations", ex->whole ? "whole" : "slice", expected,
			  found);
}

static event_set requests_of(const struct snag_deadlock *d)
{
	event_set s = 0;
	for (size_t i = 0; i < d->n; i++)
		s |= just(d->wait[i].at.event);
	return s;
}

static const struct search_deadlock *find(const struct expected *ex, event_set requests)
{
	for (unsigned i = 0; i < ex->n; i++)
		if (ex->deadlock[i].requests == requests)
			return &ex->deadlock[i];
	return NULL;
}

/* All events of a witness, those of its prefix first. */
struct plain {
	uint32_t event[2 * MAX_EVENTS], request[MAX_THREADS];
	struct snag_witness w;
};

static void plain_of(const struct subject *s, const struct snag_deadlock *d, struct plain *to)
{
	for (size_t i = 0; i < d->n; i++)
		to->request[i] = d->wait[i].at.event;
	to->w = (struct snag_witness){.event = to->event,
				      .n = found_events(&s->model, &d->proof, to->event),
				      .request = to->request,
				      .nrequests = d->n};
}

static void damage(struct prng *random, const struct model *m, struct snag_witness *w)
{
	unsigned q = prng_below(random, (unsigned)w->nrequests);
	unsigned kind = prng_below(random, FOUND_DAMAGES + 3);
	switch (kind) {
	default:
		found_damage(random, kind, m, w);
		break;
	case FOUND_DAMAGES: /* another request */
		w->request[q] = prng_below(random, m->n + 1);
		break;
	case FOUND_DAMAGES + 1: /* another order */
		if (w->nrequests > 1) {
			uint32_t e = w->request[q];
			unsigned r = prng_below(random, (unsigned)w->nrequests);
			w->request[q] = w->request[r];
			w->request[r] = e;
		}
		break;
	case FOUND_DAMAGES + 2: /* one request less */
		w->nrequests--;
		memmove(&w->request[q], &w->request[q + 1],
			(w->nrequests - q) * sizeof(*w->request));
	}
}

static enum outcome agree(const struct subject *s, const struct snag_witness *w, bool must_be_valid,
			  struct reason *why)
{
	return found_agree(s->trace, w, SNAG_RULES_READS, naive_check_deadlock, must_be_valid, why);
}

static enum outcome check_found(struct subject *s, const struct snag_deadlock *d,
				struct reason *why)
{
	struct prng random = {s->seed};
	struct plain plain;
	uint32_t *prefix = snag_race_prefix_counts(&d->proof, s->model.nthreads);
	plain_of(s, d, &plain);
	struct snag_witness w = {.prefix = prefix,
				 .event = d->proof.witness,
				 .n = d->proof.nwitness,
				 .request = plain.request,
				 .nrequests = d->n};
	struct snag_error err = {0};
	bool is_valid = snag_witness_check(s->trace, &w, SNAG_RULES_READS, &err) == 0;
	free(prefix);
	if (!is_valid)
		return check_fail(why, "the checker refuses a witness with a prefix: %s", err.msg);
	enum outcome outcome = agree(s, &plain.w, true, why);
	for (unsigned i = prng_range(&random, 1, 3); outcome == PASSED && i > 0; i--) {
		damage(&random, &s->model, &plain.w);
		outcome = plain.w.nrequests ? agree(s, &plain.w, false, why) : PASSED;
		if (!plain.w.nrequests)
			break;
	}
	return outcome;
}

/* What a thread holds there is what the request before asks for. */
static bool sites_are_right(const struct subject *s, const struct snag_deadlock *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct snag_deadlock_wait *w = &d->wait[i];
		const struct snag_event *asked =
			&s->trace->ev[d->wait[(i + d->n - 1) % d->n].at.event];
		const struct snag_event *ev = &s->trace->ev[w->at.event];
		if (i > 0 && w->at.event < d->wait[0].at.event)
			return false;
		if (w->at.thread != ev->thread || w->at.target != ev->target ||
		    w->at.loc != ev->loc || w->at.op != ev->op)
			return false;
		if (asked->op == SNAG_OP_JOIN) {
			if (w->held.event != SNAG_NO_EVENT || asked->target != ev->thread)
				return false;
			continue;
		}
		const struct section *held =
			w->held.event < s->model.n ? model_section(&s->model, w->held.event) : NULL;
		if (!held || held->thread != ev->thread || held->lock != asked->target ||
		    !(held->events & just(w->at.event)))
			return false;
	}
	return true;
}

static int loc_compare(const void *a, const void *b)
{
	snag_loc x = *(const snag_loc *)a, y = *(const snag_loc *)b;
	return x < y ? -1 : x > y;
}

static unsigned locations_of(const struct subject *s, event_set requests, snag_loc *to)
{
	unsigned n = 0;
	while (requests)
		to[n++] = s->trace->ev[take_first(&requests)].loc;
	qsort(to, n, sizeof(*to), loc_compare);
	return n;
}

/* How many of the findings have the locations of these requests. */
static unsigned findings_like(const struct subject *s, const struct snag_findings *f,
			      event_set requests)
{
	snag_loc a[MAX_THREADS], b[MAX_THREADS];
	unsigned n = locations_of(s, requests, a), like = 0;
	for (size_t i = 0; i < f->ndeadlocks; i++)
		like += locations_of(s, requests_of(&f->deadlock[i]), b) == n &&
			memcmp(a, b, n * sizeof(*a)) == 0;
	return like;
}

static enum outcome check_findings(struct subject *s, const struct expected *ex,
				   const struct snag_findings *f, struct reason *why)
{
	if (!f->complete)
		return differ(ex, f, "something was left undecided", why);
	for (size_t i = 0; i < f->ndeadlocks; i++) {
		const struct snag_deadlock *d = &f->deadlock[i];
		if (d->proof.verdict != SNAG_PREDICTED || !find(ex, requests_of(d)))
			return differ(ex, f, "no deadlock", why);
		if (!sites_are_right(s, d))
			return differ(ex, f, "the sites are wrong", why);
		for (size_t k = 0; k < i; k++)
			if (requests_of(&f->deadlock[k]) == requests_of(d))
				return differ(ex, f, "twice", why);
		if (check_found(s, d, why) == FAILED)
			return FAILED;
	}
	if (ex->pairs && f->ndeadlocks != ex->n)
		return differ(ex, f, "missed", why);
	for (unsigned i = 0; i < ex->n; i++)
		if (!ex->pairs && findings_like(s, f, ex->deadlock[i].requests) != 1)
			return differ(ex, f, "locations", why);
	return PASSED;
}

/* Those of the search need no prefix; in which order the circle is, is found by trying. */
static enum outcome check_search_witness(struct subject *s, const struct search *search,
					 const struct search_deadlock *d, struct reason *why)
{
	struct plain plain;
	uint32_t *request = plain.request;
	unsigned n = 0, tries = 0;
	for (event_set rest = d->requests; rest;)
		request[n++] = take_first(&rest);
	plain.w = (struct snag_witness){.event = plain.event,
					.n = search_deadlock_witness(search, d, plain.event),
					.request = request,
					.nrequests = n};
	struct prng random = {s->seed};
	while (naive_check_deadlock(s->trace, &plain.w, SNAG_RULES_READS) && ++tries < 2000) {
		unsigned i = prng_below(&random, n), k = prng_below(&random, n);
		uint32_t e = request[i];
		request[i] = request[k];
		request[k] = e;
	}
	return agree(s, &plain.w, true, why);
}

enum outcome check_deadlock(struct subject *s, struct reason *why)
{
	const struct search *search = subject_search(s, SNAG_RULES_READS);
	if (!search)
		return SKIPPED;
	/* By turns: each way of asking costs a run. */
	struct expected ex = {.pairs = s->seed >> 20 & 1, .whole = s->seed >> 21 & 1};
	ex.n = search_deadlocks(search, &ex.deadlock);
	enum outcome outcome = PASSED;
	for (unsigned i = 0; outcome == PASSED && i < ex.n; i++)
		outcome = check_search_witness(s, search, &ex.deadlock[i], why);
	if (outcome == FAILED)
		return FAILED;
	struct snag_analyze_options options = {.detector = {snag_detector_find("deadlock", 8)},
					       .ndetectors = 1,
					       .pairs = ex.pairs,
					       .whole = ex.whole};
	struct snag_analysis analysis;
	outcome = check_analyze(s->trace, &options, &analysis, why);
	if (outcome != PASSED)
		return outcome;
	outcome = check_findings(s, &ex, &analysis.findings[0], why);
	snag_analysis_done(&analysis);
	return outcome == PASSED && !ex.n ? SKIPPED : outcome;
}
