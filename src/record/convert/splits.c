/* SPDX-License-Identifier: Apache-2.0
 *
 * splits.c - from which variable each new one was split (trace/split.h), and which splits matter
 */
#include "record/convert/splits.h"

#include "base/memory.h"

#include <assert.h>

void snag_splits_done(struct snag_splits *s)
{
	free(s->at);
	free(s->reported);
}

void snag_splits_add(struct snag_splits *s, const struct snag_split *split)
{
	assert(s->n == 0 || s->at[s->n - 1].split.variable < split->variable);
	s->at = snag_grow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
	s->at[s->n++] = (struct snag_kept_split){.split = *split};
}

/* The split that made a variable; NULL: none did. */
static struct snag_kept_split *split_of(const struct snag_splits *s, uint32_t variable)
{
	size_t low = 0, high = s->n;
	for (size_t back = 1; back < s->n && low == 0; back *= 4) { /* mostly one of the latest */
		if (s->at[s->n - back].split.variable <= variable)
			low = s->n - back;
		else
			high = s->n - back;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->at[middle].split.variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n && s->at[low].split.variable == variable ? &s->at[low] : NULL;
}

void snag_splits_matter(struct snag_splits *s, const uint32_t *variable, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct snag_kept_split *kept = split_of(s, variable[i]);
		if (kept)
			kept->matters = s->matter = true;
	}
}

/* Removes lost splits, once they are the majority. */
static void lost_remove(struct snag_splits *s)
{
	enum { FEW = 1024 };
	size_t n = 0;
	if (s->nlost < s->n / 2 + FEW)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!s->at[i].is_lost)
			s->at[n++] = s->at[i];
	s->n = n;
	s->nlost = 0;
}

void snag_splits_lose(struct snag_splits *s, const uint32_t *variable, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct snag_kept_split *kept = split_of(s, variable[i]);
		if (!kept || kept->matters || kept->is_lost)
			continue;
		kept->is_lost = true;
		s->nlost++;
	}
	lost_remove(s);
}

size_t snag_splits_reported(struct snag_splits *s, const struct snag_split **ret_split)
{
	size_t n = 0;
	free(s->reported);
	s->reported = snag_calloc(s->n, sizeof(*s->reported));
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].matters)
			s->reported[n++] = s->at[i].split;
	*ret_split = s->reported;
	return n;
}
