/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive.h - one engine for the orders that predict races
 *
 * Idea.   WCP, DC, SDP and WDP keep of the observed order only what other runs must keep
 *         too.  They differ in which critical sections of a lock are ordered, from the
 *         release to which event, and whether they include program order or compose with
 *         happens-before (struct snag_order_rules; the records stand in orders.c).
 *
 * State.  thread[t]   now: what is ordered before its next event (C_t).  A relation that
 *                     includes program order leaves out t's own entry; one that composes
 *                     with HB keeps it, and hb beside it (H_t).  The sections it holds, its
 *                     lockset, what it owes to the next branch (B_t).
 *         lock[l]     its holder, its last release (H_l, C_l), the filed sections
 *         atomic[x]   the same for the lock that atomic accesses of x are taken to hold
 *         x[v]        accesses to race with; conflicting sections by lock (L_l,x), or the
 *                     last write with all its sections; what is owed to the next read (B_t,x)
 *
 * Rules.  [acquire]   composing: hb and now join those of the last release.
 *                     write_write_sections: if the acquire of an earlier section of the lock
 *                     is known through a write-write conflict (wrote), its release is owed
 *         [release]   now joins the releases of all sections of the lock whose acquire it
 *                     knows, and what is owed; the section's clock is hb, or now
 *         [fork] [join]  hard edges: now joins the other thread's hb, or now (wrote need not
 *                     follow: it is part of hb).  A thread forked after another was joined
 *                     may take its seat, its entry in the clocks and its state
 *                     (order/seats.h)
 *         [read] [write] for each lock held, conflicting sections of other threads: now
 *                     joins their release, or it is owed to the next read or branch
 *         [branch]    now joins what is owed to it: for all earlier reads of its thread, or
 *                     only for those of the variables that were named since the last
 *                     branch, and from before the thread named any
 *         [depends]   names a variable
 *         [atomic]    [acquire] [read] and/or [write] [release] of a lock of the variable
 *         Then a plain access is racy if some conflicting one is not ordered before it
 *         (.disjoint_locksets: and holds no common lock).
 *         [race]      with env->order_races: its accesses are ordered (predictive_races.c)
 *
 * Cost.   An access O(locks held that have not seen this variable in this section), where threads
 *         that hold many are dealt with apart (predictive_deep.h), and for
 *         relations with program order O(threads) each; a release O(log sections), or
 *         O(threads log sections); joins O(threads).
 * Reference.  Genç, Roemer, Xu and Bond, OOPSLA 2019, table 2 and section 5; Kini, Mathur and
 *         Viswanathan, PLDI 2017 (WCP); Roemer, Genç and Bond, PLDI 2018 (DC).
 */
#ifndef SNAG_DETECT_PREDICTIVE_H
#define SNAG_DETECT_PREDICTIVE_H

#include "detect/access.h"
#include "detect/detector.h"
#include "detect/predictive/predictive_conflicts.h"
#include "detect/raced.h"
#include "order/history.h"
#include "order/lockset.h"

struct snag_order_rules {
	/* Which sections of one lock are ordered: with any conflict, or only if the later one
	 * reads what the earlier one wrote last. */
	enum { SNAG_CONFLICTING, SNAG_LAST_WRITE_READ } sections;
	/* The release of the first is ordered before what of the second: the access; the access
	 * unless both write, then the next read of its thread; or the next branch. */
	enum { SNAG_TO_ACCESS, SNAG_TO_ACCESS_OR_READ, SNAG_TO_BRANCH } to;
	bool includes_program_order;
	bool composes_with_hb;
	/* Also order the releases of sections whose acquires a write-write conflict orders. */
	bool write_write_sections;
	/* Accesses with a lock in common do not race. */
	bool disjoint_locksets;
};

/* Returns whether a holder of a lock knows all of its sections that conflicts with them need,
 * and each later holder knows that too. */
