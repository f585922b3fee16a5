/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - the steps of a detector as rows of a table
 */
#include "detect/table.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

void snag_table_row_next(struct snag_table_row *r)
{
	r->text = snag_grow(r->text, &r->room, r->nbytes + 1, 1);
	r->text[r->nbytes++] = '\0';
	r->begin[r->ncells++] = r->nbytes;
	r->text = snag_grow(r->text, &r->room, r->nbytes + 1, 1);
	r->text[r->nbytes] = '\0';
}

void snag_table_row_add(struct snag_table_row *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	r->text = snag_grow(r->text, &r->room, r->nbytes + (size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(r->text + r->nbytes, (size_t)n + 1, fmt, ap);
	va_end(ap);
	r->nbytes += (size_t)n;
}

void snag_table_row_put(struct snag_table_row *r, const struct snag_table *to)
{
	const char *cell[SNAG_TABLE_CELLS];
	for (size_t i = 0; i < r->ncells; i++)
		cell[i] = r->text + r->begin[i];
	to->row(to->ctx, cell, r->ncells);
	r->nbytes = r->ncells = 0;
}

void snag_table_head(const struct snag_table *to, const char *const *column, size_t n)
{
	to->row(to->ctx, column, n);
}

void snag_table_row_done(struct snag_table_row *r)
{
	free(r->text);
	*r = (struct snag_table_row){0};
}
