/* SPDX-License-Identifier: Apache-2.0
 *
 * log.h - the events seen so far, 12 bytes each
 *
 * What a run of detectors keeps of the trace, so that races can be explained after it:
 * thread, operation, operand and location of every event by its number.  (Sizes and
 * memory orders are not kept.)
 *
 *   0        4        8               12
 *   +--------+--------+----------+----+
 *   | target |  loc   |thread: 27|op:5|
 *   +--------+--------+----------+----+
 */
#ifndef SNAG_DETECT_LOG_H
#define SNAG_DETECT_LOG_H

#include "trace/race.h"
#include "trace/source.h"

struct snag_log_entry {
	uint32_t target;
	snag_loc loc;
	uint32_t thread : 27;
	uint32_t op : 5; /* SNAG_LOG_NESTED for a nested acquire or release */
};

enum { SNAG_LOG_NESTED = 31, SNAG_LOG_MAX_THREADS = 1 << 27 };

_Static_assert(sizeof(struct snag_log_entry) == 12, "a logged event is 12 bytes");
_Static_assert((int)SNAG_OPS <= (int)SNAG_LOG_NESTED, "an operation fits five bits");

struct snag_log {
	struct snag_log_entry *at;
	size_t n, cap;
	struct snag_log_locks {
		uint32_t *lock;
		struct snag_log_locks *next;
	} * locks; /* the lists handed out */
};

void snag_log_init(struct snag_log *log);
void snag_log_done(struct snag_log *log);
void snag_log_add(struct snag_log *log, const struct snag_batch *batch);

/* The event of that number as a report shows it, without the locks held. */
struct snag_site snag_log_site(const struct snag_log *log, uint32_t event);

/* Fills in the locks held at each of n sites; the lists belong to the log.  One pass over
 * the log up to the last of the sites. */
void snag_log_fill_locks(struct snag_log *log, struct snag_site **site, size_t n);

#endif
