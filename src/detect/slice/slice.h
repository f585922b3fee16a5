/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.h - the part of a trace that decides what races: its contended slice
 *
 * Idea.   A second reading copies synchronisation, and the accesses of the variables that
 *         contended.h wants, into a separate trace.  Runs without such a variable are skipped
 *         without being expanded.  Detectors read the slice as they would read the trace.  Their
 *         findings are then translated to the numbers of the whole trace.
 *
 * State.  trace        the slice; its variables are renumbered, everything else is as it was
 *         number[e]    the number in the whole trace of event e of the slice
 *         until[e]     the same, but for a release after which sections of the same lock were
 *                      left out (slice_locks.c): the number of the last release of these
 *         variable[v]  the id in the whole trace of variable v of the slice
 *         wanted[v]    why variable v of the slice is in it (contended.h)
 *         stretches    which thread made which event of the whole trace
 *
 *         head         of a window (windows.h): the first events of `trace`, which stand for
 *                      locks that are held where the window begins
 *         begin        of a window: the number in the whole trace of its first event
 *
 * Rules.  [prefix]   A witness of the slice begins with the first events of each thread.  In the
 *                    whole trace these are the first events up to the next one that is in the
 *                    slice: the events in between need nothing that is not there already.  For a
 *                    thread that was joined they are all its events.
 *         [suffix]   Every other event of the witness is followed by the events of its thread
 *                    that the slice left out, up to its next one there, if the thread is needed
 *                    again; a fork also by those with which the new thread begins.
 *
 *         [window]   All events of the whole trace before `begin` come first.  Events of the
 *                    head are among them, so they are left out of the witness.
 *
 * Guarantee.  docs/algorithms/slice.md: a valid witness of the slice becomes a valid witness of
 *             the whole trace.
 * Cost.   20 bytes per event of the slice, and 16 per stretch.
 */
#ifndef SNAG_DETECT_SLICE_H
#define SNAG_DETECT_SLICE_H

#include "detect/slice/contended.h"
#include "trace/race.h"
#include "trace/stretches.h"

struct snag_slice {
	struct snag_trace trace;
	uint32_t *number, *until;
	size_t number_cap, until_cap;
	uint32_t *variable;
	uint8_t *wanted;
	size_t nvariables, variable_cap, wanted_cap;
	struct snag_stretches stretches;
	struct snag_counts counts; /* of the whole trace, as far as it was read */
	uint32_t head, begin;	   /* of a window */
};

/* Some events of the whole trace, all of one thread: one that is in the slice, or several that are
 * not. */
struct snag_followed {
	uint32_t first; /* the number of the first event */
	uint32_t n;	/* how many events, including parts of accesses (.part) */
	uint32_t parts; /* how many of them are such parts */
	snag_tid thread;
	bool is_in_slice;
	/* An event that is not in the slice, and ends a section that was left out.  The acquire of
	 * that section may have been reported as in the slice.  No other event of the thread in the
	 * slice lies between the two. */
	bool ends_section;
	uint8_t op; /* the operation of an event that is in the slice */
};
/* Is called for all events in their order. */
typedef void snag_slice_follower(void *ctx, const struct snag_followed *some);

struct snag_slice_options {
	const struct snag_contended *contended; /* NULL: all variables are wanted */
	/* The slice has no more events than this; 0: no bound.  If there is one more, on_full()
	 * removes some of them, or returns false to end the reading.  NULL: the reading ends. */
	size_t most;
	bool (*on_full)(void *ctx, struct snag_slice *s);
	void *full_ctx;
	bool keeps_locks;	     /* no section is left out, for what looks for deadlocks */
	uint64_t events;	     /* only so many of the trace; 0: all */
	snag_slice_follower *follow; /* may be NULL */
	void *ctx;
};

void snag_slice_init(struct snag_slice *s);
void snag_slice_done(struct snag_slice *s);
/* Reads the trace, from its beginning, into an empty slice.  Returns SNAG_SLICE_FULL if the
 * slice was full before the end of the trace. */
enum { SNAG_SLICE_FULL = 1 };
int snag_slice_read(struct snag_slice *s, const struct snag_slice_options *options,
		    struct snag_source *src, struct snag_error *err);
/* The first event of the slice, behind the head of a window, with this number in the whole trace or
 * a higher one. */
uint32_t snag_slice_find(const struct snag_slice *s, uint32_t number);
/* Turns findings about the slice into findings about the whole trace. */
void snag_slice_translate(const struct snag_slice *s, struct snag_findings *f);
/* The names of the whole trace, which has so many variables: of these, those in the slice. */
void snag_slice_names(const struct snag_slice *s, uint32_t nvariables,
		      struct snag_names *ret_names);

#endif
