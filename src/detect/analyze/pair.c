/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.c - one pair of accesses, decided and explained
 */
#include "detect/analyze/pair.h"

#include "base/clock.h"
#include "base/memory.h"
#include "detect/partners/details.h"
#include "trace/stretches.h"

#include <string.h>

static const struct snag_detector pair_detector = {
	.name = "pair",
	.kind = "prediction",
	.guarantee = "exact: a checked witness, or a reason why there is none",
};

static const char *thread_name(const struct snag_trace *trace, const struct snag_event *ev)
{
	return snag_name(&trace->names, SNAG_SPACE_THREAD, ev->thread);
}

static uint32_t ops_of(const struct snag_trace *trace)
{
	uint32_t ops = 0;
	for (size_t i = 0; i < trace->n; i++)
		ops |= UINT32_C(1) << trace->ev[i].op;
	return ops;
}

/* Whether the events exist and conflict. */
static int check_pair(const struct snag_trace *trace, uint64_t e1, uint64_t e2,
		      struct snag_error *err)
{
	const uint64_t event[2] = {e1, e2};
	for (int i = 0; i < 2; i++) {
		if (event[i] >= trace->n)
			return snag_fail(err, SNAG_EINPUT,
					 "there is no event %llu: the trace has %zu, from 0 on",
					 (unsigned long long)event[i], trace->n);
		uint8_t op = trace->ev[event[i]].op;
		if (!snag_op_is_access(op))
			return snag_fail(err, SNAG_EINPUT,
					 "event %llu (%s) is no plain read or write",
					 (unsigned long long)event[i], snag_op_info[op].text);
	}
	const struct snag_event *a = &trace->ev[e1], *b = &trace->ev[e2];
	if (a->thread == b->thread)
		return snag_fail(
			err, SNAG_EINPUT, "events %llu and %llu do not conflict: both are of %.60s",
			(unsigned long long)e1, (unsigned long long)e2, thread_name(trace, a));
	if (a->target != b->target)
		return snag_fail(
			err, SNAG_EINPUT,
			"events %llu and %llu do not conflict: they access %.60s and %.60s",
			(unsigned long long)e1, (unsigned long long)e2,
			snag_name(&trace->names, SNAG_SPACE_VARIABLE, a->target),
			snag_name(&trace->names, SNAG_SPACE_VARIABLE, b->target));
	if (a->op == SNAG_OP_READ && b->op == SNAG_OP_READ)
		return snag_fail(err, SNAG_EINPUT,
				 "events %llu and %llu do not conflict: both read",
				 (unsigned long long)e1, (unsigned long long)e2);
	return 0;
}

static void race_add(struct snag_decided_pair *p, const struct snag_trace *trace, uint32_t e1,
		     uint32_t e2, const struct snag_witness *w)
{
	struct snag_findings *f = &p->analysis.findings[0];
	f->race = snag_calloc(1, sizeof(*f->race));
	f->nraces = f->npairs = 1;
	f->race[0] = (struct snag_race){.first = {.event = e1},
					.second = {.event = e2},
					.known = {.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID},
					.count = 1,
					.verdict = w ? SNAG_PREDICTED : SNAG_UNVERIFIED};
	if (!w)
		return;
	f->racy = snag_filled(1, e2);
	f->nracy = 1;
	snag_witness_copy(w, p->ix->nthreads, &f->race[0]);
	snag_stretches_of_trace(&p->analysis.stretches, trace);
}

static int details_fill(struct snag_analysis *a, const struct snag_trace *trace,
			struct snag_error *err)
{
	struct snag_race *race = a->findings[0].race;
	struct snag_site *site[2] = {&race->first, &race->second};
	struct snag_source *src = snag_trace_source(trace);
	a->details = snag_alloc(sizeof(*a->details));
	snag_details_init(a->details);
	int rc = snag_details_fill(a->details, site, 2, src, err);
	snag_source_close(src);
	return rc;
}

static void decide(struct snag_decided_pair *p, const struct snag_trace *trace, uint32_t e1,
		   uint32_t e2, uint32_t budget)
{
	enum snag_mode mode = snag_mode_of(p->rules);
	struct snag_decide_options options = {.mode = mode, .max_nodes = budget};
	p->ix = snag_index_new(trace);
	snag_index_add_mode(p->ix, mode);
	struct snag_decider *d = snag_decider_new(p->ix, &options);
	const struct snag_witness *w = snag_decider_witness(d);
	bool has_lock = snag_index_common_lock(p->ix, e1, e2);
	p->decision = has_lock ? SNAG_INFEASIBLE : snag_decide(d, e1, e2);
	if (p->decision == SNAG_VERIFIED && snag_witness_check(trace, w, p->rules, NULL) < 0)
		p->decision = SNAG_UNDECIDED;
	if (p->decision == SNAG_INFEASIBLE)
		snag_explain(p->ix, mode, e1, e2, &p->explanation);
	else
		race_add(p, trace, e1, e2, p->decision == SNAG_VERIFIED ? w : NULL);
	snag_decider_free(d);
}

int snag_pair_decide(const struct snag_trace *trace, uint64_t e1, uint64_t e2,
		     enum snag_rules rules, uint32_t budget, struct snag_decided_pair *ret_pair,
		     struct snag_error *err)
{
	uint32_t ops = ops_of(trace);
	struct snag_decided_pair p = {.rules = snag_rules_of(rules, ops & SNAG_OP_BIT(BRANCH))};
	uint64_t first = e1 < e2 ? e1 : e2, second = e1 < e2 ? e2 : e1;
	double begin = snag_seconds_now();
	int rc = check_pair(trace, first, second, err);
	if (rc == 0 && (ops & SNAG_OPS_OF_TASKS))
		rc = snag_fail(err, SNAG_EINPUT, "traces of task programs have no witnesses");
	if (rc < 0)
		return rc;
	p.analysis = (struct snag_analysis){.n = 1,
					    .detector = {&pair_detector},
					    .events = trace->n,
					    .counts = snag_names_counts(&trace->names)};
	decide(&p, trace, (uint32_t)first, (uint32_t)second, budget);
	struct snag_findings *f = &p.analysis.findings[0];
	f->name = pair_detector.name;
	f->seconds = snag_seconds_now() - begin;
	f->complete = p.decision != SNAG_UNDECIDED;
	if (f->nraces)
		rc = details_fill(&p.analysis, trace, err);
	if (rc < 0)
		snag_pair_done(&p);
	else
		*ret_pair = p;
	return rc;
}

void snag_pair_done(struct snag_decided_pair *p)
{
	snag_analysis_done(&p->analysis);
	snag_explanation_done(&p->explanation);
	snag_index_free(p->ix);
	*p = (struct snag_decided_pair){0};
}
