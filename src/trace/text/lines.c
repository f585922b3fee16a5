/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - the lines of a text trace
 *
 * Cost.  Each byte is looked at once for the last newline of a buffer; a line that
 *        does not end in the buffer is looked at again only where it grew.
 */
#include "trace/text/lines.h"

#include <string.h>

void snag_lines_init(struct snag_lines *l, struct snag_input *in, bool lenient)
{
	*l = (struct snag_lines){.in = in, .limit = in->at, .lenient = lenient};
}

int snag_lines_too_long(const struct snag_lines *l, struct snag_error *err)
{
	return snag_fail(err, SNAG_EINPUT, "%s:%llu: the line is longer than %d bytes", l->in->name,
			 (unsigned long long)l->line + 1, SNAG_LINE_BYTES);
}

size_t snag_lines_length(const struct snag_lines *l, const uint8_t **ret_next)
{
	const uint8_t *at = l->in->at, *end = memchr(at, '\n', (size_t)(l->limit - at));
	*ret_next = end ? end + 1 : l->limit;
	if (!end)
		end = l->limit;
	return (size_t)(end - at) - (end > at && end[-1] == '\r');
}

/* Passes over the rest of a line whose beginning, all of the buffer, is too long. */
static int line_discard(struct snag_lines *l, struct snag_error *err)
{
	struct snag_input *in = l->in;
	const uint8_t *newline = NULL;
	while (!newline) {
		in->at = in->end;
		ssize_t have = snag_input_fill(in, 1, err);
		if (have < 0)
			return (int)have;
		if (have == 0)
			break;
		newline = memchr(in->at, '\n', (size_t)have);
	}
	if (newline)
		in->at = newline + 1;
	l->line++;
	l->skipped++;
	return 0;
}

static int skip_byte_order_mark(struct snag_lines *l, struct snag_error *err)
{
	ssize_t have = snag_input_fill(l->in, 3, err);
	if (have >= 3 && memcmp(l->in->at, "\xef\xbb\xbf", 3) == 0)
		l->in->at += 3;
	l->begun = true;
	return have < 0 ? (int)have : 0;
}

int snag_lines_fill(struct snag_lines *l, struct snag_error *err)
{
	struct snag_input *in = l->in;
	int rc = l->begun ? 0 : skip_byte_order_mark(l, err);
	size_t seen = 0; /* bytes known to hold no newline */
	while (rc == 0) {
		size_t have = (size_t)(in->end - in->at);
		const uint8_t *newline = memrchr(in->at + seen, '\n', have - seen);
		if (newline) {
			l->limit = newline + 1;
			return 1;
		}
		seen = have;
		if (have > SNAG_LINE_BYTES + 1) { /* one more for a \r */
			rc = l->lenient ? line_discard(l, err) : snag_lines_too_long(l, err);
			seen = 0;
			continue;
		}
		ssize_t got = snag_input_fill(in, have + 1, err);
		if (got < 0)
			return (int)got;
		if ((size_t)got == have) {
			l->limit = in->end;
			return have > 0;
		}
	}
	return rc;
}
