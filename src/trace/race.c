/* SPDX-License-Identifier: Apache-2.0
 *
 * race.c - the race record
 */
#include "trace/race.h"

#include "base/memory.h"
#include "trace/deadlock.h"

#include <stdlib.h>
#include <string.h>

const char *const snag_verdict_text[SNAG_VERDICTS] = {
	[SNAG_OBSERVED] = "observed",	    [SNAG_PREDICTED] = "predicted",
	[SNAG_CONFIRMED] = "confirmed",	    [SNAG_UNVERIFIED] = "unverified",
	[SNAG_UNCONFIRMED] = "unconfirmed",
};

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void snag_variables_sort(struct snag_variables *v)
{
	size_t n = 0;
	if (v->n > v->sorted)
		qsort(v->at, v->n, sizeof(*v->at), compare);
	for (size_t i = 0; i < v->n; i++)
		if (n == 0 || v->at[n - 1] != v->at[i])
			v->at[n++] = v->at[i];
	v->n = v->sorted = n;
}

void snag_variables_add(struct snag_variables *v, uint32_t variable)
{
	enum { FEW = 64 };
	if (v->n && v->at[v->n - 1] == variable)
		return;
	if (v->n >= FEW && v->n >= 2 * v->sorted)
		snag_variables_sort(v);
	v->at = snag_grow(v->at, &v->cap, v->n + 1, sizeof(*v->at));
	v->at[v->n++] = variable;
}

void snag_race_prefix_set(struct snag_race *race, const uint32_t *count, size_t nthreads)
{
	size_t n = 0;
	for (size_t t = 0; t < nthreads; t++)
		n += count[t] != 0;
	race->prefix = n ? snag_realloc(NULL, n, sizeof(*race->prefix)) : NULL;
	race->nprefix = 0;
	for (uint32_t t = 0; t < nthreads; t++)
		if (count[t])
			race->prefix[race->nprefix++] = (struct snag_prefix){t, count[t]};
}

uint32_t *snag_race_prefix_counts(const struct snag_race *race, size_t nthreads)
{
	uint32_t *count = snag_calloc(nthreads, sizeof(*count));
	for (size_t i = 0; i < race->nprefix; i++)
		count[race->prefix[i].thread] = race->prefix[i].n;
	return count;
}

void snag_race_done(struct snag_race *race)
{
	free(race->variables.at);
	free(race->witness);
	free(race->prefix);
}

void snag_findings_done(struct snag_findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nraces; i++)
		snag_race_done(&f->race[i]);
	for (size_t i = 0; i < f->ndeadlocks; i++)
		snag_deadlock_done(&f->deadlock[i]);
	free(f->deadlock);
	free(f->race);
	free(f->racy);
	free(f->stat);
	memset(f, 0, sizeof(*f));
}
