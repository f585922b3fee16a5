/* SPDX-License-Identifier: Apache-2.0
 *
 * inside.h - what a detector offers to be fed inside a running program
 *
 * There are no batches there: events come one by one, as they happen, and variables are parts of
 * memory.  Most accesses repeat what the same step has done, and change nothing: whoever feeds the
 * detector sees that from what it keeps of the variable, without a call.
 *
 * Express.  An access of `who` changes nothing and races with nothing if it is a read and the
 *         variable's writer or reader is `who`, or a write, its writer is `who` and it has no reader.
 * First.   An access to a variable that has no past leaves only `who` there, if is_all.
 * Lasting.  So does a read by anybody, until told otherwise, if the reader that is there will do for
 *         all that follow and the writer comes before all of them: if these are among
 *         readers[] and writers[], which are caches.  Who writes what such a one has read is told.
 *         `ended` counts how often one that was used ceased to be so.  Readers that may cease soon are not worth it: those are used that
 *         are older than such as ceased when they were young.
 */
#ifndef SNAG_DETECT_INSIDE_H
#define SNAG_DETECT_INSIDE_H

#include "detect/past.h"
#include "trace/event.h"
#include "trace/names.h"

enum { SNAG_LASTING = 64, SNAG_LASTING_YOUNG = 128 };

struct snag_express {
	struct snag_past_cell *x; /* by variable, as far as reserved */
	uint32_t who;		  /* 0: not now */
	bool is_all;		  /* nothing else is kept of variables */
	uint32_t readers[SNAG_LASTING], writers[SNAG_LASTING]; /* by their numbers */
	uint64_t kept, used;				       /* readers[], by bit */
	bool has_lasting;	  /* there may be some among readers[] and writers[] */
	uint32_t latest, min_age; /* `who` of the present, nearly; a difference to that */
	uint64_t ended;
};

struct snag_inside {
	struct snag_express *(*express)(void *state); /* stays where it is */
	/* Ids below these are known from now on. */
	void (*reserve)(void *state, const struct snag_counts *counts);
	void (*turn)(void *state, snag_tid task); /* this task runs from here on */
	/* It is about to access something: there is a `who` from here on, if there can be.  May be
	 * NULL: there is one anyway. */
	void (*begin)(void *state, snag_tid task);
	void (*synced)(void *state); /* tasks and frames will all end with a sync; may be NULL */
	/* One event; a read or a write is plain. */
	void (*read)(void *state, const struct snag_event *ev, uint32_t event);
	void (*write)(void *state, const struct snag_event *ev, uint32_t event);
	void (*sync)(void *state, const struct snag_event *ev, uint32_t event);
	/* Two of them, each with a turn: the task creates one, which runs; it ends, another one runs. */
	void (*child)(void *state, snag_tid task, snag_tid child, enum snag_op op);
	void (*ended)(void *state, snag_tid task, snag_tid next);
	/* The task creates one that will do little but access memory; if it runs already, that is, the one
	 * that has this number, it ends first.  All that `task` may do meanwhile is this.  May be NULL:
	 * numbers of tasks are not used again. */
	void (*segment)(void *state, snag_tid task, snag_tid segment);
	/* The past of n variables is over; those that have none get that of `from`. */
	void (*forget)(void *state, uint32_t first, uint32_t n);
	void (*spread)(void *state, uint32_t from, uint32_t first, uint32_t n);
};

/* Of plain accesses: whether it may be left out. */
static inline bool snag_express_knows(const struct snag_express *e, uint32_t variable,
				      bool is_write)
{
	const struct snag_past_cell *x = &e->x[variable];
	if (x->writer == e->who)
		return (!is_write || !x->reader) && e->who;
	return !is_write && x->reader == e->who && e->who;
}

/* Of reads: whether all of them may be left out until told otherwise. */
static inline bool snag_express_lasts(const struct snag_express *e, uint32_t variable)
{
	uint32_t r = e->x[variable].reader, w = e->x[variable].writer;
	return r && e->readers[r % SNAG_LASTING] == r && e->is_all && e->latest - r >= e->min_age &&
	       (!w || e->writers[w % SNAG_LASTING] == w);
}

/* Whether that reader is one of those that last. */
static inline bool snag_express_keeps(const struct snag_express *e, uint32_t reader)
{
	return reader && e->readers[reader % SNAG_LASTING] == reader;
}

/* The reader will last, or one that does has its place / one of them does no longer. */
static inline void snag_express_keep(struct snag_express *e, uint32_t reader)
{
	const unsigned i = reader % SNAG_LASTING;
	if (!(e->used >> i & 1))
		e->readers[i] = reader;
	e->kept |= UINT64_C(1) << i;
	e->has_lasting = true;
}

static inline void snag_express_drop(struct snag_express *e, unsigned i)
{
	uint32_t age = e->latest - e->readers[i], twice = 2 * age;
	if (e->used >> i & 1) {
		e->ended++;
		if (age < SNAG_LASTING_YOUNG && e->min_age < twice)
			e->min_age = twice;
	}
	e->kept &= ~(UINT64_C(1) << i);
	e->used &= ~(UINT64_C(1) << i);
	e->readers[i] = 0;
}

#endif
