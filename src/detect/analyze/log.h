/* SPDX-License-Identifier: Apache-2.0
 *
 * log.h - a copy of the events for a second reading, 12 bytes each
 *
 * For sources that cannot be read again (pipes) or only slowly (text).  Kept are thread,
 * operation, operand and location of every event, and which are nested; not sizes and
 * memory orders.
 *
 *   0        4        8               12
 *   +--------+--------+----------+----+
 *   | target |  loc   |thread: 26|op:6|      op: bit 5 is the nested flag
 *   +--------+--------+----------+----+
 */
#ifndef SNAG_DETECT_LOG_H
#define SNAG_DETECT_LOG_H

#include "trace/source.h"

struct snag_log {
	struct snag_log_entry *at;
	size_t n, cap;
	struct snag_counts counts;
	const struct snag_names *names;
};

enum { SNAG_LOG_MAX_THREADS = 1 << 26 };

void snag_log_init(struct snag_log *log, const struct snag_names *names);
void snag_log_done(struct snag_log *log); /* accepts NULL */

/* Appends a batch, whose thread ids are below SNAG_LOG_MAX_THREADS. */
void snag_log_add(struct snag_log *log, const struct snag_batch *batch);
/* A source that delivers what is in the log now. */
struct snag_source *snag_log_source(const struct snag_log *log);

#endif
