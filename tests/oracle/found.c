/* SPDX-License-Identifier: Apache-2.0
 *
 * found.c - witnesses that a detector has found: without a prefix, damaged, and judged
 */
#include "found.h"

#include "detect/analyze/analyze.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t found_events(const struct model *m, const struct snag_race *race, uint32_t *to)
{
	uint32_t *prefix = snag_race_prefix_counts(race, m->nthreads);
	uint32_t done[MAX_THREADS] = {0};
	size_t n = 0;
	for (unsigned e = 0; e < m->n; e++)
		if (done[m->thread[e]]++ < prefix[m->thread[e]])
			to[n++] = e;
	free(prefix);
	memcpy(to + n, race->witness, race->nwitness * sizeof(*to));
	return n + race->nwitness;
}

void found_damage(struct prng *random, unsigned kind, const struct model *m, struct snag_witness *w)
{
	if (kind == FOUND_GO_ON) {
		w->event[w->n++] = prng_below(random, m->n);
		return;
	}
	if (!w->n)
		return;
	unsigned n = (unsigned)w->n, i = prng_below(random, n), k = prng_below(random, n);
	uint32_t e = w->event[i];
	if (kind == FOUND_EXCHANGE) {
		w->event[i] = w->event[k];
		w->event[k] = e;
	} else {
		w->n--;
		memmove(&w->event[i], &w->event[i + 1], (w->n - i) * sizeof(*w->event));
	}
}

enum outcome found_agree(const struct snag_trace *trace, const struct snag_witness *w,
			 enum snag_rules rules, found_definitions *naive, bool must_be_valid,
			 struct reason *why)
{
	struct snag_error err = {.msg = "valid"};
	bool is_valid = snag_witness_check(trace, w, rules, &err) == 0;
	const char *broken = naive(trace, w, rules);
	if (is_valid == !broken && (is_valid || !must_be_valid))
		return PASSED;
	const uint32_t *goal = w->nrequests ? w->request : w->nunit ? w->unit : w->freed;
	char text[300] = "";
	size_t at = 0, ngoal = w->nrequests + w->nunit + w->nfreed;
	for (size_t i = 0; i < w->n + ngoal && at + 20 < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u",
				       i == 0	   ? ""
				       : i == w->n ? " / "
						   : " ",
				       i < w->n ? w->event[i] : goal[i - w->n]);
	return check_fail(why, "witness %s\n  checker:     %s\n  definitions: %s", text,
			  is_valid ? "valid" : err.msg, broken ? broken : "valid");
}
