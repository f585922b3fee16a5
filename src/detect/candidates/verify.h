/* SPDX-License-Identifier: Apache-2.0
 *
 * verify.h - from candidate pairs to races with witnesses
 *
 * Idea.   Several threads decide the gathered candidates at once (witness/decide/decide.h) and
 *         check their witnesses.  A verified candidate is reported as predicted, and one whose
 *         budget did not suffice as unverified.  Refuted ones are dropped.
 *
 *         If every pair is wanted, candidates are decided in blocks as they come.  If one is
 *         wanted for each unordered pair of locations, there are two rounds.  The first round
 *         keeps a few instances of each pair of locations, the earliest and the nearest, and
 *         decides them in this order until one is a race.  For the second round the candidates
 *         are enumerated again, and every instance of the pairs of locations that are still open
 *         is decided.
 *
 *         The number of pairs of locations is bounded (listing.h), also by the number of
 *         threads, because deciding a pair costs time for each thread.  Accesses with further
 *         candidates are counted, and the result is not complete.
 *
 *         A published procedure may decide instead.  Its rejections are dropped too, but counted
 *         where they may be wrong.
 *
 * Checks. The independent checker (witness/check.c) replays a witness.  This costs the whole
 *         trace, so on long traces, after a number of replays, the rest is checked by index
 *         (witness/decide/check.h).
 */
#ifndef SNAG_DETECT_VERIFY_H
#define SNAG_DETECT_VERIFY_H

#include "detect/detector.h"
#include "witness/decide/decide.h"

struct snag_verify;

/* What decides. */
enum snag_procedure {
	SNAG_DECIDE_EXACTLY, /* witness/decide/decide.h */
	SNAG_RACE_DECISION,  /* witness/decide/paper.h; mode M2 only */
	SNAG_VINDICATE,	     /* witness/decide/vindicate.h */
	/* witness/decide/closed.h; mode M2 only */
	SNAG_SYNC_PRESERVING,
	SNAG_SYNC_REVERSAL,
};

/* The index has the rows of the mode; both outlive it. */
struct snag_verify *snag_verify_new(const struct snag_detector_env *env,
				    const struct snag_index *ix, enum snag_mode mode,
				    enum snag_procedure procedure);
void snag_verify_free(struct snag_verify *v); /* accepts NULL */

/* Notes that the event may be in candidates that are not enumerated. */
void snag_verify_cut(void *verify, uint32_t event);
/* Adds one candidate, e1 < e2.  Returns false if the user wants to stop, or if there are enough
 * races. */
bool snag_verify_add(struct snag_verify *v, uint32_t e1, uint32_t e2);
/* Ends an enumeration.  Returns true if it should be repeated, for accesses at the locations
 * that snag_verify_locations() returns. */
bool snag_verify_round(struct snag_verify *v);
const bool *snag_verify_locations(const struct snag_verify *v); /* by location; NULL: all */
/* Keeps the races of locations until they are counted.  To be called first. */
void snag_verify_keep(struct snag_verify *v);
/* Begins to count, after the last round: the caller adds the candidates at the locations that
 * snag_verify_locations() gives once more.  Each is decided in haste; if that is too much, the
 * counts are lower bounds, and said to be. */
void snag_verify_count(struct snag_verify *v);
/* Ends counting, and reports the races. */
void snag_verify_report(struct snag_verify *v);
/* After the last round: returns whether every candidate was decided for certain, or needed no
 * decision. */
bool snag_verify_is_complete(const struct snag_verify *v);

#endif
