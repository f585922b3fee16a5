/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_splits.c - the SPLITS column of a .snag file
 */
#include "trace/snag/snag_splits.h"

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

/* [few] The list is in order, so the splits that made `from` come before those off it. */
static bool are_few(const struct snag_splits_list *list)
{
	const size_t nvariables = list->n ? (size_t)list->at[list->n - 1].variable + 1 : 0;
	uint32_t *root = snag_calloc(nvariables + 1, sizeof(*root)); /* 1 more; 0: not split off */
	uint8_t *parts = snag_calloc(nvariables + 1, 1);	     /* split off a root */
	bool is_right = true;
	for (size_t i = 0; i < list->n && is_right; i++) {
		const struct snag_split *split = &list->at[i];
		const uint32_t of = root[split->from] ? root[split->from] - 1 : split->from;
		root[split->variable] = of + 1;
		is_right = ++parts[of] < SNAG_SPLIT_PARTS;
	}
	free(root);
	free(parts);
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
