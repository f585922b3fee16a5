/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp.h - the state of drdp, and what it does when tasks do something
 *
 * Idea.   An event of tasks ends the step of the task that runs; the next one gets its number when
 *         something is accessed, and how others stand to it is found out when that is asked.
 *         Inside a program, where there are as many tasks as function calls, most events only
 *         change the order of tasks: what lasts (drdp_now.h) is all that they could end.
 */
#ifndef SNAG_DETECT_DRDP_H
#define SNAG_DETECT_DRDP_H

#include "detect/detector.h"
#include "detect/drdp_now.h"
#include "detect/guard.h"
#include "detect/past.h"

struct drdp {
	const struct snag_detector_env *env;
	struct snag_drdp_now now;
	snag_tid current;   /* the task of the last event; SNAG_NO_ID: none */
	snag_lockset guard; /* of its accesses */
	bool has_begun, is_refused, is_inside;
	bool is_doubted[SNAG_DOUBTS];
	/* Of its cells, who: the step; room of a list: how many more before it is pruned. */
	struct snag_express express;
	struct snag_past_cell *events; /* NULL: not kept */
	size_t x_cap, events_cap, ntasks, nvariables;
	size_t retire_at; /* nodes and steps */
	struct snag_guards guards;
	struct snag_past_pool pool;
	uint64_t pruned;
};

/* Any event but plain accesses. */
void snag_drdp_sync(void *state, const struct snag_event *ev, uint32_t event);
void snag_drdp_atomic(struct drdp *d, const struct snag_event *ev, uint32_t event);

/* The next access of the current task, or that of another task: `now` is its step.  False: there is
 * none. */
bool snag_drdp_look(struct drdp *d, const struct snag_event *ev, uint32_t event);

/* The tree is full: what no variable names goes, if that is worth it; not below so many nodes and steps
 * (tests want fewer). */
void snag_drdp_retire(struct drdp *d);
/* A finish has ended: if all that was done comes before all that follows, it goes, likewise. */
void snag_drdp_retire_all(struct drdp *d);
extern uint32_t snag_drdp_retire_from;

/* Inside a program (inside.h). */
void snag_drdp_turn(void *state, snag_tid task);
void snag_drdp_child(void *state, snag_tid task, snag_tid child, enum snag_op op);
void snag_drdp_ended(void *state, snag_tid task, snag_tid next);
void snag_drdp_segment(void *state, snag_tid task, snag_tid segment);
void snag_drdp_who(void *state, snag_tid task);
void snag_drdp_synced(void *state);

#endif
