/* SPDX-License-Identifier: Apache-2.0
 *
 * response.h - words of a command that stand in files
 *
 * Rules, as gcc and clang have them.
 *         [file]   @file stands for what is in it, words between blanks, which may be such again; if there is no such
 *                  file, for itself
 *         [quote]  a backslash takes away the meaning of what follows; quotes take it away from
 *                  blanks, and from the other kind of quotes
 */
#ifndef SNAG_CC_RESPONSE_H
#define SNAG_CC_RESPONSE_H

#include "cc/words.h"

/* The words that are meant; w->at is to be freed. */
struct cc_words cc_response_expand(char *const *word);

#endif
