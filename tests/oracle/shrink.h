/* SPDX-License-Identifier: Apache-2.0
 *
 * shrink.h - the smallest trace, nearly, that still shows a failure
 */
#ifndef ORACLE_SHRINK_H
#define ORACLE_SHRINK_H

#include "draft.h"

typedef bool shrink_predicate(void *ctx, const struct snag_trace *trace);

/* Changes *d, for which the predicate holds, into a smaller draft for which it
 * still does, and no single step of shrinking keeps it. */
void shrink(struct draft *d, shrink_predicate *still_fails, void *ctx);

#endif