static inline bool snag_order_hands_on(const struct snag_order_rules *rules)
{
	return rules->composes_with_hb && !rules->write_write_sections;
}

/* What a release hands to a later acquire, when the relation composes with HB. */
struct snag_predictive_handover {
	struct snag_vclock *now;   /* of the relation, or NULL */
	struct snag_vclock *wrote; /* write_write_sections: the same */
};

struct snag_predictive_lock {
	uint32_t holder; /* the section that holds it alone, or 0 */
	uint32_t last;	 /* composing: the last released section, alone; or 0 */
	uint32_t known;	 /* handing on: a holder knows the sections up to this one, except shared
			  * ones */
	struct snag_predictive_handover alone;	/* from the release `last` */
	struct snag_predictive_handover shared; /* by the shared releases since */
	/* The clock of these shared releases; NULL: there were none. */
	struct snag_vclock *shared_hb;
	struct snag_section_run *run;
	size_t nruns, run_cap;
	bool has_shared_runs;
	struct snag_section_run deep; /* see predictive_deep.h */
};

struct snag_predictive_thread {
	struct snag_vclock *now;
	struct snag_vclock *hb;	   /* composing */
	struct snag_vclock *wrote; /* write_write_sections: what write-write conflicts order
				    * before its next event */
	uint32_t innermost;	   /* of the sections it holds, or 0, but for deep ones */
	uint32_t ndirect;	   /* of these, but for shared ones and those of atomics */
	uint32_t deep, ndeep;	   /* the same of deep ones, see predictive_deep.h; how many */
	uint32_t held;	    /* last write-read: the sections as a stack; else the deep ones, */
	bool held_is_stale; /* unless a section was left that is not the innermost */
	uint32_t nshared;   /* how many of them are shared */
	uint32_t state;	    /* another number whenever the sections it holds change */
	snag_lockset lockset;
	snag_lockset deep_locks;
	uint32_t ahead[2]; /* locks it will hold a few events on, the innermost first, each + 1;
			    * a guess */
	uint32_t who;	   /* another number for every thread, also on the same seat */
	/* To branch: sections whose release is owed to any branch, one per thread.  Once the
	 * thread names variables: what is owed to branches that name none. */
	struct snag_owed_sections {
		uint32_t *at;
		size_t n, cap;
	} pending, unnamed;
	bool names;	 /* it has named variables */
	uint32_t *named; /* those the next branch depends on; none: on all */
	size_t nnamed, named_cap;
};

struct snag_predictive_variable {
	union {
		struct { /* locksets do not count */
			struct snag_access_state access;
			struct snag_access_past past;
		};
		struct snag_history history;
	};
	union {
		struct {
			struct snag_conflicts conflicts;
			uint32_t deep; /* records, a list; 0: none */
		};
		struct { /* last write-read */
			snag_tid thread;
			uint32_t time; /* event + 1; 0: never */
			uint32_t seen; /* state of the thread that read it last */
			uint32_t held; /* the sections it was in */
		} last_write;
	};
	uint32_t owed; /* to the next read by a thread, or the next branch of a thread that
			* depends on its reads: a list of nodes; 0: none */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct snag_predictive_variable) == 64, "a variable is a cache line");

struct snag_owed_node {
	uint32_t who; /* is it owed */
	uint32_t section;
	uint32_t next;
};

/* An access by a thread that held deep sections (predictive_deep.h). */
struct snag_deep_record {
	snag_tid thread;
	uint32_t event;
	uint32_t held; /* the deep sections */
	snag_lockset locks;
	uint32_t next; /* of the variable, or of those not used */
	bool is_write;
};

struct snag_deep_records {	     /* all 0: empty */
	struct snag_deep_record *at; /* at[0] is not used */
	size_t n, cap;
	uint32_t unused;
};

/* Entries of conflicts that a later event will probably look at; 0: none. */
struct snag_slots_ahead {
	uint32_t slot[2];
};

