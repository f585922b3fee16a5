/* SPDX-License-Identifier: Apache-2.0
 *
 * truth_osr.h - optimistic sync-reversal races by their definition
 */
#ifndef ORACLE_TRUTH_OSR_H
#define ORACLE_TRUTH_OSR_H

#include "model.h"

/* races[e2]: the earlier events that form such a race with e2.  False: too many states. */
bool truth_osr(const struct model *m, event_set *ret_races);

#endif
