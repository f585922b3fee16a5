/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_text.h - what must hold of a text trace, whatever its bytes are
 *
 * It is read four times: strict and lenient, with and without the rules of traces.
 *   - Each event printed again is the line it came from (the format says how).
 *   - Strict and lenient deliver the same up to the strict reading's error.
 *   - Lenient never fails but on an empty trace, and events and skipped ones are as
 *     many as there are lines.
 *   - An error is one printable line that names the file.
 *   - What the rules let pass keeps them when it is read again.
 */
#ifndef SNAG_TESTS_FUZZ_TEXT_H
#define SNAG_TESTS_FUZZ_TEXT_H

#include "fuzz.h"

#include "trace/input.h"
#include "trace/text/text_op.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

typedef int fuzz_format(struct snag_input *in, const struct snag_source_options *options,
			struct snag_source **ret_src, struct snag_error *err);
/* Whether the event is what the line of n bytes says. */
typedef bool fuzz_matches(const struct snag_names *names, const struct snag_event *ev,
			  uint64_t line_number, const char *line, size_t n);

/* How many of the n bytes at the line are a word of the event's operation; 0: they are not.  A word
 * may say what is usual, as "ar1.seq_cst": then it is longer than that which is written. */
static inline size_t fuzz_word(const struct snag_event *ev, const char *line, size_t n)
{
	static const struct snag_text_place place = {"word", 1};
	size_t len = 0;
	struct snag_text_op op;
	struct snag_error err = {0};
	char text[SNAG_TEXT_WORD + 4];
	while (len < n && len < SNAG_TEXT_WORD &&
	       (line[len] == '.' || line[len] == '_' || (line[len] >= '0' && line[len] <= '9') ||
		(line[len] >= 'a' && line[len] <= 'z')))
		len++;
	int m = snprintf(text, sizeof(text), "%.*s(x)", (int)len, line);
	if (len == 0 || snag_text_op_parse(text, (size_t)m, &place, &op, &err) < 0 ||
	    op.op != ev->op)
		return 0;
	return !snag_op_is_atomic(ev->op) ||
			       (op.size == ev->size && op.flags == (ev->flags & SNAG_ORDER_MASK))
		       ? len
		       : 0;
}

struct fuzz_lines {
	const char **at;
	size_t *len;
	size_t n;
};

static inline struct fuzz_lines fuzz_split(const char *s, size_t n)
{
	struct fuzz_lines lines = {calloc(n + 1, sizeof(char *)), calloc(n + 1, sizeof(size_t)), 0};
	const char *end = s + n;
	if (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0)
		s += 3;
	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);
		lines.at[lines.n] = s;
		lines.len[lines.n++] = len - (len > 0 && s[len - 1] == '\r');
		s = stop ? stop + 1 : end;
	}
	return lines;
}

static inline void fuzz_check_error(const struct snag_error *err, int rc)
{
	fuzz_require(err->code == rc && rc == SNAG_EINPUT);
	fuzz_require(strncmp(err->msg, "input:", 6) == 0);
	for (const char *p = err->msg; *p; p++)
		fuzz_require((unsigned char)*p >= 0x20 && *p != 0x7f);
}

struct fuzz_reading {
	struct snag_event *ev;
	uint64_t *line;
	size_t n;
	uint64_t skipped;
	int rc;
};

static inline struct fuzz_reading fuzz_read(struct snag_source *src, const struct fuzz_lines *lines,
					    fuzz_matches *matches)
{
	struct fuzz_reading r = {.ev = calloc(lines->n + 1, sizeof(*r.ev)),
				 .line = calloc(lines->n + 1, sizeof(*r.line))};
	struct snag_error err = {0};
	struct snag_batch batch;
	while ((r.rc = snag_source_next(src, &batch, &err)) > 0) {
		fuzz_require(err.code == 0 && batch.n > 0 && batch.first == r.n);
		for (size_t i = 0; i < batch.n; i++) {
			uint64_t line = batch.line[i];
			fuzz_require(r.n < lines->n && line >= 1 && line <= lines->n);
			fuzz_require(r.n == 0 || line > r.line[r.n - 1]);
			fuzz_require(matches(src->names, &batch.ev[i], line, lines->at[line - 1],
					     lines->len[line - 1]));
			r.line[r.n] = line;
			r.ev[r.n++] = batch.ev[i];
		}
	}
	if (r.rc < 0)
		fuzz_check_error(&err, r.rc);
	r.skipped = src->skipped;
	return r;
}

static inline void fuzz_reading_done(struct fuzz_reading *r)
{
	free(r->ev);
	free(r->line);
}

/* Reads what passed again, from memory: the rules must have nothing left to say. */
static inline void fuzz_check_kept(const struct fuzz_reading *r, const struct snag_names *names)
{
	struct snag_trace trace = {.ev = r->ev, .n = r->n, .names = *names};
	struct snag_source *src = snag_wellformed_source(snag_trace_source(&trace), NULL);
	struct snag_batch batch;
	size_t n = 0;
	int rc;
	while ((rc = snag_source_next(src, &batch, NULL)) > 0) {
		fuzz_require(memcmp(batch.ev, r->ev + n, batch.n * sizeof(*r->ev)) == 0);
		n += batch.n;
	}
	fuzz_require(r->n == 0 || (rc == 0 && n == r->n));
	snag_source_close(src);
}

static inline void fuzz_text(fuzz_format *format, fuzz_matches *matches, const uint8_t *bytes,
			     size_t n)
{
	struct fuzz_lines lines = fuzz_split((const char *)bytes, n);
	for (int checked = 0; checked < 2; checked++) {
		struct fuzz_reading reading[2];
		for (int lenient = 0; lenient < 2; lenient++) {
			struct snag_source_options options = {.lenient = lenient};
			struct snag_input *in = snag_input_from_memory("input", bytes, n);
			struct snag_source *src;
			fuzz_require(format(in, &options, &src, NULL) == 0);
			if (checked)
				src = snag_wellformed_source(src, &options);
			reading[lenient] = fuzz_read(src, &lines, matches);
			if (lenient && checked)
				fuzz_check_kept(&reading[lenient], src->names);
			snag_source_close(src);
		}
		struct fuzz_reading *strict = &reading[0], *lenient = &reading[1];
		fuzz_require(lenient->rc == 0 || (checked && lenient->n == 0));
		fuzz_require(lenient->n + lenient->skipped == lines.n);
		fuzz_require(strict->skipped == 0);
		if (strict->rc == 0)
			fuzz_require(strict->n == lines.n);
		fuzz_require(strict->n <= lenient->n);
		if (strict->n)
			fuzz_require(memcmp(strict->ev, lenient->ev,
					    strict->n * sizeof(*strict->ev)) == 0);
		fuzz_reading_done(strict);
		fuzz_reading_done(lenient);
	}
	free(lines.at);
	free(lines.len);
}

#endif
