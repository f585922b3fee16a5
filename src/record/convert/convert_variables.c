/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_variables.c - the variables of memory and of tokens: their names and splits
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"
#include "record/convert/regions.h"

#include <inttypes.h>
#include <stdio.h>

size_t snag_convert_tell_apart(struct snag_strtab *names, uint32_t id, char *text, size_t len,
			       size_t room)
{
	uint32_t known = names->n;
	if (snag_strtab_intern(names, text, len) == known)
		return len;
	len += (size_t)snprintf(text + len, room - len, "#%" PRIu32, id);
	snag_strtab_intern(names, text, len);
	return len;
}

uint32_t snag_convert_named(struct snag_convert *c, char *text, size_t len, size_t room)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	len = snag_convert_tell_apart(&c->used, words->n, text, len, room);
	c->used_up_to = words->n + 1;
	return snag_strtab_append(words, text, len);
}

/* Notes that a new variable is split from another one. */
static void variable_split(struct snag_convert *c, uint32_t id, uint32_t from)
{
	uint64_t event = c->first + c->n + c->in_runs;
	const struct snag_split split = {.variable = id,
					 .from = from,
					 .event =
						 event < UINT32_MAX ? (uint32_t)event : UINT32_MAX};
	snag_splits_add(&c->splits, &split);
	c->split = snag_grow(c->split, &c->split_cap, c->nsplits + 1, sizeof(*c->split));
	c->split[c->nsplits++] = split;
}

/* Names in blocks are many, and unique by construction, so they are not looked up. */
static uint32_t variable_spelled(struct snag_convert *c, uint64_t addr, const uint32_t *from)
{
	char text[SNAG_REGION_NAME + 16];
	bool is_block;
	uint32_t up_to = c->used_up_to;
	const bool has_name = !c->options.is_nameless;
	size_t len = has_name ? snag_regions_name(c->regions, addr, text, &is_block) : 0;
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	uint32_t id = !has_name || is_block ? snag_strtab_append(words, text, len)
					    : snag_convert_named(c, text, len, sizeof(text));
	c->used_up_to = from ? up_to : id + 1; /* it may have no event yet */
	if (from)
		variable_split(c, id, *from);
	return id;
}

/* For a sink most names are only those of places in a block that was named before: the mark of the
 * block is the number of that name, + 1. */
static uint32_t variable_new(void *ctx, uint64_t addr, const uint32_t *from)
{
	struct snag_convert *c = ctx;
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	uint64_t offset, nbytes, *mark;
	if (from || !words->has_places ||
	    !(mark = snag_regions_mark(c->regions, addr, &offset, &nbytes)))
		return variable_spelled(c, addr, from);
	if (*mark == 0 || words->nspelled - *mark >= SNAG_STRTAB_BASES) {
		*mark = words->nspelled + 1;
		return variable_spelled(c, addr, from);
	}
	const struct snag_strtab_place place = {(uint32_t)(*mark - 1), offset};
	c->used_up_to = words->n + 1;
	return snag_strtab_append_place(words, place);
}

/* The first by itself: it may have to name the block.  Others go on from it as far as they are
 * places in the same block. */
static uint32_t variables_new(void *ctx, uint64_t addr, unsigned step, uint32_t n, uint32_t *ret_n)
{
	struct snag_convert *c = ctx;
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	const uint32_t first = variable_new(ctx, addr, NULL);
	uint64_t offset, nbytes, *mark;
	*ret_n = n;
	if (words->has_places && (mark = snag_regions_mark(c->regions, addr, &offset, &nbytes)) &&
	    *mark && words->nspelled - *mark < SNAG_STRTAB_BASES) {
		const uint32_t some =
			(nbytes + step - 1) / step < n ? (uint32_t)((nbytes + step - 1) / step) : n;
		const struct snag_strtab_place place = {(uint32_t)(*mark - 1), offset + step};
		if (some > 1)
			snag_strtab_append_places(words, place, step, some - 1);
		c->used_up_to = words->n;
		*ret_n = some > 1 ? some : 1;
		return first;
	}
	for (uint32_t i = 1; i < n; i++)
		variable_new(ctx, addr + (uint64_t)i * step, NULL);
	return first;
}

static void split_matters(void *ctx, const uint32_t *variable, unsigned n)
{
	struct snag_convert *c = ctx;
	snag_splits_matter(&c->splits, variable, n);
}

static void split_lost(void *ctx, const uint32_t *variable, unsigned n)
{
	struct snag_convert *c = ctx;
	snag_splits_lose(&c->splits, variable, n);
}

struct snag_cells *snag_convert_cells(struct snag_convert *c)
{
	return snag_cells_new(&(struct snag_cells_hooks){.make = variable_new,
							 .make_some = variables_new,
							 .shared_split = split_matters,
							 .lost_split = split_lost,
							 .freed = snag_convert_freed_used,
							 .ctx = c});
}
