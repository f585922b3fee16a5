/* SPDX-License-Identifier: Apache-2.0
 *
 * stacks.c - stacks of implicit tasks; phases, segments, tasks
 */
#include "own/parts.h"

static uint32_t stack_new(struct own *o)
{
	enum { FIRST = 16 };
	uint32_t i = o->free_stack;
	if (i) {
		o->free_stack = o->stacks[i].outer;
		return i;
	}
	if (o->nstacks + 1 >= o->stacks_room) {
		uint32_t room = o->stacks_room ? 2 * o->stacks_room : FIRST;
		o->stacks = o->grow(o->stacks, o->stacks_room * sizeof(*o->stacks),
				    room * sizeof(*o->stacks));
		o->stacks_room = room;
	}
	return ++o->nstacks;
}

static void hull_set(struct own *o)
{
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (uint32_t i = 1; i <= o->nstacks; i++) {
		const struct own_range *r = &o->stacks[i].range;
		if (r->state != OWN_LENT)
			continue;
		low = r->at < low ? r->at : low;
		high = r->end > high ? r->end : high;
	}
	o->lent = high ? (struct own_hull){low, high - low} : (struct own_hull){0};
}

static void state_set(struct own *o, struct own_stack *s, enum own_state state)
{
	bool was_lent = s->range.state == OWN_LENT;
	s->range.state = (uint8_t)state;
	if (was_lent != (state == OWN_LENT))
		hull_set(o);
}

static void push(struct own *o, struct own_context *c)
{
	uint32_t i = stack_new(o);
	struct own_stack *s = &o->stacks[i];
	uint64_t *touched = s->touched;
	*s = (struct own_stack){
		.range = {.at = c->low,
			  .end = c->high,
			  .owner = c,
			  .implicit = c->implicit,
			  .kind = OWN_STACK,
			  .state = OWN_PRIVATE},
		.outer = c->stack,
		.outer_mode = c->mode,
		.touched = touched,
	};
	c->stack = i;
	c->mode = OWN_OUTSIDE;
}

static void pop(struct own *o, struct own_context *c)
{
	struct own_stack *s = &o->stacks[c->stack];
	const uint32_t i = c->stack;
	state_set(o, s, OWN_SHARED);
	c->stack = s->outer;
	c->mode = s->outer_mode;
	s->range = (struct own_range){0};
	s->outer = o->free_stack;
	o->free_stack = i;
}

static bool has_stack_of(const struct own *o, const struct own_context *c)
{
	for (uint32_t i = c->stack; i; i = o->stacks[i].outer)
		if (o->stacks[i].range.implicit == c->implicit)
			return true;
	return false;
}

void own_stacks_forget(struct own *o)
{
	for (uint32_t i = 1; i <= o->nstacks; i++)
		if (o->stacks[i].range.owner)
			o->stacks[i].range.state = OWN_PRIVATE;
	o->lent = (struct own_hull){0};
}

static void mode_set(struct own_context *c, unsigned mode, bool is_watched)
{
	const bool is_near = mode == OWN_SEGMENT && !is_watched;
	c->mode = (uint8_t)mode;
	c->is_watched = is_watched;
	c->near_low = is_near ? c->low : 0;
	c->near_bytes = is_near ? c->high - c->low : 0;
}

static void stack_leave(struct own *o, struct own_context *c)
{
	const uint8_t mode = c->mode;
	while (c->stack)
		pop(o, c);
	c->mode = mode; /* others of its team may still be in the phase: [found] */
}

static void stack_enter(struct own *o, struct own_context *c)
{
	if (has_stack_of(o, c)) {
		while (o->stacks[c->stack].range.implicit != c->implicit)
			pop(o, c);
		return;
	}
	while (c->stack && o->stacks[c->stack].range.end <= c->high) /* it is over */
		pop(o, c);
	push(o, c);
}

void own_launch(struct own *o)
{
	own_blocks_forget(o);
	own_stacks_forget(o);
}

void own_phase(struct own *o, struct own_context *c, struct own_phase p)
{
	c->implicit = p.number;
	c->phase = p.number ? p.phase : c->phase;
	c->low = p.low;
	c->high = p.high;
	if (p.number)
		stack_enter(o, c);
	else
		stack_leave(o, c);
	mode_set(c, c->mode, false);
}

