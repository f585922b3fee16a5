/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_writer.c - writes RAPID's CSV text, see csv_reader.c for the format
 *
 * The column of a thread is its dense id, so threads are renamed to T<id>, also
 * in fork and join; locations are lost.
 */
#include "trace/text/text_sink.h"

#include <stdio.h>
#include <string.h>

enum { LINE_ROOM = 32 + SNAG_TEXT_WORD }; /* a line without its name and commas is shorter */

struct csv_sink {
	struct snag_text_sink text;
	uint32_t threads; /* how many columns */
};

/* Quotes are doubled. */
static char *name_put(char *to, const char *name)
{
	for (; *name; name++) {
		if (*name == '"')
			*to++ = '"';
		*to++ = *name;
	}
	return to;
}

static int csv_put(struct snag_text_sink *sink, uint64_t number, const struct snag_event *ev,
		   const struct snag_names *names, struct snag_error *err)
{
	uint32_t threads = ((struct csv_sink *)sink)->threads;
	const struct snag_op_info *op = &snag_op_info[ev->op];
	bool on_thread = op->space == SNAG_SPACE_THREAD;
	if (ev->thread >= threads || (on_thread && ev->target >= threads))
		return snag_fail(err, SNAG_EINTERNAL, "%s: event %llu: the thread has no column",
				 snag_output_name(sink->out), (unsigned long long)number);
	const struct snag_strtab *operands =
		on_thread || op->space == SNAG_SPACE_NONE ? NULL : &names->space[op->space];
	const char *name = operands ? snag_strtab_get(operands, ev->target) : "";
	size_t len = operands ? snag_strtab_len(operands, ev->target) : 0;
	bool is_quoted = strpbrk(name, ",\"");

	char *to = snag_text_sink_room(sink, 2 * len + threads + LINE_ROOM);
	memset(to, ',', ev->thread);
	to += ev->thread;
	if (is_quoted)
		*to++ = '"';
	to = snag_text_op_put(to, ev);
	if (on_thread) {
		to += sprintf(to, "(T%u)", ev->target);
	} else if (operands) {
		*to++ = '(';
		to = name_put(to, name);
		*to++ = ')';
	}
	if (is_quoted)
		*to++ = '"';
	size_t rest = threads - 1 - ev->thread;
	memset(to, ',', rest);
	to[rest] = '\n';
	sink->n = (size_t)(to + rest + 1 - sink->text);
	return 0;
}

static const struct snag_text_layout csv_layout = {
	.name = "CSV",
	.nbytes = sizeof(struct csv_sink),
	.separator = "",
	.writes = {[SNAG_SPACE_VARIABLE] = true, [SNAG_SPACE_LOCK] = true},
	.put = csv_put,
};

struct snag_sink *snag_csv_sink(struct snag_output *out, uint32_t threads)
{
	struct csv_sink *s = (struct csv_sink *)snag_text_sink_new(&csv_layout, out);
	s->threads = threads;
	return &s->text.base;
}
