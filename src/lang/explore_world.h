/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_world.h - all tasks of a program and what they share, action by action
 *
 * Idea.   The small-step semantics: a state is the tasks, each before its next action, the
 *         shared memory and the promises.  The explorer asks which tasks can act, lets one of
 *         them act, and learns what happened.
 * Rules.  An action is possible at once, except for a get (the promise must be set), the end of
 *         a finish and a sync (its tasks must have ended) and an isolated block (no other task
 *         may be in one).  Only the last can become impossible again.
 *         A task that fails (set twice, index out of range, ...) stays where it is, as in the
 *         semantics, where no rule applies; it leaves its isolated block.
 * Names.  Tasks, promises and cells are numbered in order of creation.  Their `name` is a number
 *         that depends only on their creators: the same in every schedule.
 */
#ifndef SNAG_LANG_EXPLORE_WORLD_H
#define SNAG_LANG_EXPLORE_WORLD_H

#include "lang/machine.h"

#include <stddef.h>

#define WORLD_NONE UINT32_MAX

enum world_task_state { WORLD_LIVE, WORLD_ENDED, WORLD_FAILED };

struct world_task {
	struct snag_machine machine;
	struct snag_action next; /* its next action */
	uint32_t finish;	 /* scope: its innermost finish, or the inherited one */
	uint32_t frame;		 /* scope: its innermost procedure that spawns */
	uint32_t home;		 /* scope: the finish that waits for it */
	uint32_t spawned_in;	 /* scope: the frame whose sync waits for it, or WORLD_NONE */
	uint32_t created;	 /* tasks, promises and cells it has made */
	uint8_t state;		 /* enum world_task_state */
	bool is_isolated;
	uint64_t name;
	uint64_t graph;	    /* digest of all it did */
	uint64_t structure; /* digest of what it did but for accesses */
};

struct world_scope { /* a finish, or a frame */
	uint32_t outer;
	uint32_t pending; /* tasks that have not ended */
};

struct world_slot {
	struct snag_value value;
	/* Digest of the isolated accesses to it: the last ones that commute, their kind, and what
	 * came before them. */
	uint64_t last, before;
	uint32_t last_kind;
	uint64_t name;
	snag_loc loc;	 /* of the alloc, for cells */
	bool is_touched; /* it may differ from what it was at the beginning */
};

struct world_promise {
	uint64_t name;
	bool is_set;
	snag_loc set_at;
	snag_loc loc; /* of the new, if it was not declared */
};

struct world {
	const struct snag_program *program;
	uint64_t steps;	   /* left */
	bool is_cut;	   /* a task has used them up */
	uint32_t isolated; /* the task inside an isolated block, or WORLD_NONE */
	uint32_t nslots;   /* declared */
	struct world_task *task;
	size_t ntasks, task_cap;
	struct world_scope *scope;
	size_t nscopes, scope_cap;
	struct world_slot *slot; /* the declared ones, then the cells */
	size_t nall, slot_cap;
	struct world_promise *promise;
	size_t npromises, promise_cap;
	uint32_t *touched; /* declared slots */
	size_t ntouched, touched_cap;
};

/* What an action did. */
struct world_effect {
	struct snag_action action; /* the action of this step */
	uint32_t created;	   /* the task, promise or cell that came into being */
	uint32_t scope;		   /* finish and sync: which; the end of a task: its home */
	bool is_isolated;
	bool has_failed; /* the action was a second set: nothing was done */
};

/* Returns the kind of the update that an access in an isolated block is part of, if it commutes
 * with others of its kind and writes in every order; otherwise 0. */
static inline uint8_t world_update_of(const struct snag_action *a, bool is_isolated)
{
	bool may_not_write = a->update == SNAG_UPDATE_LEAST || a->update == SNAG_UPDATE_GREATEST;
	return is_isolated && !may_not_write ? a->update : SNAG_UPDATE_NONE;
}

static inline uint8_t world_update(const struct world_effect *e)
{
	return world_update_of(&e->action, e->is_isolated);
}

void world_init(struct world *w, const struct snag_program *program);
void world_done(struct world *w); /* accepts a zeroed one */

/* Returns to the beginning, with that many steps to spend. */
void world_begin(struct world *w, uint64_t steps);

/* Returns whether the task can act now. */
bool world_can(const struct world *w, uint32_t task);
/* Lets it act. */
void world_act(struct world *w, uint32_t task, struct world_effect *ret_effect);

/* Two digests.  They are equal (up to chance, 2^-64) exactly if what they stand for is equal.
 * Memory: what can be reached in the shared memory, and where the tasks are that have not ended.
 * Graph: what each task did, with which values, which tasks it created, which promises it set
 * and got, and in which order conflicting isolated blocks came. */
uint64_t world_memory_digest(const struct world *w);
uint64_t world_graph_digest(const struct world *w);
/* The same of its structure: which tasks there are, and what each created, waited for, set and
 * got. */
uint64_t world_structure_digest(const struct world *w);
/* Of the state of one task. */
uint64_t world_task_digest(const struct world *w, uint32_t task);

/* "x", "a[3]", "@12"; "p", "new@12" */
void world_slot_name(const struct world *w, uint32_t slot, char ret_name[SNAG_SLOT_NAME]);
void world_promise_name(const struct world *w, uint32_t promise, char ret_name[SNAG_SLOT_NAME]);

#endif
