/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.h - traces near the known interesting ones
 *
 * Random traces hardly ever hit the shapes on which relations go wrong: a few
 * changes to a known one do.
 */
#ifndef ORACLE_MUTATE_H
#define ORACLE_MUTATE_H

#include "draft.h"
#include "prng.h"

/* One of the built-in cases (cases.h) after a few random changes, well formed
 * and at most `max_events` or the size of the case long. */
void mutate_known(struct prng *random, unsigned max_events, struct draft *ret_draft);

#endif
