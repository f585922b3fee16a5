/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress_terms.h - the terms of a suppression: its reason, its owner, and its last day
 *
 * Comments right above a suppression may give its terms.  Then all three are needed:
 *
 *   # reason: the counter is only shown, a stale value does no harm
 *   # owner: ada
 *   # expires: 2027-03-31
 *   id:R-1a2b3c4d
 *
 * From the day after, the suppression matches nothing, and snag says so.  An empty line ends
 * the terms.
 */
#ifndef SNAG_REPORT_SUPPRESS_TERMS_H
#define SNAG_REPORT_SUPPRESS_TERMS_H

#include "report/printer.h"

#include <stdbool.h>

enum snag_term { SNAG_TERM_REASON, SNAG_TERM_OWNER, SNAG_TERM_EXPIRES, SNAG_TERMS };

struct snag_terms { /* all 0: none */
	bool has[SNAG_TERMS];
	bool is_over; /* the last day has passed */
};

/* Takes a line that begins with '#'.  A negative result means that *err says what is wrong with
 * it. */
int snag_terms_take(struct snag_terms *t, const char *name, uint64_t line, const char *text,
		    size_t n, struct snag_error *err);
/* Returns whether there are none or all; otherwise *err says what is missing. */
int snag_terms_check(const struct snag_terms *t, const char *name, uint64_t line,
		     struct snag_error *err);

/* Prints a suppression of an id, with terms to be filled in, that ends in 90 days. */
void snag_terms_print(struct snag_printer *to, const char *words, const char *id);

#endif
