/* SPDX-License-Identifier: Apache-2.0
 *
 * log.c - a copy of the events for a second reading
 */
#include "detect/analyze/log.h"

#include "base/memory.h"

#include <string.h>

enum { OP_BITS = 6, NESTED = 1 << 5 };

struct snag_log_entry {
	uint32_t target;
	snag_loc loc;
	uint32_t thread_op; /* thread << OP_BITS | op, or'ed with NESTED */
};

_Static_assert(sizeof(struct snag_log_entry) == 12, "a logged event is 12 bytes");
_Static_assert((int)SNAG_OPS <= (int)NESTED, "an operation fits five bits");
_Static_assert((uint64_t)SNAG_LOG_MAX_THREADS << OP_BITS == (uint64_t)1 << 32,
	       "they fill the word");

void snag_log_init(struct snag_log *log, const struct snag_names *names)
{
	memset(log, 0, sizeof(*log));
	log->names = names;
}

void snag_log_done(struct snag_log *log)
{
	if (log)
		snag_huge_free(log->at, log->cap, sizeof(*log->at));
}

void snag_log_add(struct snag_log *log, const struct snag_batch *batch)
{
	log->at = snag_huge_grow(log->at, &log->cap, log->n + batch->n, sizeof(*log->at));
	struct snag_log_entry *to = log->at + log->n;
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		uint32_t op = ev->flags & SNAG_NESTED ? ev->op | NESTED : ev->op;
		to[i] = (struct snag_log_entry){ev->target, ev->loc, ev->thread << OP_BITS | op};
	}
	log->n += batch->n;
	log->counts = batch->counts;
}

struct log_source {
	struct snag_source base;
	const struct snag_log *log;
	size_t at;
	struct snag_event ev[SNAG_BATCH_EVENTS];
};

static int log_source_next(struct snag_source *src, struct snag_batch *ret_batch,
			   struct snag_error *err)
{
	struct log_source *s = (struct log_source *)src;
	size_t n = s->log->n - s->at;
	if (n == 0)
		return 0;
	n = n < SNAG_BATCH_EVENTS ? n : SNAG_BATCH_EVENTS;
	for (size_t i = 0; i < n; i++) {
		const struct snag_log_entry *e = &s->log->at[s->at + i];
		s->ev[i] = (struct snag_event){.thread = e->thread_op >> OP_BITS,
					       .target = e->target,
					       .loc = e->loc,
					       .op = e->thread_op & (NESTED - 1),
					       .flags = e->thread_op & NESTED ? SNAG_NESTED : 0};
	}
	*ret_batch =
		(struct snag_batch){.ev = s->ev, .n = n, .first = s->at, .counts = s->log->counts};
	s->at += n;
	return 1;
}

static double log_source_progress(const struct snag_source *src)
{
	const struct log_source *s = (const struct log_source *)src;
	return s->log->n ? (double)s->at / (double)s->log->n : 1;
}

static void log_source_close(struct snag_source *src)
{
	free(src);
}

static const struct snag_source_ops log_source_ops = {
	.next = log_source_next, .progress = log_source_progress, .close = log_source_close};

struct snag_source *snag_log_source(const struct snag_log *log)
{
	struct log_source *s = snag_calloc(1, sizeof(*s));
	s->base.ops = &log_source_ops;
	s->base.name = "<log>";
	s->base.names = log->names;
	s->log = log;
	return &s->base;
}
