/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_regions.h - which region of OpenMP a place of the text is right inside of
 *
 * A `loop` directive that does not say what it binds to binds to the region that it is strictly
 * nested in: its teams or threads share the iterations, or, in any other, the thread that meets it has
 * all of them.
 *
 * Rules.  [block]  the first brace behind a pragma that has a block opens its region, the one that
 *                  closes it ends it; of several pragmas in a row the last one counts
 *         [other]  a statement without braces ends with its semicolon, outside of parentheses
 */
#ifndef SNAG_CC_OPENMP_REGIONS_H
#define SNAG_CC_OPENMP_REGIONS_H

#include "cc/openmp_text.h"

enum cli_region { CLI_REGION_NONE, CLI_REGION_PARALLEL, CLI_REGION_TEAMS, CLI_REGION_OTHER };

struct regions {
	struct regions_open {
		unsigned depth; /* of braces, outside */
		enum cli_region region;
	} * open;
	size_t n, cap;
	unsigned depth, parentheses;
	enum cli_region awaited; /* is to begin */
};

enum cli_region cli_regions_at(const struct regions *r);
void cli_regions_pragma(struct regions *r, struct span line);
void cli_regions_code(struct regions *r, struct span line);
void cli_regions_done(struct regions *r);

#endif
