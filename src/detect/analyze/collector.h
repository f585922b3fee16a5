/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.h - turns the reports of one detector into its findings
 *
 * Idea.   The collector stores each racy pair of a detector by itself, or one race per unordered
 *         pair of locations with a count.  The race shown for a pair of locations is the one
 *         whose second access comes first in the trace, with the nearest first access.
 *
 *         If the pairs are to be decided, the collector keeps them until the trace was read, and
 *         then passes them to verify.h.  Its verdict decides whether the race of two locations
 *         is reported, with which pair of events, and how.  A complete relation need not name
 *         its pairs: the much fewer candidates (candidates.h) give the same verdicts.  The
 *         number of pairs of the relation that the races stand for is counted last.
 *
 *         If they cannot be decided, because the trace is too long, the nearest instances of each
 *         race are kept (instances.h), and may be decided in windows (window_pairs.h).
 *
 *         The number of races and the search for partners are bounded.  findings.abridged counts
 *         what a bound leaves out.
 */
#ifndef SNAG_DETECT_COLLECTOR_H
#define SNAG_DETECT_COLLECTOR_H

#include "base/slots.h"
#include "detect/analyze/instances.h"
#include "detect/detector.h"
#include "detect/listing.h"
#include "detect/partners/pairs.h"
#include "detect/partners/partners.h"
#include "detect/partners/recent.h"
#include "detect/candidates/verify.h"

struct snag_collector {
	struct snag_detector_env env; /* the environment of the detector */
	const struct snag_detector *detector;
	struct snag_recent *recent;
	struct snag_findings *findings;
	bool pairs;	  /* every racy pair on its own */
	bool by_variable; /* races of different variables apart; not of detectors that decide */
	struct snag_partners partners;
	struct snag_listing listing;
	uint32_t abridged; /* the last racy event not all of whose partners are in the races */
	uint32_t refused;  /* pairs of locations that were not listed for it */
	struct snag_pairs incomplete; /* races whose first access is to be looked up */
	struct snag_refusal {	      /* the first event that the detector could not judge */
		uint32_t event;
		char why[160]; /* empty: it judged everything */
	} refusal;
	bool decides;		     /* the pairs will be decided, after the trace was read */
	struct snag_verify *verify;  /* they are being decided */
	const struct snag_index *ix; /* then, and how */
	enum snag_mode mode;
	struct snag_rows_walk walk;
	bool is_unsorted;		 /* racy events were not filed in ascending order */
	struct snag_slots by_locations;	 /* races by pair of locations */
	struct snag_instances instances; /* if the detector's pairs can be decided, but are not */
};

void snag_collector_init(struct snag_collector *c, const struct snag_detector *detector,
			 struct snag_recent *recent, struct snag_findings *findings, bool pairs);
/* Lists no more than about `most` races (listing.h), and bounds the search for partners. */
void snag_collector_bound(struct snag_collector *c, uint64_t most);
void snag_collector_done(struct snag_collector *c); /* before the detector is closed */

/* Whether its pairs, all decided, are all predictable races.  Not if races have added order. */
static inline bool snag_collector_is_complete(const struct snag_collector *c)
{
	return c->detector->is_complete && !c->env.order_races;
}

/* Decides the pairs, instead of answering the partners. */
void snag_collector_decide(struct snag_collector *c, const struct snag_index *ix,
			   enum snag_mode mode);

/* Sorts the races, once the partners have been answered.  Then `instances` no longer fit them. */
void snag_collector_sort(struct snag_collector *c);

#endif
