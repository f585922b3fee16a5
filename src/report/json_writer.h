/* SPDX-License-Identifier: Apache-2.0
 *
 * json_writer.h - JSON written as a stream, never held in memory
 *
 * The writer places commas and colons.  The caller must nest correctly; assertions check this.
 * The caller may end a line before any value or closing bracket, to make the file readable for
 * people.
 */
#ifndef SNAG_REPORT_JSON_WRITER_H
#define SNAG_REPORT_JSON_WRITER_H

#include "report/printer.h"

#include <stdbool.h>
#include <stdint.h>

enum { SNAG_JSON_DEPTH = 16 };

struct snag_json {
	struct snag_printer *to;
	unsigned depth;
	char open[SNAG_JSON_DEPTH];	 /* '{' or '[' of each level */
	bool has_value[SNAG_JSON_DEPTH]; /* a comma is due before the next one */
	bool after_key;
	bool new_line;	 /* wanted before the next value or bracket */
	bool is_in_html; /* inside a script element, where text must not have '<' */
};

void snag_json_init(struct snag_json *j, struct snag_printer *to);
/* Opens a file whose content is one object, and begins the object.  The printer must live until
 * snag_json_commit() has ended the object and written the file. */
int snag_json_open(struct snag_json *j, struct snag_printer *to, const char *path,
		   struct snag_error *err);
int snag_json_commit(struct snag_json *j, struct snag_error *err);

/* `key` is NULL inside an array and at the top. */
void snag_json_object(struct snag_json *j, const char *key);
void snag_json_array(struct snag_json *j, const char *key);
void snag_json_end(struct snag_json *j); /* of the innermost object or array */

void snag_json_key(struct snag_json *j, const char *key); /* for keys that are names */
/* Bytes that are not UTF-8 become U+FFFD. */
void snag_json_string(struct snag_json *j, const char *key, const char *value);
void snag_json_null(struct snag_json *j, const char *key);
void snag_json_uint(struct snag_json *j, const char *key, uint64_t value);
void snag_json_double(struct snag_json *j, const char *key, double value); /* six decimals */
void snag_json_bool(struct snag_json *j, const char *key, bool value);

void snag_json_newline(struct snag_json *j);

#endif
