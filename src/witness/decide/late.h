/* SPDX-License-Identifier: Apache-2.0
 *
 * late.h - sections that cannot end, and what their reads would see
 */
#ifndef SNAG_WITNESS_DECIDE_LATE_H
#define SNAG_WITNESS_DECIDE_LATE_H

#include "witness/decide/state.h"

struct snag_late_section {
	snag_tid thread;
	uint32_t position; /* of the acquire */
};

struct snag_late {
	struct snag_late_section *section;
	uint32_t *row; /* nthreads for each section: how many events must precede the acquire */
	size_t n, section_cap, row_cap;
};

void snag_late_done(struct snag_late *late); /* accepts zeroed ones */

/* Returns whether the sections that are open in the cut and cannot end refute the race.  The cut
 * has passed snag_cut_filter().  False means nothing. */
bool snag_late_refutes(struct snag_late *late, struct snag_state *s, const uint32_t *cut);

#endif
