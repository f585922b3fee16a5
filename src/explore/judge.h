/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.h - whether a run has a data race
 *
 * Idea.   The detectors of `snag run` that judge what happened (hb and mixed) read the events of
 *         the run. Nothing has a name here: the run with the first race is made again, and its
 *         report is that of `snag run`.
 * Rules.  [split]   If a variable was split in a way that matters (trace/split.h), the detectors
 *                   may miss a race; then the run has to be looked at in full.
 */
#ifndef SNAG_EXPLORE_JUDGE_H
#define SNAG_EXPLORE_JUDGE_H

#include "detect/detector.h"
#include "record/convert/convert.h"
#include "trace/misuse.h"

enum { SNAG_JUDGES = 2, SNAG_JUDGE_PLACES = 16 };

struct snag_judge {
	struct snag_convert *convert; /* NULL: events come from elsewhere */
	struct snag_detector_env env;
	const struct snag_detector *detector[SNAG_JUDGES];
	void *state[SNAG_JUDGES];
	uint64_t races;			      /* racy accesses */
	uint64_t place;			      /* return address of the first */
	uint64_t racy[SNAG_JUDGE_PLACES];     /* return addresses of all, no two alike */
	size_t nracy;			      /* may be more than fit */
	bool has_used_freed, has_freed_twice; /* once it has ended */
	uint64_t freed_place;		      /* of the first of these */
	snag_loc loc;			      /* its location */
	uint64_t *pc;			      /* by location */
	size_t npc, pc_room;
};

/* Begins a run whose records, or whose events, are added. */
void snag_judge_begin(struct snag_judge *j, bool has_records);
void snag_judge_records(struct snag_judge *j, const struct rt_record *record, int n);
void snag_judge_events(struct snag_judge *j, const struct snag_batch *batch);
/* Looks at mistakes other than races, once the run has ended. */
void snag_judge_misuses(struct snag_judge *j, const struct snag_misuse *misuse, size_t n);
/* Returns whether [split] applies. */
bool snag_judge_is_split(const struct snag_judge *j);
void snag_judge_end(struct snag_judge *j);

#endif
