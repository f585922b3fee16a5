/* SPDX-License-Identifier: Apache-2.0
 *
 * check_freed.c - does this access come behind the end of its memory?
 *
 * Rules.  [end]      the first event is a plain write without a size: only the end of a heap block
 *                    has none in a recording
 *         [access]   the second one accesses the same variable, in another thread, and has a size
 *         [order]    both have happened in the witness, and the access is its end
 */
#include "witness/check_freed.h"

#include "trace/race.h"
#include "witness/check_facts.h"

static int wrong(struct snag_error *err, uint32_t event, const char *why)
{
	return snag_fail(err, SNAG_EINPUT, "freed: event %u: %s", event, why);
}

int snag_check_freed(const struct snag_trace *trace, const struct snag_witness *w,
		     const size_t step[2], size_t nsteps, struct snag_error *err)
{
	if (w->nfreed != 2)
		return snag_fail(err, SNAG_EINPUT,
				 "a use of freed memory has two events, this one %zu", w->nfreed);
	for (size_t i = 0; i < 2; i++) /* [order] */
		if (step[i] == SIZE_MAX)
			return wrong(err, w->freed[i], "is not in the witness");
	if (step[1] + 1 != nsteps)
		return wrong(err, w->freed[1], "is not the end of the witness");
	const struct snag_event *end = &trace->ev[w->freed[0]], *access = &trace->ev[w->freed[1]];
	if (end->op != SNAG_OP_WRITE || end->size)
		return wrong(err, w->freed[0], "is not the end of a block");
	if ((!snag_facts_is_read(access->op) && !snag_facts_is_write(access->op)) || !access->size)
		return wrong(err, w->freed[1], "is no access");
	if (access->target != end->target)
		return wrong(err, w->freed[1], "accesses another variable");
	if (access->thread == end->thread)
		return wrong(err, w->freed[1], "is of the thread that ended the block");
	return 0;
}
