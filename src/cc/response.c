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
#include <sys/stat.h>

enum { MOST_FILES = 2000 };

/* A file that the reader is in, and the file that includes it. */
struct including {
	const struct including *by; /* NULL: the file is named in the command itself */
	dev_t device;
	ino_t number;
};

struct expanding {
	struct cc_words words;
	unsigned nfiles;
	struct snag_error *err;
};

/* Returns the text of a file, with a 0 after it; NULL: it cannot be read. */
static char *file_text(FILE *f)
{
	char *text = NULL;
	size_t n = 0, room = 0, got = 0;
	do {
		n += got;
		text = snag_grow(text, &room, n + 4096, 1);
		got = fread(text + n, 1, room - n - 1, f);
	} while (got > 0);
	text[n] = '\0';
	if (ferror(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* [quote] Returns the word that the text begins with, and skips it. */
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

static int word_expand(struct expanding *e, const char *word, const struct including *by);

static int text_expand(struct expanding *e, const char *text, const struct including *by)
{
	int rc = 0;
	while (rc == 0) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			break;
		rc = word_expand(e, cc_word_kept(word_next(&text)), by);
	}
	return rc;
}

static bool is_being_read(const struct including *file) /* [self] */
{
	for (const struct including *i = file->by; i; i = i->by)
		if (i->device == file->device && i->number == file->number)
			return true;
	return false;
}

static int file_expand(struct expanding *e, const char *word, FILE *f, const struct including *by)
{
	struct stat st = {0};
	fstat(fileno(f), &st);
	struct including file = {by, st.st_dev, st.st_ino};
	if (is_being_read(&file))
		return snag_fail(e->err, SNAG_EINPUT, "%s: this response file includes itself",
				 word);
	if (++e->nfiles > MOST_FILES) /* [many] */
		return snag_fail(e->err, SNAG_EINPUT, "%s: more than %d response files", word,
				 MOST_FILES);
	char *text = file_text(f);
	int rc = 0;
	if (text)
		rc = text_expand(e, text, &file);
	else
		cc_word_add(&e->words, word);
	free(text);
	return rc;
}

static int word_expand(struct expanding *e, const char *word,
		       const struct including *by) /* [file] */
{
	FILE *f = word[0] == '@' ? fopen(word + 1, "r") : NULL;
	if (!f) {
		cc_word_add(&e->words, word);
		return 0;
	}
	int rc = file_expand(e, word, f, by);
	fclose(f);
	return rc;
}

int cc_response_expand(char *const *word, struct cc_words *ret_words, struct snag_error *err)
{
	struct expanding e = {.err = err};
	int rc = 0;
	for (; *word && rc == 0; word++)
		rc = word_expand(&e, *word, NULL);
	if (rc == 0)
		*ret_words = e.words;
	else
		free(e.words.at);
	return rc;
}
