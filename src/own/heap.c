/* SPDX-License-Identifier: Apache-2.0
 *
 * heap.c - heap blocks and copies: their table, and how their addresses escape
 */
#include "own/parts.h"

#include <string.h>

/* The first range that ends behind the address. */
static uint32_t find(const struct own *o, uintptr_t addr)
{
	uint32_t low = 0, high = o->nranges;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (o->range[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The range that an address is in; NULL: none. */
static struct own_range *range_at(struct own *o, uintptr_t addr)
{
	if (!own_in_hull(&o->heap, addr))
		return NULL;
	struct own_range *r = &o->range[find(o, addr)];
	return r->at <= addr ? r : NULL;
}

/* The same if it has an owner: not of one that is unseen, or on its way to be shared. */
static struct own_range *owned_at(struct own *o, uintptr_t addr)
{
	struct own_range *r = range_at(o, addr);
	return r && (r->state == OWN_PRIVATE || r->state == OWN_LENT) ? r : NULL;
}

static bool is_of(struct own *o, uintptr_t addr, uint32_t implicit)
{
	const struct own_range *r = owned_at(o, addr);
	return r && r->implicit == implicit;
}

bool own_block_is_of(const struct own *o, uintptr_t addr, uint32_t implicit)
{
	return is_of((struct own *)o, addr, implicit);
}

static bool is_current(const struct own_range *r, const struct own_context *c)
{
	return r->owner == c && r->implicit == c->implicit;
}

static void hull_set(struct own *o)
{
	const struct own_range *r = o->range;
	o->heap = (struct own_hull){0};
	if (o->nranges)
		o->heap = (struct own_hull){r->at, r[o->nranges - 1].end - r->at};
}

static void drop(struct own *o, struct own_range *r)
{
	uint32_t after = --o->nranges - (uint32_t)(r - o->range);
	memmove(r, r + 1, after * sizeof(*r));
	hull_set(o);
}

/* Drops the shared ranges. */
static void sweep(struct own *o)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < o->nranges; i++)
		if (o->range[i].state != OWN_SHARED)
			o->range[kept++] = o->range[i];
	o->nranges = kept;
	hull_set(o);
}

static void add(struct own *o, const struct own_range *range)
{
	uint32_t i = find(o, range->at);
	while (i < o->nranges && o->range[i].at < range->end) /* the model did not see its end */
		drop(o, &o->range[i]);
	if (o->nranges == OWN_MOST)
		return; /* it is shared */
	memmove(&o->range[i + 1], &o->range[i], (o->nranges++ - i) * sizeof(*range));
	o->range[i] = *range;
	hull_set(o);
}

void own_blocks_forget(struct own *o)
{
	for (uint32_t i = 0; i < o->nranges; i++)
		if (o->range[i].kind == OWN_BLOCK)
			o->range[i].state = OWN_SHARED;
	sweep(o);
}

void own_alloc(struct own *o, struct own_context *c, uintptr_t at, size_t nbytes)
{
	if (c->implicit && nbytes)
		add(o, &(struct own_range){.at = at,
					   .end = at + nbytes,
					   .owner = c,
					   .implicit = c->implicit,
					   .kind = OWN_BLOCK,
					   .state = OWN_PRIVATE});
}

void own_unseen(struct own *o, uintptr_t at, size_t nbytes)
{
	if (nbytes)
		add(o,
		    &(struct own_range){
			    .at = at, .end = at + nbytes, .kind = OWN_COPY, .state = OWN_UNSEEN});
}

/* c, which is not the owner, accesses a block or frees it.  Returns whether it is still owned. */
static bool found(struct own *o, struct own_range *r, const struct own_context *c) /* [found] */
{
	const struct own_context *owner = r->owner;
	const bool lends = owner->mode & OWN_LENDS;
	const bool is_unreported = r->unreported_in && r->unreported_in == owner->phase;
	if (!c->implicit && lends && r->implicit == owner->implicit) {
		r->state = OWN_LENT;
		return true;
	}
	drop(o, r);
	if (is_unreported && !lends)
		o->doubt();
	return false;
}

void own_free(struct own *o, const struct own_context *c, uintptr_t at)
{
	struct own_range *r = range_at(o, at);
	if (!r || r->at != at)
		return;
	if (r->state != OWN_PRIVATE || r->owner == c || found(o, r, c))
		drop(o, r);
}

void own_seen(struct own *o, uintptr_t at)
{
	struct own_range *r = range_at(o, at);
	if (r && r->at == at)
		drop(o, r);
}

void own_blocks_take_back(struct own *o, const struct own_context *c, bool has_loans)
{
	bool is_swept = false;
	for (uint32_t i = 0; i < o->nranges; i++) {
		struct own_range *r = &o->range[i];
		if (r->state != OWN_LENT || !is_current(r, c))
			continue;
		r->state = has_loans ? OWN_SHARED : OWN_PRIVATE;
		is_swept |= has_loans;
	}
	if (is_swept)
		sweep(o);
}

static uint32_t pend(struct own *o, struct own_range *r, uint32_t n)
{
	r->state = OWN_SHARED;
	o->pending[n] = (uint16_t)(r - o->range);
	return n + 1;
}

/* Whether an address is on the stack of the implicit task that a range belongs to. */
static bool is_on_stack_of(const struct own *o, const struct own_range *r, uintptr_t addr)
{
	for (uint32_t i = r->owner->stack; i; i = o->stacks[i].outer) {
		const struct own_range *s = &o->stacks[i].range;
		if (s->implicit == r->implicit)
			return addr - s->at < s->end - s->at;
	}
	return false;
}

/* Looks at the words of one that is shared now. */
static uint32_t reach(struct own *o, const struct own_range *r, uint32_t n) /* [reach] */
{
	uintptr_t at = (r->at + OWN_WORD - 1) & -(uintptr_t)OWN_WORD;
	for (; at + OWN_WORD <= r->end; at += OWN_WORD) {
		const uintptr_t value = *(const uintptr_t *)at;
		struct own_range *to = owned_at(o, value);
		if (r->implicit == r->owner->implicit && own_is_on_stack(r->owner, value))
			own_stack_escapes(o, r->owner);
		n = to ? pend(o, to, n) : n;
	}
	return n;
}

void own_block_escapes(struct own *o, uintptr_t value, uintptr_t at) /* [escape] */
{
	struct own_range *r = owned_at(o, value);
	if (!r || is_of(o, at, r->implicit) || is_on_stack_of(o, r, at))
		return;
	for (uint32_t n = pend(o, r, 0); n > 0;) {
		r = &o->range[o->pending[--n]];
		n = reach(o, r, n);
	}
	sweep(o);
}

bool own_block_lend(struct own *o, const struct own_context *c, uintptr_t value, uintptr_t at)
{
	struct own_range *r = owned_at(o, value);
	if (!r)
		return false;
	if (r->state == OWN_PRIVATE && !is_current(r, c)) {
		own_block_escapes(o, value, at);
		return false;
	}
	r->state = OWN_LENT;
	return true;
}

enum own_answer own_of_heap(struct own *o, const struct own_context *c, uintptr_t addr)
{
	struct own_range *r = range_at(o, addr);
	if (!r)
		return OWN_TELL;
	if (r->state == OWN_UNSEEN)
		return OWN_SKIP;
	if (r->owner != c)
		found(o, r, c);
	else if (r->implicit == c->implicit && c->mode == OWN_SEGMENT) {
		r->unreported_in = c->phase;
		return OWN_SKIP;
	}
	return OWN_TELL;
}

void own_each(const struct own *o, const struct own_context *c,
	      void (*f)(uintptr_t at, size_t nbytes))
{
	for (uint32_t i = 0; i < o->nranges; i++)
		if (is_current(&o->range[i], c))
			f(o->range[i].at, o->range[i].end - o->range[i].at);
}
