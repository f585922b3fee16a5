/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - the words behind the dense ids of a trace
 */
#include "trace/names.h"

const char *const snag_space_plural[SNAG_SPACES] = {
	[SNAG_SPACE_THREAD] = "threads",   [SNAG_SPACE_VARIABLE] = "variables",
	[SNAG_SPACE_LOCK] = "locks",	   [SNAG_SPACE_LOCATION] = "locations",
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

void snag_names_copy(struct snag_names *ret_names, const struct snag_names *names)
{
	snag_names_init(ret_names);
	for (int space = 0; space < SNAG_SPACES; space++)
		for (uint32_t i = 0; i < names->space[space].n; i++) {
			const char *name = snag_name(names, (enum snag_space)space, i);
			snag_strtab_append(&ret_names->space[space], name, strlen(name));
		}
}
