/* SPDX-License-Identifier: Apache-2.0
 *
 * json_writer.c - JSON written as a stream
 */
#include "report/json_writer.h"

#include "report/utf8.h"

#include <assert.h>
#include <string.h>

void snag_json_init(struct snag_json *j, struct snag_printer *to)
{
	*j = (struct snag_json){.to = to};
}

void snag_json_newline(struct snag_json *j)
{
	j->new_line = true;
}

static void line_end(struct snag_json *j)
{
	if (j->new_line)
		snag_print_bytes(j->to, "\n", 1);
	j->new_line = false;
}

/* Printable ASCII that needs no escape: nearly everything. */
static bool is_plain(const struct snag_json *j, char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\' && !(c == '<' && j->is_in_html);
}

static void escaped(struct snag_json *j, const char *s)
{
	static const char hex[] = "0123456789abcdef";
	const char *plain = s; /* plain .. s is to be written as it is */
	snag_print_bytes(j->to, "\"", 1);
	for (;;) {
		while (is_plain(j, *s))
			s++;
		if (!*s)
			break;
		size_t n = snag_utf8_char(s);
		bool control = n && (snag_utf8_is_control(s, n) || (*s == '<' && j->is_in_html));
		if (n && !control && *s != '"' && *s != '\\') {
			s += n;
			continue;
		}
		snag_print_bytes(j->to, plain, (size_t)(s - plain));
		if (n == 0) {
			snag_print(j->to, "\\ufffd");
		} else if (control) {
			unsigned char c =
				(unsigned char)s[n - 1]; /* U+0080 to U+009F: c2 80 to c2 9f */
			char code[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15], 0};
			snag_print(j->to, code);
		} else {
			char quoted[] = {'\\', *s, 0};
			snag_print(j->to, quoted);
		}
		s += n ? n : 1;
		plain = s;
	}
	snag_print_bytes(j->to, plain, (size_t)(s - plain));
	snag_print_bytes(j->to, "\"", 1);
}

/* The comma and line end due before a key, or before a value without one. */
static void separate(struct snag_json *j)
{
	if (j->depth > 0) {
		if (j->has_value[j->depth - 1])
			snag_print_bytes(j->to, ",", 1);
		j->has_value[j->depth - 1] = true;
	}
	line_end(j);
}

void snag_json_key(struct snag_json *j, const char *key)
{
	assert(j->depth > 0 && j->open[j->depth - 1] == '{' && !j->after_key);
	separate(j);
	escaped(j, key);
	snag_print_bytes(j->to, ":", 1);
	j->after_key = true;
}

static void before_value(struct snag_json *j, const char *key)
{
	if (key)
		snag_json_key(j, key);
	assert(j->after_key == (j->depth > 0 && j->open[j->depth - 1] == '{'));
	if (!j->after_key)
		separate(j);
	j->after_key = false;
}

static void open_level(struct snag_json *j, const char *key, char bracket)
{
	before_value(j, key);
	assert(j->depth < SNAG_JSON_DEPTH);
	snag_print_bytes(j->to, &bracket, 1);
	j->open[j->depth] = bracket;
	j->has_value[j->depth++] = false;
}

void snag_json_object(struct snag_json *j, const char *key)
{
	open_level(j, key, '{');
}

void snag_json_array(struct snag_json *j, const char *key)
{
	open_level(j, key, '[');
}

void snag_json_end(struct snag_json *j)
{
	assert(j->depth > 0 && !j->after_key);
	line_end(j);
	snag_print(j->to, j->open[--j->depth] == '{' ? "}" : "]");
	if (j->depth == 0)
		snag_print(j->to, "\n");
}

int snag_json_open(struct snag_json *j, struct snag_printer *to, const char *path,
		   struct snag_error *err)
{
	int rc = snag_printer_open(to, path, err);
	if (rc < 0)
		return rc;
	snag_json_init(j, to);
	snag_json_object(j, NULL);
	return 0;
}

int snag_json_commit(struct snag_json *j, struct snag_error *err)
{
	snag_json_end(j);
	return snag_printer_commit(j->to, err);
}

void snag_json_string(struct snag_json *j, const char *key, const char *value)
{
	before_value(j, key);
	escaped(j, value);
}

void snag_json_null(struct snag_json *j, const char *key)
{
	before_value(j, key);
	snag_print(j->to, "null");
}

void snag_json_uint(struct snag_json *j, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);
	before_value(j, key);
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	snag_print_bytes(j->to, digits + at, sizeof(digits) - at);
}

void snag_json_double(struct snag_json *j, const char *key, double value)
{
	before_value(j, key);
	snag_printf(j->to, "%.6f", value);
}

void snag_json_bool(struct snag_json *j, const char *key, bool value)
{
	before_value(j, key);
	snag_print(j->to, value ? "true" : "false");
}
