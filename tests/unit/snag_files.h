/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_files.h - traces and the .snag files made of them, for tests
 */
#ifndef SNAG_TESTS_SNAG_FILES_H
#define SNAG_TESTS_SNAG_FILES_H

#include "unit.h"

#include "random_events.h"

#include "base/memory.h"
#include "trace/format.h"
#include "trace/input.h"
#include "trace/output.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
	uint8_t *at;
	size_t n;
};

static char directory[] = "/tmp/snag-format-XXXXXX";

static inline int group_setup(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static inline int group_teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

static inline void path_of(char path[static 64], const char *name)
{
	snprintf(path, 64, "%s/%s", directory, name);
}

static inline struct file slurp(const char *path)
{
	struct file file;
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	file.n = (size_t)ftell(f);
	rewind(f);
	file.at = malloc(file.n + 1);
	assert_int_equal(fread(file.at, 1, file.n, f), file.n);
	fclose(f);
	return file;
}

/* Gives the sink up to `piece` events at a time. */
static inline int write_pieces(const struct snag_trace *trace, size_t piece, const char *path,
			       struct snag_error *err)
{
	struct snag_output *out;
	struct snag_batch batch;
	assert_int_equal(snag_output_open(path, &out, err), 0);
	struct snag_sink *sink = snag_binary_sink(out);
	int rc = 0;
	for (size_t at = 0; rc == 0 && at < trace->n; at += batch.n) {
		batch = (struct snag_batch){
			.ev = trace->ev + at,
			.n = trace->n - at < piece ? trace->n - at : piece,
			.first = at,
			.counts = snag_names_counts(&trace->names),
		};
		rc = snag_sink_write(sink, &batch, &trace->names, err);
	}
	if (rc == 0)
		return snag_sink_commit(sink, err);
	snag_sink_abort(sink);
	return rc;
}

static inline int write_trace(const struct snag_trace *trace, const char *path,
			      struct snag_error *err)
{
	return write_pieces(trace, SNAG_BATCH_EVENTS, path, err);
}

static inline struct file file_of(const struct snag_trace *trace)
{
	struct snag_error err;
	char path[64];
	path_of(path, "x.snag");
	assert_int_equal(write_trace(trace, path, &err), 0);
	struct file file = slurp(path);
	unlink(path);
	return file;
}

/* Reads all; returns what the last call or the opening did. */
static inline int read_all(const uint8_t *bytes, size_t n, bool lenient,
			   struct snag_trace *ret_trace, uint64_t *ret_skipped,
			   struct snag_error *err)
{
	const struct snag_source_options options = {.lenient = lenient};
	struct snag_source *src;
	struct snag_batch batch;
	snag_trace_init(ret_trace);
	int rc =
		snag_binary_source(snag_input_from_memory("x.snag", bytes, n), &options, &src, err);
	if (rc < 0)
		return rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		assert_int_equal(batch.first, ret_trace->n);
		assert_in_range(batch.n, 1, SNAG_BATCH_EVENTS);
		for (int s = 0; s < SNAG_SPACES; s++)
			assert_true(batch.counts.n[s] <= src->names->space[s].n);
		for (size_t i = 0; i < batch.n; i++) {
			assert_true(batch.ev[i].thread < batch.counts.n[SNAG_SPACE_THREAD]);
			assert_true(batch.ev[i].loc < batch.counts.n[SNAG_SPACE_LOCATION]);
		}
		ret_trace->ev = snag_huge_grow(ret_trace->ev, &ret_trace->cap,
					       ret_trace->n + batch.n, sizeof(*batch.ev));
		memcpy(ret_trace->ev + ret_trace->n, batch.ev, batch.n * sizeof(*batch.ev));
		ret_trace->n += batch.n;
	}
	for (int s = 0; s < SNAG_SPACES; s++)
		for (uint32_t id = 0; id < src->names->space[s].n; id++)
			snag_strtab_intern(&ret_trace->names.space[s],
					   snag_strtab_get(&src->names->space[s], id),
					   snag_strtab_len(&src->names->space[s], id));
	assert_int_equal(snag_source_next(src, &batch, err), 0); /* the end stays the end */
	*ret_skipped = src->skipped;
	snag_source_close(src);
	return rc;
}

static inline void assert_prefix(const struct snag_trace *part, const struct snag_trace *whole)
{
	assert_true(part->n <= whole->n);
	assert_memory_equal(part->ev, whole->ev, part->n * sizeof(*part->ev));
	for (int s = 0; s < SNAG_SPACES; s++) {
		assert_true(part->names.space[s].n <= whole->names.space[s].n);
		for (uint32_t id = 0; id < part->names.space[s].n; id++)
			assert_string_equal(snag_name(&part->names, s, id),
					    snag_name(&whole->names, s, id));
	}
}

/* A trace of n random events over names of each space, all in use. */
static inline struct snag_trace random_trace(size_t n, uint32_t names, uint64_t seed)
{
	struct snag_random random;
	struct snag_trace trace;
	struct snag_counts counts;
	char name[32];
	snag_random_init(&random, seed);
	snag_trace_init(&trace);
	for (int s = 0; s < SNAG_SPACES; s++) {
		counts.n[s] = names;
		for (uint32_t i = 0; i < names; i++)
			snag_strtab_intern(&trace.names.space[s], name,
					   (size_t)snprintf(name, sizeof(name), "%d/%u", s, i));
	}
	trace.ev = snag_huge_grow(NULL, &trace.cap, n, sizeof(*trace.ev));
	for (; trace.n < n; trace.n++)
		trace.ev[trace.n] = random_event(&random, &counts);
	static const uint8_t user[SNAG_SPACES] = {SNAG_OP_FORK, SNAG_OP_READ, SNAG_OP_ACQUIRE,
						  SNAG_OP_BRANCH, SNAG_OP_PROMISE_SET};
	for (int s = 0; s < SNAG_SPACES; s++) /* uses the last name of each space */
		trace.ev[n - 1 - (size_t)s] =
			(struct snag_event){.op = user[s],
					    .target = s == SNAG_SPACE_LOCATION ? 0 : names - 1,
					    .loc = names - 1};
	return trace;
}

static inline struct snag_trace small_trace(void)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	snag_trace_add(&trace, "Ta", SNAG_OP_FORK, "Tb", "a.c:1");
	snag_trace_add(&trace, "Ta", SNAG_OP_ACQUIRE, "l", "a.c:2");
	snag_trace_add(&trace, "Ta", SNAG_OP_WRITE, "x", "a.c:3");
	snag_trace_add(&trace, "Ta", SNAG_OP_RELEASE, "l", "a.c:4");
	snag_trace_add(&trace, "Tb", SNAG_OP_READ, "x", "b.c:1");
	snag_trace_add(&trace, "Ta", SNAG_OP_JOIN, "Tb", "a.c:5");
	return trace;
}

#endif
