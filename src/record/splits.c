/* SPDX-License-Identifier: Apache-2.0
 *
 * splits.c - which variables were split off which, and when
 */
#include "record/splits.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

void snag_splits_init(struct snag_splits *s)
{
	*s = (struct snag_splits){0};
	snag_strtab_init(&s->names);
}

void snag_splits_done(struct snag_splits *s)
{
	free(s->at);
	snag_strtab_done(&s->names);
}

void snag_splits_add(struct snag_splits *s, const struct snag_split *split, const char *name)
{
	assert(s->n == 0 || s->at[s->n - 1].variable < split->variable);
	s->at = snag_grow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	s->at[s->n++] = *split;
	snag_strtab_append(&s->names, name, strlen(name));
}

static int split_compare(const void *variable, const void *split)
{
	uint32_t a = *(const uint32_t *)variable, b = ((const struct snag_split *)split)->variable;
	return (a > b) - (a < b);
}

struct snag_split *snag_splits_find(const struct snag_splits *s, uint32_t variable)
{
	return s->n ? bsearch(&variable, s->at, s->n, sizeof(*s->at), split_compare) : NULL;
}

void snag_splits_matter(struct snag_splits *s, const uint32_t *variable, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct snag_split *split = snag_splits_find(s, variable[i]);
		if (split)
			split->matters = s->matter = true;
	}
}

/* Forgets those that are lost, once they are most. */
static void lost_remove(struct snag_splits *s)
{
	enum { FEW = 1024 };
	struct snag_strtab names;
	size_t n = 0;
	if (s->nlost < s->n / 2 + FEW)
		return;
	snag_strtab_init(&names);
	for (size_t i = 0; i < s->n; i++) {
		const char *name = snag_strtab_get(&s->names, (uint32_t)i);
		if (s->at[i].is_lost)
			continue;
		snag_strtab_append(&names, name, strlen(name));
		s->at[n++] = s->at[i];
	}
	snag_strtab_done(&s->names);
	s->names = names;
	s->n = n;
	s->nlost = 0;
}

void snag_splits_lose(struct snag_splits *s, const uint32_t *variable, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct snag_split *split = snag_splits_find(s, variable[i]);
		if (!split || split->matters || split->is_lost)
			continue;
		split->is_lost = true;
		s->nlost++;
	}
	lost_remove(s);
}
