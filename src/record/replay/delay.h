/* SPDX-License-Identifier: Apache-2.0
 *
 * delay.h - the same run, with one access held back until another thread reaches its own
 */
#ifndef SNAG_RECORD_DELAY_H
#define SNAG_RECORD_DELAY_H

#include "trace/race.h"
#include "trace/trace.h"

/* Gives the race a witness: the events of such a run.  Reads may see other values in it.
 * Returns false if the second access would not be reached. */
bool snag_delay(const struct snag_trace *trace, struct snag_race *race);

#endif
