/* SPDX-License-Identifier: Apache-2.0
 *
 * link_words.h - words for the linker that would keep the runtime out
 */
#ifndef SNAG_CC_LINK_WORDS_H
#define SNAG_CC_LINK_WORDS_H

#include <stdbool.h>

/* The word without the parts that cannot be kept where the result is a shared library, or else an
 * executable; NULL: nothing is left of it.  A word that changes lives until the process ends.
 *   shared library  --no-undefined, -z defs: it finds the runtime in the program that loads it
 *   executable      --exclude-libs: would hide the runtime, an archive, from such libraries */
const char *cc_link_word(const char *word, bool is_shared);

#endif
