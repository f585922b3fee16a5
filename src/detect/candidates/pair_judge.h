/* SPDX-License-Identifier: Apache-2.0
 *
 * pair_judge.h - decides one candidate pair, and checks its witness
 *
 * Each worker thread has an engine of its own, which the procedure chooses.  A pair counts as a
 * race only if the independent checker accepts the witness of the engine.
 */
#ifndef SNAG_DETECT_PAIR_JUDGE_H
#define SNAG_DETECT_PAIR_JUDGE_H

#include "detect/candidates/verify.h"
#include "witness/decide/decide.h"

#include <stdatomic.h>

struct snag_candidate {
	uint32_t e1, e2;
};

/* The result of a candidate or of a pair of locations. */
struct snag_pair_result {
	enum snag_decision decision;
	bool is_uncertain;	    /* rejected, but perhaps wrongly */
	struct snag_candidate pair; /* decided so */
	struct snag_race race;
};

/* The engine of one worker thread: the one that the procedure needs, the others are NULL. */
struct snag_pair_worker {
	struct snag_decider *decider;
	struct snag_paper *paper;
	struct snag_vindicator *vindicator;
	struct snag_closed *closed;
};

struct snag_pair_judge {
	const struct snag_index *ix;
	enum snag_mode mode;
	enum snag_procedure procedure;
	struct snag_pair_worker *worker;
	unsigned workers;
	_Atomic uint64_t replayed; /* events, to check witnesses */
};

/* The judge is zeroed before.  The index outlives it. */
void snag_pair_judge_init(struct snag_pair_judge *j, const struct snag_detector_env *env,
			  const struct snag_index *ix, enum snag_mode mode,
			  enum snag_procedure procedure);
void snag_pair_judge_done(struct snag_pair_judge *j);
/* Decides a pair with the engine of this worker.  The race is to be freed. */
void snag_pair_judge_decide(struct snag_pair_judge *j, unsigned worker, struct snag_candidate pair,
			    struct snag_pair_result *ret);
/* Fills in only the decision, unchecked, and whether it is uncertain.  Returns the witness, if
 * there is one. */
const struct snag_witness *snag_pair_judge_answer(const struct snag_pair_judge *j, unsigned worker,
						  struct snag_candidate pair,
						  struct snag_pair_result *ret);
/* From now on, exact engines search little: snag_decider_hurry(). */
void snag_pair_judge_hurry(struct snag_pair_judge *j, uint32_t max_window);
/* What a report needs of event e. */
struct snag_site snag_site_of(const struct snag_index *ix, uint32_t e);

#endif
