/* SPDX-License-Identifier: Apache-2.0
 *
 * loans.h - whether tasks that know a stack were waited for
 *
 * Idea.   A task that gets the address of a variable on its creator's stack
 *         has a loan.  The creator, an implicit task or an explicit one, may use the
 *         variable in its next segment only when the loan is settled: it has
 *         waited for the task, and for all that the task created and
 *         handed the address on to.
 *
 * State.  Each task has a struct own_loans, about the tasks it created:
 *           has_open    it has not waited for all of them
 *           has_loose   one of them ended with open or loose ones of its own
 *           has_lent    it lent memory, and the loan may be open
 *           has_passed  a task with a loan ended with open or loose ones of
 *                       its own, to which it may have passed the address on
 * Rules.  [create]  open, unless the creator waits at once (undeferred)
 *         [lend]    the task got an address that the creator owns
 *         [end]     what is open below is loose above
 *         [wait]    taskwait settles what was not passed on
 *         [group]   a taskgroup settles all loans since it began.  It does not
 *                   wait for what tasks from before it create meanwhile: so
 *                   if a loan was open before, it settles nothing
 *         [barrier] settles all
 * Guarantee.  If has_lent is false, no task that runs now or later knows the
 *         stack by its arguments.
 */
#ifndef SNAG_OWN_LOANS_H
#define SNAG_OWN_LOANS_H

#include <stdbool.h>

struct own_loans {
	bool has_open, has_loose;
	bool has_lent, has_passed;
};

static inline void own_loans_create(struct own_loans *creator, bool is_undeferred) /* [create] */
{
	creator->has_open |= !is_undeferred;
}

static inline void own_loans_lend(struct own_loans *creator, bool is_lent) /* [lend] */
{
	creator->has_lent |= is_lent;
}

/* The task ends; is_lent says whether it had a loan from its creator. */
static inline void own_loans_end(struct own_loans *creator, const struct own_loans *task,
				 bool is_lent) /* [end] */
{
	const bool has_left = task->has_open | task->has_loose;
	creator->has_loose |= has_left;
	creator->has_lent |= task->has_lent;
	creator->has_passed |= (is_lent & has_left) | task->has_passed;
}

static inline void own_loans_wait(struct own_loans *l) /* [wait] */
{
	l->has_open = false;
	l->has_lent &= l->has_passed;
}

static inline void own_loans_group_end(struct own_loans *l, struct own_loans before) /* [group] */
{
	if (!before.has_lent)
		l->has_lent = l->has_passed = false;
}

static inline void own_loans_barrier(struct own_loans *l) /* [barrier] */
{
	*l = (struct own_loans){0};
}

#endif
