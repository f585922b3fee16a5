/* SPDX-License-Identifier: Apache-2.0
 *
 * link_words.c - words for the linker that would keep the runtime out
 */
#include "cc/link_words.h"

#include "base/memory.h"
#include "cc/words.h"

#include <stddef.h>
#include <string.h>

static const char prefix[] = "-Wl,";

static bool is_part(const char *part, size_t n, const char *word)
{
	return n == strlen(word) && strncmp(part, word, n) == 0;
}

/* Returns how many parts to drop, from this one on: 0, 1, or 2 with a value. */
static int parts_go(const char *part, size_t n, bool is_shared)
{
	static const char exclude[] = "exclude-libs";
	const size_t dashes = strspn(part, "-");
	const char *name = part + dashes, *after = part + n + 1;
	const size_t len = n - dashes;
	if (!dashes)
		return 0;
	if (is_shared)
		return is_part(name, len, "no-undefined") ? 1
		       : is_part(part, n, "-z") && part[n] &&
				       is_part(after, strcspn(after, ","), "defs")
			       ? 2
			       : 0;
	return is_part(name, len, exclude)					       ? 2
	       : len > strlen(exclude) && strncmp(name, exclude, strlen(exclude)) == 0 ? 1
										       : 0;
}

const char *cc_link_word(const char *word, bool is_shared)
{
	if (strncmp(word, prefix, strlen(prefix)) != 0)
		return word;
	char *kept = snag_calloc(strlen(word) + 1, 1);
	size_t left = 0, gone = 0;
	strcpy(kept, "-Wl");
	for (const char *part = word + strlen(prefix); part; part = strchr(part, ',')) {
		part += *part == ',';
		size_t n = strcspn(part, ",");
		int go = left ? (int)left : parts_go(part, n, is_shared);
		left = go ? (size_t)go - 1 : 0;
		gone += go > 0;
		if (!go)
			strncat(strcat(kept, ","), part, n);
	}
	if (!gone) {
		free(kept);
		return word;
	}
	const char *result = cc_word_kept(kept);
	return result[strlen(prefix) - 1] ? result : NULL;
}
