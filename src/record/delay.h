/* SPDX-License-Identifier: Apache-2.0
 *
 * delay.h - the same run, with one access held back until another one comes
 */
#ifndef SNAG_RECORD_DELAY_H
#define SNAG_RECORD_DELAY_H

#include "trace/race.h"
#include "trace/trace.h"

/* Gives a race the events of that run for a witness, though reads may see other values in it.  False:
 * then the second access would not come. */
bool snag_delay(const struct snag_trace *trace, struct snag_race *race);

#endif
