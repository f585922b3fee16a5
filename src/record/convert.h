/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.h - the records of the runtime to the events of a trace
 *
 * Names.  Variables and locks are called after their place (regions.h), with #number
 *         behind it where that was used before; threads T0, T1 ...; the variables that
 *         stand for other synchronisation sync#0, sync#1 ...
 *         A location is "module+0xoffset^parent": the address of the instruction in its
 *         module, and the number of the location that called this function; without ^ it
 *         is the outermost known.  For each module there is one location of its own,
 *         used by no event, "module=path#buildid".
 */
#ifndef SNAG_RECORD_CONVERT_H
#define SNAG_RECORD_CONVERT_H

#include "runtime/channel.h"
#include "trace/sink.h"

#include <stdio.h>

struct snag_convert;

/* Events go to `sink` (borrowed), turns to `schedule` if that is not NULL. */
struct snag_convert *snag_convert_new(struct snag_sink *sink, FILE *schedule);
void snag_convert_free(struct snag_convert *c); /* accepts NULL */
int snag_convert_record(struct snag_convert *c, const struct rt_record *r, struct snag_error *err);
/* The records have ended: what is left goes to the sink. */
int snag_convert_finish(struct snag_convert *c, struct snag_error *err);
uint64_t snag_convert_events(const struct snag_convert *c);

#endif
