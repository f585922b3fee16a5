/* SPDX-License-Identifier: Apache-2.0
 *
 * text_source.c - what the readers of text traces have in common
 */
#include "trace/text/text_source.h"

#include "base/memory.h"

/* Parses the line at hand.  1: *ret_ev is filled; 0: the line was skipped; negative:
 * an error, and the line stays where it is. */
static int line_take(struct snag_text_source *s, struct snag_event *ret_ev, struct snag_error *err)
{
	struct snag_lines *lines = &s->lines;
	struct snag_text_place place = {s->base.name, lines->line + 1};
	const uint8_t *next;
	size_t n = snag_lines_length(lines, &next);
	if (lines->lenient)
		err = NULL;
	int rc = n > SNAG_LINE_BYTES
			 ? snag_lines_too_long(lines, err)
			 : s->format->parse(s, (const char *)lines->in->at, n, &place, ret_ev, err);
	if (rc < 0 && !lines->lenient)
		return rc;
	s->skipped += rc < 0;
	lines->in->at = next;
	lines->line++;
	return rc == 0;
}

/* Takes at least one line.  Returns as line_take, with the new n in *ret_n. */
static int lines_take(struct snag_text_source *s, size_t *ret_n, struct snag_error *err)
{
	struct snag_lines *lines = &s->lines;
	size_t n = *ret_n;
	if (s->format->run)
		*ret_n = n = s->format->run(s, n);
	if (n == SNAG_BATCH_EVENTS || lines->in->at == lines->limit)
		return 0;
	int rc = line_take(s, &s->ev[n], n ? NULL : err);
	if (rc > 0)
		s->line[(*ret_n)++] = lines->line;
	return rc;
}

static int text_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct snag_text_source *s = (struct snag_text_source *)src;
	struct snag_lines *lines = &s->lines;
	size_t n = 0;
	int rc = 0;
	while (n < SNAG_BATCH_EVENTS && rc >= 0) {
		if (lines->in->at < lines->limit) {
			rc = lines_take(s, &n, err);
			continue;
		}
		if (n > 0) /* what is there goes first: a pipe may take its time */
			break;
		rc = snag_lines_fill(lines, err);
		if (rc == 0)
			break;
	}
	src->skipped = s->skipped + lines->skipped;
	if (n == 0)
		return rc;
	*ret_batch = (struct snag_batch){.ev = s->ev,
					 .n = n,
					 .first = s->nevents,
					 .counts = snag_names_counts(&s->names),
					 .line = s->line};
	s->nevents += n;
	return 1;
}

static double text_progress(const struct snag_source *src)
{
	return snag_input_progress(((const struct snag_text_source *)src)->lines.in);
}

static void text_close(struct snag_source *src)
{
	struct snag_text_source *s = (struct snag_text_source *)src;
	snag_input_close(s->lines.in);
	snag_names_done(&s->names);
	free(s->scratch);
	free(s);
}

static const struct snag_source_ops text_source_ops = {
	.next = text_next, .progress = text_progress, .close = text_close};

struct snag_source *snag_text_source_new(const struct snag_text_format *format,
					 struct snag_input *in,
					 const struct snag_source_options *options)
{
	struct snag_text_source *s = snag_calloc(1, format->nbytes);
	s->base.ops = &text_source_ops;
	s->base.name = in->name;
	s->base.names = &s->names;
	s->format = format;
	snag_lines_init(&s->lines, in, options && options->lenient);
	snag_names_init(&s->names);
	return &s->base;
}
