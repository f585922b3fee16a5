/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_directive.h - the words and clauses of a directive of Fortran, and the loops behind it
 */
#ifndef SNAG_CC_FORTRAN_DIRECTIVE_H
#define SNAG_CC_FORTRAN_DIRECTIVE_H

#include "cc/fortran/fortran_source.h"

enum { CC_FORTRAN_MOST_LOOPS = 16 };

/* Returns the word of a directive that the text begins with, and skips that word; NULL: it begins
 * with none. Directives without loops or blocks of threads, such as `task`, have no such word. */
const char *cc_fortran_directive_next(struct cc_span *text);
bool cc_fortran_has_clause(struct cc_span text, const char *word);
bool cc_fortran_is_directive(const struct cc_fortran_statement *s, const char *word);
/* Returns whether it is an END directive; *ret_rest is the text after `end`. */
bool cc_fortran_is_end(const struct cc_fortran_statement *s, struct cc_span *ret_rest);

/* Returns whether both directives have the same words, up to their clauses. */
bool cc_fortran_is_same(struct cc_span a, struct cc_span b);

/* The loops that follow a directive. */
struct cc_fortran_loops {
	struct cc_span variable[CC_FORTRAN_MOST_LOOPS];
	size_t at[CC_FORTRAN_MOST_LOOPS]; /* their statements */
	unsigned n;
	size_t last; /* the last statement of the outermost loop */
	size_t end;  /* the END directive of this directive; 0: there is none */
	bool is_ordered;
};
struct cc_fortran_loops cc_fortran_loops(const struct cc_fortran *f, size_t directive);
/* Returns the number of loops that belong to a directive of loops. */
unsigned cc_fortran_collapsed(struct cc_span text);

#endif
