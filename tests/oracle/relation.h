/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.h - the partial orders over a trace, as they are defined
 */
#ifndef ORACLE_RELATION_H
#define ORACLE_RELATION_H

#include "model.h"

enum relation {
	REL_HB,
	REL_SHB,
	REL_WCP,
	REL_DC,
	REL_SDP,
	REL_SDPX,
	REL_WDP,
	REL_HYBRID,
	RELATIONS
};

extern const char *const relation_name[RELATIONS]; /* as the detectors are called */

struct order {
	event_set before[MAX_EVENTS]; /* what is ordered before each event */
};

void relation_compute(const struct model *m, enum relation which, struct order *ret_order);

/* The same where a race orders its accesses from then on.  ret_order: what each event is compared
 * with; not closed under later races. */
void relation_compute_ordered(const struct model *m, enum relation which, struct order *ret_order,
			      event_set ret_races[MAX_EVENTS]);

/* What the access is compared with: all that is ordered before it; in SHB not because it saw its
 * writer. */
event_set relation_before(const struct model *m, enum relation which, const struct order *order,
			  unsigned e);
/* The events that race with the later event e2: earlier, conflicting, not ordered
 * before it (for SDP, SDPX, WDP, HYBRID: and with no lock in common). */
event_set relation_races(const struct model *m, enum relation which, const struct order *order,
			 unsigned e2);

#endif
