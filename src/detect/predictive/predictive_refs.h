/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_refs.h - the references to sections
 *
 * These refer to sections: accesses, by the entries of variables and by what they owe; threads,
 * by the sections they hold and their stacks; locks, by their holder, their last section and the
 * last section that every holder knows.  A file also refers to its sections, but drops those
 * that no longer matter.  What can be recomputed (deep runs, comparisons of stacks) does not
 * keep a section.
 */
#ifndef SNAG_DETECT_PREDICTIVE_REFS_H
#define SNAG_DETECT_PREDICTIVE_REFS_H

#include "detect/predictive/predictive.h"

enum { SNAG_FILED = 1, SNAG_REFERRED = 2 };

/* Forgets entries that every holder of their lock knows.  Marks the sections that are referred
 * to and those that are filed. */
void snag_predictive_mark(struct snag_predictive *p, const struct snag_order_rules *rules,
			  uint32_t *marks);

/* Replaces the numbers of sections; 0: the section no longer exists, and nothing refers to it. */
void snag_predictive_renumber(struct snag_predictive *p, const struct snag_order_rules *rules,
			      uint32_t *number);

#endif
