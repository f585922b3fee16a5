/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_marks.h - the numbers in rewritten OpenMP pragmas that the runtime recognises
 * (omp/marks.def), as text
 */
#ifndef SNAG_CC_OPENMP_MARKS_H
#define SNAG_CC_OPENMP_MARKS_H

#include "cc/text/text.h"

enum cc_mark {
#define MARK(name, number) CC_MARK_##name,
#include "omp/marks.def"
#undef MARK
};

void cc_mark_add(struct cc_text *t, enum cc_mark mark);
/* Appends " | ((value) & mask)", which adds a value to the mark of a chunk size; appends nothing if
 * `value` is empty. */
void cc_mark_value(struct cc_text *t, struct cc_span value);

#endif
