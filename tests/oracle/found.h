/* SPDX-License-Identifier: Apache-2.0
 *
 * found.h - witnesses that a detector has found: without a prefix, damaged, and judged
 *
 * For the goals that are not a race: requests (deadlock), a unit (atomicity), freed memory.
 */
#ifndef ORACLE_FOUND_H
#define ORACLE_FOUND_H

#include "check.h"
#include "prng.h"
#include "trace/race.h"
#include "witness/witness.h"

/* Writes all events of a witness, at most 2 * MAX_EVENTS, those of its prefix first.  Returns how
 * many. */
size_t found_events(const struct model *m, const struct snag_race *race, uint32_t *to);

/* Ways to damage the events of a witness, by number. */
enum { FOUND_EXCHANGE, FOUND_LEAVE_OUT, FOUND_GO_ON, FOUND_DAMAGES };
void found_damage(struct prng *random, unsigned kind, const struct model *m,
		  struct snag_witness *w);

/* As those of naive.h. */
typedef const char *found_definitions(const struct snag_trace *trace, const struct snag_witness *w,
				      enum snag_rules rules);
/* The checker accepts the witness if and only if it meets the definitions; must_be_valid: and it
 * does. */
enum outcome found_agree(const struct snag_trace *trace, const struct snag_witness *w,
			 enum snag_rules rules, found_definitions *naive, bool must_be_valid,
			 struct reason *why);

#endif
