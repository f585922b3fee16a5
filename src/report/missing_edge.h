/* SPDX-License-Identifier: Apache-2.0
 *
 * missing_edge.h - why nothing orders the tasks of a race, in a sentence
 */
#ifndef SNAG_REPORT_MISSING_EDGE_H
#define SNAG_REPORT_MISSING_EDGE_H

#include "report/origins.h"
#include "trace/names.h"
#include "trace/race.h"

/* How a program speaks of its tasks. */
enum snag_tongue { SNAG_TONGUE_SNAG, SNAG_TONGUE_OPENMP, SNAG_TONGUES };

/* Follows the creators of both tasks up to where they meet. */
void snag_missing_edge(const struct snag_race *race, const struct snag_origins *origins,
		       const struct snag_names *names, enum snag_tongue tongue, char *buf,
		       size_t room);

#endif
