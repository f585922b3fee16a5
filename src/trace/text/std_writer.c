/* SPDX-License-Identifier: Apache-2.0
 *
 * std_writer.c - writes RAPID's STD text, see std_reader.c for the format
 */
#include "trace/text/text_sink.h"

#include <string.h>

enum { LINE_ROOM = 8 + SNAG_TEXT_WORD }; /* a line without its names is shorter */

static inline char *name_put(char *to, const struct snag_strtab *t, uint32_t id, size_t len)
{
	return (char *)memcpy(to, snag_strtab_get(t, id), len) + len;
}

static int std_put(struct snag_text_sink *sink, uint64_t number, const struct snag_event *ev,
		   const struct snag_names *names, struct snag_error *err)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	const struct snag_strtab *threads = &names->space[SNAG_SPACE_THREAD];
	const struct snag_strtab *locations = &names->space[SNAG_SPACE_LOCATION];
	const struct snag_strtab *operands =
		op->space == SNAG_SPACE_NONE ? NULL : &names->space[op->space];
	size_t thread_len = snag_strtab_len(threads, ev->thread);
	size_t operand_len = operands ? snag_strtab_len(operands, ev->target) : 0;
	size_t location_len = snag_strtab_len(locations, ev->loc);

	char *to = snag_text_sink_room(sink, thread_len + operand_len + location_len + LINE_ROOM);
	to = name_put(to, threads, ev->thread, thread_len);
	*to++ = '|';
	to = snag_text_op_put(to, ev);
	if (operands) {
		*to++ = '(';
		to = name_put(to, operands, ev->target, operand_len);
		*to++ = ')';
	}
	*to++ = '|';
	to = name_put(to, locations, ev->loc, location_len);
	*to++ = '\n';
	sink->n = (size_t)(to - sink->text);
	return 0;
}

static const struct snag_text_layout std_layout = {
	.name = "STD",
	.nbytes = sizeof(struct snag_text_sink),
	.separator = "|",
	.writes = {[SNAG_SPACE_THREAD] = true,
		   [SNAG_SPACE_VARIABLE] = true,
		   [SNAG_SPACE_LOCK] = true,
		   [SNAG_SPACE_LOCATION] = true},
	.put = std_put,
};

struct snag_sink *snag_std_sink(struct snag_output *out)
{
	return &snag_text_sink_new(&std_layout, out)->base;
}
