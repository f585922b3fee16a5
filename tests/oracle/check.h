/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - statements that must hold for every trace
 *
 * To add one: write a function of type check_function in a file check_<name>.c,
 * declare it here and add its line to the table in main.c.
 */
#ifndef ORACLE_CHECK_H
#define ORACLE_CHECK_H

#include "subject.h"

#include "detect/analyze/analyze.h"

enum outcome { PASSED, FAILED, SKIPPED }; /* skipped: it does not apply */

/* Why a check failed: both answers, in words. */
struct reason {
	char text[2048];
};

/* Fills the reason; returns FAILED. */
enum outcome check_fail(struct reason *why, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Analyses a trace.  Returns FAILED with the detector's name and the error as the reason, or
 * PASSED; then the caller ends the analysis. */
enum outcome check_analyze(const struct snag_trace *trace,
			   const struct snag_analyze_options *options,
			   struct snag_analysis *ret_analysis, struct reason *why);
/* Writes pairs of events as "1-4 2-4"; races[e2] are the partners of e2. */
void pairs_text(const event_set *races, unsigned n, char *to, size_t size);

/* The answers of a known case, whose trace the subject is. */
struct known_case;
enum outcome check_case(struct subject *s, const struct known_case *c, struct reason *why);

typedef enum outcome check_function(struct subject *s, struct reason *why);

/* The search finds exactly the races the definitions allow (tiny traces). */
check_function check_search;
/* The witnesses of the search, and damaged ones: the checker accepts exactly what
 * the definitions do. */
check_function check_witness;
/* The detector's racy events, pairs and groups are those of its relation; the first race (hb),
 * every race (shb) is predictable. */
check_function check_hb;
check_function check_shb;
check_function check_mixed;
/* The same for the predictive orders, without a promise about races: see check_lattice. */
check_function check_wcp;
check_function check_dc;
check_function check_sdp;
check_function check_sdpx;
check_function check_wdp;
check_function check_hybrid;
/* Of hb and the predictive orders, if a race orders its accesses. */
check_function check_ordered;
check_function check_delay;
/* Refuting the suspects of hybrid by dependence is exact, and sound in a part of the trace. */
check_function check_suspects;
/* What the relations promise about each other and about predictable races. */
check_function check_lattice;
/* Of SDP as printed the same as of SDPX: false, and random traces must show it. */
check_function check_sdp_sound;
/* What a decision starts from, the needed events and their order, is as defined. */
check_function check_closure;
/* The decision engine on every pair, in either mode: exact, with valid witnesses. */
check_function check_decide_m2;
check_function check_decide_dep;
check_function check_decide_literal;
/* The detector m2 finds exactly the predictable races. */
check_function check_m2;
/* The detectors syncp and osr find exactly the races of their definitions. */
check_function check_syncp;
check_function check_osr;
/* The detector deadlock finds exactly the deadlocks of reorderings. */
check_function check_deadlock;
/* The detector atomicity finds exactly the writes that reorderings have between a read and a
 * write. */
check_function check_atomicity;
/* The detector freed finds exactly the accesses that reorderings have behind the end of a block,
 * and that are no races. */
check_function check_freed;
/* With the published procedure: sound, complete for two threads and wherever it says so. */
check_function check_paper;
/* The published closure is the least closed order. */
check_function check_published;
/* The published vindication: what it verifies is a race, what it refutes is none. */
check_function check_vindicate;
/* The predictive orders report exactly the predictable ones of their races, if decided. */
check_function check_decided;
/* Leaving accesses out as the runtime does: hb has races on the same variables; whether the
 * predictive ones have, is counted. */
check_function check_filter;
check_function check_filter_m2;
check_function check_filter_wdp;
/* m2 and the predictive orders in windows: sound. */
check_function check_windows;
/* Writing a trace and reading it again gives the same trace. */
check_function check_std;
check_function check_binary;

#endif
