/* SPDX-License-Identifier: Apache-2.0
 *
 * response.h - words of a command that stand in files
 *
 * Rules, as gcc and clang have them.
 *         [file]   @file stands for the words in the file, which may be of the form @file again.
 *                  If the file does not exist, the word stays as it is.
 *         [quote]  A backslash takes away the meaning of the character that follows; quotes take it
 *                  away from blanks, and from the other kind of quotes.
 *         [self]   A file that includes itself, by itself or by other files, is an error.
 *         [many]   More than 2000 files are an error, as in gcc.
 */
#ifndef SNAG_CC_RESPONSE_H
#define SNAG_CC_RESPONSE_H

#include "cc/words.h"

/* Returns the command with the words of the files. The caller frees ret_words->at. */
int cc_response_expand(char *const *word, struct cc_words *ret_words, struct snag_error *err);

#endif
