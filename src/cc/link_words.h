/* SPDX-License-Identifier: Apache-2.0
 *
 * link_words.h - words for the linker that would keep the runtime out
 */
#ifndef SNAG_CC_LINK_WORDS_H
#define SNAG_CC_LINK_WORDS_H

#include <stdbool.h>

/* Returns the word without the parts that would keep the runtime out of the result, a shared
 * library or an executable; NULL: nothing is left of the word.  A changed word lives until the
 * process ends.
 *   shared library  --no-undefined, -z defs: the library finds the runtime in the program that
 *   loads it
 *   executable      --exclude-libs: would hide the runtime, an archive, from shared libraries */
const char *cc_link_word(const char *word, bool is_shared);

#endif
