/* SPDX-License-Identifier: Apache-2.0
 *
 * format.h - the memory that a format of printf or scanf makes the C library access
 *
 * Idea.   The C library reads the strings of `%s`, and writes where `%d` of scanf and `%n` point.
 *         A walk over the format and its arguments finds them.
 * Rules.  [string]   a string is read up to its end or its precision
 *         [scanned]  scanf returns how many conversions it stored; only these write
 *         [stop]     the walk ends at conversions that it does not know: positional arguments
 *                    (`%1$s`) and extensions.  It does not report the memory of later ones
 */
#ifndef SNAG_RUNTIME_FORMAT_H
#define SNAG_RUNTIME_FORMAT_H

#include <stdarg.h>
#include <stdint.h>

/* Records the accesses of one call, at `pc`, as part of the event of the caller.  They consume
 * `arguments`. */
void rt_format_printed(const char *format, va_list arguments, uintptr_t pc);
void rt_format_scanned(const char *format, va_list arguments, int result, uintptr_t pc);

#endif
