/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8.h - which bytes of a name may be shown unchanged
 *
 * Names come from traces, so they contain anything except NUL: terminal escapes, halves of
 * characters, bytes of another encoding.
 */
#ifndef SNAG_REPORT_UTF8_H
#define SNAG_REPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of bytes of the UTF-8 character at s (1 to 4), or 0 if there is no valid
 * one: a stray or cut sequence, an overlong form, a surrogate, beyond U+10FFFF.  s ends with a
 * NUL, which counts as a character of one byte. */
size_t snag_utf8_char(const char *s);

/* Returns whether it is a control character: U+0000 to U+001F, U+007F to U+009F. */
bool snag_utf8_is_control(const char *s, size_t nbytes);

#endif
