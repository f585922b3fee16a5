/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_accesses.c - turns accesses, nearly all of the records, into events
 *
 * Idea.  The cells of a group of accesses are looked up together, so that the processor fetches
 *        them in parallel.  group_quick() handles accesses that cover one variable that exists.
 *        The first access that it refuses goes through the cells (record/convert/cells.h), and then
 *        it continues.
 */
#include "record/convert/convert_state.h"

/* Returns the bytes of a cell that an access touches, as bits.  An access that does not lie in one
 * cell gives 0, or more bits than a cell has bytes. */
static inline unsigned access_mask(const struct rt_record *r)
{
	return ((1u << (rt_record_size(r) & 31)) - 1) << rt_record_address(r) % SNAG_CELL;
}

/* Keeps the targets of the last accesses that made one event each. */
static void targets_keep(struct snag_convert *c)
{
	const size_t n = c->seen.unkept, ring = 2 * RT_RUN_MAX;
	const struct snag_event *ev = c->ev + c->n - n;
	for (size_t i = n > ring ? n - ring : 0; i < n; i++)
		c->seen.target[(c->seen.alone + i) % ring] = ev[i].target;
	c->seen.alone += n;
	c->seen.unkept = 0;
}

/* Makes the events of the first accesses, out of n, that each have one variable already.  Fields
 * of c are copied to locals, because the compiler must assume that writing an event changes
 * them. */
static int group_quick(struct snag_convert *c, const struct rt_record *const first,
		       struct snag_cell *const *cell, int n)
{
	const struct rt_record *r = first, *const end = r + n;
	struct snag_event *ev = c->ev + c->n;
	const uint32_t thread = c->thread, *const loc = c->loc;
	const size_t nnodes = c->nnodes;
	for (struct snag_cell *at; r < end && (at = *cell++); r++, ev++) {
		const unsigned mask = access_mask(r), k = at->mask[0] != mask;
		if (mask - 1 >= UINT8_MAX || at->mask[k] != mask)
			break;
		if (at->flags & SNAG_CELLS_FREED)
			break;
		if (at->owner != (uint8_t)thread)
			at->flags |= SNAG_CELLS_SHARED;
		*ev = (struct snag_event){.thread = thread,
					  .target = at->variable[k] - 1,
					  .loc = r->loc < nnodes ? loc[r->loc] : 0,
					  .op = (uint8_t)access_op(r),
					  .size = (uint8_t)rt_record_size(r)};
	}
	const int taken = (int)(r - first);
	c->n += (size_t)taken;
	c->seen.unkept += (size_t)taken;
	return taken;
}

/* Takes the accesses at the beginning of a group of records; returns how many there are. */
static int group_take(struct snag_convert *c, const struct rt_record *r, int n)
{
	struct snag_cell *cell[GROUP];
	int some = 0;
	for (; some < n && rt_record_is_access(&r[some]); some++) {
		cell[some] = snag_cells_recent(c->cells, rt_record_address(&r[some]));
		__builtin_prefetch(cell[some], 1);
	}
	for (int i = 0; i < some; i++) {
		const int quick = group_quick(c, r + i, cell + i, some - i);
		for (int k = 0; c->options.keep_steps && k < quick; k++) {
			c->fuel = r[i + k].arg;
			snag_convert_step_keep(c);
		}
		i += quick;
		if (i == some)
			break;
		targets_keep(c);
		c->fuel = r[i].arg;
		word_access(c, access_op(&r[i]), rt_record_address(&r[i]), rt_record_size(&r[i]), 0,
			    &r[i]);
	}
	return some;
}

int snag_convert_accesses(struct snag_convert *c, const struct rt_record *r, int n)
{
	const int ring = 2 * RT_RUN_MAX;
	int i = 0;
	for (bool goes_on = true; goes_on && i < n && has_room(c, GROUP * SNAG_CELL);) {
		int some = n - i < GROUP ? n - i : GROUP, taken = group_take(c, r + i, some);
		goes_on = taken == some;
		i += taken;
	}
	targets_keep(c);
	for (int k = i > ring ? i - ring : 0; k < i; k++)
		c->seen.access[(c->seen.n + (uint64_t)k) % (2 * RT_RUN_MAX)] = r[k];
	c->seen.n += (uint64_t)i;
	return i;
}
