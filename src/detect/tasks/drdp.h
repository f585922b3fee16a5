/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp.h - the state of drdp, and how it handles events of tasks
 *
 * Idea.   An event of tasks ends the step of the running task.  The next step gets its number at
 *         the next access, and its order with other steps is computed when it is needed.  Inside
 *         a program, which may have as many tasks as function calls, most events only change the
 *         order of tasks: the lasting answers (drdp_now.h) are all that they could end.
 */
#ifndef SNAG_DETECT_DRDP_H
#define SNAG_DETECT_DRDP_H

#include "detect/detector.h"
#include "detect/tasks/drdp_now.h"
#include "detect/tasks/guard.h"
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

/* Handles any event except plain accesses. */
void snag_drdp_sync(void *state, const struct snag_event *ev, uint32_t event);
void snag_drdp_atomic(struct drdp *d, const struct snag_event *ev, uint32_t event);

/* Prepares the next access of the current task, or of another task: `now` is its step.  Returns
 * false if there is no step. */
bool snag_drdp_look(struct drdp *d, const struct snag_event *ev, uint32_t event);

/* When the tree is full, removes what no variable names, if that is worth it; not below a
 * minimum of nodes and steps (tests want a smaller one). */
void snag_drdp_retire(struct drdp *d);
/* When a finish has ended: if everything so far comes before everything that follows, removes it
 * all. */
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
