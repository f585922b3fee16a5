/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_access.h - what one access, or one synchronisation, does to the state of contended.h
 *
 * A time is the number of an event, or any other number that grows from event to event.
 */
#ifndef SNAG_DETECT_CONTENDED_ACCESS_H
#define SNAG_DETECT_CONTENDED_ACCESS_H

#include "detect/slice/contended_state.h"

static inline struct contended_reader *readers_of(const struct snag_contended *c,
						  const struct contended_variable *x)
{
	return (struct contended_reader *)c->readers.at + x->rtime;
}

/* Frees the list of readers of a variable, which has none then. */
void contended_readers_give(struct snag_contended *c, struct contended_variable *x);
/* Gives the copy of a variable a list of readers of its own. */
void contended_readers_copy(struct snag_contended *c, struct contended_variable *x);
/* Before the next access of t: a write to the variable that it has just read makes that read one
 * of a counter, which orders nothing.  Accesses of variables that no other thread uses do not
 * count. */
void contended_pending_settle(struct snag_contended *c, uint32_t variable, snag_tid t,
			      bool is_write);
/* Accesses that are not quick. */
void contended_read_slow(struct snag_contended *c, uint32_t variable, snag_tid t, uint32_t event,
			 snag_loc loc);
void contended_write_slow(struct snag_contended *c, uint32_t variable, snag_tid t, uint32_t event,
			  snag_loc loc);
/* Synchronisation, atomics included. */
void contended_sync(struct snag_contended *c, const struct snag_event *ev, uint32_t event);
/* Makes room for threads, locks and variables. */
void contended_reserve(struct snag_contended *c, const struct snag_batch *batch);
/* The flags SNAG_WANT_* that hold in the end. */
unsigned contended_wanted(const struct snag_contended *c, const struct contended_variable *x);
bool contended_is_counter(const struct snag_contended *c, const struct contended_variable *x);
bool contended_is_in_slice(const struct snag_contended *c, const struct contended_variable *x);

/* Whether all orders have the last write before the next event of t. */
static inline bool is_after_write(struct snag_contended *c, const struct contended_variable *x,
				  snag_tid t)
{
	return x->writer == t || x->wtime <= bound(c, t, x->writer);
}

/* The entry of t in a list of readers, if it is one of the first; or NULL. */
static inline struct contended_reader *reader_find(const struct snag_contended *c,
						   const struct contended_variable *x, snag_tid t)
{
	struct contended_reader *list = readers_of(c, x);
	return list[0].thread == t		     ? &list[0]
	       : list[1].thread == t && list[1].time ? &list[1]
						     : NULL;
}

/* Whether only t has accessed the variable since its last write, and made that write. */
static inline bool is_of_one(const struct contended_variable *x, snag_tid t)
{
	return x->writer == t && (x->reader == t || x->rtime == 0);
}

/* A read or write is quick if it only changes the times of the variable: all orders order it.
 * Then it is also quick after any other quick access of its thread. */
static inline bool read_is_quick(struct snag_contended *c, const struct contended_variable *x,
				 snag_tid t)
{
	return is_after_write(c, x, t) &&
	       (x->reader == t || x->rtime == 0 ||
		(x->reader == READERS ? reader_find(c, x, t) != NULL
				      : x->rtime <= bound(c, t, x->reader)));
}

static inline bool write_is_quick(struct snag_contended *c, const struct contended_variable *x,
				  snag_tid t)
{
	return is_after_write(c, x, t) &&
	       (x->reader == t || x->rtime == 0 ||
		(x->reader != READERS && x->rtime <= bound(c, t, x->reader)));
}

/* The steps of a loop are not processed in the order of their events: of several accesses of one
 * thread the last one counts. */
static inline uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline void read_quickly(struct snag_contended *c, struct contended_variable *x, snag_tid t,
				uint32_t event)
{
	uint32_t *time = &x->rtime;
	if (__builtin_expect(x->reader == READERS, 0))
		time = &reader_find(c, x, t)->time;
	else if (x->reader != t)
		x->rtime = 0;
	if (x->reader != READERS)
		x->reader = t & READERS;
	*time = later(*time, event + 1);
}

static inline void write_quickly(struct contended_variable *x, snag_tid t, uint32_t event)
{
	x->wtime = later(x->writer == t ? x->wtime : 0, event + 1);
	x->writer = t & READERS;
	x->reader = x->rtime = 0;
}

/* A plain access of thread t at this location and time. */
static inline void contended_access(struct snag_contended *c, uint32_t variable, snag_tid t,
				    bool is_write, uint32_t event, snag_loc loc)
{
	struct contended_variable *x = &c->x[variable];
	if (__builtin_expect(c->acting != t, 0))
		acting_change(c, t);
	variable_mark(c, variable, is_write);
	if (__builtin_expect(c->npending != 0, 0))
		contended_pending_settle(c, variable, t, is_write);
	if (is_write ? write_is_quick(c, x, t) : read_is_quick(c, x, t)) {
		if (is_write)
			write_quickly(x, t, event);
		else
			read_quickly(c, x, t, event);
	} else {
		if (is_write)
			contended_write_slow(c, variable, t, event, loc);
		else
			contended_read_slow(c, variable, t, event, loc);
	}
}

#endif
