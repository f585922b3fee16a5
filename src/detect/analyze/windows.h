/* SPDX-License-Identifier: Apache-2.0
 *
 * windows.h - detectors that need a trace in memory, on a trace that is too long for that
 *
 * Idea.   The detector looks at one window of the trace after another.  A window has a fixed
 *         number of events and overlaps the window before it by half.  So two accesses that are
 *         at most half a window apart are in one window together.  Each window is analysed as a
 *         trace of its own, and its races are translated into the numbers of the whole trace
 *         (slice.h).
 *
 * Rules.  [initial]  A read whose writer lies before the window sees the initial value.
 *         [thread]   A thread that started before the window has no fork in it.
 *         [head]     A lock that is held where the window begins: the window starts with a copy
 *                    of its acquire.  Every thread that holds such a lock then updates an atomic
 *                    variable of the window, and every other thread that started before the
 *                    window reads it.  A reordering keeps what these see, so all copies come
 *                    before all events of the window.
 *         [merge]    Two windows may have the same race.  It is listed once, with the better
 *                    verdict and the larger count.
 *         [relation] The pairs of a relation come from the whole trace.  Those that lie in a
 *                    window are decided there (window_pairs.h).
 *
 * Guarantee.  Sound: put all events before the window, in observed order, in front of a witness
 *             of the window.  The result is a witness of the whole trace (docs/algorithms/m2.md,
 *             section "Windows").  Not complete: a race further apart than half a window may be
 *             missing, and so may one whose witness needs events of another window.
 * Cost.   Each event is analysed twice.  Memory for one window, see SNAG_WINDOW_EVENT_BYTES, and
 *         16 bytes for each stretch of the trace (trace/stretches.h).
 */
#ifndef SNAG_DETECT_WINDOWS_H
#define SNAG_DETECT_WINDOWS_H

#include "detect/analyze/analyze.h"
#include "detect/analyze/collector.h"

/* What an event of a window costs: in the slice, its copy, the index, and what deciding needs. */
enum { SNAG_WINDOW_EVENT_BYTES = 100, SNAG_WINDOW_LEAST = 4 };

/* Returns how many events may be kept in memory for deciding; SIZE_MAX: no limit.  The
 * `nvariables` contended variables of the trace take their share of the memory. */
size_t snag_windows_events(const struct snag_analyze_options *options, uint32_t nvariables);

struct snag_windows {
	const struct snag_analyze_options *options;
	const struct snag_contended *contended; /* which variables count; NULL: all */
	size_t events;				/* of a window */
	struct snag_collector *collector;	/* one for each detector of the options */
	const bool *is_out;			/* by detector: it does not take part */
	struct snag_collector *const *relation; /* the relations whose pairs are decided */
	size_t nrelations;
};

/* Reads the source, gives its windows to the detectors of races that have finish(), and decides the
 * pairs of relations in them.  Sets the stretches and, if there are contended variables, the names
 * of the analysis. */
int snag_windows_analyze(const struct snag_windows *w, struct snag_source *src,
			 struct snag_analysis *a, struct snag_error *err);

#endif
