/* SPDX-License-Identifier: Apache-2.0
 *
 * cut.h - the needed events, and the sections that they cut open
 *
 * A cut is a count per thread: the first count[t] events of each thread t.  A *closed* cut
 * contains all that must precede its events (rows.h).  In observed order it breaks no
 * rule of traces, with one exception: a section may be cut open (its release is missing) while a
 * later section of the same lock is in the cut.  An open section without such a later one is the
 * *last* of its lock.
 *
 * Cost.   Each step examines the sections that are open at the end of each thread, O(threads),
 *         and for each of their locks the acquires at the end of the cut, until one is in it.  A
 *         cut grows by the edges of what it takes in.  The events in between are not examined,
 *         however many there are.
 */
#ifndef SNAG_WITNESS_DECIDE_CUT_H
#define SNAG_WITNESS_DECIDE_CUT_H

#include "witness/decide/state.h"

static inline bool snag_cut_has(const struct snag_state *s, uint32_t event, const uint32_t *cut)
{
	return s->ix->position[event] < cut[snag_index_thread(s->ix, event)];
}

/* Up to this many steps for each thread, and each edge between two rows, the code goes through
 * steps; beyond, it uses rows. */
enum { SNAG_FEW_STEPS = 32 };

/* Returns the first step that is too far from this one to go there step by step. */
static inline size_t snag_steps_far(const struct snag_state *s, size_t step)
{
	return step + SNAG_FEW_STEPS * (size_t)s->nthreads * s->rows->stride;
}

/* The lanes of the sections that compete with that of the acquire, including those of its own
 * thread. */
struct snag_rivals {
	const struct snag_lane *lane, *end;
};

struct snag_rivals snag_rivals_of(const struct snag_index *ix, uint32_t acquire);
/* Returns the last acquire of the lane in the cut, or SNAG_NO_EVENT. */
uint32_t snag_cut_last(struct snag_state *s, const struct snag_lane *lane, const uint32_t *cut);

/* Returns whether the cut has no competing section that was observed after that of the node. */
bool snag_cut_is_last(struct snag_state *s, uint32_t node, const uint32_t *cut);
/* Returns whether every open section is the last of its lock: then the cut, in observed order,
 * is a valid trace. */
bool snag_cut_is_trace(struct snag_state *s, const uint32_t *cut);

/* Computes the smallest closed cut with all that must precede the racing accesses.  Sets the
 * limits of s, and which threads keep all their reads.  Returns false if one access must precede
 * the other. */
bool snag_cut_need(struct snag_state *s, uint32_t e1, uint32_t e2, uint32_t *ret_cut);
/* The same for any number of events of different threads, which outlive the decision. */
bool snag_cut_need_all(struct snag_state *s, const uint32_t *goal, uint32_t n, uint32_t *ret_cut);

/* Adds to that cut an event that is needed, with all that must precede it.  Returns false if an
 * event of the goal must precede it. */
bool snag_cut_need_event(struct snag_state *s, uint32_t event, uint32_t *cut);

/* The functions below use from s: limit, and which reads are causal.  Each takes a closed cut,
 * after snag_cut_need(). */

/* Returns whether the section of the node has a release that is within the limits, with all that
 * must precede it. */
bool snag_cut_can_end(struct snag_state *s, uint32_t node);
/* Returns the p-th event of t, and what precedes it in its thread, given that the cut is needed. */
struct snag_point snag_cut_point(const struct snag_state *s, const uint32_t *cut, snag_tid t,
				 uint32_t p);
/* A section that cannot end within the limits must come last, so all others of its lock in the
 * cut must end: adds their releases to the cut.  Returns false if they cannot end; then there is
 * no witness.  *ret_grew: the cut grew. */
bool snag_cut_filter(struct snag_state *s, uint32_t *cut, bool *ret_grew);
/* Adds the releases of sections that are not last, as far as they can end.  Returns true if all
 * are last now. */
bool snag_cut_close(struct snag_state *s, uint32_t *cut);
/* Adds the releases of all sections that can end within the limits. */
void snag_cut_end_all(struct snag_state *s, uint32_t *cut);
/* Adds the releases, if there are any, of all sections that threads other than the racers have
 * open, whatever the limits.  Returns true if the cut grew. */
bool snag_cut_end_others(struct snag_state *s, const snag_tid *racers, uint32_t *cut);
/* Removes the event and all that must follow it from `rest`, a part of the cut. */
/* In dependence modes: all that would have to follow if every read were causal.  So every read in
 * what is left finds its writer there, if the cut has it. */
void snag_cut_take_out(struct snag_state *s, uint32_t event, uint32_t *rest);
/* Removes from `rest` what must follow the acquire of a section that is not last.  The remainder
 * is a valid trace in observed order. */
void snag_cut_delay(struct snag_state *s, const uint32_t *cut, uint32_t *rest);
/* The same only for sections that cannot end within the limits. */
void snag_cut_delay_late(struct snag_state *s, const uint32_t *cut, uint32_t *rest);
/* Moves s->start so that the window has the events that it missed, and what must follow them.
 * Returns false if it missed none. */
bool snag_cut_extend(struct snag_state *s);

#endif
