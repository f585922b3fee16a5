/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.h - the records of a run, in a file without a name, to be read again once
 *
 * Idea.   A loop executes the same places again and again.  A record resembles the last record of
 *         its place and kind, and the place that follows is most often the one that followed
 *         last time.  So most records take one to three bytes.
 *
 * State.  context  by place, kind and size: the last record, and how far address and arg moved
 *                  from the one before; which context came after it
 * Format. A record begins with a byte:
 *           7       5 4       2 1       0
 *           +---------+---------+---------+
 *           |   arg   | address | context |
 *           +---------+---------+---------+
 *         context  0: the one that followed the last time; 1: its number, 2 bytes, follows;
 *                  2: a new one: the whole record follows, and nothing else
 *         address, arg  0: moved as far as the last time; n: the difference follows, in n bytes
 *                  (7: in 8), lowest first, as a signed number
 * Rules.  What cannot be written is missing: snag_spool_error() says why.  So is what the limit
 *         leaves no room for.
 * Cost.   About 10 ns to write or read a record.
 */
#ifndef SNAG_SCOUT_SPOOL_H
#define SNAG_SCOUT_SPOOL_H

#include "base/error.h"
#include "runtime/channel/channel.h"

#include <stdbool.h>

struct snag_spool;

/* `folder` is where the file lies, which has at most about `limit` bytes; 0: any number. */
int snag_spool_new(const char *folder, uint64_t limit, struct snag_spool **ret_spool,
		   struct snag_error *err);
void snag_spool_free(struct snag_spool *s); /* accepts NULL */

/* Adds records, whose lap bit is lost. */
void snag_spool_put(struct snag_spool *s, const struct rt_record *r, int n);
/* Adds nothing more, for this reason. */
void snag_spool_close(struct snag_spool *s, const char *why);
/* NULL: all could be written. */
const char *snag_spool_error(struct snag_spool *s);

/* Ends writing; the records are read from the first on. */
void snag_spool_rewind(struct snag_spool *s);
/* Returns how many records were read, at most `room`; 0: there are no more. */
int snag_spool_next(struct snag_spool *s, struct rt_record *ret_record, int room);

#endif
