/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.c - a whole trace in memory
 */
#include "trace/trace.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

void snag_trace_init(struct snag_trace *trace)
{
	memset(trace, 0, sizeof(*trace));
	snag_names_init(&trace->names);
}

void snag_trace_done(struct snag_trace *trace)
{
	if (!trace)
		return;
	snag_huge_free(trace->ev, trace->cap, sizeof(*trace->ev));
	free(trace->name);
	snag_names_done(&trace->names);
	snag_trace_init(trace);
}

static void names_copy(struct snag_names *to, const struct snag_names *from)
{
	for (int s = 0; s < SNAG_SPACES; s++)
		for (uint32_t id = to->space[s].n; id < from->space[s].n; id++) {
			uint32_t copied = snag_strtab_intern_ascending(
				&to->space[s], snag_strtab_get(&from->space[s], id),
				snag_strtab_len(&from->space[s], id));
			assert(copied == id); /* a source gives each name once */
		}
}

void snag_trace_append(struct snag_trace *trace, const struct snag_batch *batch)
{
	trace->ev = snag_huge_grow(trace->ev, &trace->cap, trace->n + batch->n, sizeof(*trace->ev));
	memcpy(trace->ev + trace->n, batch->ev, batch->n * sizeof(*trace->ev));
	trace->n += batch->n;
}

void snag_trace_names(struct snag_trace *trace, const struct snag_source *src)
{
	names_copy(&trace->names, src->names);
	free(trace->name);
	trace->name = src->name ? snag_strdup(src->name) : NULL;
}

int snag_trace_load(struct snag_trace *trace, struct snag_source *src, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		snag_trace_append(trace, &batch);
	if (rc < 0)
		return rc;
	snag_trace_names(trace, src);
	return 0;
}

int snag_trace_load_file(struct snag_trace *trace, const char *path,
			 const struct snag_source_options *options, struct snag_error *err)
{
	struct snag_source *src;
	int rc = snag_source_open(path, options, &src, err);
	if (rc < 0)
		return rc;
	rc = snag_trace_load(trace, src, err);
	snag_source_close(src);
	return rc;
}

struct trace_source {
	struct snag_source base;
	const struct snag_trace *trace;
	size_t at;
	struct snag_event batch[SNAG_BATCH_EVENTS]; /* a copy: batches may be changed in place */
};

static int trace_source_next(struct snag_source *src, struct snag_batch *ret_batch,
			     struct snag_error *err)
{
	struct trace_source *s = (struct trace_source *)src;
	size_t n = s->trace->n - s->at;
	if (n == 0)
		return 0;
	n = n < SNAG_BATCH_EVENTS ? n : SNAG_BATCH_EVENTS;
	memcpy(s->batch, s->trace->ev + s->at, n * sizeof(s->batch[0]));
	*ret_batch = (struct snag_batch){.ev = s->batch,
					 .n = n,
					 .first = s->at,
					 .counts = snag_names_counts(&s->trace->names)};
	s->at += n;
	return 1;
}

static double trace_source_progress(const struct snag_source *src)
{
	const struct trace_source *s = (const struct trace_source *)src;
	return s->trace->n ? (double)s->at / (double)s->trace->n : 1;
}

static void trace_source_close(struct snag_source *src)
{
	free(src);
}

static int trace_source_again(const struct snag_source *src, struct snag_source **ret_src,
			      struct snag_error *err)
{
	*ret_src = snag_trace_source(((const struct trace_source *)src)->trace);
	return 1;
}

static const struct snag_source_ops trace_source_ops = {.next = trace_source_next,
							.progress = trace_source_progress,
							.close = trace_source_close,
							.again = trace_source_again};

struct snag_source *snag_trace_source(const struct snag_trace *trace)
{
	struct trace_source *s = snag_calloc(1, sizeof(*s));
	s->base.ops = &trace_source_ops;
	s->base.name = trace->name ? trace->name : "<memory>";
	s->base.names = &trace->names;
	s->trace = trace;
	return &s->base;
}

static uint32_t intern(struct snag_trace *trace, enum snag_space space, const char *s)
{
	return snag_strtab_intern(&trace->names.space[space], s, strlen(s));
}

void snag_trace_add(struct snag_trace *trace, const char *thread, enum snag_op op,
		    const char *operand, const char *loc)
{
	enum snag_space space = snag_op_info[op].space;
	trace->ev = snag_huge_grow(trace->ev, &trace->cap, trace->n + 1, sizeof(*trace->ev));
	trace->ev[trace->n++] = (struct snag_event){
		.thread = intern(trace, SNAG_SPACE_THREAD, thread),
		.op = (uint8_t)op,
		.target = space == SNAG_SPACE_NONE ? 0 : intern(trace, space, operand),
		.loc = intern(trace, SNAG_SPACE_LOCATION, loc),
	};
}
