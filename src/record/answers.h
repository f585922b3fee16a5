/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.h - the times that the threads of a run read, in order
 *
 * A replay gives the threads the same answers (runtime/interpose/answers.h).  The recorder keeps at
 * most SNAG_ANSWERS_MAX of them; after the last one, time in a replay goes on from there.
 */
#ifndef SNAG_RECORD_ANSWERS_H
#define SNAG_RECORD_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

enum { SNAG_ANSWERS_MAX = 1 << 16 };

struct snag_answer {
	uint32_t thread;
	uint64_t value; /* nanoseconds */
};

struct snag_answers { /* all 0: empty */
	struct snag_answer *at;
	size_t n, room;
};

void snag_answers_done(struct snag_answers *all);
void snag_answers_add(struct snag_answers *all, uint32_t thread, uint64_t value);
void snag_answers_copy(struct snag_answers *ret, const struct snag_answers *from);

#endif
