/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_source.h - the statements and OpenMP directives of a Fortran source
 *
 * Idea.   A statement or directive may take several lines, with comments between them.  The text of
 *         one is all of it on one line: without comments and continuation marks, in lower case
 *         outside of literals.
 * Rules.  [free]      A line that ends with & goes on in the next one.  !$omp begins a directive.
 *         [fixed]     Column 6 says that a line goes on; the statement is in columns 7 to 72.
 *                     !$omp, c$omp or *$omp in column 1 begins a directive.
 *         [condition] Lines that begin with !$ and a blank are code: OpenMP is on.
 *         [mark]      # 12 "name" says where the next line comes from, as in preprocessed C.
 *         [several]   Statements that a semicolon separates count as one.
 */
#ifndef SNAG_CC_FORTRAN_SOURCE_H
#define SNAG_CC_FORTRAN_SOURCE_H

#include "cc/openmp_text.h"

enum cc_fortran_kind {
	CC_FORTRAN_OTHER, /* comments, blank lines, marks */
	CC_FORTRAN_CODE,
	CC_FORTRAN_OPENMP, /* its text begins behind !$omp */
};

struct cc_fortran_statement {
	enum cc_fortran_kind kind;
	struct cc_span lines; /* with their ends */
	struct cc_text text;
	unsigned long next;  /* the number of the line behind it */
	struct cc_span file; /* what the latest mark says but for the number; empty: none yet */
	unsigned label;	     /* 0: none */
};

struct cc_fortran {
	struct cc_fortran_statement *at;
	size_t n, cap;
	bool is_fixed;
	size_t columns; /* of the fixed form */
};

/* `is_fixed` and `columns` are set, the rest is empty. */
void cc_fortran_read(struct cc_fortran *f, struct cc_span source);
void cc_fortran_done(struct cc_fortran *f);

struct cc_span cc_fortran_text(const struct cc_fortran_statement *s);
/* The first of these statements, from `i` on, that is none of CC_FORTRAN_OTHER; n: none. */
size_t cc_fortran_next(const struct cc_fortran *f, size_t i);

/* Steps behind a word, and blanks behind it, if the text begins with it.  Blanks in the word may
 * be missing in the text. */
bool cc_fortran_word(struct cc_span *text, const char *word);

/* A DO statement.  The variable is empty if there is none (do while). */
struct cc_fortran_do {
	struct cc_span variable;
	unsigned label; /* of its last statement; 0: it ends with END DO */
};
bool cc_fortran_is_do(const struct cc_fortran_statement *s, struct cc_fortran_do *ret_do);
/* The last statement of the loop whose DO is statement `i`; n: it is not there. */
size_t cc_fortran_loop_end(const struct cc_fortran *f, size_t i);
/* +1: begins a block, such as IF ... THEN; -1: ends one; else 0. */
int cc_fortran_depth(const struct cc_fortran_statement *s);
/* The head of a program or procedure, behind which USE may stand; not of a module. */
bool cc_fortran_is_head(const struct cc_fortran_statement *s);

#endif
