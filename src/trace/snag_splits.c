/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_splits.c - the SPLITS column of a .snag file
 */
#include "trace/snag_splits.h"

#include "base/memory.h"
#include "trace/format.h"

void snag_splits_pack(struct snag_bytes *table, const struct snag_split *split, size_t n)
{
	struct snag_split before = {0};
	snag_bytes_put_varint(table, n);
	for (size_t i = 0; i < n; before = split[i++]) {
		snag_bytes_put_varint(table, split[i].variable - before.variable);
		snag_bytes_put_varint(table, split[i].variable - split[i].from);
		snag_bytes_put_varint(table, split[i].event - before.event);
	}
}

void snag_splits_list_done(struct snag_splits_list *list)
{
	free(list->at);
}

bool snag_splits_unpack(struct snag_span table, struct snag_splits_list *list)
{
	uint32_t n, variable, back, event;
	struct snag_split split = {0};
	if (!snag_span_varint(&table, &n) || n == 0 || n > SNAG_BLOCK_MAX_SPLITS ||
	    n > (size_t)(table.end - table.at) / 3)
		return false;
	list->at = snag_grow(list->at, &list->cap, list->n + n, sizeof(*list->at));
	for (; n > 0; n--) {
		if (!snag_span_varint(&table, &variable) || !snag_span_varint(&table, &back) ||
		    !snag_span_varint(&table, &event) || variable > UINT32_MAX - split.variable ||
		    event > UINT32_MAX - split.event)
			return false;
		split.variable += variable;
		split.event += event;
		if (back == 0 || back > split.variable)
			return false; /* [from] */
		split.from = split.variable - back;
		list->at[list->n++] = split;
	}
	return table.at == table.end;
}

/* The split that made a variable; SIZE_MAX: none did. */
static size_t split_of(const struct snag_splits_list *list, uint32_t variable)
{
	size_t low = 0, high = list->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->at[middle].variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->n && list->at[low].variable == variable ? low : SIZE_MAX;
}

static int from_compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* [few] */
static bool are_few(const struct snag_splits_list *list)
{
	uint32_t *root = snag_alloc((list->n + 1) * sizeof(*root));
	bool is_right = true;
	for (size_t i = 0; i < list->n; i++) {
		size_t made = split_of(list, list->at[i].from);
		root[i] = made == SIZE_MAX ? list->at[i].from : root[made];
	}
	qsort(root, list->n, sizeof(*root), from_compare);
	for (size_t i = SNAG_SPLIT_PARTS - 1; i < list->n; i++)
		is_right &= root[i] != root[i - (SNAG_SPLIT_PARTS - 1)];
	free(root);
	return is_right;
}

bool snag_splits_check(const struct snag_splits_list *list, uint32_t variables, uint64_t events)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct snag_split *split = &list->at[i];
		if (split->variable >= variables || split->event > events ||
		    (i > 0 && (split->variable <= split[-1].variable ||
			       split->event < split[-1].event))) /* [order] */
			return false;
	}
	return are_few(list);
}
