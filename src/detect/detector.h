/* SPDX-License-Identifier: Apache-2.0
 *
 * detector.h - the interface every detector implements
 *
 * A detector receives one stream of events in trace order, in batches, and reports which
 * accesses are racy.  A detector that must look at the trace as a whole gets it afterwards,
 * indexed.  A detector does nothing else: it never opens a file, prints, exits, or reads an
 * environment variable.
 *
 * docs/adding/a-detector.md says how to add one: a file that exports `snag_detector_<name>`, a line
 * in detect/list.def, a page docs/algorithms/<name>.md, and expectations in tests/traces/.  If
 * other code has to change, the interface is wrong: fix the interface.
 *
 * Time.      The event number is the only measure of time.  A clock (order/vclock.h) has for
 *            each thread u an event number: all events of u before it are ordered before this
 *            point. Every relation uses it, so comparing event numbers finds the partners of a
 *            racy access, whatever the relation (detect/partners/partners.h).
 * Threading: calls of one state never run concurrently.
 * Ownership: batches are borrowed for the call; the state belongs to the detector, from open()
 *            to close().
 */
#ifndef SNAG_DETECT_DETECTOR_H
#define SNAG_DETECT_DETECTOR_H

#include "detect/slice/contended.h"
#include "detect/inside.h"
#include "detect/listing.h"
#include "detect/table.h"
#include "order/vclock.h"
#include "trace/race.h"
#include "trace/source.h"
#include "witness/decide/index.h"
#include "witness/witness.h"

#include <signal.h>

/* Which procedure decides whether a pair is a race. */
enum snag_stages {
	SNAG_STAGES_EXACT, /* witness/decide/decide.h */
	SNAG_STAGES_PAPER, /* the published ones: witness/decide/paper.h, decide/vindicate.h */
};

/* What orders tasks in the order observed, for sections.c. */
struct snag_ordered {
	bool locks;   /* what they guard, as isolated blocks do */
	bool atomics; /* as C11 says */
	bool updates; /* those of one kind conflict, as other writes do */
};

/* The environment of a detector; outlives its state. */
struct snag_detector_env {
	/* Reports that access `ev`, number `event`, is racy: some earlier conflicting access of
	 * another thread is not ordered before it.  `before` is the clock of what is; the
	 * receiver may share it, and finds the partners itself (detect/partners/partners.h).  No
	 * partner comes before event `since`, which may be 0. */
	void (*on_racy)(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t since,
			struct snag_vclock *before, struct snag_vclock_pool *pool);
	/* Reports a suspicious pair: for detectors that are not relations.  Of the sites, event,
	 * thread, target, loc and op are set. */
	void (*on_pair)(void *ctx, const struct snag_site *first, const struct snag_site *second);
	/* Reports that access `ev`, number `event`, races with the earlier access of number
	 * `first`: for detectors that remember only the number of an access.  The rest is looked
	 * up afterwards (detect/partners/pairs.h). */
	void (*on_race_with)(void *ctx, const struct snag_event *ev, uint32_t event,
			     uint32_t first);
	/* Reports that access `ev`, number `event`, conflicts with the parallel access of number
	 * `first`, and only mutual exclusion keeps them apart.  Called once for each reason. */
	void (*on_doubt)(void *ctx, enum snag_doubt why, const struct snag_event *ev,
			 uint32_t event, uint32_t first);
	/* Reports that the detector cannot judge this trace because of this event; `why`
	 * explains it: "task 3 ..." and so on.  Later findings are meaningless. */
	void (*on_refuse)(void *ctx, const struct snag_event *ev, uint32_t event, const char *why);
	/* Reports a race with its verdict, and if that is SNAG_PREDICTED its witness, which the
	 * receiver takes over.  Of the sites, event, thread, target, loc and op are set. */
	void (*on_race)(void *ctx, const struct snag_race *race);
	/* The access is second in a race of two locations that on_race() will tell. */
	void (*on_counted)(void *ctx, uint32_t second);
	/* Not all pairs that the races stand for were decided. */
	void (*on_at_least)(void *ctx);
	/* A deadlock, which the receiver takes over; sites as of on_race. */
	void (*on_deadlock)(void *ctx, const struct snag_deadlock *deadlock);
	/* The published procedure decided, and may have wrongly rejected n races or, if one is
	 * wanted for each pair of locations, n pairs of locations. */
	void (*on_uncertain)(void *ctx, uint64_t n);
	/* A bound left out candidates of n accesses. */
	void (*on_abridged)(void *ctx, uint64_t n);
	void *ctx;
	const struct snag_table *rows; /* NULL, or: get the steps of a detector that has_rows */

	/* For detectors that decide pairs: */
	enum snag_stages stages;
	enum snag_rules rules; /* of witnesses, where a detector decides by dependence */
	/* A race orders its accesses, as the papers count (raced.h), for detectors that can. */
	bool order_races;
	struct snag_ordered ordered;
	bool pairs;	    /* every racy pair is wanted, not one for each pair of locations */
	unsigned jobs;	    /* how many threads may be used; at least 1 */
	uint32_t budget;    /* nodes of the search for one pair; 0: the default */
	uint64_t max_races; /* detect/listing.h; SNAG_ALL_RACES: no bound */
	/* Of `nshards` workers this is number `shard`, from 0: only its candidates are decided.
	 * Each pair of locations belongs to one worker.  0 workers: all are. */
	unsigned shard, nshards;
	const volatile sig_atomic_t *stop; /* non-zero: come to an end; may be NULL */
	/* Reports progress: `done` candidates are decided, of `of` known so far.  Called from
	 * the calling thread.  May be NULL. */
	void (*on_decided)(void *ctx, uint64_t done, uint64_t of);
	void *decided_ctx;
};

