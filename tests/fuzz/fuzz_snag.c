/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_snag.c - any bytes as a .snag file
 *
 * The bytes are read as they are, and once more with all hashes made right: otherwise
 * hardly any input would get behind them.  Each time a second reader takes runs: both deliver the
 * same events, until one of them fails.  A third one takes splits.
 */
#include "trace/format.h"
#include "trace/input.h"
#include "trace/source.h"
#include "trace/walk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct snag_batch *batch)
{
	const uint32_t *n = batch->counts.n;
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		if (ev->op >= SNAG_OPS || ev->thread >= n[SNAG_SPACE_THREAD] ||
		    ev->loc >= n[SNAG_SPACE_LOCATION])
			abort();
		enum snag_space space = snag_op_info[ev->op].space;
		if (space == SNAG_SPACE_NONE ? ev->target != 0 : ev->target >= n[space])
			abort();
	}
}

/* A reader that takes runs, and the one that does not. */
struct pair {
	struct snag_source *runs, *events;
	struct snag_batch batch; /* of `events`, */
	size_t at;		 /* of which so many were compared */
	int rc;			 /* of its last next() */
	struct snag_error err;
};

/* The next event of the plain reader; NULL: it has ended. */
static const struct snag_event *next_plain(struct pair *p)
{
	if (p->rc > 0 && p->at == p->batch.n) {
		p->at = 0;
		p->rc = snag_source_next(p->events, &p->batch, &p->err);
		if (p->rc > 0)
			check(&p->batch);
	}
	return p->rc > 0 ? &p->batch.ev[p->at++] : NULL;
}

static void on_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct pair *p = ctx;
	const struct snag_event *plain = next_plain(p);
	if (plain && (memcmp(plain, ev, sizeof(*ev)) != 0 || number != p->batch.first + p->at - 1))
		abort();
	if (!plain && p->rc == 0 && p->events->skipped == 0)
		abort();
}

static void on_run(void *ctx, const struct snag_steps *given, uint32_t n, uint64_t number)
{
	struct snag_steps steps = *given;
	for (uint32_t i = 0; i < n; i++) {
		struct snag_event ev = snag_steps_next(&steps);
		if (!snag_op_is_access(ev.op) || ev.thread != given->next[0].thread)
			abort();
		on_event(ctx, &ev, number + i);
	}
}

static void read_all(const uint8_t *data, size_t size, bool lenient)
{
	const struct snag_source_options options = {.lenient = lenient};
	struct snag_walk walk = {0};
	struct snag_batch batch;
	struct snag_error err = {0};
	struct pair p = {.rc = 1};
	int rc = snag_binary_source(snag_input_from_memory("fuzz", data, size), &options, &p.runs,
				    &err);
	int other = snag_binary_source(snag_input_from_memory("fuzz", data, size), &options,
				       &p.events, &p.err);
	if (rc != other)
		abort();
	if (rc == 0) {
		if (!snag_source_take_runs(p.runs))
			abort();
		while ((rc = snag_source_next(p.runs, &batch, &err)) > 0)
			snag_walk_batch(&walk, &batch, on_event, on_run, &p);
		bool is_cut = rc < 0 || p.runs->skipped;
		while (next_plain(&p))
			if (!is_cut)
				abort();
		if (rc != p.rc || p.runs->skipped != p.events->skipped)
			abort();
		for (int s = 0; s < SNAG_SPACES; s++) /* names that count are spelled out */
			if (p.runs->names->space[s].n)
				snag_name(p.runs->names, s, 0);
		snag_source_close(p.runs);
		snag_source_close(p.events);
	}
	if (rc < 0 && (rc != err.code || !err.msg[0]))
		abort();
}

static void ignore_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	(void)ctx, (void)ev, (void)number;
}

static void ignore_run(void *ctx, const struct snag_steps *given, uint32_t n, uint64_t number)
{
	(void)ctx, (void)given, (void)n, (void)number;
}

static void read_recorded(const uint8_t *data, size_t size)
{
	struct snag_walk walk = {0};
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_error err;
	if (snag_binary_source(snag_input_from_memory("fuzz", data, size), NULL, &src, &err) < 0)
		return;
	snag_source_take_runs(src);
	snag_source_take_splits(src);
	while (snag_source_next(src, &batch, &err) > 0) {
		snag_walk_batch(&walk, &batch, ignore_event, ignore_run, NULL);
		for (size_t i = 0; i < batch.nsplits; i++)
			if (batch.split[i].variable >= batch.counts.n[SNAG_SPACE_VARIABLE] ||
			    batch.split[i].from >= batch.split[i].variable)
				abort();
	}
	snag_source_close(src);
}

static void make_hashes_right(uint8_t *data, size_t size)
{
	if (size < SNAG_FILE_HEADER_BYTES)
		return;
	snag_store64(data + 24, snag_format_hash(data, 24));
	for (size_t at = SNAG_FILE_HEADER_BYTES; size - at >= SNAG_BLOCK_HEADER_BYTES;) {
		size_t stored = snag_load32(data + at + 24), payload = at + SNAG_BLOCK_HEADER_BYTES;
		if (stored <= size - payload)
			snag_store64(data + at + 32, snag_format_hash(data + payload, stored));
		snag_store64(data + at + 40, snag_format_hash(data + at, 40));
		if (stored > size - payload)
			return;
		at = payload + stored;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size, false);
	uint8_t *copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, data, size);
	make_hashes_right(copy, size);
	read_all(copy, size, true);
	read_recorded(copy, size);
	free(copy);
	return 0;
}
