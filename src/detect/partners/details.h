/* SPDX-License-Identifier: Apache-2.0
 *
 * details.h - what reports show about single events: place, thread, held locks
 *
 * Idea.   Detectors carry only event numbers.  For the few events in a report, one more reading
 *         of the trace, up to the last of them, looks up the rest.
 */
#ifndef SNAG_DETECT_DETAILS_H
#define SNAG_DETECT_DETAILS_H

#include "trace/race.h"
#include "trace/source.h"

/* Owns the lock lists it hands out. */
struct snag_details {
	struct snag_lock_list {
		struct snag_lock_list *next;
		struct snag_held_lock lock[];
	} * lists;
};

void snag_details_init(struct snag_details *d);
void snag_details_done(struct snag_details *d);

/* Fills in the sites, each from its event number; those of SNAG_NO_EVENT are left alone.
 * Reorders the array of pointers.  src delivers the trace from its beginning. */
int snag_details_fill(struct snag_details *d, struct snag_site **site, size_t n,
		      struct snag_source *src, struct snag_error *err);

#endif
