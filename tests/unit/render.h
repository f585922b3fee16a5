/* SPDX-License-Identifier: Apache-2.0
 *
 * render.h - what a source delivers, as one text to compare with
 *
 * One line per event, "LINE THREAD|OP(OPERAND)|LOCATION" (without lines "#NUMBER
 * ..."), `*` behind a nested one; then "skipped N" unless that is 0, and "! MESSAGE"
 * if it ends in an error.  It also checks what every source promises of a batch.
 */
#ifndef SNAG_TESTS_RENDER_H
#define SNAG_TESTS_RENDER_H

#include "trace/input.h"
#include "trace/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void render_event(FILE *to, const struct snag_names *names,
				const struct snag_event *ev)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	fprintf(to, "%s|%s", snag_name(names, SNAG_SPACE_THREAD, ev->thread), op->text);
	if (op->space != SNAG_SPACE_NONE)
		fprintf(to, "(%s)", snag_name(names, op->space, ev->target));
	fprintf(to, "|%s%s\n", snag_name(names, SNAG_SPACE_LOCATION, ev->loc),
		ev->flags & SNAG_NESTED ? "*" : "");
}

static inline void render_batch(FILE *to, const struct snag_names *names,
				const struct snag_batch *batch)
{
	assert_true(batch->n > 0 && batch->n <= SNAG_BATCH_EVENTS);
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		enum snag_space space = snag_op_info[ev->op].space;
		assert_true(ev->thread < batch->counts.n[SNAG_SPACE_THREAD]);
		assert_true(ev->loc < batch->counts.n[SNAG_SPACE_LOCATION]);
		if (space != SNAG_SPACE_NONE)
			assert_true(ev->target < batch->counts.n[space]);
		if (batch->line)
			fprintf(to, "%llu ", (unsigned long long)batch->line[i]);
		else
			fprintf(to, "#%llu ", (unsigned long long)batch->first + i);
		render_event(to, names, ev);
	}
}

/* Reads the source to its end and closes it; the caller frees the text. */
static inline char *render(struct snag_source *src)
{
	struct snag_error err = {0};
	struct snag_batch batch;
	uint64_t expected_first = 0;
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	int rc;
	while ((rc = snag_source_next(src, &batch, &err)) > 0) {
		assert_int_equal(err.code, 0);
		assert_int_equal(batch.first, expected_first);
		expected_first += batch.n;
		render_batch(to, src->names, &batch);
	}
	if (src->skipped)
		fprintf(to, "skipped %llu\n", (unsigned long long)src->skipped);
	if (rc < 0) {
		assert_int_equal(rc, err.code);
		fprintf(to, "! %s\n", err.msg);
	}
	fclose(to);
	snag_source_close(src);
	return text;
}

typedef int render_format(struct snag_input *in, const struct snag_source_options *options,
			  struct snag_source **ret_src, struct snag_error *err);

/* Renders n bytes of text in that format, strict or lenient, with or without the rules. */
static inline char *render_bytes(render_format *format, const char *name, const char *bytes,
				 size_t n, bool lenient, bool checked)
{
	struct snag_source_options options = {.lenient = lenient};
	struct snag_error err = {0};
	struct snag_source *src;
	struct snag_input *in = snag_input_from_memory(name, bytes, n);
	assert_int_equal(format(in, &options, &src, &err), 0);
	return render(checked ? snag_wellformed_source(src, &options) : src);
}

#endif
