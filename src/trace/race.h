/* SPDX-License-Identifier: Apache-2.0
 *
 * race.h - THE race: what detectors find, witnesses prove and reports print
 */
#ifndef SNAG_TRACE_RACE_H
#define SNAG_TRACE_RACE_H

#include "base/strtab.h"
#include "trace/event.h"

#include <stddef.h>

#define SNAG_NO_EVENT UINT32_MAX

enum snag_verdict {
	SNAG_OBSERVED,	 /* unordered by happens-before in the trace itself */
	SNAG_PREDICTED,	 /* a checked witness exists */
	SNAG_CONFIRMED,	 /* no witness, but another run of the program had it */
	SNAG_UNVERIFIED, /* unordered by an unsound relation, no witness found */
	/* A checked witness exists in which reads see other values, and the program, steered
	 * through it, did something else. */
	SNAG_UNCONFIRMED,
	SNAG_VERDICTS
};

extern const char *const snag_verdict_text[SNAG_VERDICTS]; /* "observed", ... */

struct snag_held_lock {
	uint32_t lock;
	bool is_shared; /* held together with other readers */
};

/* One event as a report shows it. */
struct snag_site {
	uint32_t event; /* its number, or SNAG_NO_EVENT: there is none */
	snag_tid thread;
	uint32_t target;
	snag_loc loc;
	uint8_t op;
	uint8_t size;			    /* of the access in bytes; 0: unknown */
	const struct snag_held_lock *locks; /* outermost first; belongs to the findings */
	uint32_t nlocks;
};

/* A set of variables.  It is sorted when it has doubled. */
struct snag_variables {
	uint32_t *at; /* ascending up to `sorted`, no two alike */
	size_t n, cap, sorted;
};

void snag_variables_add(struct snag_variables *v, uint32_t variable);
void snag_variables_sort(struct snag_variables *v);

struct snag_race {
	struct snag_site first, second;	 /* first.event < second.event */
	uint64_t count;			 /* number of pairs of events that this stands for */
	struct snag_variables variables; /* the variables of these pairs; empty: only that of
					  * `second` */
	enum snag_verdict verdict;
	bool changes_reads; /* in its witness some read sees another write than it saw */
	/* Not a race but a broken atomicity (detect/candidates/atomicity.c): one of the two
	 * accesses is a write of the thread of `read`, the next access of that thread to the
	 * variable.  The other one is a write of another thread.  In the witness, it comes between
	 * these two. */
	bool is_atomicity;
	struct snag_site read;
	/* Not a race but a use of freed memory (detect/candidates/freed.c): `second` ends the
	 * block.  In the witness it comes before `first`, which ends the witness. */
	bool is_behind;
	/* Why nothing orders them: the last event of the first access's thread that
	 * the relation does order before the second access (.event may be
	 * SNAG_NO_EVENT: nothing of that thread is; .thread is SNAG_NO_ID if the pair was
	 * looked at in another way and this is not known). */
	struct snag_site known;
	/* A witness: event numbers of a valid reordering that ends with the two accesses;
	 * nwitness = 0: none.  The first prefix[i].n events of each thread prefix[i].thread come
	 * before them, in observed order. */
	uint32_t *witness;
	size_t nwitness;
	struct snag_prefix {
		snag_tid thread;
		uint32_t n; /* not 0 */
	} * prefix;	    /* ascending by thread */
	size_t nprefix;
};

/* Sets the prefix from the number of events of each thread. */
void snag_race_prefix_set(struct snag_race *race, const uint32_t *count, size_t nthreads);
/* Returns the number of events of each thread; the caller frees the array. */
uint32_t *snag_race_prefix_counts(const struct snag_race *race, size_t nthreads);

/* Why no race in a run of tasks proves nothing for other schedules: parallel accesses to one
 * variable conflict, and only this keeps them apart.  So the schedule decides their order, and
 * all that follows from it. */
enum snag_doubt { SNAG_DOUBT_ISOLATED, SNAG_DOUBT_LOCK, SNAG_DOUBT_ATOMIC, SNAG_DOUBTS };

struct snag_doubtful { /* the first such pair */
	struct snag_site first, second;
	bool is_there;
};

struct snag_stat { /* a figure about the run of a detector */
	const char *name;
	uint64_t value;
};

struct snag_deadlock;

/* The findings of one detector in one trace. */
struct snag_findings {
	const char *name; /* of the detector */
	double seconds;	  /* the time of this detector alone, in seconds */
	bool complete;	  /* no predictable race is missing */
	bool race_free;	  /* for tasks: this input has no race on any schedule */
	struct snag_doubtful doubt[SNAG_DOUBTS]; /* why not, as far as known */
	bool orders_races;			 /* a race orders its accesses (detector.h) */
	bool by_paper;				 /* decided by the published procedure */
	uint64_t uncertain; /* then: rejections that may be wrong; pairs of events or locations */
	uint32_t *racy;	    /* events that are second in some race, ascending */
	size_t nracy, racy_cap;
	struct snag_race *race; /* ascending by second, then first event */
	size_t nraces, race_cap;
	struct snag_deadlock *deadlock; /* trace/deadlock.h; ascending by first request */
	size_t ndeadlocks, deadlock_cap;
	bool finds_deadlocks; /* the detector looks for deadlocks, not for races */
	bool finds_atomicity; /* likewise for atomicity violations, which are in race[] */
	bool finds_freed;     /* likewise for uses of freed memory that are no races */
	struct snag_stat *stat;
	size_t nstats, stat_cap;
	uint64_t npairs; /* racy pairs of events; the sum of the counts */
	bool at_least;	 /* not all pairs were decided: counts and racy events are lower bounds */
	/* Racy events that may race with more accesses than the races here count.  If not 0, the
	 * counts are lower bounds. */
	uint64_t abridged;
	/* Not 0: the trace did not fit into memory, and was analysed in this many windows of
	 * this many events (detect/analyze/windows.h).  Then counts are lower bounds, too. */
	uint64_t windows, window_events;
	/* But they are exact: no race is missing, and the windows decided the pairs. */
	bool decided_in_windows;
};

/* Of a broken atomicity: the write that comes between, and the one that ends the unit. */
static inline const struct snag_site *snag_race_between(const struct snag_race *race)
{
	return race->first.thread == race->read.thread ? &race->second : &race->first;
}

static inline const struct snag_site *snag_race_write(const struct snag_race *race)
{
	return race->first.thread == race->read.thread ? &race->first : &race->second;
}

/* How many events at the end of its witness are what it shows. */
static inline size_t snag_race_goal(const struct snag_race *race)
{
	return race->is_atomicity || race->is_behind ? 1 : 2;
}

void snag_race_done(struct snag_race *race);
void snag_findings_done(struct snag_findings *f); /* accepts NULL */

#endif
