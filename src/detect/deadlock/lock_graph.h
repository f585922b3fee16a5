/* SPDX-License-Identifier: Apache-2.0
 *
 * lock_graph.h - can a trace have a deadlock at all?
 *
 * Idea.   A deadlock needs a circle: each thread holds what another one asks for.  So most programs
 *         show in one pass over their lock events that they have none, and nothing more is done
 *         for them.
 *
 * State.  held      by thread: the locks it holds
 *         edge      "a thread that held h took l", once for each pair of locks, with the thread,
 *                   or that there were several
 *
 * Rules.  [edge]    an acquire that is not nested and may wait adds an edge from each lock held
 *         [circle]  edges that lie on no circle are taken away, one after another; what is left
 *                   must be of two threads at least
 *         [join]    a thread that waits for another with a lock held may be in a circle
 *
 * Guarantee.  False: no reordering of the trace has a deadlock.  True says nothing; circles.h knows
 *         more.
 * Cost.   O(locks held) an acquire; 16 bytes an edge.
 * Reference.  Havelund, SPIN 2000, for the graph.
 */
#ifndef SNAG_DETECT_LOCK_GRAPH_H
#define SNAG_DETECT_LOCK_GRAPH_H

#include "trace/source.h"

struct snag_lock_graph;

struct snag_lock_graph *snag_lock_graph_new(void);
void snag_lock_graph_free(struct snag_lock_graph *g); /* accepts NULL */

/* The next events, which may have runs: those have no locks. */
void snag_lock_graph_batch(struct snag_lock_graph *g, const struct snag_batch *batch);
/* Whether there may be a deadlock in what came so far. */
bool snag_lock_graph_has_circle(const struct snag_lock_graph *g);

#endif
