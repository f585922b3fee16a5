/* SPDX-License-Identifier: Apache-2.0
 *
 * updates.h - updates that commute, as events
 */
#ifndef SNAG_RUNTIME_UPDATES_H
#define SNAG_RUNTIME_UPDATES_H

#include "runtime/rt.h"

enum rt_update_event { RT_UPDATE_BEGINS, RT_UPDATE_ENDS };
/* Reports that an update of this kind begins or ends in the running context. */
void rt_update(enum rt_update_event what, uint32_t kind, uint32_t loc);

#endif
