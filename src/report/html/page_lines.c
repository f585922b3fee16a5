/* SPDX-License-Identifier: Apache-2.0
 *
 * page_lines.c - the lines of source that a page shows
 *
 * Idea.   The printers say which lines they want while they print.  At the end the ranges are
 *         sorted by file, each file is read once, and the page gets the lines as {"FILE": {"12":
 *         "text"}}.  A file that cannot be read is left out: the page then shows no source for it.
 */
#include "report/html/page.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_LINE = 240, MOST_FILE = 64 << 20 };

struct range {
	char *file;
	uint32_t from, to;
};

struct snag_page_lines {
	struct range *at;
	size_t n, room;
};

struct snag_page_lines *snag_page_lines_new(void)
{
	return snag_calloc(1, sizeof(struct snag_page_lines));
}

void snag_page_lines_want(struct snag_page_lines *l, const struct snag_frame *f, uint32_t around)
{
	if (!f->file || !f->line)
		return;
	l->at = snag_grow(l->at, &l->room, l->n + 1, sizeof(*l->at));
	l->at[l->n++] = (struct range){snag_strdup(f->file),
				       f->line > around ? f->line - around : 1, f->line + around};
}

void snag_page_lines_want_stack(struct snag_page_lines *l, const struct snag_callstack *s)
{
	enum { AROUND_TOP = 5, AROUND_CALLER = 1 };
	for (size_t i = 0; i < s->n; i++)
		snag_page_lines_want(l, &s->frame[i], i ? AROUND_CALLER : AROUND_TOP);
}

static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	int rc = strcmp(x->file, y->file);
	if (rc)
		return rc;
	return x->from < y->from ? -1 : x->from > y->from;
}

static FILE *file_open(const char *path)
{
	struct stat st;
	FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_FILE
			     ? fopen(path, "r")
			     : NULL;
	return file;
}

static void line_write(struct snag_json *j, uint32_t number, char *line)
{
	char key[16];
	line[strcspn(line, "\r\n")] = 0;
	if (strlen(line) > MOST_LINE)
		line[MOST_LINE] = 0;
	snprintf(key, sizeof(key), "%u", number);
	snag_json_string(j, key, line);
}

/* The ranges of one file, sorted by their beginnings. */
static void file_write(struct snag_json *j, const struct range *range, size_t n)
{
	FILE *file = file_open(range->file);
	char *line = NULL;
	size_t room = 0, i = 0;
	uint32_t until = 0; /* the end of the ranges that have begun */
	if (!file)
		return;
	snag_json_object(j, range->file);
	for (uint32_t number = 1; getline(&line, &room, file) >= 0; number++) {
		for (; i < n && range[i].from <= number; i++)
			until = range[i].to > until ? range[i].to : until;
		if (number <= until)
			line_write(j, number, line);
		else if (i == n)
			break;
	}
	snag_json_end(j);
	snag_json_newline(j);
	free(line);
	fclose(file);
}

void snag_page_lines_write(struct snag_json *j, struct snag_page_lines *l)
{
	snag_json_object(j, "lines");
	if (l->n)
		qsort(l->at, l->n, sizeof(*l->at), range_compare);
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1; end < l->n && strcmp(l->at[end].file, l->at[i].file) == 0; end++)
			;
		file_write(j, &l->at[i], end - i);
	}
	snag_json_end(j);
}

void snag_page_lines_free(struct snag_page_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->at[i].file);
	free(l->at);
	free(l);
}
