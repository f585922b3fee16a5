/* SPDX-License-Identifier: Apache-2.0
 *
 * scout_state.h - the state of the scout: scout.c fills it, scout_deliver.c reads the records again
 */
#ifndef SNAG_SCOUT_STATE_H
#define SNAG_SCOUT_STATE_H

#include "base/memory.h"
#include "detect/deadlock/lock_graph.h"
#include "detect/slice/contended_memory.h"
#include "scout/again.h"
#include "scout/places.h"
#include "scout/scout.h"
#include "scout/spool.h"
#include "trace/branch_filter.h"
#include "trace/lock_rules.h"

enum { SCOUT_AHEAD = 256 }; /* records that are read from a spool together */

struct snag_scout {
	struct snag_detour detour;
	struct snag_spool *spool;
	struct snag_spool *about; /* [nothing] those of the records that are delivered then */
	struct snag_contended_memory *memory;
	struct snag_lock_graph *graph; /* NULL: no detector looks for deadlocks */
	struct snag_lock_rules rules;
	struct snag_counts counts; /* of threads and locks */
	uint32_t *lock;		   /* by number of the runtime: 1 + id; 0: none yet */
	size_t lock_cap;
	uint32_t *token; /* by number of the runtime: its variable; 0: none yet */
	size_t token_cap;
	snag_tid thread;
	uint64_t events;
	struct snag_again again; /* the last accesses, and a run that follows from them */
	bool takes_all;		 /* [all] */
	bool has_more;		 /* records that [nothing] must not leave out refer to others */
	bool needs_nothing;	 /* [nothing] */
	struct {
		uint64_t at, end;
		struct rt_record record;
	} range; /* one that is being delivered */
	/* [count] The fuel left at the last event, and whether its record was left out. */
	uint32_t fuel;
	bool is_fuel_untold;
	struct snag_word_set idle; /* [block] where those begin whose beginning was left out */
	uint32_t nblocks;	   /* blocks that were left out since the last record RT_BLOCKS */
	struct snag_scout_places places;
	struct snag_branch_filter *branches; /* [branch] by thread */
	size_t branches_cap;
	struct rt_record ahead[SCOUT_AHEAD]; /* of the spool; those from `at` up to `n` are next */
	int at, n;
};

/* After the end of the run: delivers some of the records that a trace needs, at most `room`, and
 * returns how many; 0: there are no more.  `ctx` is the scout. */
int scout_deliver(void *ctx, struct rt_record *ret_record, int room);

#endif
