/* SPDX-License-Identifier: Apache-2.0
 *
 * creators.c - the creator of each thread, and the thread's index among the threads of its creator
 */
#include "record/creators.h"

#include "base/memory.h"

#include <stdlib.h>

void snag_creators_done(struct snag_creators *all)
{
	free(all->at);
	free(all->ncreated);
	*all = (struct snag_creators){0};
}

void snag_creators_put(struct snag_creators *all, struct snag_created created)
{
	all->at = snag_grow(all->at, &all->room, all->n + 1, sizeof(*all->at));
	all->at[all->n++] = created;
}

struct snag_created snag_creators_add(struct snag_creators *all, uint32_t creator, uint32_t thread)
{
	all->ncreated = snag_grow(all->ncreated, &all->ncreated_room, (size_t)creator + 1,
				  sizeof(*all->ncreated));
	struct snag_created created = {thread, creator, all->ncreated[creator]++};
	snag_creators_put(all, created);
	return created;
}

void snag_creators_copy(struct snag_creators *ret, const struct snag_creators *from)
{
	*ret = (struct snag_creators){0};
	for (size_t i = 0; i < from->n; i++)
		snag_creators_put(ret, from->at[i]);
}