/* Whether the pairs of a detector are decided (detect/candidates/verify.h).  Refuted pairs are then
 * not reported; the others have a witness or are undecided. */
enum snag_decide {
	SNAG_DECIDE_NOT,
	SNAG_DECIDE_READS,	/* every read keeps its writer */
	SNAG_DECIDE_DEPENDENCE, /* only causal reads do, if the trace or the user says so */
};

typedef void snag_stat_handler(void *ctx, const char *name, uint64_t value);

struct snag_detector {
	const char *name;      /* as typed in `snag analyze --with NAME` */
	const char *summary;   /* one line: the idea */
	const char *kind;      /* "relation", "lockset", ... */
	const char *guarantee; /* sound? complete? */
	const char *cost;      /* time and memory, in words */
	const char *reference;
	/* The operations that it can judge (SNAG_OPS_COMMON | ...).  The caller refuses a trace
	 * with another one, so the detector never sees it. */
	uint32_t ops;
	/* Those of `ops` that it accepts only where a program launches its tasks. */
	uint32_t launch_ops;
	enum snag_verdict verdict; /* of a race it reports, before any witness */
	bool by_default;	   /* run when no --with is given, if it can judge the trace */
	enum snag_decide decide;
	/* Deciding needs the whole trace and an index.  A detector that is faster than that
	 * decides its pairs only on traces of up to SNAG_SHORT_TRACE events. */
	bool decide_if_short;
	bool orders_races; /* it can: env->order_races */
	/* It finds deadlocks and no races, and needs all lock events of a slice. */
	bool finds_deadlocks;
	/* It finds atomicity violations and no races (snag_race.is_atomicity). */
	bool finds_atomicity;
	/* It finds uses of freed memory that are no races (snag_race.is_behind). */
	bool finds_freed;
	bool no_windows; /* a part of the trace tells it nothing (detect/analyze/windows.h) */
	bool has_rows;	 /* it shows its steps to env->rows */
	bool has_stages; /* its `finish` decides pairs by env->stages */
	/* SNAG_STAGES_PAPER decides its pairs by vindication from its own order: mode DC. */
	bool vindicates_dc;
	/* Its index must have the locks that only one thread takes (witness/decide/index.h). */
	bool all_locks;
	bool is_complete;	/* its pairs, all decided, are all predictable races */
	bool disjoint_locksets; /* accesses with a lock in common do not race */
	/* What a slice of the trace must contain so that the detector finds the same in it, a
	 * set of SNAG_WANT_* (contended.h); 0: it needs the whole trace. */
	unsigned slice;
	/* The same if only likely suspects are wanted; 0: as `slice`. */
	unsigned likely_slice;

	void *(*open)(const struct snag_detector_env *env);
	void (*events)(void *state,
		       const struct snag_batch *batch); /* NULL: it does not need them */
	/* NULL, or: called when there are no more events (also if the reading was broken off,
	 * which env->stop shows).  Looks for races, if the detector does so only now, and frees
	 * all but what it needs for `finish` and the clocks it has passed on. */
	void (*end)(void *state);
	/* NULL, or: called once after the last batch, with an index of the whole trace, which is
	 * kept in memory for it.  Returns whether the findings are complete.  Not called if the
	 * reading was broken off. */
	bool (*finish)(void *state, struct snag_index *ix);
	/* NULL, or: called once after the last batch, if no race was found.  Returns whether
	 * that proves that this input has no race on any schedule.  (For a task-parallel
	 * program; the caller accounts for what was left out or not read.) */
	bool (*proves)(const void *state);
	/* NULL, or: reports figures about the run, for `--stats`, in a fixed order. */
	void (*stats)(const void *state, snag_stat_handler *handler, void *ctx);
	const struct snag_inside *inside; /* NULL: it cannot be fed inside a program */
	void (*close)(void *state);	  /* accepts NULL */
};

extern const struct snag_detector
	*const snag_detectors[]; /* NULL-terminated, in the order of list.def */
const struct snag_detector *snag_detector_find(const char *name, size_t len);

/* Returns whether it judges tasks, and not threads. */
static inline bool snag_detector_is_of_tasks(const struct snag_detector *d)
{
	return !(d->ops & SNAG_OPS_OF_THREADS);
}

enum { SNAG_SHORT_TRACE = 1 << 18 };

/* For implementations: one loop over a batch.  The table is a compile-time constant at every
 * use, so the compiler turns the indirect calls into inlined code, and a NULL handler costs
 * nothing. */
typedef void snag_handler(void *state, const struct snag_event *ev, uint32_t event);

struct snag_handlers {
	snag_handler *read, *write; /* plain accesses */
	snag_handler *sync;	    /* locks (not the nested ones), threads, atomics, fences */
	snag_handler *branch;
};

static inline __attribute__((always_inline)) void
snag_handlers_run(const struct snag_handlers *h, void *state, const struct snag_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		uint32_t event = (uint32_t)(batch->first + i);
		switch (ev->op) {
		case SNAG_OP_READ:
			if (h->read)
				h->read(state, ev, event);
			break;
		case SNAG_OP_WRITE:
			if (h->write)
				h->write(state, ev, event);
			break;
		case SNAG_OP_BRANCH:
			if (h->branch)
				h->branch(state, ev, event);
			break;
		case SNAG_OP_BEGIN:
		case SNAG_OP_END:
		case SNAG_OP_DEPENDS:
			break;
		default:
			if (h->sync && !(ev->flags & SNAG_NESTED))
				h->sync(state, ev, event);
		}
	}
}

#endif
