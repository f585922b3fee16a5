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

#include "cc/text/text.h"

enum cc_fortran_kind {
	CC_FORTRAN_OTHER, /* lines that hold no code: comments, blank lines, marks */
	CC_FORTRAN_CODE,
	CC_FORTRAN_OPENMP, /* its text begins after !$omp */
};

struct cc_fortran_statement {
	enum cc_fortran_kind kind;
	struct cc_span lines; /* its lines, each with its end */
	struct cc_text text;
	unsigned long next;  /* the number of the line after it */
	struct cc_span file; /* the latest mark, without its number; empty: no mark yet */
	unsigned label;	     /* 0: none */
};

struct cc_fortran {
	struct cc_fortran_statement *at;
	size_t n, cap;
	bool is_fixed;
	size_t columns; /* how many columns a line of the fixed form has */
};

/* Reads a source. The caller sets `is_fixed` and `columns`; the rest of *f is empty. */
void cc_fortran_read(struct cc_fortran *f, struct cc_span source);
void cc_fortran_done(struct cc_fortran *f);

struct cc_span cc_fortran_text(const struct cc_fortran_statement *s);
/* Returns the first statement from number `i` on that is not CC_FORTRAN_OTHER; n: there is none. */
size_t cc_fortran_next(const struct cc_fortran *f, size_t i);

/* Skips a word, and blanks after it, if the text begins with it. Blanks in the word may be
 * missing in the text. */
bool cc_fortran_word(struct cc_span *text, const char *word);

/* A DO statement. A loop without a variable (do while) has an empty one. */
struct cc_fortran_do {
	struct cc_span variable;
	unsigned label; /* the label of its last statement; 0: it ends with END DO */
};
bool cc_fortran_is_do(const struct cc_fortran_statement *s, struct cc_fortran_do *ret_do);
/* Returns the last statement of the loop whose DO is statement `i`; n: the source has none. */
size_t cc_fortran_loop_end(const struct cc_fortran *f, size_t i);
/* Returns +1 if the statement begins a block, such as IF ... THEN, -1 if it ends one, and else
 * 0. */
int cc_fortran_depth(const struct cc_fortran_statement *s);
/* Returns whether the statement is the head of a program or procedure, where USE may follow; not
 * of a module. */
bool cc_fortran_is_head(const struct cc_fortran_statement *s);

#endif
