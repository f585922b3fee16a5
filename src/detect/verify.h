/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.h - from candidate pairs to races with witnesses
 *
 * Idea.   Candidates are gathered, decided by several threads at once (witness/decide.h), their
 *         witnesses checked, and reported: predicted, or unverified if the budget did not
 *         suffice.  Those that are refuted are not heard of again.
 *
 *         Every pair may be wanted: then candidates are decided in blocks as they come.  Or one for
 *         each unordered pair of locations: then there are two rounds.  In the first a few
 *         instances of each pair of locations are kept, the earliest and the nearest; they
 *         are decided in this order until one is a race.  In the second, for which candidates
 *         are enumerated once more, every instance of the pairs of locations that
 *         are still open is decided.
 *
 *         Then a race stands for all pairs of its locations that are races.  How many these are can
 *         be counted in a third round, in which every candidate of them is decided in haste.  If
 *         that is too much, the counts are lower bounds, and said to be.
 *
 *         The number of pairs of locations is bounded (listing.h), and by the number of threads: to
 *         decide a pair costs time for each thread.  Accesses with other candidates
 *         are counted, and the result is not complete.
 *
 *         A published procedure may decide instead.  What it rejects is not heard of again either,
 *         but where that may be wrong it is counted.
 *
 * Checks. A witness is replayed by the independent checker (witness/check.c).  Replaying costs the
 * whole trace, so on long traces, after a number of replays, the rest is checked by index
 *         (witness/decide_check.h).
 */
#ifndef SNAG_DETECT_VERIFY_H
#define SNAG_DETECT_VERIFY_H

#include "detect/detector.h"
#include "witness/decide.h"

struct snag_verify;

/* What decides. */
enum snag_procedure {
	SNAG_DECIDE_EXACTLY, /* witness/decide.h */
	SNAG_RACE_DECISION,  /* witness/decide_paper.h; mode M2 only */
	SNAG_VINDICATE,	     /* witness/decide_vindicate.h */
};

/* The index has the rows of the mode; both outlive it. */
struct snag_verify *snag_verify_new(const struct snag_detector_env *env,
				    const struct snag_index *ix, enum snag_mode mode,
				    enum snag_procedure procedure);
void snag_verify_free(struct snag_verify *v); /* accepts NULL */

/* Accesses of the event may be in candidates that are not enumerated. */
void snag_verify_cut(void *verify, uint32_t event);
/* One candidate, e1 < e2.  False: the user wants an end, or there are races enough. */
bool snag_verify_add(struct snag_verify *v, uint32_t e1, uint32_t e2);
/* The end of the enumeration.  True: it should be repeated, for accesses at the locations that
 * snag_verify_locations() gives. */
bool snag_verify_round(struct snag_verify *v);
const bool *snag_verify_locations(const struct snag_verify *v); /* by location; NULL: all */
/* To be called first: races of locations are kept until they are counted. */
void snag_verify_keep(struct snag_verify *v);
/* Then, after the last round: begins to count.  Candidates at the locations that
 * snag_verify_locations() gives are to be added once more. */
void snag_verify_count(struct snag_verify *v);
/* Ends counting, and reports the races. */
void snag_verify_report(struct snag_verify *v);
/* After the last round: whether every candidate was decided for certain, or needed no decision. */
bool snag_verify_is_complete(const struct snag_verify *v);

#endif
