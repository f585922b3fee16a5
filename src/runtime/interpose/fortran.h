/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran.h - arguments of libgfortran's functions: descriptors of arrays, I/O statements
 *
 * Reference.  libgfortran.h and io/io.h of gcc 8 to 14, libgfortran.so.5.
 */
#ifndef SNAG_RUNTIME_FORTRAN_H
#define SNAG_RUNTIME_FORTRAN_H

#include <stddef.h>
#include <stdint.h>

enum { RT_MOST_DIMENSIONS = 15 };

struct rt_fortran_array {
	char *base;
	size_t offset;
	size_t each; /* bytes of an element */
	int version;
	signed char rank, type;
	short attribute;
	ptrdiff_t span; /* bytes of a stride of 1 */
	struct {
		ptrdiff_t stride, lower, upper;
	} dimension[RT_MOST_DIMENSIONS];
};

/* The beginning of a longer record that the I/O library and the compiled code share. */
struct rt_fortran_io {
	uint32_t flags;
	int32_t unit;
	const char *file;
	int32_t line;
	size_t message_bytes;
	char *message;
	int32_t *status;
	int64_t record;
	int64_t *size, *length;
	const struct rt_fortran_array *internal_array; /* NULL: one variable */
	const char *format;
	size_t format_bytes, advance_bytes;
	const char *advance;
	char *internal; /* the variable that stands for a file */
	size_t internal_bytes;
};

#endif
