/* SPDX-License-Identifier: Apache-2.0
 *
 * run_stops.c - at which events the schedules of witnesses stop, in a trace too long for the memory
 */
#include "cli/run/run_stops.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void number_add(struct cli_stop_numbers *s, uint32_t number)
{
	s->at = snag_grow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	s->at[s->n++] = number;
}

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void numbers_sort(struct cli_stop_numbers *s)
{
	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), number_compare);
}

/* Asked for ascending numbers. */
static bool has_number(struct cli_stop_numbers *s, uint32_t number)
{
	while (s->next < s->n && s->at[s->next] < number)
		s->next++;
	return s->next < s->n && s->at[s->next] == number;
}

static void race_add(struct cli_stops *s, const struct snag_race *race)
{
	for (size_t i = 0; i < race->nwitness; i++)
		number_add(&s->listed, race->witness[i]);
	for (size_t i = 0; i < race->nprefix; i++)
		number_add(&s->last[race->prefix[i].thread], race->prefix[i].n - 1);
}

void cli_stops_init(struct cli_stops *s, const struct snag_analysis *a)
{
	size_t nthreads = a->stretches.nthreads;
	*s = (struct cli_stops){.stretches = &a->stretches};
	s->last = snag_calloc(nthreads, sizeof(*s->last));
	s->done = snag_calloc(nthreads, sizeof(*s->done));
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->findings[i].nraces; k++)
			race_add(s, &a->findings[i].race[k]);
	numbers_sort(&s->listed);
	for (size_t i = 0; i < nthreads; i++)
		numbers_sort(&s->last[i]);
}

void cli_stops_done(struct cli_stops *s)
{
	for (size_t i = 0; s->last && i < s->stretches->nthreads; i++)
		free(s->last[i].at);
	free(s->last);
	free(s->done);
	free(s->listed.at);
	memset(s, 0, sizeof(*s));
}

bool cli_stops_take(struct cli_stops *s, uint32_t event, snag_tid thread)
{
	while (s->stretch + 1 < s->stretches->n &&
	       snag_stretch_end(s->stretches, s->stretch) <= event)
		s->stretch++;
	bool is_end = snag_stretch_end(s->stretches, s->stretch) == event + 1;
	bool is_last = has_number(&s->last[thread], s->done[thread]++);
	return has_number(&s->listed, event) || is_end || is_last;
}
