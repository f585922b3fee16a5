/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - a command to run, word by word
 */
#ifndef SNAG_CC_WORDS_H
#define SNAG_CC_WORDS_H

#include "base/error.h"

#include <stddef.h>

struct cc_words { /* all 0: empty; at[n] is NULL if n > 0 */
	const char **at;
	size_t n, cap;
};

void cc_word_add(struct cc_words *w, const char *word);
const char *cc_words_joined(const char *a, const char *b); /* one word, kept as below */
const char *cc_word_kept(char *made); /* one that lives until the process ends */
/* Runs it and waits; returns its exit status, or 128 + the signal that ended it. */
int cc_words_run(const struct cc_words *w, struct snag_error *err);
/* The same; its standard error goes into a file. */
int cc_words_run_into(const struct cc_words *w, const char *file, struct snag_error *err);

#endif
