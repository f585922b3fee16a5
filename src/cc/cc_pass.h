/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_pass.h - the plugin for clang (pass/), as `snag cc` uses it
 *
 * There is one for each version of LLVM that snag was built with: <folder>/snag-pass-<version>.so.
 * A clang of another version instruments by itself.
 */
#ifndef SNAG_CC_PASS_H
#define SNAG_CC_PASS_H

#include "cc/words.h"

#include <stdbool.h>

struct cc_pass {
	bool is_off;	    /* -fno-snag-pass */
	bool has_counts;    /* -fsnag-pass-count */
	struct cc_words no; /* -fsnag-pass-no-<name>: the names */
	const char *plugin; /* the file; NULL: none */
};

/* Returns whether the word is for the pass, not for the compiler.  If so, remembers it in *p,
 * unless p is NULL. */
bool cc_pass_takes(struct cc_pass *p, const char *word);

/* Returns the first number of the compiler's version, or a negative number if it gives none. */
int cc_version(const char *compiler);

/* Looks for the plugin that fits this version of the compiler. */
void cc_pass_find(struct cc_pass *p, const char *compiler, const char *folder);

/* Appends the words that make the compiler load the plugin. */
void cc_pass_flags(const struct cc_pass *p, bool has_tasks, bool has_branches, struct cc_words *w);

#endif
