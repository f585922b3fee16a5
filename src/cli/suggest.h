/* SPDX-License-Identifier: Apache-2.0
 *
 * suggest.h - "did you mean": the known word nearest to a mistyped one
 */
#ifndef SNAG_CLI_SUGGEST_H
#define SNAG_CLI_SUGGEST_H

#include <stddef.h>

enum { SUGGESTION_WORD = 32, SUGGESTION_BYTES = 64 };

struct suggestion {
	char word[SUGGESTION_WORD]; /* the mistyped one; empty: too long for any known one */
	const char *best;
	unsigned distance; /* of best */
};

void suggestion_begin(struct suggestion *s, const char *word, size_t len);
void suggestion_offer(struct suggestion *s, const char *known);
/* " (did you mean '--with'?)", or "" if nothing is near; written to `text`. */
const char *suggestion_text(const struct suggestion *s, const char *dashes,
			    char text[SUGGESTION_BYTES]);

#endif
