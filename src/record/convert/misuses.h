/* SPDX-License-Identifier: Apache-2.0
 *
 * misuses.h - the mistakes that the runtime and the converter notice in a run (trace/misuse.h)
 *
 * Idea.   The same mistake at the same two places is one entry with a count, so that a loop makes
 *         one report.  Beyond SNAG_MISUSES_KEPT entries new places are only counted.
 */
#ifndef SNAG_RECORD_MISUSES_H
#define SNAG_RECORD_MISUSES_H

#include "trace/misuse.h"

enum { SNAG_MISUSES_KEPT = 1000 };

struct snag_misuse_list {
	struct snag_misuse *at;
	size_t n, cap;
	uint64_t left_out;
};

/* Adds one; copies the name of the object if the entry is new. */
void snag_misuses_add(struct snag_misuse_list *list, const struct snag_misuse *misuse);
/* Removes the mistakes that concern blocks of memory, such as a double free. */
void snag_misuses_drop_heap(struct snag_misuse_list *list);
void snag_misuses_done(struct snag_misuse_list *list);

#endif
