/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.h - from what one detector says to its findings
 *
 * Idea.   The racy pairs of a detector are filed each on its own, or as one race per
 *         unordered pair of locations with their count.  The race shown for a pair of
 *         locations is the one whose second access comes first in the trace, with the
 *         nearest first access.
 *
 *         If the pairs are to be decided, they are candidates for verify.h instead, whose
 *         verdict decides whether the race of two locations is reported, with which
 *         pair of events, and how.
 */
#ifndef SNAG_DETECT_COLLECTOR_H
#define SNAG_DETECT_COLLECTOR_H

#include "detect/detector.h"
#include "detect/pairs.h"
#include "detect/partners.h"
#include "detect/recent.h"
#include "detect/verify.h"

struct snag_collector {
	struct snag_detector_env env; /* what the detector is given */
	const struct snag_detector *detector;
	struct snag_recent *recent;
	struct snag_findings *findings;
	bool pairs;	  /* every racy pair on its own */
	bool by_variable; /* races of different variables apart; not of detectors that decide */
	struct snag_partners partners;
	struct snag_pairs incomplete; /* races whose first access is to be looked up */
	struct snag_refusal {	      /* the first event that the detector could not judge */
		uint32_t event;
		char why[160]; /* empty: it judged everything */
	} refusal;
	bool decides;		    /* the pairs will be decided, after the trace was read */
	struct snag_verify *verify; /* they are being decided */
	bool is_second_round;
	bool is_unsorted; /* racy events were not filed in ascending order */
	uint32_t *slot;	  /* open addressing from a pair of locations to a race number + 1 */
	size_t nslots;
};

void snag_collector_init(struct snag_collector *c, const struct snag_detector *detector,
			 struct snag_recent *recent, struct snag_findings *findings, bool pairs);
void snag_collector_done(struct snag_collector *c); /* before the detector is closed */

/* Begins to decide: the partners that are answered from now on are candidates. */
void snag_collector_decide(struct snag_collector *c, const struct snag_index *ix,
			   enum snag_mode mode);
/* The partners have been answered.  True: they should be answered once more. */
bool snag_collector_round(struct snag_collector *c);
/* Afterwards: forgets the races that were refuted. */
void snag_collector_settle(struct snag_collector *c);

/* Once the partners have been answered: puts the races in their order. */
void snag_collector_sort(struct snag_collector *c);

#endif
