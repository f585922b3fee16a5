/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_reader.c - reads RAPID's CSV text
 *
 * Format.  One event a line, one column per thread: column i is thread `T<i>`, and
 *          exactly one cell of a line is not empty.  It holds `op(operand)` as in
 *          STD; in quotes if a name has a comma or a quote, which is then doubled:
 *          `"w(a,b)"`.  `start` is another word for fork (RAPID's own reader knows only
 *          that one).  The operand of fork and join is a `T<j>` that has a column.
 *          All lines have the same number of columns.  The location of an event
 *          is the number of its line.
 *
 * Cost.    O(bytes), and one location per event.
 */
#include "base/memory.h"
#include "trace/formats.h"
#include "trace/text/text_source.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_TEXT = 24 }; /* room for "T" and a number */

struct csv_source {
	struct snag_text_source text;
	size_t ncolumns;     /* 0: no line was good yet */
	uint64_t width_line; /* the line they were counted in */
};

/* A line cut into cells. */
struct row {
	size_t ncolumns;
	size_t column; /* of the populated cell */
	const char *cell;
	size_t len;
};

static int plain_fail(struct snag_error *err, const struct snag_text_place *place, const char *what)
{
	return snag_fail(err, SNAG_EINPUT, "%s:%llu: %s", place->name,
			 (unsigned long long)place->line, what);
}

/* The end of a quoted cell, behind its last quote; NULL: there is none. */
static const char *quoted_end(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 < end && p[1] == '"')
			p++; /* one of the name */
		else
			return p + 1;
	}
	return NULL;
}

/* Takes the quotes off the cell. */
static void row_unquote(struct snag_text_source *src, struct row *row)
{
	size_t n = 0;
	src->scratch = snag_grow(src->scratch, &src->scratch_cap, row->len, 1);
	for (size_t i = 1; i + 1 < row->len; i++) {
		src->scratch[n++] = row->cell[i];
		i += row->cell[i] == '"';
	}
	row->cell = src->scratch;
	row->len = n;
}

static int row_split(const char *s, size_t n, const struct snag_text_place *place, struct row *row,
		     struct snag_error *err)
{
	const char *end = s + n;
	*row = (struct row){0};
	for (const char *p = s;; p++) {
		bool is_quoted = p < end && *p == '"';
		const char *from = is_quoted ? quoted_end(p, end) : p;
		if (!from || (is_quoted && from < end && *from != ','))
			return snag_text_fail(err, place, "a quoted cell does not end in", s, n);
		const char *stop = from;
		while (stop < end && *stop != ',')
			stop++;
		if (stop > p && row->cell)
			return snag_fail(err, SNAG_EINPUT,
					 "%s:%llu: both T%zu and T%zu have an event", place->name,
					 (unsigned long long)place->line, row->column,
					 row->ncolumns);
		if (stop > p) {
			row->column = row->ncolumns;
			row->cell = p;
			row->len = (size_t)(stop - p);
		}
		row->ncolumns++;
		if (stop == end)
			break;
		p = stop;
	}
	return row->cell ? 0 : plain_fail(err, place, "expected one cell OP(OPERAND), got none");
}

/* The number j of "Tj", or SIZE_MAX: it is not like that. */
static size_t column_parse(const char *s, size_t n)
{
	size_t j = 0;
	if (n < 2 || n > 10 || s[0] != 'T' || (s[1] == '0' && n > 2))
		return SIZE_MAX;
	for (size_t i = 1; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return SIZE_MAX;
		j = j * 10 + (size_t)(s[i] - '0');
	}
	return j;
}

static int cell_parse(const struct row *row, const struct snag_text_place *place,
		      struct snag_text_op *op, struct snag_error *err)
{
	static const char start[] = "start(";
	if (!snag_text_name_ok(row->cell, row->len, ""))
		return snag_text_fail(err, place, "white space or a NUL byte in", row->cell,
				      row->len);
	int rc = 0;
	if (row->len > sizeof(start) && memcmp(row->cell, start, sizeof(start) - 1) == 0 &&
	    row->cell[row->len - 1] == ')')
		*op = (struct snag_text_op){.op = SNAG_OP_FORK,
					    .operand = row->cell + sizeof(start) - 1,
					    .len = row->len - sizeof(start)};
	else
		rc = snag_text_op_parse(row->cell, row->len, place, op, err);
	if (rc == 0 && snag_op_info[op->op].space == SNAG_SPACE_THREAD &&
	    column_parse(op->operand, op->len) >= row->ncolumns) {
		char quote[SNAG_TEXT_QUOTE];
		return snag_fail(err, SNAG_EINPUT,
				 "%s:%llu: thread '%s' has no column, expected T0 to T%zu",
				 place->name, (unsigned long long)place->line,
				 snag_text_quote(quote, op->operand, op->len), row->ncolumns - 1);
	}
	return rc;
}

static uint32_t number_intern(struct snag_strtab *t, const char *prefix, uint64_t number)
{
	char text[NUMBER_TEXT];
	int n = snprintf(text, sizeof(text), "%s%llu", prefix, (unsigned long long)number);
	return snag_strtab_intern(t, text, (size_t)n);
}

static int csv_parse(struct snag_text_source *src, const char *s, size_t n,
		     const struct snag_text_place *place, struct snag_event *ret_ev,
		     struct snag_error *err)
{
	struct csv_source *csv = (struct csv_source *)src;
	struct snag_text_op op;
	struct row row;
	int rc = row_split(s, n, place, &row, err);
	if (rc == 0 && row.cell[0] == '"')
		row_unquote(src, &row);
	if (rc == 0 && row.len == 0)
		rc = plain_fail(err, place, "expected one cell OP(OPERAND), got an empty one");
	if (rc == 0)
		rc = cell_parse(&row, place, &op, err);
	if (rc < 0)
		return rc;
	if (csv->ncolumns && row.ncolumns != csv->ncolumns)
		return snag_fail(err, SNAG_EINPUT, "%s:%llu: %zu columns, but line %llu has %zu",
				 place->name, (unsigned long long)place->line, row.ncolumns,
				 (unsigned long long)csv->width_line, csv->ncolumns);
	if (!csv->ncolumns) {
		csv->ncolumns = row.ncolumns;
		csv->width_line = place->line;
	}
	struct snag_strtab *space = src->names.space;
	*ret_ev = (struct snag_event){.op = (uint8_t)op.op, .flags = op.flags, .size = op.size};
	ret_ev->thread = number_intern(&space[SNAG_SPACE_THREAD], "T", row.column);
	if (op.operand)
		ret_ev->target =
			snag_strtab_intern(&space[snag_op_info[op.op].space], op.operand, op.len);
	ret_ev->loc = number_intern(&space[SNAG_SPACE_LOCATION], "", place->line);
	return 0;
}

static const struct snag_text_format csv_format = {.nbytes = sizeof(struct csv_source),
						   .parse = csv_parse};

int snag_csv_source(struct snag_input *in, const struct snag_source_options *options,
		    struct snag_source **ret_src, struct snag_error *err)
{
	*ret_src = snag_text_source_new(&csv_format, in, options);
	return 0;
}

const struct snag_trace_format snag_format_csv = {
	.name = "csv", .source = snag_csv_source, .sink_of_threads = snag_csv_sink};
