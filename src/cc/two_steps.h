/* SPDX-License-Identifier: Apache-2.0
 *
 * two_steps.h - compiles in two steps: preprocesses, rewrites the text, and compiles the result
 */
#ifndef SNAG_CC_TWO_STEPS_H
#define SNAG_CC_TWO_STEPS_H

#include "cc/openmp/openmp_pragmas.h"
#include "cc/words.h"

#include <stdbool.h>

/* Returns whether the next word is the value of this one. */
typedef bool cc_takes_value(const char *word);

/* Runs a compiler, whose words are complete, and returns its status. Sources of C and C++ go
 * through cc_updates_mark() and, with OpenMP, through cc_openmp_rewrite(). */
int cc_two_steps(const struct cc_words *w, cc_takes_value *takes_value, enum cc_compiler is,
		 bool has_openmp, struct snag_error *err);

#endif
