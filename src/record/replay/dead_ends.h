/* SPDX-License-Identifier: Apache-2.0
 *
 * dead_ends.h - beginnings of schedules that a program could not follow
 *
 * Idea.   A run that follows a schedule repeats.  If the program could not follow one beyond its
 *         turn k, because the thread of turn k cannot run there, it cannot follow another one
 *         that has the same turns before k and the same thread in turn k.  Suspects with the same
 *         first access have such schedules: one run answers for all of them.
 * Cost.   The turns up to k of each dead end are kept and compared.
 */
#ifndef SNAG_RECORD_DEAD_ENDS_H
#define SNAG_RECORD_DEAD_ENDS_H

#include "record/turns.h"

struct snag_dead_ends { /* all 0: none */
	struct snag_turns *at;
	size_t n, room;
};

void snag_dead_ends_done(struct snag_dead_ends *ends);
/* A run followed these turns, but the thread of number `turn`, counted from 0, could not run. */
void snag_dead_ends_add(struct snag_dead_ends *ends, const struct snag_turns *turns, uint64_t turn);
/* Whether these turns lead to a dead end. */
bool snag_dead_ends_meet(const struct snag_dead_ends *ends, const struct snag_turns *turns);

#endif
