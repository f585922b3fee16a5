/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_marks.c - the numbers in rewritten OpenMP pragmas that the runtime recognises
 * (omp/marks.def), as text
 */
#include "cc/openmp/openmp_marks.h"

void cc_mark_add(struct cc_text *t, enum cc_mark mark)
{
	static const char *const text[] = {
#define MARK(name, number) [CC_MARK_##name] = #number,
#include "omp/marks.def"
#undef MARK
	};
	cc_text_words(t, text[mark]);
}

void cc_mark_value(struct cc_text *t, struct cc_span value)
{
	if (value.at == value.end)
		return;
	cc_text_words(t, " | ((");
	cc_text_span(t, value);
	cc_text_words(t, ") & ");
	cc_mark_add(t, CC_MARK_CHUNK_MASK);
	cc_text_words(t, ")");
}
