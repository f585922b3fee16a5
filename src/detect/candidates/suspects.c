/* SPDX-License-Identifier: Apache-2.0
 *
 * suspects.c - pairs of a run, and whether another run can bring them together by dependence
 */
#include "detect/candidates/suspects.h"

#include "trace/trace.h"
#include "witness/decide/decide.h"

enum {
	NODES = 100,  /* of the search for one pair */
	BATCHES = 16, /* [none] */
};

static bool has_branch(const struct snag_batch *batch)
{
	for (size_t i = 0; i < batch->n; i++)
		if (batch->ev[i].op == SNAG_OP_BRANCH)
			return true;
	return false;
}

/* Returns 1 if the trace can be decided, 0 if it has no branches or too many events. */
static int trace_read(struct snag_trace *trace, struct snag_source *src, struct snag_error *err)
{
	struct snag_batch batch;
	bool has_branches = false;
	int rc, nbatches = 0;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		snag_trace_append(trace, &batch);
		has_branches = has_branches || has_branch(&batch);
		if (trace->n > SNAG_SUSPECTS_EVENTS || (!has_branches && ++nbatches == BATCHES))
			return 0;
	}
	if (rc == 0)
		snag_trace_names(trace, src);
	return rc < 0 ? rc : has_branches;
}

static void pairs_decide(const struct snag_trace *trace, struct snag_suspect *suspect, size_t n)
{
	const struct snag_decide_options options = {.mode = SNAG_MODE_DEP, .max_nodes = NODES};
	struct snag_index *ix = snag_index_new(trace);
	snag_index_add_mode(ix, SNAG_MODE_DEP);
	struct snag_decider *d = snag_decider_new(ix, &options);
	for (size_t i = 0; i < n; i++)
		suspect[i].is_refuted =
			snag_decide(d, suspect[i].first, suspect[i].second) == SNAG_INFEASIBLE;
	snag_decider_free(d);
	snag_index_free(ix);
}

int snag_suspects_decide(struct snag_source *src, struct snag_suspect *suspect, size_t n,
			 struct snag_error *err)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	for (size_t i = 0; i < n; i++)
		suspect[i].is_refuted = false;
	int rc = trace_read(&trace, src, err);
	if (rc > 0)
		pairs_decide(&trace, suspect, n);
	snag_trace_done(&trace);
	return rc < 0 ? rc : 0;
}
