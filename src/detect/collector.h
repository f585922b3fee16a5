/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.h - from what one detector says to its findings
 *
 * Idea.   The racy pairs of a detector are filed each on its own, or as one race per
 *         unordered pair of locations with their count.  The race shown for a pair of
 *         locations is the one whose second access comes first in the trace, with the
 *         nearest first access.
 */
#ifndef SNAG_DETECT_COLLECTOR_H
#define SNAG_DETECT_COLLECTOR_H

#include "detect/detector.h"
#include "detect/partners.h"

struct snag_collector {
	struct snag_detector_env env; /* what the detector is given */
	const struct snag_detector *detector;
	struct snag_findings *findings;
	bool pairs; /* every racy pair on its own */
	struct snag_partners partners;
	bool is_unsorted; /* racy events were not filed in ascending order */
	uint32_t *slot;	  /* open addressing from a pair of locations to a race number + 1 */
	size_t nslots;
};

void snag_collector_init(struct snag_collector *c, const struct snag_detector *detector,
			 struct snag_findings *findings, bool pairs);
void snag_collector_done(struct snag_collector *c); /* before the detector is closed */

/* Once the partners have been answered: puts the races in their order. */
void snag_collector_sort(struct snag_collector *c);

#endif
