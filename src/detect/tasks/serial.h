/* SPDX-License-Identifier: Apache-2.0
 *
 * serial.h - the engine of spbags and espbags: shadow memory over bags
 *
 * Idea.   In a serial run it is enough to remember the last writer and one reader of a variable.
 *         Of two parallel readers, the earlier stays parallel to the current point at least as
 *         long as the later one (order/bags.h), so the later adds nothing; and a later access
 *         covers a reader that comes before it.
 *         Isolated accesses do not race with each other.  They are remembered separately, by the
 *         same rule, and are compared only with the others.
 *
 * State.  x[v]     last writer and reader (w, r): the task; events[v]: the number of the access,
 *                  not kept inside a program
 *         iso[v]   the same for isolated accesses (iw, ir), from the first isolated block on
 *         kind[v]  the kind of update (trace/event.h) that all isolated accesses are parts of
 *         In a program that mixes async and spawn, of two readers neither may outlive the other:
 *         then r (iw, ir) is a list, with at most one entry for each change between async and
 *         spawn on the stack.
 *
 * Rules.  [read]       races with w, iw in a P-bag; then r := this, unless r is in a P-bag
 *         [write]      races with w, r, iw, ir in a P-bag; then w := this, nothing else left
 *         [iso read]   races with w in a P-bag; then ir := this, unless it is in a P-bag
 *         [iso write]  races with w, r in a P-bag; then iw := this, unless it is in a P-bag
 *         [root]       the tasks of a bag stay together: w, r may be any of them, and become its
 *                      root when they are looked at, so that variables become alike
 *         [lasting]    if all tasks are waited for in one way, a reader in a P-bag covers all
 *                      reads until that wait; a writer in the S-bag of the first task comes
 *                      before all that follows
 *         [order]      an isolated access and a conflicting one in a P-bag: the order of
 *                      isolated blocks matters, so finding no race proves nothing, unless all
 *                      isolated accesses of the variable are parts of updates of one kind
 *
 * Guarantee.  Names a race for exactly the variables that have two parallel conflicting
 *             accesses, not both isolated; the first race of a variable is named at its second
 *             access.  After it, races of the same variable can go unnamed.
 * Cost.   O(1) finds per access; 16 bytes per variable, and 16 if there are isolated blocks;
 *         inside a program 8.
 */
#ifndef SNAG_DETECT_SERIAL_H
#define SNAG_DETECT_SERIAL_H

#include "detect/detector.h"

/* What rows show of it (serial_rows.h).  The arrays are by variable. */
struct snag_bags;
struct snag_past_cell;
struct snag_past_pool;
struct snag_serial_view {
	struct snag_bags *bags;
	snag_tid last_task; /* tasks above it have not begun */
	size_t nvariables;
	const struct snag_past_cell *plain, *isolated; /* 1 + the task; the latter may be NULL */
	const struct snag_past_pool *pool;
};

void *snag_serial_open(const struct snag_detector_env *env);
void snag_serial_only_spawns(void *state); /* refuses a finish inside a task */
void snag_serial_events(void *state, const struct snag_batch *batch);
bool snag_serial_proves(const void *state);
void snag_serial_close(void *state);
extern const struct snag_inside snag_serial_inside;

#endif
