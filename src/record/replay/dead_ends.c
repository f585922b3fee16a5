/* SPDX-License-Identifier: Apache-2.0
 *
 * dead_ends.c - beginnings of schedules that a program could not follow
 */
#include "record/replay/dead_ends.h"

#include "base/memory.h"

#include <stdlib.h>

void snag_dead_ends_done(struct snag_dead_ends *ends)
{
	for (size_t i = 0; i < ends->n; i++)
		snag_turns_done(&ends->at[i]);
	free(ends->at);
	*ends = (struct snag_dead_ends){0};
}

void snag_dead_ends_add(struct snag_dead_ends *ends, const struct snag_turns *turns, uint64_t turn)
{
	if (turn >= turns->n)
		return;
	struct snag_turns end = {.n = (size_t)turn + 1, .room = (size_t)turn + 1};
	end.at = snag_calloc(end.n, sizeof(*end.at));
	for (size_t i = 0; i < end.n; i++)
		end.at[i] = turns->at[i];
	ends->at = snag_grow(ends->at, &ends->room, ends->n + 1, sizeof(*ends->at));
	ends->at[ends->n++] = end;
}

/* The last turn of a dead end did not begin, so its length says nothing. */
static bool begins_so(const struct snag_turns *turns, const struct snag_turns *end)
{
	if (turns->n < end->n)
		return false;
	for (size_t i = 0; i < end->n; i++)
		if (turns->at[i].thread != end->at[i].thread ||
		    (i + 1 < end->n && turns->at[i].events != end->at[i].events))
			return false;
	return true;
}

bool snag_dead_ends_meet(const struct snag_dead_ends *ends, const struct snag_turns *turns)
{
	for (size_t i = 0; i < ends->n; i++)
		if (begins_so(turns, &ends->at[i]))
			return true;
	return false;
}
