/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_masked.h - makes the runtime see which thread executes blocks of master and masked
 *
 * gcc compares the number of the thread by itself.  But it evaluates the filter clause in every
 * thread that comes to the block.  So the rewriter puts a call there, which returns its
 * argument and lets the runtime see the thread (omp/deal.h).
 *
 * Rules.  [master]  becomes masked filter(__snag_omp_masked(0))
 *         [masked]  filter(e) becomes filter(__snag_omp_masked(e)); without a filter, e is 0
 *         [left]    A block combined with parallel stays: nothing follows it in the region.
 */
#ifndef SNAG_CC_OPENMP_MASKED_H
#define SNAG_CC_OPENMP_MASKED_H

#include "cc/text/text.h"

#define CC_MASKED_DECLARATION \
	"int __snag_omp_masked(int) __asm__(\"__snag_omp_masked\") __attribute__((nothrow));\n"

/* Rewrites the line of a pragma. Returns false if the line stays as it is. */
bool cc_masked_rewrite(struct cc_text *t, struct cc_span line);

#endif
