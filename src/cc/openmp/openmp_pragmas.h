/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.h - makes the runtime see every iteration of OpenMP loops
 */
#ifndef SNAG_CC_OPENMP_PRAGMAS_H
#define SNAG_CC_OPENMP_PRAGMAS_H

#include <stdbool.h>
#include <stddef.h>

/* CC_GCC_OLD: gcc before 12, which has no `masked` construct. */
enum cc_compiler { CC_CLANG, CC_GCC, CC_GCC_OLD };

/* Rewrites the preprocessed text of a program for this compiler; the caller frees the result. */
char *cc_openmp_rewrite(const char *text, size_t n, enum cc_compiler is, size_t *ret_n);

#endif
