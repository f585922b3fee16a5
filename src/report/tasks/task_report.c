/* SPDX-License-Identifier: Apache-2.0
 *
 * task_report.c - what all printers of a program's races need
 */
#include "report/tasks/task_report.h"

#include "base/memory.h"

#include <string.h>

const char *const snag_task_verdict_text[SNAG_TASK_VERDICTS] = {
	[SNAG_TASK_RACE] = "race",
	[SNAG_TASK_RACE_FREE] = "race-free",
	[SNAG_TASK_NO_RACE_FOUND] = "no-race-found",
};

enum snag_task_verdict snag_task_verdict(const struct snag_task_report *report,
					 const struct snag_findings *findings)
{
	if (findings->nraces)
		return SNAG_TASK_RACE;
	return findings->race_free && !report->cut && !report->failed ? SNAG_TASK_RACE_FREE
								      : SNAG_TASK_NO_RACE_FOUND;
}

struct snag_task_place snag_task_place_of(const struct snag_names *names, snag_loc loc)
{
	char *end;
	const char *name = snag_name(names, SNAG_SPACE_LOCATION, loc);
	struct snag_task_place place = {.line = (uint32_t)strtoul(name, &end, 10)};
	if (*end == ':')
		place.column = (uint32_t)strtoul(end + 1, NULL, 10);
	return place;
}

void snag_task_variable_of(const struct snag_names *names, uint32_t variable,
			   char ret_name[SNAG_TASK_NAME], uint32_t *ret_cell)
{
	const char *name = snag_name(names, SNAG_SPACE_VARIABLE, variable);
	size_t len = strlen(name);
	*ret_cell = 0;
	if (name[0] == '@') {
		len = strcspn(name, "#");
		*ret_cell = name[len] ? (uint32_t)strtoul(name + len + 1, NULL, 10) : 1;
	}
	len = len < SNAG_TASK_NAME ? len : SNAG_TASK_NAME - 1;
	memcpy(ret_name, name, len);
	ret_name[len] = 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Both places of a race in one number, whichever came first. */
static uint64_t places_key(const struct snag_race *r)
{
	snag_loc a = r->first.loc, b = r->second.loc;
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int by_place(const void *a, const void *b)
{
	const struct snag_race *x = ((const struct snag_task_race *)a)->race;
	const struct snag_race *y = ((const struct snag_task_race *)b)->race;
	int c = compare(x->second.target, y->second.target);
	c = c ? c : compare(places_key(x), places_key(y));
	c = c ? c : compare(x->second.event, y->second.event);
	return c ? c : compare(y->first.event, x->first.event);
}

static int by_event(const void *a, const void *b)
{
	const struct snag_race *x = ((const struct snag_task_race *)a)->race;
	const struct snag_race *y = ((const struct snag_task_race *)b)->race;
	int c = compare(x->second.event, y->second.event);
	return c ? c : compare(x->first.event, y->first.event);
}

static bool is_same(const struct snag_race *x, const struct snag_race *y)
{
	return x->second.target == y->second.target && places_key(x) == places_key(y);
}

struct snag_task_race *snag_task_races(const struct snag_task_report *report, size_t *ret_n)
{
	size_t n = 0, to = 0;
	for (size_t i = 0; i < report->nfindings; i++)
		n += report->findings[i].nraces;
	struct snag_task_race *all = snag_calloc(n + 1, sizeof(*all));
	for (size_t i = 0; i < report->nfindings; i++)
		for (size_t k = 0; k < report->findings[i].nraces; k++) {
			const struct snag_race *race = &report->findings[i].race[k];
			all[to++] = (struct snag_task_race){race, UINT32_C(1) << i, race->count};
		}
	qsort(all, n, sizeof(*all), by_place);
	to = 0;
	for (size_t i = 0; i < n; i++) {
		if (to > 0 && is_same(all[to - 1].race, all[i].race)) {
			all[to - 1].found_by |= all[i].found_by;
			if (all[i].count > all[to - 1].count)
				all[to - 1].count = all[i].count;
		} else {
			all[to++] = all[i];
		}
	}
	qsort(all, to, sizeof(*all), by_event);
	*ret_n = to;
	return all;
}
