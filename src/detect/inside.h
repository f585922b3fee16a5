/* SPDX-License-Identifier: Apache-2.0
 *
 * inside.h - the interface of a detector that runs inside a program
 *
 * There are no batches: events come one by one, as they happen, and variables are parts of
 * memory. Most accesses repeat what the same step did, and change nothing.  The caller sees that
 * from what the detector keeps of the variable, without a call.
 *
 * `who` is the number by which the detector knows the running step.
 *
 * Express.  An access of `who` changes nothing and races with nothing in two cases: it is a
 *           read, and the variable's writer or reader is `who`; or it is a write, its writer is
 *           `who` and it has no reader.
 * First.   If is_all, an access to a variable without a past only stores `who` there.
 * Lasting.  A read by any step also changes nothing, until further notice, if the stored reader
 *           covers all later readers and the stored writer comes before all of them.  readers[]
 *           and writers[] are caches of such numbers.  A write to what such a reader has read is
 *           reported. `ended` counts how often a used reader ceased to last.  Readers that may
 *           cease soon are not worth it: only readers older than those that ceased young are
 *           used.
 */
#ifndef SNAG_DETECT_INSIDE_H
#define SNAG_DETECT_INSIDE_H

#include "detect/past.h"
#include "trace/event.h"
#include "trace/names.h"

enum { SNAG_LASTING = 64, SNAG_LASTING_YOUNG = 128 };

struct snag_express {
	struct snag_past_cell *x; /* by variable, as far as reserved */
	uint32_t who;		  /* 0: none now */
	bool is_all;		  /* nothing else is kept of variables */
	uint32_t readers[SNAG_LASTING], writers[SNAG_LASTING]; /* by their numbers */
	uint64_t kept, used;				       /* bits for readers[] */
	bool has_lasting;	  /* readers[] or writers[] may have entries */
	uint32_t latest, min_age; /* nearly the present `who`; an age relative to it */
	uint64_t ended;
};

struct snag_inside {
	struct snag_express *(*express)(void *state); /* stays where it is */
	/* Announces ids below these. */
	void (*reserve)(void *state, const struct snag_counts *counts);
	void (*turn)(void *state, snag_tid task); /* from now on this task runs */
	/* The task is about to access something: from now on there is a `who`, if there can be.
	 * May be NULL: there always is one. */
	void (*begin)(void *state, snag_tid task);
	void (*synced)(void *state); /* tasks and frames will all end with a sync; may be NULL */
	/* One event; a read or a write is plain. */
	void (*read)(void *state, const struct snag_event *ev, uint32_t event);
	void (*write)(void *state, const struct snag_event *ev, uint32_t event);
	void (*sync)(void *state, const struct snag_event *ev, uint32_t event);
	/* Two events at once, each with a turn: the task creates a child, which runs; the task
	 * ends, and another one runs. */
	void (*child)(void *state, snag_tid task, snag_tid child, enum snag_op op);
	void (*ended)(void *state, snag_tid task, snag_tid next);
	/* The task creates a segment: a child that does little but access memory.  If a segment
	 * with this number already runs, it ends first.  Meanwhile `task` may do nothing else.
	 * May be NULL: then task numbers are not reused. */
	void (*segment)(void *state, snag_tid task, snag_tid segment);
	/* forget: ends the past of n variables.  spread: gives those without a past that of
	 * `from`. */
	void (*forget)(void *state, uint32_t first, uint32_t n);
	void (*spread)(void *state, uint32_t from, uint32_t first, uint32_t n);
};

/* For plain accesses: returns whether this one may be left out. */
static inline bool snag_express_knows(const struct snag_express *e, uint32_t variable,
				      bool is_write)
{
	const struct snag_past_cell *x = &e->x[variable];
	if (x->writer == e->who)
		return (!is_write || !x->reader) && e->who;
	return !is_write && x->reader == e->who && e->who;
}

/* For reads: returns whether all of them may be left out until further notice. */
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

/* keep: stores a lasting reader, unless one that is used has its place.  drop: the reader at
 * place i no longer lasts. */
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
