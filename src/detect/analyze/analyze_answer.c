/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_answer.c - the work after the first reading: naming and deciding pairs, and details
 *
 * A detector reports that an access is racy; its partners, and what a report shows, come from
 * another reading (analyze.c).
 */
#include "detect/analyze/analyze_run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "detect/analyze/windows.h"
#include "detect/partners/details.h"

static int second_reading(struct snag_analyze_run *r, struct snag_source **ret_src)
{
	if (r->trace && !r->is_lent)
		snag_trace_names(r->trace, r->src);
	else if (!r->log && !r->trace)
		return snag_source_again(r->src, ret_src, r->err);
	*ret_src = r->trace ? snag_trace_source(r->trace) : snag_log_source(r->log);
	return 1;
}

/* Returns whether partners of its racy accesses are still to be named: not if they were
 * candidates. */
static bool has_questions(const struct snag_collector *c)
{
	return c->partners.n && !c->verify;
}

/* Names the partners of the racy accesses of all detectors, in one reading. */
static int answer_partners(struct snag_analyze_run *r)
{
	struct snag_partners *partners[SNAG_MAX_DETECTORS];
	struct snag_source *src;
	size_t n = 0;
	for (size_t i = 0; i < r->analysis->n; i++)
		if (has_questions(&r->collector[i]))
			partners[n++] = &r->collector[i].partners;
	if (n == 0)
		return 0;
	int rc = second_reading(r, &src);
	if (rc <= 0)
		return rc;
	double begin = snag_seconds_now();
	rc = snag_partners_answer(partners, n, src, r->err);
	snag_source_close(src);
	/* One reading serves all detectors, so its time is shared evenly. */
	double seconds = (snag_seconds_now() - begin) / (double)n;
	for (size_t i = 0; i < r->analysis->n; i++)
		if (has_questions(&r->collector[i]))
			r->collector[i].findings->seconds += seconds;
	return rc;
}

/* Completes the races of which only a number is known, of all detectors in one reading. */
static int answer_pairs(struct snag_analyze_run *r)
{
	struct snag_pairs *pairs[SNAG_MAX_DETECTORS];
	struct snag_source *src;
	size_t n = 0;
	for (size_t i = 0; i < r->analysis->n; i++)
		if (r->collector[i].incomplete.n)
			pairs[n++] = &r->collector[i].incomplete;
	if (n == 0)
		return 0;
	int rc = second_reading(r, &src);
	if (rc <= 0)
		return rc;
	rc = snag_pairs_answer(pairs, n, src, r->err);
	snag_source_close(src);
	return rc;
}

int snag_run_answer_early(struct snag_analyze_run *r)
{
	int rc = answer_partners(r);
	for (size_t i = 0; i < r->analysis->n; i++)
		snag_partners_drop(&r->collector[i].partners);
	return rc < 0 ? rc : answer_pairs(r);
}

static bool has_branch(const struct snag_trace *trace)
{
	for (size_t i = 0; i < trace->n; i++)
		if (trace->ev[i].op == SNAG_OP_BRANCH)
			return true;
	return false;
}

static enum snag_mode mode_of(const struct snag_analyze_run *r, const struct snag_detector *d,
			      enum snag_rules rules)
{
	if (d->decide == SNAG_DECIDE_DEPENDENCE)
		return snag_mode_of(rules);
	return d->vindicates_dc && r->options->stages == SNAG_STAGES_PAPER ? SNAG_MODE_DC
									   : SNAG_MODE_M2;
}

/* Decides the pairs of the detectors that want it. */
static void decide_pairs(struct snag_analyze_run *r, struct snag_index *ix)
{
	enum snag_rules rules = snag_rules_of(r->options->rules, has_branch(r->trace));
	for (size_t i = 0; i < r->analysis->n; i++) {
		struct snag_collector *c = &r->collector[i];
		enum snag_mode mode = mode_of(r, c->detector, rules);
		if (!c->decides)
			continue;
		double begin = snag_seconds_now();
		c->findings->complete = snag_collector_is_complete(c);
		if (c->partners.n) {
			snag_index_add_mode(ix, mode);
			snag_collector_decide(c, ix, mode);
		}
		c->findings->seconds += snag_seconds_now() - begin;
	}
}

/* Passes the whole trace to the detectors that need it. */
static void finish(struct snag_analyze_run *r, struct snag_index *ix)
{
	double begin = snag_seconds_now();
	for (size_t i = 0; i < r->analysis->n; i++) {
		struct snag_collector *c = &r->collector[i];
		if (!c->detector->finish || r->is_out[i])
			continue;
		c->findings->complete = c->detector->finish(r->state[i], ix);
		double end = snag_seconds_now();
		c->findings->seconds += end - begin;
		begin = end;
	}
}

