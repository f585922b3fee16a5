/* SPDX-License-Identifier: Apache-2.0
 *
 * slice_reading.h - what slice.c and slice_locks.c share
 */
#ifndef SNAG_DETECT_SLICE_READING_H
#define SNAG_DETECT_SLICE_READING_H

#include "detect/slice/slice.h"
#include "trace/walk.h"

enum { SNAG_SECTION_COUNTERS = 8 }; /* more in one section keep it in the slice */

/* The sections of a thread; places are 1 + an event of the slice, 0: none. */
struct snag_slice_thread {
	uint32_t last, before;			 /* its last two events in the slice */
	uint32_t nheld;				 /* locks */
	uint32_t acquire;			 /* of a section that may be left out */
	uint32_t counter[SNAG_SECTION_COUNTERS]; /* the counters written in that section */
	uint32_t ncounters;
};

/* The last write of a counter.  It is not in the slice unless another thread has read it. */
struct snag_slice_counter {
	struct snag_slice_late {
		struct snag_event ev;
		uint32_t number;
	} write, acquire, release; /* the section, if it was left out */
	bool is_counter, has_write, is_in_slice, has_section;
	snag_tid reader; /* the thread whose read of the counter is in the slice */
};

struct snag_slice_reading {
	struct snag_slice *slice;
	const struct snag_slice_options *options;
	const struct snag_names *names; /* of the source */
	uint64_t *wanted, *some;
	size_t wanted_cap, some_cap;
	uint32_t *renamed;
	size_t renamed_cap;
	uint32_t nvariables; /* variables below this number were examined */
	uint32_t nnamed;     /* variables below this number have names, if they are in the slice */
	struct snag_walk walk;
	uint64_t event; /* the number of the next one */
	uint64_t limit;
	bool is_full;
	bool reduces; /* counters and empty sections are left out: not of windows */
	struct snag_followed left_out; /* not yet told; .n is 0: none */

	struct snag_slice_thread *thread;
	size_t thread_cap;
	snag_tid *taker; /* by lock: 1 + the thread that took it last */
	size_t taker_cap;
	struct snag_slice_counter *counter; /* by variable of the slice */
	size_t counter_cap;
	struct snag_slice_late *late; /* events to be put between those of the slice */
	size_t nlate, late_cap;
	bool has_gaps; /* some events were taken out again */
};

/* take_in: the next event is in the slice.  leave_out: the next n events of a thread are not, of
 * which some are parts.  end_section: the next one is not, and ends a section that was left out. */
void snag_slice_take_in(struct snag_slice_reading *r, const struct snag_event *ev);
void snag_slice_leave_out(struct snag_slice_reading *r, snag_tid thread, uint32_t n,
			  uint32_t parts);
void snag_slice_end_section(struct snag_slice_reading *r, const struct snag_event *release);

/* Takes in or leaves out an event of a lock, or an access of a counter whose target is that of
 * the slice. */
void snag_slice_lock(struct snag_slice_reading *r, const struct snag_event *ev);
void snag_slice_counter(struct snag_slice_reading *r, const struct snag_event *ev);
/* At the end: closes gaps and puts late events in their places. */
void snag_slice_settle(struct snag_slice_reading *r);
void snag_slice_locks_done(struct snag_slice_reading *r);

#endif
