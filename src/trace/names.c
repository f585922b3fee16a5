/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - the words behind the dense ids of a trace
 */
#include "trace/names.h"

const char *const snag_space_plural[SNAG_SPACES] = {
	[SNAG_SPACE_THREAD] = "threads", [SNAG_SPACE_VARIABLE] = "variables",
	[SNAG_SPACE_LOCK] = "locks",	 [SNAG_SPACE_LOCATION] = "locations",
	[SNAG_SPACE_PROMISE] = "promises",
};

void snag_names_init(struct snag_names *names)
{
	for (int s = 0; s < SNAG_SPACES; s++)
		snag_strtab_init(&names->space[s]);
}

void snag_names_done(struct snag_names *names)
{
	if (!names)
		return;
	for (int s = 0; s < SNAG_SPACES; s++)
		snag_strtab_done(&names->space[s]);
}

struct snag_counts snag_names_counts(const struct snag_names *names)
{
	struct snag_counts counts;
	for (int s = 0; s < SNAG_SPACES; s++)
		counts.n[s] = names->space[s].n;
	return counts;
}
