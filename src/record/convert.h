/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.h - the records of the runtime to the events of a trace
 *
 * Names.  Variables and locks are called after their place (regions.h), with #number
 *         behind it where that was used before; threads T0, T1 ...; the variables that
 *         stand for other synchronisation sync#0, sync#1 ...; locations are frames of call stacks
 *         (trace/callstack.h).
 * Use.    Records go in as long as the batch has room; then it is taken out.  A record of a
 *         large range fills several batches.
 */
#ifndef SNAG_RECORD_CONVERT_H
#define SNAG_RECORD_CONVERT_H

#include "runtime/channel.h"
#include "trace/source.h"

#include <stdio.h>

struct snag_convert;

/* Turns go to `schedule` if that is not NULL. */
struct snag_convert *snag_convert_new(FILE *schedule);
void snag_convert_free(struct snag_convert *c); /* accepts NULL */
const struct snag_names *snag_convert_names(const struct snag_convert *c);

/* Goes on with what did not fit; whether there is room for a record now. */
bool snag_convert_has_room(struct snag_convert *c);
void snag_convert_record(struct snag_convert *c, const struct rt_record *r);

/* The events so far, which go away with the next record; false: there are none. */
bool snag_convert_take(struct snag_convert *c, struct snag_batch *ret_batch);

/* Whether the program came to an end because no thread could run. */
bool snag_convert_was_deadlock(const struct snag_convert *c);

#endif
