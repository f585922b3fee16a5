/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragma_read.h - what an OpenMP pragma says, as far as the rewriter needs it
 */
#ifndef SNAG_CC_OPENMP_PRAGMA_READ_H
#define SNAG_CC_OPENMP_PRAGMA_READ_H

#include "cc/openmp_regions.h"
#include "cc/openmp_text.h"

/* The rules in brackets are those of openmp_pragmas.c. */
struct cc_pragma {
	bool is_loop, is_nowait;
	bool is_other;	   /* a schedule that the runtime sees anyway */
	bool is_auto;	   /* [auto] */
	bool is_combining; /* a region or worksharing, with a reduction that its threads combine */
	bool is_region;	   /* parallel */
	bool is_inscan;	   /* left as it is: its loop must have no schedule */
	bool is_none;	   /* default(none) */
	bool is_simd;	   /* and no loop of threads or tasks */
	const char *odd;   /* [odd]: behind the innermost head; NULL: its loops are a rectangle */
	struct cc_span name; /* `sections`; empty: it is none */
	struct cc_span loop; /* [loop]; empty: it is none */
	enum cc_region of;   /* likewise: what it binds to */
	bool has_teams;
	struct cc_span bind;   /* bind(...); empty: none */
	struct cc_span order;  /* order(...); likewise */
	struct cc_span clause; /* schedule(...); empty: none */
	struct cc_span chunk;  /* empty: none */
};

/* Reads the pragma of a line, which is inside a region of this kind. */
struct cc_pragma cc_pragma_read(struct cc_span line, enum cc_region around);

#endif
