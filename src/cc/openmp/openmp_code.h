/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_code.h - what snag cc rewrites between the pragmas of OpenMP
 *
 * Rules.  [calls]     The program's calls of omp_get_thread_num() and the like get names of their
 *                     own, because gcc also calls these functions for its own purposes.  Only code
 *                     that itself calls them can behave differently on another thread.  The
 *                     functions that gcc calls get names as well, in the assembler.  Only two kinds
 *                     of files still call the plain names: files not compiled by snag cc, and files
 *                     of a gcc before 12, whose master blocks the runtime cannot see
 *                     (openmp_masked.h).
 *         [sections]  { a; section b; } becomes
 *                     for (int s = 0; s < 2; s++) switch (s) { case 0:; a; break; case 1:; b; }
 */
#ifndef SNAG_CC_OPENMP_CODE_H
#define SNAG_CC_OPENMP_CODE_H

#include "cc/text/text.h"

#define CC_CALLS_OWN                                                          \
	"__asm__(\".set omp_get_thread_num, __snag_gnu_get_thread_num\\n\"\n" \
	"\".set omp_get_num_threads, __snag_gnu_get_num_threads\\n\"\n"       \
	"\".set omp_get_team_num, __snag_gnu_get_team_num\\n\"\n"             \
	"\".set omp_get_num_teams, __snag_gnu_get_num_teams\");\n"
void cc_calls_rename(struct cc_text *t, struct cc_span text); /* [calls] */

/* The blocks of sections that a place of the text is in, innermost last. */
struct cc_sections {
	struct sections_open {
		unsigned depth;	    /* how many braces are open outside the block */
		unsigned at;	    /* the number of the current section */
		bool has_statement; /* the current section has a statement */
	} * open;
	size_t n, cap;
	unsigned depth;
	unsigned awaited; /* a block of this many sections is about to begin; 0: none */
	unsigned number;  /* how many such blocks there were so far */
};

/* Begins a block of sections; false: the text begins with none. */
bool cc_sections_begin(struct cc_sections *s, struct cc_span after);
void cc_section_begin(struct cc_sections *s, struct cc_text *t); /* the pragma of one section */
void cc_sections_pragma(struct cc_sections *s);			 /* any other pragma */
void cc_code_copy(struct cc_sections *s, struct cc_text *t, struct cc_span line);
void cc_sections_done(struct cc_sections *s);

#endif
