/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - a command line being built
 */
#include "cli/words.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void cli_words_add(struct cli_words *w, const char *word)
{
	w->at = snag_grow(w->at, &w->cap, w->n + 2, sizeof(*w->at));
	w->at[w->n++] = word;
	w->at[w->n] = NULL;
}

const char *cli_joined(const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 1;
	char *s = snag_alloc(n);
	snprintf(s, n, "%s%s", a, b);
	return s;
}

bool cli_starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}
