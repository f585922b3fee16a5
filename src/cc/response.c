/* SPDX-License-Identifier: Apache-2.0
 *
 * response.c - words of a command that stand in files
 */
#include "cc/response.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

/* With a 0 behind it; NULL: it cannot be read. */
static char *file_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t n = 0, room = 0, got = 0;
	if (!f)
		return NULL;
	do {
		n += got;
		text = snag_grow(text, &room, n + 4096, 1);
		got = fread(text + n, 1, room - n - 1, f);
	} while (got > 0);
	text[n] = '\0';
	bool is_bad = ferror(f);
	fclose(f);
	if (is_bad) {
		free(text);
		text = NULL;
	}
	return text;
}

/* [quote] The word that the text begins with; steps behind it. */
static char *word_next(const char **text)
{
	const char *at = *text;
	char *word = snag_alloc(strlen(at) + 1), *to = word, quote = 0;
	for (; *at && (quote || !isspace((unsigned char)*at)); at++)
		if (*at == '\\' && at[1])
			*to++ = *++at;
		else if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else
			*to++ = *at;
	*to = '\0';
	*text = at;
	return word;
}

static void word_expand(struct cc_words *w, const char *word, unsigned depth) /* [file] */
{
	char *text = word[0] == '@' && depth < DEEPEST ? file_text(word + 1) : NULL;
	const char *at = text;
	if (!text)
		cc_word_add(w, word);
	while (at) {
		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			break;
		word_expand(w, cc_word_kept(word_next(&at)), depth + 1);
	}
	free(text);
}

struct cc_words cc_response_expand(char *const *word)
{
	struct cc_words w = {0};
	for (; *word; word++)
		word_expand(&w, *word, 0);
	return w;
}
