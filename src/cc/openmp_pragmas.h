/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.h - makes the runtime see every iteration of OpenMP loops
 */
#ifndef SNAG_CC_OPENMP_PRAGMAS_H
#define SNAG_CC_OPENMP_PRAGMAS_H

#include <stdbool.h>
#include <stddef.h>

/* An old one knows no `masked`. */
enum cli_compiler { CLI_CLANG, CLI_GCC, CLI_GCC_OLD };

/* The preprocessed text of a program, rewritten for this compiler; to be freed. */
char *cli_openmp_rewrite(const char *text, size_t n, enum cli_compiler is, size_t *ret_n);

#endif
