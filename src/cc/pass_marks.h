/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_marks.h - the marks that the compiler and the plugin for clang (pass/) leave in a program
 *
 * Self-check.  `snag cc` makes the compiler keep its command line in the section
 *         .GCC.command.line, and the plugin names each source file it has seen in .snag.pass
 *         (pass/marker.h).  A source that is in the first section but not in the second was
 *         compiled without checks.  snag does not observe its accesses, and nothing else would
 *         reveal that.  So `snag run` reads the program's file and the shared libraries that it
 *         needs, and at the end those that the program has opened.
 */
#ifndef SNAG_CC_PASS_MARKS_H
#define SNAG_CC_PASS_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CC_PASS_KINDS = 9 }; /* the removals of removals.def, and the checks that stay */

/* The marks that the plugin left in one file, or in several. */
struct cc_pass_marks {
	bool says;			/* the file has the marks of the plugin */
	bool is_optimised;		/* some source was compiled with -O1 or more */
	uint64_t places[CC_PASS_KINDS]; /* accesses in the code, by what became of their checks */
	size_t nmissing;		/* source files without checks ... */
	char missing[256];		/* one of these */
};

/* Reads a file and adds its marks to *m. */
void cc_pass_marks_read(const char *path, struct cc_pass_marks *marks);
/* Returns the name of a removal; of the last kind, "checks". */
const char *cc_pass_kind_name(int kind);

#endif
