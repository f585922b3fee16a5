/* SPDX-License-Identifier: Apache-2.0
 *
 * creators.h - the creator of each thread, and the thread's index among the threads of its creator
 *
 * The number of a thread depends on the order in which threads create others, so it can differ
 * from one schedule to another.  Its creator and its index among the creator's threads do not.
 * Schedules therefore declare both for their threads (runtime/sched/names.h).
 */
#ifndef SNAG_RECORD_CREATORS_H
#define SNAG_RECORD_CREATORS_H

#include <stddef.h>
#include <stdint.h>

struct snag_created {
	uint32_t thread;
	uint32_t creator;
	uint32_t index; /* among the threads of its creator, from 0 */
};

struct snag_creators {		 /* all 0: empty */
	struct snag_created *at; /* in the order of creation */
	size_t n, room;
	uint32_t *ncreated; /* by creator */
	size_t ncreated_room;
};

void snag_creators_done(struct snag_creators *all);
/* Adds a thread that was created now, and returns it. */
struct snag_created snag_creators_add(struct snag_creators *all, uint32_t creator, uint32_t thread);
/* Adds one whose index is known. */
void snag_creators_put(struct snag_creators *all, struct snag_created created);
void snag_creators_copy(struct snag_creators *ret, const struct snag_creators *from);

#endif
