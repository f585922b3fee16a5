/* SPDX-License-Identifier: Apache-2.0
 *
 * printer.c - formatted text to a file or standard output
 */
#include "report/printer.h"

#include "base/memory.h"
#include "report/utf8.h"
#include "trace/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int snag_printer_open(struct snag_printer *p, const char *path, struct snag_error *err)
{
	p->err.code = 0;
	p->n = 0;
	return snag_output_open(path, &p->out, err);
}

static void pass_on(struct snag_printer *p, const char *bytes, size_t n)
{
	if (p->err.code == 0)
		snag_output_write(p->out, bytes, n, &p->err);
}

void snag_print_bytes(struct snag_printer *p, const char *bytes, size_t n)
{
	if (n > sizeof(p->buffer) - p->n) {
		pass_on(p, p->buffer, p->n);
		p->n = 0;
		if (n > sizeof(p->buffer)) {
			pass_on(p, bytes, n);
			return;
		}
	}
	memcpy(p->buffer + p->n, bytes, n);
	p->n += n;
}

void snag_print(struct snag_printer *p, const char *text)
{
	snag_print_bytes(p, text, strlen(text));
}

void snag_printf(struct snag_printer *p, const char *fmt, ...)
{
	char line[512];
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(line)) {
		char *longer = snag_alloc((size_t)n + 1);
		vsnprintf(longer, (size_t)n + 1, fmt, again);
		snag_print_bytes(p, longer, (size_t)n);
		free(longer);
	} else if (n > 0) {
		snag_print_bytes(p, line, (size_t)n);
	}
	va_end(again);
}

void snag_print_name(struct snag_printer *p, const char *name)
{
	const char *at = name, *plain = name; /* plain .. at is to be printed as it is */
	while (*at) {
		if (at - name >= SNAG_SHOWN_BYTES) {
			snag_print_bytes(p, plain, (size_t)(at - plain));
			snag_print(p, "...");
			return;
		}
		size_t n = snag_utf8_char(at);
		if (n && !snag_utf8_is_control(at, n)) {
			at += n;
			continue;
		}
		snag_print_bytes(p, plain, (size_t)(at - plain));
		snag_print(p, "?");
		at += n ? n : 1;
		plain = at;
	}
	snag_print_bytes(p, plain, (size_t)(at - plain));
}

int snag_printer_commit(struct snag_printer *p, struct snag_error *err)
{
	struct snag_output *out = p->out;
	pass_on(p, p->buffer, p->n);
	p->out = NULL;
	if (p->err.code == 0)
		return snag_output_commit(out, err);
	snag_output_abort(out);
	if (err)
		*err = p->err;
	return p->err.code;
}
