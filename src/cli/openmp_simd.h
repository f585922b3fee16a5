/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.h - simd loops, whose iterations are to be seen as well
 *
 * Idea.   `#pragma omp simd` becomes a parallel loop of a team that the runtime knows by its number of
 *         threads (omp/core.h: MP_SIMD) and whose iterations are parallel.
 * Rules.  [safelen]   goes into the chunk size
 *         [clauses]   what only guides code generation goes away
 *         [variable]  of the loop, or of each of those that are collapsed: if it is one from outside, and the
 *                     pragma does not name it, it has its last value afterwards
 *         [ordered]   a loop with an ordered region inside is left as it is
 */
#ifndef SNAG_CLI_OPENMP_SIMD_H
#define SNAG_CLI_OPENMP_SIMD_H

#include "cli/openmp_text.h"

/* Of a pragma that is simd alone, or a `loop` of one thread.  False: it is to be left. */
bool cli_simd_rewrite(struct text *t, struct span line, struct span after);

#endif
