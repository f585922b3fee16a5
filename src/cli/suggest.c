/* SPDX-License-Identifier: Apache-2.0
 *
 * suggest.c - the known word nearest to a mistyped one
 *
 * Idea.  Edit distance where a swap of neighbours counts once.  A word is near
 *        within a third of its length, or if the typed one begins it.
 */
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, const char *b)
{
	unsigned d[SUGGESTION_WORD + 1][SUGGESTION_WORD + 1];
	unsigned n = (unsigned)strlen(a), m = (unsigned)strlen(b);
	for (unsigned i = 0; i <= n; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= m; j++)
		d[0][j] = j;
	for (unsigned i = 1; i <= n; i++) {
		for (unsigned j = 1; j <= m; j++) {
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

void suggestion_begin(struct suggestion *s, const char *word, size_t len)
{
	*s = (struct suggestion){0};
	if (len < SUGGESTION_WORD)
		memcpy(s->word, word, len);
}

void suggestion_offer(struct suggestion *s, const char *known)
{
	size_t len = strlen(known), typed = strlen(s->word);
	if (typed == 0 || len > SUGGESTION_WORD)
		return;
	unsigned d = distance(s->word, known);
	unsigned near = len < 3 ? 1 : (unsigned)(len + 2) / 3;
	if (typed >= 2 && strncmp(known, s->word, typed) == 0)
		d = 0;
	if (d <= near && (!s->best || d < s->distance)) {
		s->best = known;
		s->distance = d;
	}
}

const char *suggestion_text(const struct suggestion *s, const char *dashes,
			    char text[SUGGESTION_BYTES])
{
	if (!s->best)
		return "";
	snprintf(text, SUGGESTION_BYTES, " (did you mean '%s%s'?)", dashes, s->best);
	return text;
}
