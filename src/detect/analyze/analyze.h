/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.h - run detectors over a trace and collect their findings
 */
#ifndef SNAG_DETECT_ANALYZE_H
#define SNAG_DETECT_ANALYZE_H

#include "detect/detector.h"
#include "detect/listing.h"
#include "detect/slice/slice.h"
#include "witness/witness.h"

#include <signal.h>

enum { SNAG_MAX_DETECTORS = 32, SNAG_MAX_RACES = 100000 };

struct snag_analyze_options {
	const struct snag_detector *detector[SNAG_MAX_DETECTORS];
	size_t ndetectors;
	bool fitting;	  /* leave out detectors that cannot judge the trace, instead of an error */
	bool pairs;	  /* list every racy pair instead of one race per pair of locations */
	bool by_variable; /* one race per variable and pair of locations; tasks only */
	/* About how many races are listed at most (detect/listing.h); 0: SNAG_MAX_RACES, or with
	 * `pairs` all; SNAG_ALL_RACES: all. */
	uint64_t max_races;
	unsigned jobs; /* threads that may be used; 0: one per processor */
	/* The approximate limit of memory in bytes.  Beyond it, traces are decided in windows
	 * (windows.h).  0: no limit. */
	uint64_t memory;
	uint32_t budget;	 /* of the search for one pair, in nodes; 0: the default */
	enum snag_stages stages; /* the procedure that decides */
	enum snag_rules rules;	 /* of witnesses, where a detector decides by dependence */
	unsigned shard, nshards; /* decide a part of the candidates (detector.h); 0: all */
	bool order_races;	 /* where a detector can (detector.h) */
	bool undecided;		 /* report all pairs of the predictive orders, and decide none */
	/* A detector of suspects looks only where they are likely to be right (detector.h). */
	bool likely;
	/* Of tasks: for detectors that look at the observed order (detector.h). */
	struct snag_ordered ordered;
	bool whole; /* never analyse a slice of the trace (slice.h) instead of all of it */
	/* Of a slice: hears which events of the trace are in it.  May be NULL. */
	snag_slice_follower *follow;
	void *follow_ctx;
	const struct snag_table *rows; /* get the steps of detectors that have rows; may be NULL */
	bool brief; /* leave out what only a text report shows: locks held, what was known */
	/* Called after each batch with the number of events done and the part of the
	 * trace (0 to 1, negative: unknown).  May be NULL. */
	void (*progress)(void *ctx, uint64_t events, double part);
	/* Called while pairs are decided: how many are done, of how many known so far.  May be
	 * NULL. */
	void (*decided)(void *ctx, uint64_t done, uint64_t of);
	void *progress_ctx;		   /* of both */
	const volatile sig_atomic_t *stop; /* non-zero: stop at the next batch; may be NULL */
};

struct snag_analysis {
	struct snag_findings findings[SNAG_MAX_DETECTORS]; /* in the order of the options */
	/* The detectors of the findings. */
	const struct snag_detector *detector[SNAG_MAX_DETECTORS];
	size_t n;
	uint64_t events;	      /* how many were analysed */
	uint32_t ops;		      /* a set: what kinds of events */
	struct snag_counts counts;    /* threads, variables, locks, ... of the trace */
	bool interrupted;	      /* stopped before the end */
	struct snag_details *details; /* owns the lock lists of the findings */
	/* If there are witnesses: the meaning of their prefixes. */
	struct snag_stretches stretches;
	/* The names of the ids in the findings; NULL: those of the source. */
	struct snag_names *names;
	struct snag_slice *slice; /* the analysed slice; NULL: the whole trace was analysed */
};

/* Returns what a slice of a trace must have for these detectors, a set of SNAG_WANT_*
 * (slice/contended.h); 0: they need the whole trace. */
unsigned snag_analyze_slice(const struct snag_analyze_options *options);

/* Reads the source to its end, and again where races need it.  After a failure nothing needs to
 * be freed. */
int snag_analyze(struct snag_source *src, const struct snag_analyze_options *options,
		 struct snag_analysis *ret_analysis, struct snag_error *err);
/* Returns the names of the ids in the findings. */
static inline const struct snag_names *snag_analysis_names(const struct snag_analysis *a,
							   const struct snag_source *src)
{
	return a->names ? a->names : src->names;
}

/* Removes the findings of one detector; those after it move up. */
void snag_analysis_leave_out(struct snag_analysis *a, size_t detector);
void snag_analysis_done(struct snag_analysis *a); /* accepts NULL */

#endif
