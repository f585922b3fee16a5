/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragma_read.h - what an OpenMP pragma says, as far as the rewriter needs it
 */
#ifndef SNAG_CC_OPENMP_PRAGMA_READ_H
#define SNAG_CC_OPENMP_PRAGMA_READ_H

#include "cc/openmp/openmp_regions.h"
#include "cc/text/text.h"

/* The rules in brackets are those of openmp_pragmas.c. */
struct cc_pragma {
	bool is_loop, is_nowait;
	bool is_other;	     /* a schedule that the runtime observes in any case */
	bool is_auto;	     /* [auto] */
	bool is_combining;   /* a region or worksharing with a reduction that its threads combine */
	bool is_region;	     /* parallel */
	bool is_inscan;	     /* a loop that must have no schedule, and stays as it is */
	bool is_none;	     /* default(none) */
	bool is_simd;	     /* simd, without a loop of threads or tasks */
	const char *odd;     /* [odd] after the innermost head; NULL: the loops are a rectangle */
	struct cc_span name; /* the word `sections`; empty: the pragma has none */
	struct cc_span loop; /* [loop] the word `loop`; empty: the pragma has none */
	enum cc_region of;   /* [loop] what it binds to */
	bool has_teams;
	struct cc_span bind;   /* the text of bind(...); empty: the pragma has none */
	struct cc_span order;  /* the text of order(...); likewise */
	struct cc_span clause; /* the text of schedule(...); empty: the pragma has none */
	struct cc_span chunk;  /* empty: the pragma has none */
};

/* Reads the pragma of a line that is directly inside a region of this kind. */
struct cc_pragma cc_pragma_read(struct cc_span line, enum cc_region around);

#endif
