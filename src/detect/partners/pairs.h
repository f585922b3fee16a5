/* SPDX-License-Identifier: Apache-2.0
 *
 * pairs.h - races of which only the number of the first access is known
 *
 * Idea.   A detector that keeps one number per access names the first access of a race by it.
 *         Such pairs are set aside and completed together in a second reading.
 *
 * Cost.   40 bytes per pair, 16 more while they are completed, and a reading of the trace up to
 *         the last first access.  When the pairs grow much faster than the trace, they are
 *         completed early.  So memory is a fraction of the trace, and the time linear.
 */
#ifndef SNAG_DETECT_PAIRS_H
#define SNAG_DETECT_PAIRS_H

#include "detect/partners/partners.h"

struct snag_pairs {
	struct snag_pair {
		uint32_t first, second; /* their numbers */
		struct snag_event first_ev, second_ev;
	} * at;
	size_t n, cap;
	snag_partners_handler *handler;
	void *ctx;
};

void snag_pairs_init(struct snag_pairs *p, snag_partners_handler *handler, void *ctx);
void snag_pairs_done(struct snag_pairs *p);

/* Adds a pair; second accesses come in ascending order. */
void snag_pairs_add(struct snag_pairs *p, uint32_t first, const struct snag_event *ev,
		    uint32_t event);
/* Returns whether so many pairs have gathered, after so many events, that they should be
 * completed now. */
bool snag_pairs_should_answer(const struct snag_pairs *p, uint64_t events);
void snag_pairs_drop(struct snag_pairs *p);
/* Completes all pairs of all n, passes them on by second, then first access, and forgets them;
 * src delivers the trace from its beginning. */
int snag_pairs_answer(struct snag_pairs **p, size_t n, struct snag_source *src,
		      struct snag_error *err);

#endif
