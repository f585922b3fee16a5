/* SPDX-License-Identifier: Apache-2.0
 *
 * branch_filter.h - which branches of a thread matter in a part of its trace
 *
 * Idea.   In a part of a trace, most branches depend on no read that is still there.
 *
 * State.  Of one thread, all 0 at its beginning:
 *         names      there were `dep` events since its last branch ...
 *         keeps      ... and some of them were kept
 *         has_read   a read was kept since the last branch that depends on all earlier reads
 *         has_named  there was a `dep` event
 * Rules.  [dep]     a `dep` event is kept if it names something that the part has.  The first of a
 *                   thread is kept, too: it says that the thread names its reads
 *         [branch]  a branch that names reads is kept if some of its `dep` events are; another one
 *                   if a read was kept since the last such branch
 * Guarantee.  The branches that are kept depend on all reads of the part that some branch before or
 *             at the same place depends on, and on no others.
 */
#ifndef SNAG_TRACE_BRANCH_FILTER_H
#define SNAG_TRACE_BRANCH_FILTER_H

#include <stdbool.h>

struct snag_branch_filter {
	bool names, keeps, has_read, has_named;
};

static inline void snag_branch_filter_read(struct snag_branch_filter *f)
{
	f->has_read = true;
}

/* [dep] Returns whether it is kept. */
static inline bool snag_branch_filter_dep(struct snag_branch_filter *f, bool is_there)
{
	bool is_kept = is_there || !f->has_named;
	f->names = f->has_named = true;
	f->keeps |= is_kept;
	return is_kept;
}

/* [branch] Returns whether it is kept. */
static inline bool snag_branch_filter_branch(struct snag_branch_filter *f)
{
	bool is_kept = f->names ? f->keeps : f->has_read;
	if (!f->names)
		f->has_read = false;
	f->names = f->keeps = false;
	return is_kept;
}

#endif