enum { SNAG_AHEAD = 8, SNAG_SECTIONS_FEW = 1 << 14 };

struct snag_predictive {
	const struct snag_detector_env *env;
	struct snag_vclock_pool pool;
	bool has_ended; /* nothing else is left */
	struct snag_sections sections;
	struct snag_frontier_pool frontiers;
	struct snag_locksets locksets;
	struct snag_histories histories;
	struct snag_arrays conflicts;		   /* of snag_conflict */
	struct snag_slots_ahead ahead[SNAG_AHEAD]; /* by event, modulo */
	struct snag_conflict_nodes nodes;
	struct snag_held_nodes held;
	struct snag_deep_records deep;
	uint32_t max_direct; /* sections of a thread; those it opens while it holds so many are
			     * deep */
	struct snag_owed_node *owed; /* owed[0] is not used */
	size_t nowed, owed_cap;
	uint32_t unused_owed;
	uint32_t states;      /* numbers given to thread states */
	uint32_t reseated;    /* threads that took another's seat */
	size_t section_limit; /* fewer sections are not worth trimming */

	struct snag_predictive_thread *thread; /* by seat; what is said of threads below is too */
	size_t nthreads, thread_cap;
	struct snag_predictive_lock *lock;
	size_t lock_cap;
	struct snag_predictive_lock *atomic; /* by variable */
	size_t atomic_cap;
	struct snag_predictive_variable *x;
	size_t nx, x_cap;
	struct snag_raced *raced; /* [race]: by variable, in place of access and history */
	size_t raced_cap;
};

void *snag_predictive_open(const struct snag_detector_env *env);
void snag_predictive_end(struct snag_predictive *p, const struct snag_order_rules *rules);
void snag_predictive_close(struct snag_predictive *p, const struct snag_order_rules *rules);
/* Another thread takes the seat; its last clock is kept for threads that join the old one again. */
void snag_predictive_reseat(struct snag_predictive *p, snag_tid seat, struct snag_vclock **ret_last,
			    struct snag_vclock *last);
void snag_predictive_reserve(struct snag_predictive *p, const struct snag_batch *batch);

/* The slower parts, not specialised. */
void snag_predictive_order_races(struct snag_predictive *p, const struct snag_order_rules *rules,
				 const struct snag_event *ev, snag_tid thread, uint32_t event);
/* To the next read, or the next branch, of the thread. */
void snag_predictive_owe(struct snag_predictive *p, struct snag_predictive_variable *x,
			 const struct snag_predictive_thread *t, uint32_t section);
void snag_predictive_owe_read(struct snag_predictive *p, struct snag_predictive_variable *x,
			      const struct snag_predictive_thread *t, uint32_t section);
void snag_predictive_take_owed(struct snag_predictive *p, struct snag_predictive_variable *x,
			       struct snag_predictive_thread *t);
/* Of the list of sections that ends with this one. */
void snag_predictive_build_held(struct snag_predictive *p, struct snag_predictive_thread *t,
				uint32_t innermost);
void snag_predictive_take_sections(struct snag_predictive *p, struct snag_predictive_thread *t,
				   struct snag_owed_sections *owed);
void snag_predictive_owe_branch(struct snag_predictive *p, struct snag_predictive_variable *x,
				struct snag_predictive_thread *t, uint32_t section);
/* Composing: the shared releases of a lock since the last that was alone. */
void snag_predictive_add_shared(struct snag_predictive *p, struct snag_predictive_lock *l,
				snag_tid thread, uint32_t time);
void snag_predictive_forget_shared(struct snag_predictive *p, struct snag_predictive_lock *l);
void snag_predictive_file(struct snag_predictive *p, struct snag_predictive_lock *l,
			  uint32_t section, bool by_thread);

/* Between batches: forgets sections that can no longer matter, and renumbers the others.  `now`:
 * the next event. */
void snag_predictive_trim(struct snag_predictive *p, const struct snag_order_rules *rules,
			  uint32_t now);

#endif
