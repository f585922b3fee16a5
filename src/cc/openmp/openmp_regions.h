/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_regions.h - which region of OpenMP a place of the text is right inside of
 *
 * A `loop` directive that does not say what it binds to binds to the region that it is strictly
 * nested in: its teams or threads share the iterations, or, in any other, the thread that
 * meets it has all of them.
 *
 * Rules.  [block]  the first brace behind a pragma that has a block opens its region, the one that
 *                  closes it ends it; of several pragmas in a row the last one counts
 *         [other]  a statement without braces ends with its semicolon, outside of parentheses
 */
#ifndef SNAG_CC_OPENMP_REGIONS_H
#define SNAG_CC_OPENMP_REGIONS_H

#include "cc/text/text.h"

enum cc_region { CC_REGION_NONE, CC_REGION_PARALLEL, CC_REGION_TEAMS, CC_REGION_OTHER };

struct cc_regions {
	struct regions_open {
		unsigned depth; /* how many braces are open outside the region */
		enum cc_region region;
	} * open;
	size_t n, cap;
	unsigned depth, parentheses;
	enum cc_region awaited; /* the region is about to begin */
};

enum cc_region cc_regions_at(const struct cc_regions *r);
void cc_regions_pragma(struct cc_regions *r, struct cc_span line);
void cc_regions_code(struct cc_regions *r, struct cc_span line);
void cc_regions_done(struct cc_regions *r);

#endif
