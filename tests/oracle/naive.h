/* SPDX-License-Identifier: Apache-2.0
 *
 * naive.h - a second opinion on witnesses, straight from the definitions
 */
#ifndef ORACLE_NAIVE_H
#define ORACLE_NAIVE_H

#include "trace/trace.h"
#include "witness/witness.h"

/* Whether the events, in this order, are a witness by `rules` (READS or
 * DEPENDENCE); NULL if so, else the part of the definition that fails. */
const char *naive_check(const struct snag_trace *trace, const uint32_t *events, size_t n,
			enum snag_rules rules);
/* The same for a witness of a deadlock without a prefix. */
const char *naive_check_deadlock(const struct snag_trace *trace, const struct snag_witness *w,
				 enum snag_rules rules);
/* The same for a witness of a broken atomicity without a prefix. */
const char *naive_check_atomicity(const struct snag_trace *trace, const struct snag_witness *w,
				  enum snag_rules rules);
/* The same for a witness of a use of freed memory without a prefix. */
const char *naive_check_freed(const struct snag_trace *trace, const struct snag_witness *w,
			      enum snag_rules rules);

#endif
