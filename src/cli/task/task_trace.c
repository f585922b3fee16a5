/* SPDX-License-Identifier: Apache-2.0
 *
 * task_trace.c - the steps of a detector as a table
 *
 * A row in which nothing changed but the columns that say where the detector is (SAYS_WHERE) is
 * left out, and so are rows beyond MOST_ROWS.
 */
#include "cli/task/task_trace.h"

#include "base/memory.h"
#include "detect/tasks/serial_rows.h"
#include "report/tasks/task_report.h"

#include <string.h>

enum { MOST_ROWS = 10000, SAYS_WHERE = 2 };

static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;
	return memcpy(snag_alloc(n), text, n);
}

static bool is_as_before(const struct cli_task_trace *t, const char *const *cell)
{
	if (t->ncells < 2 * t->ncolumns)
		return false;
	for (size_t i = SAYS_WHERE; i < t->ncolumns; i++)
		if (strcmp(t->cell[t->ncells - t->ncolumns + i], cell[i]) != 0)
			return false;
	return true;
}

static void row_add(void *ctx, const char *const *cell, size_t n)
{
	struct cli_task_trace *t = ctx;
	if (!t->ncolumns)
		t->ncolumns = n;
	if (is_as_before(t, cell))
		return;
	if (t->ncells == MOST_ROWS * t->ncolumns) {
		t->nleft_out++;
		return;
	}
	t->cell = snag_grow(t->cell, &t->cap, t->ncells + n, sizeof(*t->cell));
	for (size_t i = 0; i < n; i++)
		t->cell[t->ncells++] = copy(cell[i]);
}

static void variable_name(void *ctx, uint32_t variable, char ret_name[SNAG_TABLE_NAME])
{
	const struct cli_task_trace *t = ctx;
	uint32_t cell;
	_Static_assert((int)SNAG_TABLE_NAME == (int)SNAG_TASK_NAME, "one length");
	snag_task_variable_of(t->names, variable, ret_name, &cell);
}

static uint32_t line_of(void *ctx, snag_loc loc)
{
	const struct cli_task_trace *t = ctx;
	return snag_task_place_of(t->names, loc).line;
}

int cli_task_trace_begin(struct cli_task_trace *t, const struct snag_names *names,
			 struct snag_analyze_options *options, struct snag_error *err)
{
	const struct snag_detector *d = options->detector[0];
	if (options->ndetectors != 1 || !d->has_rows)
		return snag_fail(err, SNAG_EINPUT,
				 "--trace shows the steps of one detector: --with zipper, espbags "
				 "or spbags");
	t->names = names;
	t->rows = (struct snag_table){.row = row_add,
				      .variable = variable_name,
				      .line = line_of,
				      .serial = snag_serial_row,
				      .ctx = t};
	options->rows = &t->rows;
	return 0;
}

/* Spaces come before a cell, so that no line ends in them. */
static size_t cell_print(struct snag_printer *to, const char *text, size_t width, size_t owed)
{
	size_t n = strlen(text);
	for (size_t i = 0; n > 0 && i < owed; i++)
		snag_print(to, " ");
	snag_print(to, text);
	return (n > 0 ? 0 : owed) + width - n + 2;
}

void cli_task_trace_print(const struct cli_task_trace *t, struct snag_printer *to)
{
	size_t width[SNAG_TABLE_CELLS] = {0};
	if (!t->ncells) {
		snag_print(to, "no steps: the graph was judged by closure\n\n");
		return;
	}
	for (size_t i = 0; i < t->ncells; i++) {
		size_t n = strlen(t->cell[i]), *w = &width[i % t->ncolumns];
		*w = n > *w ? n : *w;
	}
	for (size_t i = 0; i < t->ncells; i += t->ncolumns) {
		size_t owed = 0;
		for (size_t k = 0; k < t->ncolumns; k++)
			owed = cell_print(to, t->cell[i + k], width[k], owed);
		snag_print(to, "\n");
	}
	if (t->nleft_out)
		snag_printf(to, "... and %zu more rows\n", t->nleft_out);
	snag_print(to, "\n");
}

void cli_task_trace_done(struct cli_task_trace *t)
{
	for (size_t i = 0; i < t->ncells; i++)
		free(t->cell[i]);
	free(t->cell);
}
