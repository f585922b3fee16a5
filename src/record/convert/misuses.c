/* SPDX-License-Identifier: Apache-2.0
 *
 * misuses.c - the mistakes that the runtime and the converter notice in a run (trace/misuse.h)
 */
#include "record/convert/misuses.h"

#include "base/memory.h"

#include <stdlib.h>

static bool is_same(const struct snag_misuse *a, const struct snag_misuse *b)
{
	return a->kind == b->kind && a->loc == b->loc && a->has_before == b->has_before &&
	       (!a->has_before || a->before == b->before);
}

void snag_misuses_add(struct snag_misuse_list *list, const struct snag_misuse *misuse)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_same(&list->at[i], misuse)) {
			list->at[i].count++;
			return;
		}
	if (list->n == SNAG_MISUSES_KEPT) {
		list->left_out++;
		return;
	}
	list->at = snag_grow(list->at, &list->cap, list->n + 1, sizeof(*list->at));
	struct snag_misuse *new = &list->at[list->n++];
	*new = *misuse;
	new->object = snag_strdup(misuse->object);
	new->count = 1;
}

void snag_misuses_drop_heap(struct snag_misuse_list *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->n; i++) {
		const enum snag_misuse_kind kind = list->at[i].kind;
		if (kind == SNAG_MISUSE_USE_AFTER_FREE || kind == SNAG_MISUSE_DOUBLE_FREE)
			free(list->at[i].object);
		else
			list->at[n++] = list->at[i];
	}
	list->n = n;
}

void snag_misuses_done(struct snag_misuse_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i].object);
	free(list->at);
	*list = (struct snag_misuse_list){0};
}
