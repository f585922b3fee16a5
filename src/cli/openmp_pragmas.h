/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.h - makes the runtime see every iteration of OpenMP loops
 */
#ifndef SNAG_CLI_OPENMP_PRAGMAS_H
#define SNAG_CLI_OPENMP_PRAGMAS_H

#include <stdbool.h>
#include <stddef.h>

/* The preprocessed text of a program, rewritten for gcc or for clang; to be freed. */
char *cli_openmp_rewrite(const char *text, size_t n, bool is_gnu, size_t *ret_n);

#endif
