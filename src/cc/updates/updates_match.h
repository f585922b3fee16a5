/* SPDX-License-Identifier: Apache-2.0
 *
 * updates_match.h - whether a statement is an update that commutes (updates.h)
 */
#ifndef SNAG_CC_UPDATES_MATCH_H
#define SNAG_CC_UPDATES_MATCH_H

#include "cc/text/text.h"

/* The operations of updates; the runtime uses the same numbers. */
enum cc_update_op {
	CC_UPDATE_SUM = 1,
	CC_UPDATE_PRODUCT,
	CC_UPDATE_AND,
	CC_UPDATE_OR,
	CC_UPDATE_XOR,
	CC_UPDATE_LEAST,
	CC_UPDATE_GREATEST,
	CC_UPDATE_SET, /* stores 0; the numbers that follow: stores 1, 2, ... */
	CC_UPDATE_OPS = 32,
};

struct cc_update {
	enum cc_update_op op;
	struct cc_span whole; /* the text of the statement, with its semicolon */
	/* The variable and the operand; e is empty: nothing needs to be evaluated first. */
	struct cc_span x, e;
	char sign;	     /* the operator of `x += e`; 0: see below */
	bool is_choice;	     /* x = e < x ? e : x; otherwise an `if` */
	struct cc_span less; /* for the smallest and greatest: the comparison as it stands */
	bool is_x_first;     /* x is the left side of `less` */
};

/* Returns whether the text begins with such a statement. */
bool cc_update_match(struct cc_span text, bool is_cxx, struct cc_update *ret);

#endif
