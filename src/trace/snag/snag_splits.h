/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_splits.h - the SPLITS column of a .snag file: which variables were split off which
 */
#ifndef SNAG_TRACE_SNAG_SPLITS_H
#define SNAG_TRACE_SNAG_SPLITS_H

#include "trace/snag/snag_bytes.h"
#include "trace/split.h"

void snag_splits_pack(struct snag_bytes *table, const struct snag_split *split, size_t n);

/* The splits of a file; all zeros at first. */
struct snag_splits_list {
	struct snag_split *at;
	size_t n, cap;
};

void snag_splits_list_done(struct snag_splits_list *list);
/* Adds the splits of one table, which continues the ones before.  Returns false if it is not
 * valid. */
bool snag_splits_unpack(struct snag_span table, struct snag_splits_list *list);
/* Returns whether all of them are valid (split.h) in a trace with so many variables and events. */
bool snag_splits_check(const struct snag_splits_list *list, uint32_t variables, uint64_t events);

#endif
