/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_attributes.h - directives of OpenMP that are attributes of C++, as pragmas
 *
 * Rules.  [directive]  [[omp::directive(parallel for)]] and [[using omp : directive(parallel
 *                      for)]] become a pragma on a line of its own; what is behind keeps its
 *                      line and its column
 *         [sequence]   of omp::sequence(directive(...), sequence(...)) each directive is one
 *         [left]       attributes that are not all of OpenMP, that do not stand before a
 *                      statement, or whose directive belongs to declarations
 */
#ifndef SNAG_CC_OPENMP_ATTRIBUTES_H
#define SNAG_CC_OPENMP_ATTRIBUTES_H

#include "cc/openmp_text.h"

void cc_attributes_rewrite(struct cc_text *t, struct cc_span text);

#endif
