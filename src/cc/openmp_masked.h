/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_masked.h - makes the runtime see who is to execute blocks of master and masked
 *
 * gcc compares the number of the thread by itself.  But it evaluates the filter clause in every thread that
 * comes to the block: so that becomes a call, which returns what it is given (omp/deal.h).
 *
 * Rules.  [master]  becomes masked filter(__snag_omp_masked(0))
 *         [masked]  filter(e), or none, becomes filter(__snag_omp_masked(e)), filter(__snag_omp_masked(0))
 *         [left]    combined with parallel: nothing is behind it in the region
 */
#ifndef SNAG_CC_OPENMP_MASKED_H
#define SNAG_CC_OPENMP_MASKED_H

#include "cc/openmp_text.h"

#define CC_MASKED_DECLARATION \
	"int __snag_omp_masked(int) __asm__(\"__snag_omp_masked\") __attribute__((nothrow));\n"

/* The line of a pragma, or any other.  False: it is to be left. */
bool cc_masked_rewrite(struct cc_text *t, struct cc_span line);

#endif
