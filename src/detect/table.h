/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h - the steps of a detector as rows of a table, for people (`snag task --trace`)
 *
 * A detector that can show its steps calls the functions below if its environment has rows.  A row
 * is built cell by cell; the first row names the columns.
 */
#ifndef SNAG_DETECT_TABLE_H
#define SNAG_DETECT_TABLE_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>

struct snag_serial_view;
enum { SNAG_TABLE_CELLS = 8, SNAG_TABLE_NAME = 128 };

/* Who gets the rows.  The members are set by the caller of snag_analyze(). */
struct snag_table {
	void (*row)(void *ctx, const char *const *cell, size_t n);
	/* Writes the name of a variable. */
	void (*variable)(void *ctx, uint32_t variable, char ret_name[SNAG_TABLE_NAME]);
	uint32_t (*line)(void *ctx, snag_loc loc); /* of the program; 0: none */
	/* Writes the head, or a row of spbags or espbags after an event: serial_rows.h.  A pointer,
	 * because programs under test contain those detectors, and nothing that writes text. */
	void (*serial)(const struct snag_table *rows, const struct snag_serial_view *view,
		       const struct snag_event *ev);
	void *ctx;
};

struct snag_table_row {
	char *text;
	size_t nbytes, room;
	size_t begin[SNAG_TABLE_CELLS]; /* of each cell */
	size_t ncells;
};

void snag_table_row_next(struct snag_table_row *r); /* the next cell begins */
void snag_table_row_add(struct snag_table_row *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Hands the row over and empties it. */
void snag_table_row_put(struct snag_table_row *r, const struct snag_table *to);
/* The first row. */
void snag_table_head(const struct snag_table *to, const char *const *column, size_t n);
void snag_table_row_done(struct snag_table_row *r);

#endif
