/* SPDX-License-Identifier: Apache-2.0
 *
 * updates.h - marks the updates in isolated blocks and critical sections that commute
 *
 * Idea.   `sum += v` reads sum, but the value that it reads goes only into the value that it
 *         writes.  Such an update commutes with other updates of its kind: both orders leave the
 *         same value.  Machine code does not show this, so the statement is found in the
 *         preprocessed text, and calls of the runtime are put around it (runtime/tasks/updates.c).
 *         Operands that are not part of the update are evaluated before the first call.
 *
 * Rules.  x is a name, with members and indices; indices in C only.  e is an expression without
 *         assignments.
 *         [sum]      x++, x--, x += e, x -= e, x = x + e, x = x - e, x = e + x
 *         [other]    likewise with *, &, | and ^
 *         [least]    if (e < x) x = e;   x = e < x ? e : x;   and with >, <=, >=: the greatest
 *         [set]      x = 3: two that store the same small constant
 *         [where]    in a statement or block behind `critical`, in a task with `mutexinoutset`,
 *                    between calls that take and release a lock, in an isolated block; with
 *                    `atomic`, unless it says read, write, capture or compare; a call of an atomic
 *                    function whose result is not used
 *         [integer]  only integers: the sum of floating-point numbers depends on the order
 *         [bool]     no sums of booleans: true - 1 + 1 is true, true + 1 - 1 is false; likewise ^
 *         [kind]     says the operation, the size, and whether the operands are signed
 *         [bits]     if some declaration makes a name a bit-field, or puts it into a register, the
 *                    rewriter leaves the name alone: it has no address
 *         The lines and columns of accesses stay as they are.
 */
#ifndef SNAG_CC_UPDATES_H
#define SNAG_CC_UPDATES_H

#include "cc/text/text.h"

/* Appends the text with its updates marked. */
void cc_updates_mark(struct cc_text *to, struct cc_span text, bool is_cxx);

#endif
