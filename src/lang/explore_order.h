/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_order.h - the order of the steps of one schedule
 *
 * Idea.   Two orders of the steps of a schedule, both kept as vector clocks (order/vclock.h):
 *         need   what must keep its order so that the outcome stays the same: the steps of a
 *                task, creation, set before get, end before finish or sync, and every two steps
 *                that conflict.  Schedules with the same `need` are equivalent.
 *         sync   the edges of the computation graph: as `need`, but of the conflicts only those
 *                between isolated blocks.  Two conflicting accesses, not both isolated, that it
 *                leaves unordered are a race.
 * State.  For each slot (and promise: sets of it conflict) the last access of each task, kind by
 *         kind; the clocks of the tasks, of the scopes they end in, of the promises they set.
 * Rules.  [updates]  two updates of one kind in isolated blocks do not conflict (machine.h), unless
 *                    blocks have several steps: other accesses may come between these
 *         [access]   conflicting earlier accesses of other tasks come before (need); of isolated
 *                    blocks, the whole block (sync).  Those not known before are races, or
 *                    candidates for a reversal.
 *         [block]    a block that ran in pieces excludes all other blocks, so one comes before
 *                    the other (need).
 *         [create]   what the creator has done comes before all that the child does
 *         [end]      what the task has done comes before what its finish, or sync, releases
 *         [set, get] the same through the promise
 *         [reverse]  two conflicting steps can be exchanged if nothing lies between them
 * Cost.   An access: the other tasks' entries of its slot.
 */
#ifndef SNAG_LANG_EXPLORE_ORDER_H
#define SNAG_LANG_EXPLORE_ORDER_H

#include "lang/explore_world.h"
#include "order/vclock.h"

struct order_clock {
	struct snag_vclock *need, *sync; /* NULL: empty */
};

/* What a step did to a slot, or (a set) to a promise. */
struct order_access {
	uint64_t name; /* the same in every schedule */
	uint32_t slot; /* or ORDER_PROMISE + promise */
	snag_loc loc;
	bool is_write;
	bool is_isolated;
	uint8_t update; /* its kind; 0: none, or one that may not write in another order */
};

#define ORDER_PROMISE ((uint32_t)1 << 31)

/* What other tasks' steps may conflict with. */
struct order_footprint {
	const struct order_access *access;
	size_t n;
	bool is_isolated;
	bool is_split; /* the first piece of a block that goes on */
};

struct order_event { /* a step */
	snag_tid task;
	uint32_t access, naccesses; /* in order.access */
	uint32_t block;		    /* the isolated block it belongs to, or WORLD_NONE */
	struct order_clock clock;   /* the steps that came before */
};

struct order_block {
	snag_tid task;
	uint32_t first, last; /* steps */
	uint32_t access;      /* its first one; it has all of its task's until it ends */
	bool is_split;	      /* it has several steps */
};

struct order_entry { /* an access that others may conflict with */
	uint32_t event;
	uint32_t next; /* in the list of the slot, or WORLD_NONE */
	snag_tid task;
	snag_loc loc;
	bool is_write;
	bool is_isolated;
	uint8_t update;
};

struct order_race {
	uint32_t slot;
	uint32_t event; /* the first access; the second is in the last step */
	struct order_entry first;
	struct order_access second;
};

struct order {
	struct snag_vclock_pool pool;
	struct order_event *event;
	size_t nevents, event_cap;
	struct order_access *access;
	size_t naccesses, access_cap;
	struct order_block *block;
	size_t nblocks, block_cap;
	struct order_entry *entry;
	size_t nentries, entry_cap;
	uint32_t *head[2]; /* list of each slot and of each promise: entry + 1, 0: empty */
	size_t head_cap[2];
	struct order_clock *task, *scope, *promise;
	size_t task_cap, scope_cap, promise_cap;

	struct order_clock before; /* of the task, when its present step began */
	/* Steps the present one may be exchanged with, or blocks' first steps. */
	uint32_t *candidate;
	size_t ncandidates, candidate_cap;
	bool splits; /* blocks may have several steps */
	/* Called for each race, while its second access is the last one recorded. */
	void (*on_race)(void *ctx, const struct order_race *race);
	void *ctx;
};

void order_init(struct order *o);
void order_done(struct order *o);
void order_begin(struct order *o); /* a new schedule */

/* Begins a step of the task; `is_block`: it is, or continues, an isolated block. */
void order_step_begin(struct order *o, snag_tid task, bool is_block);
/* Handles an effect of the present step, or a consequence of it. */
void order_effect(struct order *o, const struct world *w, snag_tid task,
		  const struct world_effect *effect);
/* Says that all accesses of the step are known.  `is_whole`: for a block, it ends here.  What
 * happens until the next step begins are its consequences. */
void order_step_accessed(struct order *o, bool is_whole);

/* Keeps in o->candidate those steps that can be exchanged with the present one without
 * exchanging anything else: rule [reverse]. */
void order_reversals(struct order *o);

/* Returns whether step a must come before step b > a. */
static inline bool order_needs(const struct order *o, uint32_t a, uint32_t b)
{
	const struct order_event *f = &o->event[b];
	snag_tid t = o->event[a].task;
	return t == f->task || (f->clock.need && snag_vclock_get(f->clock.need, t) > a);
}

struct order_footprint order_footprint(const struct order *o, uint32_t event);
bool order_conflict(const struct order_footprint *a, const struct order_footprint *b);

#endif
