/* SPDX-License-Identifier: Apache-2.0
 *
 * suspects.c - pairs of a run, and whether another run can bring them together by dependence
 *
 * State.  trace      what is not left out
 *         number[e]  the number in the source of event e of `trace`
 *         accessed   a byte for each variable: it has been accessed
 *         thread[t]  which branches of t are left out
 */
#include "detect/candidates/suspects.h"

#include "base/memory.h"
#include "trace/branch_filter.h"
#include "trace/trace.h"
#include "witness/decide/decide.h"

#include <stdlib.h>
#include <string.h>

enum {
	NODES = 100,  /* of the search for one pair */
	BATCHES = 16, /* [none] */
};

struct reading {
	struct snag_trace trace;
	uint32_t *number;
	size_t number_cap;
	uint8_t *accessed;
	size_t accessed_cap;
	struct snag_branch_filter *thread;
	size_t thread_cap;
	bool has_branches;
};

static bool event_counts(struct reading *r, const struct snag_event *ev)
{
	struct snag_branch_filter *filter = &r->thread[ev->thread];
	switch (ev->op) {
	case SNAG_OP_BEGIN:
	case SNAG_OP_END:
		return false;
	case SNAG_OP_BRANCH:
		r->has_branches = true;
		return snag_branch_filter_branch(filter);
	case SNAG_OP_DEPENDS:
		return snag_branch_filter_dep(filter, r->accessed[ev->target]);
	default:
		if (snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE)
			r->accessed[ev->target] = true;
		if (snag_op_reads(ev->op))
			snag_branch_filter_read(filter);
		return true;
	}
}

static void batch_take(struct reading *r, const struct snag_batch *batch)
{
	r->accessed = snag_grow(r->accessed, &r->accessed_cap,
				(size_t)batch->counts.n[SNAG_SPACE_VARIABLE] + 1, 1);
	r->thread = snag_grow(r->thread, &r->thread_cap, batch->counts.n[SNAG_SPACE_THREAD],
			      sizeof(*r->thread));
	for (size_t i = 0; i < batch->n; i++) {
		struct snag_trace *to = &r->trace;
		if (!event_counts(r, &batch->ev[i]))
			continue;
		to->ev = snag_huge_grow(to->ev, &to->cap, to->n + 1, sizeof(*to->ev));
		r->number =
			snag_huge_grow(r->number, &r->number_cap, to->n + 1, sizeof(*r->number));
		r->number[to->n] = (uint32_t)(batch->first + i);
		to->ev[to->n++] = batch->ev[i];
	}
}

/* Returns 1 if the trace can be decided, 0 if it has no branches or too many events. */
static int trace_read(struct reading *r, struct snag_source *src, struct snag_error *err)
{
	struct snag_batch batch;
	int rc, nbatches = 0;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		batch_take(r, &batch);
		if (r->trace.n > SNAG_SUSPECTS_EVENTS ||
		    (!r->has_branches && ++nbatches == BATCHES)) /* [none] */
			return 0;
	}
	if (rc == 0)
		snag_trace_names(&r->trace, src);
	return rc < 0 ? rc : r->has_branches;
}

/* The place of an event of the source, which is there. */
static uint32_t event_find(const struct reading *r, uint32_t number)
{
	size_t low = 0, high = r->trace.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

static void pairs_decide(const struct reading *r, struct snag_suspect *suspect, size_t n)
{
	const struct snag_decide_options options = {.mode = SNAG_MODE_DEP, .max_nodes = NODES};
	struct snag_index *ix = snag_index_new(&r->trace);
	snag_index_add_mode(ix, SNAG_MODE_DEP);
	struct snag_decider *d = snag_decider_new(ix, &options);
	for (size_t i = 0; i < n; i++)
		suspect[i].is_refuted =
			snag_decide(d, event_find(r, suspect[i].first),
				    event_find(r, suspect[i].second)) == SNAG_INFEASIBLE;
	snag_decider_free(d);
	snag_index_free(ix);
}

int snag_suspects_decide(struct snag_source *src, struct snag_suspect *suspect, size_t n,
			 struct snag_error *err)
{
	struct reading r = {.has_branches = false};
	snag_trace_init(&r.trace);
	for (size_t i = 0; i < n; i++)
		suspect[i].is_refuted = false;
	int rc = trace_read(&r, src, err);
	if (rc > 0)
		pairs_decide(&r, suspect, n);
	snag_trace_done(&r.trace);
	snag_huge_free(r.number, r.number_cap, sizeof(*r.number));
	free(r.accessed);
	free(r.thread);
	return rc < 0 ? rc : 0;
}
