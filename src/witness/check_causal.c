/* SPDX-License-Identifier: Apache-2.0
 *
 * check_causal.c - which reads of a witness must keep their writer, for the checker
 */
#include "witness/check_causal.h"

#include "base/memory.h"
#include "witness/check_facts.h"

#include <stdlib.h>

/* Goes through the events of one thread from its end, and marks the reads of the variables that are
 * named for branches of the witness. */
static void choose_named_of(const struct snag_causal *c, const uint32_t *event, uint32_t n,
			    uint32_t *named_by)
{
	const struct snag_event *all = c->trace->ev;
	for (uint32_t i = n; i-- > 0;) {
		const struct snag_event *ev = &all[event[i]];
		if (snag_facts_is_read(ev->op) && named_by[ev->target] == ev->thread)
			c->flags[event[i]] |= SNAG_CAUSAL_KEEPS;
		if (ev->op != SNAG_OP_BRANCH || !(c->flags[event[i]] & SNAG_CAUSAL_IN))
			continue;
		for (uint32_t k = i; k-- > 0 && all[event[k]].op != SNAG_OP_BRANCH;)
			if (all[event[k]].op == SNAG_OP_DEPENDS) {
				named_by[all[event[k]].target] = ev->thread;
				c->flags[event[i]] |= SNAG_CAUSAL_NAMES;
			}
	}
}

static void choose_named(const struct snag_causal *c) /* [depends] */
{
	const struct snag_trace *trace = c->trace;
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD];
	uint32_t *end = snag_filled((size_t)nthreads + 1, 0), *event = snag_filled(trace->n, 0);
	uint32_t *named_by = snag_filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT);
	/* end[t + 1] counts thread t, then end[t] is where its events end. */
	for (uint32_t e = 0; e < trace->n; e++)
		end[trace->ev[e].thread + 1]++;
	for (uint32_t t = 0; t < nthreads; t++)
		end[t + 1] += end[t];
	for (uint32_t e = 0; e < trace->n; e++)
		event[end[trace->ev[e].thread]++] = e;
	for (uint32_t t = 0, begin = 0; t < nthreads; begin = end[t++])
		choose_named_of(c, event + begin, end[t] - begin, named_by);
	free(end);
	free(event);
	free(named_by);
}

/* Returns, by thread, the first event that names a variable, or SNAG_NO_EVENT. */
static uint32_t *first_names(const struct snag_trace *trace)
{
	uint32_t *first = snag_filled(trace->names.space[SNAG_SPACE_THREAD].n, SNAG_NO_EVENT);
	for (uint32_t e = (uint32_t)trace->n; e-- > 0;)
		if (trace->ev[e].op == SNAG_OP_DEPENDS)
			first[trace->ev[e].thread] = e;
	return first;
}

/* Needs one pass against the order of the trace: all that makes a read causal comes after it. */
static void choose_rooted(const struct snag_causal *c, bool is_literal) /* [causal] */
{
	uint32_t nthreads = c->trace->names.space[SNAG_SPACE_THREAD].n;
	uint32_t *causal = snag_filled(nthreads, 0); /* all reads before this event */
	uint32_t *first = first_names(c->trace);
	for (uint32_t e = (uint32_t)c->trace->n; e-- > 0;) {
		const struct snag_event *ev = &c->trace->ev[e];
		uint8_t *flags = &c->flags[e];
		uint32_t *until = &causal[ev->thread], depends_until = 0;
		if (!(*flags & SNAG_CAUSAL_IN))
			continue;
		if (ev->op == SNAG_OP_BRANCH)
			depends_until = *flags & SNAG_CAUSAL_NAMES ? first[ev->thread] : e + 1;
		if (snag_facts_is_write(ev->op) && (is_literal || *flags & SNAG_CAUSAL_SEEN))
			depends_until = e + 1;
		*until = depends_until > *until ? depends_until : *until;
		if (!snag_facts_is_read(ev->op))
			continue;
		if (e < *until || snag_event_is_wait(ev))
			*flags |= SNAG_CAUSAL_KEEPS;
		if (*flags & SNAG_CAUSAL_KEEPS && c->saw[e] != SNAG_NO_EVENT)
			c->flags[c->saw[e]] |= SNAG_CAUSAL_SEEN;
	}
	free(causal);
	free(first);
}

void snag_causal_choose(const struct snag_causal *c, bool has_depends, bool is_literal)
{
	if (has_depends)
		choose_named(c);
	choose_rooted(c, is_literal);
}
