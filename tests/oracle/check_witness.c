/* SPDX-License-Identifier: Apache-2.0
 *
 * check_witness.c - the checker against the definitions
 *
 * Every predictable race gives one valid witness; from it come damaged ones by
 * exchanging, leaving out, repeating and moving events, some of which are
 * still valid.  On all of them witness/check.c must agree with naive.c.
 */
#include "check.h"

#include "naive.h"
#include "prng.h"

#include <stdio.h>
#include <string.h>

struct list {
	uint32_t event[MAX_EVENTS + 2];
	unsigned n;
};

static void list_text(const struct list *w, char *to, size_t size)
{
	size_t at = 0;
	to[0] = '\0';
	for (unsigned i = 0; i < w->n && at + 12 < size; i++)
		at += (size_t)snprintf(to + at, size - at, "%s%u", i ? " " : "", w->event[i]);
}

static void damage(struct prng *random, unsigned nevents, struct list *w)
{
	unsigned i = prng_below(random, w->n), j = prng_below(random, w->n);
	uint32_t e = w->event[i];
	switch (prng_below(random, 5)) {
	case 0: /* exchange */
		w->event[i] = w->event[j];
		w->event[j] = e;
		break;
	case 1: /* exchange neighbours */
		if (i + 1 < w->n) {
			w->event[i] = w->event[i + 1];
			w->event[i + 1] = e;
		}
		break;
	case 2: /* leave out */
		w->n--;
		memmove(&w->event[i], &w->event[i + 1], (w->n - i) * sizeof(e));
		break;
	case 3: /* repeat, or insert any event */
		if (w->n < MAX_EVENTS) {
			memmove(&w->event[j + 1], &w->event[j], (w->n - j) * sizeof(e));
			w->event[j] = prng_chance(random, 30) ? e : prng_below(random, nevents);
			w->n++;
		}
		break;
	case 4: /* move */
		w->n--;
		memmove(&w->event[i], &w->event[i + 1], (w->n - i) * sizeof(e));
		j = prng_below(random, w->n + 1);
		memmove(&w->event[j + 1], &w->event[j], (w->n - j) * sizeof(e));
		w->event[j] = e;
		w->n++;
		break;
	}
}

/* Writes as much of the sequence as the form with a prefix can: its longest part
 * that is in observed order and takes the first events of each thread. */
static void with_prefix(const struct subject *s, const struct list *w, uint32_t *prefix,
			struct snag_witness *ret)
{
	event_set taken = 0;
	unsigned n = 0;
	memset(prefix, 0, MAX_THREADS * sizeof(*prefix));
	for (; n < w->n; n++) {
		uint32_t e = w->event[n];
		if (e >= s->model.n || (n > 0 && w->event[n - 1] >= e))
			break;
		if (s->model.of[s->model.thread[e]] & below(e) & ~taken)
			break;
		taken |= just(e);
		prefix[s->model.thread[e]]++;
	}
	*ret = (struct snag_witness){
		.prefix = prefix, .event = (uint32_t *)w->event + n, .n = w->n - n};
}

static enum outcome agree(struct subject *s, enum snag_rules rules, const struct list *w,
			  bool must_be_valid, struct reason *why)
{
	const char *naive = naive_check(s->trace, w->event, w->n, rules);
	struct snag_witness plain = {.event = (uint32_t *)w->event, .n = w->n}, prefixed;
	uint32_t prefix[MAX_THREADS];
	with_prefix(s, w, prefix, &prefixed);
	bool is_valid = snag_witness_check(s->trace, &plain, rules, NULL) == 0;
	bool is_valid_prefixed = snag_witness_check(s->trace, &prefixed, rules, NULL) == 0;

	if (is_valid == !naive && is_valid == is_valid_prefixed && (is_valid || !must_be_valid))
		return PASSED;
	char text[256];
	struct snag_error err = {.msg = "valid"}, err_prefixed = {.msg = "valid"};
	list_text(w, text, sizeof(text));
	snag_witness_check(s->trace, &plain, rules, &err);
	snag_witness_check(s->trace, &prefixed, rules, &err_prefixed);
	return check_fail(why,
			  "witness %s (%s)%s\n  checker:         %s\n  with prefix:     %s\n  "
			  "definition says: %s",
			  text, rules_name[rules], must_be_valid ? " of the search" : "", err.msg,
			  err_prefixed.msg, naive ? naive : "valid");
}

static enum outcome check_rules(struct subject *s, enum snag_rules rules, struct prng *random,
				struct reason *why)
{
	const struct search *search = subject_search(s, rules);
	enum outcome outcome = SKIPPED;
	for (unsigned e1 = 0; search && e1 < s->model.n; e1++)
		for (event_set rest = search_races(search, e1) & below(e1); rest;) {
			unsigned e2 = take_first(&rest);
			struct list w;
			bool is_turned = prng_chance(random, 50);
			w.n = search_witness(search, is_turned ? e2 : e1, is_turned ? e1 : e2,
					     w.event);
			outcome = agree(s, rules, &w, true, why);
			for (unsigned k = prng_range(random, 1, 2); k > 0 && w.n > 0; k--)
				damage(random, s->model.n, &w);
			if (outcome == PASSED && w.n > 0)
				outcome = agree(s, rules, &w, false, why);
			if (outcome == FAILED)
				return FAILED;
		}
	return outcome;
}

enum outcome check_witness(struct subject *s, struct reason *why)
{
	struct prng random = {s->seed};
	enum outcome outcome = SKIPPED;
	for (int rules = SNAG_RULES_READS; rules < SNAG_RULES && outcome != FAILED; rules++) {
		enum outcome one = check_rules(s, (enum snag_rules)rules, &random, why);
		outcome = one == SKIPPED ? outcome : one;
	}
	return outcome;
}
