/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h - the words behind the dense ids of a trace, one table per name space
 */
#ifndef SNAG_TRACE_NAMES_H
#define SNAG_TRACE_NAMES_H

#include "base/strtab.h"
#include "trace/event.h"

struct snag_names {
	struct snag_strtab space[SNAG_SPACES];
};

/* How many ids of each space exist. */
struct snag_counts {
	uint32_t n[SNAG_SPACES];
};

void snag_names_init(struct snag_names *names);
void snag_names_done(struct snag_names *names);
/* Initialises *ret_names as a copy. */
void snag_names_copy(struct snag_names *ret_names, const struct snag_names *names);
struct snag_counts snag_names_counts(const struct snag_names *names);

/* "threads", "variables", ... */
extern const char *const snag_space_plural[SNAG_SPACES];

static inline const char *snag_name(const struct snag_names *names, enum snag_space space,
				    uint32_t id)
{
	return snag_strtab_get(&names->space[space], id);
}

#endif
