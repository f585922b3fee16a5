/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_attributes.h - directives of OpenMP that are attributes of C++, as pragmas
 *
 * Rules.  [directive]  [[omp::directive(parallel for)]] and [[using omp : directive(parallel
 *                      for)]] become a pragma on a line of its own; the code behind it keeps its
 *                      line and column
 *         [sequence]   each directive of omp::sequence(directive(...), sequence(...)) becomes a
 *                      pragma
 *         [left]       the rewriter leaves these attributes alone: a list that also has attributes
 *                      of others than OpenMP; attributes that do not stand before a statement;
 *                      directives for declarations
 */
#ifndef SNAG_CC_OPENMP_ATTRIBUTES_H
#define SNAG_CC_OPENMP_ATTRIBUTES_H

#include "cc/text/text.h"

void cc_attributes_rewrite(struct cc_text *t, struct cc_span text);

#endif
