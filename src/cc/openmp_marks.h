/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_marks.h - the numbers by which rewritten OpenMP pragmas speak to the runtime, as text
 */
#ifndef SNAG_CC_OPENMP_MARKS_H
#define SNAG_CC_OPENMP_MARKS_H

#include "cc/openmp_text.h"

enum cc_mark {
#define MARK(name, number) CC_MARK_##name,
#include "omp/marks.def"
#undef MARK
};

void cc_mark_add(struct cc_text *t, enum cc_mark mark);
/* " | ((value) & mask)": what a chunk size says beside its mark.  Nothing if the value is empty. */
void cc_mark_value(struct cc_text *t, struct cc_span value);

#endif
