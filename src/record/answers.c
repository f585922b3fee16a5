/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.c - the times that the threads of a run read, in order
 */
#include "record/answers.h"

#include "base/memory.h"

#include <stdlib.h>

void snag_answers_done(struct snag_answers *all)
{
	free(all->at);
	*all = (struct snag_answers){0};
}

void snag_answers_add(struct snag_answers *all, uint32_t thread, uint64_t value)
{
	if (all->n == SNAG_ANSWERS_MAX)
		return;
	all->at = snag_grow(all->at, &all->room, all->n + 1, sizeof(*all->at));
	all->at[all->n++] = (struct snag_answer){thread, value};
}

void snag_answers_copy(struct snag_answers *ret, const struct snag_answers *from)
{
	*ret = (struct snag_answers){0};
	for (size_t i = 0; i < from->n; i++)
		snag_answers_add(ret, from->at[i].thread, from->at[i].value);
}
