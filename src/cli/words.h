/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - a command line being built
 *
 * It lives until the command is executed: what is joined is not freed.
 */
#ifndef SNAG_CLI_WORDS_H
#define SNAG_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct cli_words {
	const char **at; /* NULL behind the last one */
	size_t n, cap;
};

void cli_words_add(struct cli_words *w, const char *word);
const char *cli_joined(const char *a, const char *b);
bool cli_starts(const char *word, const char *with);

#endif
