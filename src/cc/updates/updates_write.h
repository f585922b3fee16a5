/* SPDX-License-Identifier: Apache-2.0
 *
 * updates_write.h - writes the marks around updates (updates.h) into the text
 */
#ifndef SNAG_CC_UPDATES_WRITE_H
#define SNAG_CC_UPDATES_WRITE_H

#include "cc/text/lines.h"
#include "cc/updates/updates_match.h"

/* A text that the rewriter copies, adding marks. */
struct cc_marking {
	struct cc_text t;
	struct cc_span text; /* the whole text */
	const char *at;	     /* the text before this was copied */
	struct cc_lines lines;
	bool is_cxx, has_marked;
};

/* Returns the text that is still to be copied. */
struct cc_span cc_marking_rest(const struct cc_marking *m);
/* Copies the text up to `end`. */
void cc_marking_copy(struct cc_marking *m, const char *end);
/* Returns whether the preprocessor says which line of which file the place is from. */
bool cc_marking_has_line(struct cc_marking *m, const char *place);
/* [bits] Returns false if x may be a bit-field, or a variable in a register. */
bool cc_marking_has_address(const struct cc_marking *m, struct cc_span x);

/* Writes an update with its marks.  The text is at the beginning of the statement. */
void cc_update_mark(struct cc_marking *m, const struct cc_update *u);
/* Marks the update behind `#pragma omp atomic`, if there is one.  The text is at the pragma, which
 * ends with its line. */
void cc_atomic_pragma_mark(struct cc_marking *m, struct cc_span line);
/* Marks the call of an atomic function if nothing uses its result.  The text is at its name. */
void cc_atomic_call_mark(struct cc_marking *m, struct cc_span name, enum cc_update_op op);

#endif