/* Tells the detectors that there are no more events. */
static void end(struct snag_analyze_run *r)
{
	double begin = snag_seconds_now();
	for (size_t i = 0; i < r->analysis->n; i++) {
		struct snag_collector *c = &r->collector[i];
		if (!c->detector->end || r->is_out[i])
			continue;
		c->detector->end(r->state[i]);
		double now = snag_seconds_now();
		c->findings->seconds += now - begin;
		begin = now;
	}
	r->analysis->interrupted |= snag_run_is_stopped(r->options);
}

static bool has_finish(const struct snag_analyze_run *r)
{
	for (size_t i = 0; i < r->analysis->n; i++)
		if (r->collector[i].detector->finish && !r->is_out[i] &&
		    !r->collector[i].detector->no_windows)
			return true;
	return false;
}

/* Collects the relations whose pairs would have been decided, had the trace fit into memory. */
static size_t relations_to_decide(struct snag_analyze_run *r,
				  struct snag_collector *ret[SNAG_MAX_DETECTORS])
{
	size_t n = 0;
	if (r->options->undecided || r->analysis->events > snag_run_events_to_keep(r))
		return 0;
	for (size_t i = 0; i < r->analysis->n; i++)
		if (r->collector[i].detector->decide && !r->is_out[i] &&
		    r->collector[i].findings->nraces)
			ret[n++] = &r->collector[i];
	return n;
}

/* The trace was too long: detectors that need all of it get windows. */
static int windows_finish(struct snag_analyze_run *r)
{
	struct snag_collector *relation[SNAG_MAX_DETECTORS];
	const struct snag_windows windows = {.options = r->options,
					     .contended = r->contended,
					     .events = r->most,
					     .collector = r->collector,
					     .is_out = r->is_out,
					     .relation = relation,
					     .nrelations = relations_to_decide(r, relation)};
	struct snag_source *src;
	bool is_long = r->contended || r->analysis->events > r->most;
	if (!is_long || r->analysis->interrupted || r->ops & SNAG_OPS_OF_TASKS ||
	    (!has_finish(r) && !windows.nrelations))
		return 0;
	int rc = second_reading(r, &src);
	if (rc <= 0)
		return rc;
	snag_source_take_runs(src);
	snag_source_forget_variables(src);
	rc = snag_windows_analyze(&windows, src, r->analysis, r->err);
	snag_source_close(src);
	return rc;
}

/* Whether a detector or a procedure needs stacks with the locks that only one thread takes. */
static bool needs_all_locks(const struct snag_analyze_options *options)
{
	bool needs = options->stages == SNAG_STAGES_PAPER;
	for (size_t i = 0; i < options->ndetectors; i++)
		needs |= options->detector[i]->all_locks;
	return needs;
}

int snag_run_second_part(struct snag_analyze_run *r)
{
	struct snag_index *ix = NULL;
	end(r);
	if (r->trace && r->keep >= r->trace->n && r->most >= r->trace->n && r->keep &&
	    !r->analysis->interrupted) {
		if (!r->is_lent)
			snag_trace_names(r->trace, r->src);
		ix = needs_all_locks(r->options) ? snag_index_new_published(r->trace)
						 : snag_index_new(r->trace);
	}
	if (ix && !ix->is_task)
		decide_pairs(r, ix);
	int rc = answer_partners(r);
	if (rc == 0)
		rc = answer_pairs(r);
	if (rc == 0 && ix) {
		finish(r, ix);
		snag_stretches_of_trace(&r->analysis->stretches, r->trace);
		r->analysis->interrupted |= snag_run_is_stopped(r->options);
	}
	if (rc == 0 && !ix)
		rc = windows_finish(r);
	snag_index_free(ix);
	return rc;
}

/* Collects the sites of which a report shows more than their number: the accesses of a race,
 * the last known event, and accesses that only mutual exclusion keeps apart. */
static size_t findings_sites(struct snag_findings *f, struct snag_site **site)
{
	size_t n = 0;
	for (size_t k = 0; k < f->nraces; k++) {
		site[n++] = &f->race[k].first;
		site[n++] = &f->race[k].second;
		site[n++] = &f->race[k].known;
		if (f->race[k].is_atomicity)
			site[n++] = &f->race[k].read;
	}
	for (int k = 0; k < SNAG_DOUBTS; k++)
		if (f->doubt[k].is_there) {
			site[n++] = &f->doubt[k].first;
			site[n++] = &f->doubt[k].second;
		}
	return n;
}

int snag_run_look_up_details(struct snag_analyze_run *r)
{
	struct snag_analysis *a = r->analysis;
	struct snag_site **site = NULL;
	size_t room = 0, n = 0;
	for (size_t i = 0; i < a->n && !r->options->brief; i++) {
		if (r->is_out[i])
			continue;
		site = snag_grow(site, &room, n + a->findings[i].nraces * 4 + SNAG_DOUBTS * 2,
				 sizeof(struct snag_site *));
		n += findings_sites(&a->findings[i], site + n);
	}
	struct snag_source *src;
	int rc = n ? second_reading(r, &src) : 0;
	if (rc > 0) {
		rc = snag_details_fill(a->details, site, n, src, r->err);
		snag_source_close(src);
	}
	free(site);
	return rc;
}
