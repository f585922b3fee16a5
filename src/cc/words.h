/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - a command to run, word by word
 */
#ifndef SNAG_CC_WORDS_H
#define SNAG_CC_WORDS_H

#include "base/error.h"

#include <stddef.h>

struct cc_words { /* all 0: an empty command; at[n] is NULL if n > 0 */
	const char **at;
	size_t n, cap;
};

void cc_word_add(struct cc_words *w, const char *word);
/* Keeps a word of the heap until the process ends, and returns it. */
const char *cc_word_kept(char *made);
const char *cc_words_joined(const char *a, const char *b); /* Returns one word, kept likewise. */
/* Runs the command and waits; returns its exit status, or 128 + the signal that ended it. */
int cc_words_run(const struct cc_words *w, struct snag_error *err);
/* The same; the command's standard error goes into a file. */
int cc_words_run_into(const struct cc_words *w, const char *file, struct snag_error *err);

#endif
