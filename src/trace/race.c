/* SPDX-License-Identifier: Apache-2.0
 *
 * race.c - the race record
 */
#include "trace/race.h"

#include <stdlib.h>
#include <string.h>

const char *const snag_verdict_text[SNAG_VERDICTS] = {
	[SNAG_OBSERVED] = "observed",
	[SNAG_PREDICTED] = "predicted",
	[SNAG_UNVERIFIED] = "unverified",
};

void snag_race_done(struct snag_race *race)
{
	free(race->witness);
	free(race->prefix);
}

void snag_findings_done(struct snag_findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nraces; i++)
		snag_race_done(&f->race[i]);
	free(f->race);
	free(f->racy);
	free(f->stat);
	memset(f, 0, sizeof(*f));
}
