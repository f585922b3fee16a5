/* SPDX-License-Identifier: Apache-2.0
 *
 * source_line.h - one line of a source file
 */
#ifndef SNAG_REPORT_SOURCE_LINE_H
#define SNAG_REPORT_SOURCE_LINE_H

#include <stdint.h>

/* Returns a line, from 1, without its end; NULL: it cannot be read.  The caller frees it. */
char *snag_source_line(const char *file, uint32_t line);

#endif
