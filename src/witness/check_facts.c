/* SPDX-License-Identifier: Apache-2.0
 *
 * check_facts.c - facts about the events of a trace, one event after another
 */
#include "witness/check_facts.h"

#include "base/memory.h"

void snag_facts_begin(struct snag_facts_walk *w, const struct snag_trace *trace)
{
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t nthreads = counts.n[SNAG_SPACE_THREAD];
	*w = (struct snag_facts_walk){
		.trace = trace,
		.nevents = snag_filled(nthreads, 0),
		.last_of = snag_filled(nthreads, SNAG_NO_EVENT),
		.last_pit = snag_filled(nthreads, 0),
		.fork = snag_filled(nthreads, SNAG_NO_EVENT),
		.fork_pit = snag_filled(nthreads, 0),
		.last_write = snag_filled(counts.n[SNAG_SPACE_VARIABLE], SNAG_NO_EVENT)};
}

void snag_facts_end(struct snag_facts_walk *w)
{
	free(w->nevents);
	free(w->last_of);
	free(w->last_pit);
	free(w->fork);
	free(w->fork_pit);
	free(w->last_write);
}
