/* SPDX-License-Identifier: Apache-2.0
 *
 * check_atomicity.c - does a write of another thread come between these two accesses?
 *
 * Idea.   The replay has noted when the three accesses happened.  One walk over a part of the trace
 *         tells whether the first and the last one are a unit.
 *
 * Rules.  [accesses]  a read, a write of another thread, and a write; updates are allowed only
 *                     between
 *         [variable]  all three access one variable
 *         [unit]      the read and the last write are of one thread, which does not access the
 *                     variable between them
 *         [order]     all three have happened in this order, the last one at the end of the witness
 *
 * Cost.   O(events between the read and the last write).
 */
#include "witness/check_atomicity.h"

#include "trace/race.h"
#include "witness/check_facts.h"

static int wrong(struct snag_error *err, uint32_t event, const char *why)
{
	return snag_fail(err, SNAG_EINPUT, "atomicity: event %u: %s", event, why);
}

static bool is_on(const struct snag_event *ev, uint32_t variable)
{
	return (snag_facts_is_read(ev->op) || snag_facts_is_write(ev->op)) &&
	       ev->target == variable;
}

static int check_accesses(const struct snag_trace *trace, const uint32_t *unit,
			  struct snag_error *err) /* [accesses], [variable] */
{
	const struct snag_event *read = &trace->ev[unit[0]], *between = &trace->ev[unit[1]],
				*write = &trace->ev[unit[2]];
	if (!snag_facts_is_read(read->op) || snag_facts_is_write(read->op))
		return wrong(err, unit[0], "is no read");
	if (!snag_facts_is_write(between->op))
		return wrong(err, unit[1], "is no write");
	if (!snag_facts_is_write(write->op) || snag_facts_is_read(write->op))
		return wrong(err, unit[2], "is no write, or reads too");
	if (between->target != read->target)
		return wrong(err, unit[1], "accesses another variable");
	if (write->target != read->target)
		return wrong(err, unit[2], "accesses another variable");
	return 0;
}

static int check_unit(const struct snag_trace *trace, const uint32_t *unit,
		      struct snag_error *err) /* [unit] */
{
	const struct snag_event *read = &trace->ev[unit[0]];
	if (trace->ev[unit[2]].thread != read->thread || unit[2] < unit[0])
		return wrong(err, unit[2], "does not follow the read in its thread");
	if (trace->ev[unit[1]].thread == read->thread)
		return wrong(err, unit[1], "is of the same thread as the read");
	for (uint32_t e = unit[0] + 1; e < unit[2]; e++)
		if (trace->ev[e].thread == read->thread && is_on(&trace->ev[e], read->target))
			return wrong(err, e, "accesses the variable too, between read and write");
	return 0;
}

int snag_check_atomicity(const struct snag_trace *trace, const struct snag_witness *w,
			 const size_t step[3], size_t nsteps, struct snag_error *err)
{
	if (w->nunit != 3)
		return snag_fail(err, SNAG_EINPUT,
				 "a broken atomicity has three events, this one %zu", w->nunit);
	for (size_t i = 0; i < 3; i++) /* [order] */
		if (step[i] == SIZE_MAX)
			return wrong(err, w->unit[i], "is not in the witness");
	if (step[0] > step[1])
		return wrong(err, w->unit[1], "comes before the read");
	if (step[2] + 1 != nsteps)
		return wrong(err, w->unit[2], "is not the end of the witness");
	int rc = check_accesses(trace, w->unit, err);
	return rc < 0 ? rc : check_unit(trace, w->unit, err);
}
