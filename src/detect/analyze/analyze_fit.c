/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_fit.c - detectors that cannot judge the trace
 *
 * Idea.   The first event of threads or of tasks shows the kind of a trace.  A detector that
 *         cannot judge an event is an error.  If the caller wants only detectors that fit, it is
 *         left out from then on instead.
 */
#include "detect/analyze/analyze_run.h"

#include <stdio.h>

/* Removes this detector, and what only it needed. */
static void leave_out(struct snag_analyze_run *r, size_t i)
{
	struct snag_collector *c = &r->collector[i];
	struct snag_source *again = NULL;
	r->is_out[i] = true;
	c->decides = false;
	snag_partners_drop(&c->partners);
	snag_pairs_drop(&c->incomplete);
	if (!snag_run_needs_window(r))
		snag_recent_done(&r->recent);
	if (r->trace && snag_run_events_to_keep(r) != SIZE_MAX &&
	    (r->log || snag_source_again(r->src, &again, NULL) > 0)) {
		snag_source_close(again);
		r->keep = snag_run_events_to_keep(r);
	}
}

/* "run.snag: event 7: hb: <why>" */
static int refuse(struct snag_analyze_run *r, size_t i, const struct snag_batch *batch,
		  uint32_t event, const char *why)
{
	bool has_line = batch->line;
	unsigned long long place = has_line ? batch->line[event - batch->first] : event;
	return snag_fail(r->err, SNAG_EINPUT,
			 has_line ? "%s:%llu: %s: %s" : "%s: event %llu: %s: %s", r->src->name,
			 place, r->collector[i].detector->name, why);
}

static uint32_t judged_ops(const struct snag_detector *d)
{
	return d->ops | d->launch_ops;
}

static int refuse_op(struct snag_analyze_run *r, size_t i, const struct snag_batch *batch)
{
	char why[160];
	size_t k = 0;
	while (judged_ops(r->collector[i].detector) >> batch->ev[k].op & 1)
		k++;
	uint8_t op = batch->ev[k].op;
	const char *fit = NULL;
	for (size_t d = 0; snag_detectors[d] && !fit; d++)
		if (snag_detectors[d]->by_default && !(r->ops & ~snag_detectors[d]->ops))
			fit = snag_detectors[d]->name;
	snprintf(why, sizeof(why), "cannot judge a trace with '%s'%s%s", snag_op_info[op].text,
		 fit ? "; can: " : "", fit ? fit : "");
	return refuse(r, i, batch, (uint32_t)(batch->first + k), why);
}

static bool is_any_left(const struct snag_analyze_run *r)
{
	for (size_t i = 0; i < r->analysis->n; i++)
		if (!r->is_out[i])
			return true;
	return r->analysis->n == 0;
}

/* Before a batch: are there detectors that cannot judge it? */
int snag_fit_before(struct snag_analyze_run *r, const struct snag_batch *batch)
{
	uint32_t ops = 0;
	for (size_t i = 0; i < batch->n; i++)
		ops |= UINT32_C(1) << batch->ev[i].op;
	r->ops |= ops;
	for (size_t i = 0; i < r->analysis->n; i++) {
		if (r->is_out[i] || !(ops & ~judged_ops(r->collector[i].detector)))
			continue;
		leave_out(r, i);
		if (!r->options->fitting || !is_any_left(r))
			return refuse_op(r, i, batch);
	}
	return 0;
}

/* After a batch: did one of them give up? */
int snag_fit_after(struct snag_analyze_run *r, const struct snag_batch *batch)
{
	for (size_t i = 0; i < r->analysis->n; i++) {
		const struct snag_refusal *refusal = &r->collector[i].refusal;
		if (r->is_out[i] || !refusal->why[0])
			continue;
		leave_out(r, i);
		if (!r->options->fitting || !is_any_left(r))
			return refuse(r, i, batch, refusal->event, refusal->why);
	}
	return 0;
}

/* A trace that shows no task is one of threads. */
void snag_fit_end(struct snag_analyze_run *r)
{
	for (size_t i = 0; i < r->analysis->n; i++)
		if (r->options->fitting && !r->is_out[i] && !(r->ops & SNAG_OPS_OF_TASKS) &&
		    snag_detector_is_of_tasks(r->collector[i].detector)) {
			leave_out(r, i);
			if (!is_any_left(r))
				r->is_out[i] = false;
		}
}
