/* SPDX-License-Identifier: Apache-2.0
 *
 * exhausted.c - prints the races found so far if memory runs out during an analysis
 */
#include "cli/exhausted.h"

#include "base/memory.h"
#include "cli/command.h"
#include "trace/callstack.h"

#include <stdio.h>
#include <string.h>

/* Races that are printed, by detector and number. */
struct printed {
	const struct snag_race *race[CLI_EXHAUSTED_MOST];
	size_t n, left; /* left: not printed, because there are too many */
};

static bool is_printed(const struct printed *p, const struct snag_race *race)
{
	for (size_t i = 0; i < p->n; i++) {
		snag_loc a = p->race[i]->first.loc, b = p->race[i]->second.loc;
		if ((a == race->first.loc && b == race->second.loc) ||
		    (b == race->first.loc && a == race->second.loc))
			return true;
	}
	return false;
}

static void site_print(const struct cli_exhausted *e, const struct snag_site *site)
{
	const struct snag_names *names = e->src->names;
	char at[512] = "?";
	if (site->loc < names->space[SNAG_SPACE_LOCATION].n)
		snag_location_text(names, site->loc, at, sizeof(at));
	fprintf(stderr, "%s at %s", site->op == SNAG_OP_READ ? "read" : "write", at);
}

static void race_print(const struct cli_exhausted *e, const struct snag_race *race)
{
	fprintf(stderr, "%s: data race (%s): ", e->tool, snag_verdict_text[race->verdict]);
	site_print(e, &race->first);
	fputs(", ", stderr);
	site_print(e, &race->second);
	fputs("\n", stderr);
}

static int on_exhausted(void *ctx)
{
	const struct cli_exhausted *e = ctx;
	const struct snag_analysis *a = e->analysis;
	struct printed printed = {.n = 0};
	for (size_t i = 0; i < a->n; i++) {
		const struct snag_findings *f = &a->findings[i];
		if (e->suspects && f->name && strcmp(f->name, e->suspects) == 0)
			continue;
		for (size_t k = 0; k < f->nraces; k++) {
			if (is_printed(&printed, &f->race[k]))
				continue;
			if (printed.n == CLI_EXHAUSTED_MOST) {
				printed.left++;
				continue;
			}
			race_print(e, &f->race[k]);
			printed.race[printed.n++] = &f->race[k];
		}
	}
	if (printed.left)
		fprintf(stderr, "%s: and others\n", e->tool);
	fprintf(stderr, "%s: incomplete: out of memory; try a smaller --memory\n", e->tool);
	if (e->place)
		cli_place_remove(e->place);
	int status = printed.n && e->status ? e->status : CLI_INTERNAL;
	if (e->attached)
		snag_attached_answer(e->attached, status);
	return status;
}

void cli_exhausted_begin(struct cli_exhausted *e)
{
	snag_memory_on_exhausted(on_exhausted, e);
}

void cli_exhausted_end(void)
{
	snag_memory_on_exhausted(NULL, NULL);
}
