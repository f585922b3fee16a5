/* SPDX-License-Identifier: Apache-2.0
 *
 * exhaust.h - is there a witness?  By trying everything, where that is few enough
 */
#ifndef CAMPAIGN_EXHAUST_H
#define CAMPAIGN_EXHAUST_H

#include "witness/witness.h"

enum exhaust_answer { EXHAUST_RACE, EXHAUST_NO_RACE, EXHAUST_TOO_MANY };

struct exhaust;

/* The trace has at most PROGRAM_EVENTS events, and so on; it must outlive the search. */
struct exhaust *exhaust_new(const struct snag_trace *trace);
void exhaust_free(struct exhaust *x);

/* Whether the accesses e1 and e2 can be next to each other; every read that must keeps its writer:
 * all of them or the causal ones, as the rules, which are not AUTO, say. */
enum exhaust_answer exhaust_run(struct exhaust *x, unsigned e1, unsigned e2, enum snag_rules rules);

#endif
