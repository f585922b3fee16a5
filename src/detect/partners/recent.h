/* SPDX-License-Identifier: Apache-2.0
 *
 * recent.h - the latest events, to name partners without reading the trace again
 *
 * Idea.   Most partners are near, because a variable's accesses become ordered again and again.
 *         What comes before an access that is ordered after all earlier ones cannot race with
 *         what comes after it.  If a detector knows such a point, the partners are found in a
 *         window of recent events.  Only partners that are further back, or that would take too
 *         long to find, are left to a second reading (partners.h).
 * State.  ring[]  the last SNAG_RECENT_EVENTS events
 * Cost.   A copy per event; for a question, the events since that point.  All questions together
 *         examine no more events than the trace has.
 */
#ifndef SNAG_DETECT_RECENT_H
#define SNAG_DETECT_RECENT_H

#include "detect/partners/partners.h"

enum { SNAG_RECENT_EVENTS = 1 << 19 };

struct snag_recent {
	struct snag_event *ring; /* event e is at e modulo SNAG_RECENT_EVENTS; NULL: not needed */
	uint64_t n;		 /* events so far */
	uint64_t looked_at;	 /* by questions so far */
};

/* If is_needed is false, the window stays empty. */
void snag_recent_init(struct snag_recent *r, bool is_needed);
void snag_recent_done(struct snag_recent *r); /* it will not be asked any more */
void snag_recent_add(struct snag_recent *r, const struct snag_batch *batch);

/* Names the partners of access `ev`, number `event`, by calling `handler` for each chain, if the
 * window reaches back to event `since`, before which there are none.  Returns false if it does
 * not. */
bool snag_recent_partners(struct snag_recent *r, const struct snag_event *ev, uint32_t event,
			  uint32_t since, const struct snag_vclock *before,
			  const struct snag_vclock_pool *pool, snag_partners_handler *handler,
			  void *ctx);

#endif
