/* SPDX-License-Identifier: Apache-2.0
 *
 * masked.c - a trace in which the accesses of uncontended variables do nothing
 */
#include "detect/slice/masked.h"

#include "base/memory.h"

struct masked {
	struct snag_source base;
	struct snag_source *inner;
	const struct snag_source *origin;
	const struct snag_contended *contended;
	uint64_t events; /* UINT64_MAX: all */
};

static int masked_next(struct snag_source *src, struct snag_batch *ret_batch,
		       struct snag_error *err)
{
	struct masked *m = (struct masked *)src;
	struct snag_batch batch;
	int rc = snag_source_next(m->inner, &batch, err);
	src->names = m->inner->names;
	if (rc <= 0 || batch.first >= m->events)
		return rc <= 0 ? rc : 0;
	if (batch.n > m->events - batch.first)
		batch.n = m->events - batch.first;
	for (size_t i = 0; i < batch.n; i++) {
		struct snag_event *ev = &batch.ev[i];
		if (!snag_op_is_access(ev->op) ||
		    snag_contended_is_in_slice(m->contended, ev->target))
			continue;
		ev->op = SNAG_OP_BEGIN;
		ev->target = 0;
	}
	*ret_batch = batch;
	return 1;
}

static double masked_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct masked *)src)->inner);
}

static void masked_close(struct snag_source *src)
{
	snag_source_close(((struct masked *)src)->inner);
	free(src);
}

static int masked_again(const struct snag_source *src, struct snag_source **ret_src,
			struct snag_error *err)
{
	const struct masked *m = (const struct masked *)src;
	struct snag_source *inner;
	int rc = snag_source_again(m->origin, &inner, err);
	if (rc > 0)
		*ret_src = snag_masked_source(inner, m->origin, m->contended, m->events);
	return rc;
}

static void masked_forget_variables(struct snag_source *src)
{
	snag_source_forget_variables(((struct masked *)src)->inner);
}

static const struct snag_source_ops masked_ops = {.next = masked_next,
						  .progress = masked_progress,
						  .close = masked_close,
						  .again = masked_again,
						  .forget_variables = masked_forget_variables};

struct snag_source *snag_masked_source(struct snag_source *inner, const struct snag_source *origin,
				       const struct snag_contended *contended, uint64_t events)
{
	struct masked *m = snag_calloc(1, sizeof(*m));
	m->base = (struct snag_source){.ops = &masked_ops,
				       .name = inner->name,
				       .names = inner->names,
				       .skipped = inner->skipped};
	m->inner = inner;
	m->origin = origin;
	m->contended = contended;
	m->events = events ? events : UINT64_MAX;
	return &m->base;
}