void own_segment(struct own *o, struct own_context *c, bool has_loans)
{
	struct own_stack *s = c->stack ? &o->stacks[c->stack] : NULL;
	if (o->nranges)
		own_blocks_take_back(o, c, has_loans);
	if (!s)
		return;
	mode_set(c, OWN_SEGMENT,
		 has_loans && s->range.state == OWN_LENT && s->touched_in == c->phase);
	s->range.unreported_in = c->phase;
	if (s->range.state == OWN_SHARED)
		o->doubt();
}

void own_segment_end(struct own *o, struct own_context *c)
{
	mode_set(c, OWN_OUTSIDE, false);
}

void own_lends(struct own *o, struct own_context *c)
{
	mode_set(c, c->mode | OWN_LENDS, false);
}

void own_stack_escapes(struct own *o, struct own_context *of)
{
	struct own_stack *s = &o->stacks[of->stack];
	if (!of->stack || s->range.state == OWN_SHARED)
		return;
	state_set(o, s, OWN_SHARED);
	if (s->range.unreported_in == of->phase)
		o->doubt();
}

void own_stack_lend(struct own *o, struct own_context *of)
{
	struct own_stack *s = &o->stacks[of->stack];
	if (of->stack && s->range.state == OWN_PRIVATE)
		state_set(o, s, OWN_LENT);
}

void own_store(struct own *o, struct own_context *c, uintptr_t at) /* [escape] */
{
	const uintptr_t value = *(const uintptr_t *)at;
	if (own_is_on_stack(c, value) && !own_block_is_of(o, at, c->implicit))
		own_stack_escapes(o, c);
	if (__builtin_expect(own_in_hull(&o->heap, value), 0))
		own_block_escapes(o, value, at);
}

void own_args(struct own *o, uintptr_t at, size_t nbytes)
{
	o->args = (struct own_span){at, at + nbytes};
}

bool own_task(struct own *o, struct own_context *c, uintptr_t from, size_t nbytes)
{
	bool has_stack = false, has_block = false;
	if (!own_store_counts(o, c))
		return false;
	for (uintptr_t at = from; at + OWN_WORD <= from + nbytes; at += OWN_WORD) {
		const uintptr_t value = *(const uintptr_t *)at;
		has_stack |= own_is_on_stack(c, value);
		has_block |= own_in_hull(&o->heap, value) && own_block_lend(o, c, value, at);
	}
	if (has_stack)
		own_stack_lend(o, c);
	own_stores_drop(o, from, from + nbytes);
	return has_stack || has_block;
}

static void touched_set(struct own *o, struct own_stack *s, uintptr_t addr)
{
	enum { WORDS = OWN_BITS / 64 };
	if (!s->touched)
		s->touched = o->grow(NULL, 0, WORDS * sizeof(*s->touched));
	for (unsigned i = 0; s->touched_in != s->range.owner->phase && i < WORDS; i++)
		s->touched[i] = 0;
	s->touched_in = s->range.owner->phase;
	s->touched[own_bit(addr) / 64] |= UINT64_C(1) << own_bit(addr) % 64;
}

void own_touch(struct own *o, const struct own_context *c, uintptr_t addr)
{
	for (uint32_t i = 1; i <= o->nstacks; i++) {
		struct own_stack *s = &o->stacks[i];
		const struct own_range *r = &s->range;
		if (r->state != OWN_LENT || addr < r->at || addr >= r->end || r->owner == c ||
		    r->owner->stack != i)
			continue;
		touched_set(o, s, addr);
		if (r->unreported_in == r->owner->phase && !(r->owner->mode & OWN_LENDS))
			o->doubt();
	}
}

enum own_answer own_of_watched(const struct own *o, const struct own_context *c, uintptr_t addr)
{
	const uint64_t *touched = o->stacks[c->stack].touched;
	return touched[own_bit(addr) / 64] >> own_bit(addr) % 64 & 1 ? OWN_DOUBT : OWN_SKIP;
}

bool own_is_of(const struct own *o, const struct own_context *c, uintptr_t addr)
{
	return own_is_on_stack(c, addr) || own_block_is_of(o, addr, c->implicit) ||
	       addr - o->args.at < o->args.end - o->args.at;
}
