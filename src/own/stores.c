/* SPDX-License-Identifier: Apache-2.0
 *
 * stores.c - words that a context stores, looked at together
 *
 * Idea.   The runtime hears of a store before it happens, and of later stores
 *         to the same word not at all until its epoch ends (runtime/access/access.h).
 *         So own_stores_add() notes the word, and own_stores_look() reads its
 *         value at the end of the epoch.  No other context runs in between.
 */
#include "own/own.h"

void own_stores_add(struct own *o, struct own_context *c, uintptr_t addr, size_t nbytes)
{
	enum { FIRST = 256 };
	struct own_stores *s = &o->stores;
	const uintptr_t at = (addr + OWN_WORD - 1) & -(uintptr_t)OWN_WORD;
	const uintptr_t end = (addr + nbytes) & -(uintptr_t)OWN_WORD;
	if (at >= end || own_is_on_stack(c, at) || at - o->args.at < o->args.end - o->args.at)
		return;
	s->by = c;
	if (s->n && s->span[s->n - 1].end == at) {
		s->span[s->n - 1].end = end;
		return;
	}
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : FIRST;
		s->span = o->grow(s->span, s->room * sizeof(*s->span), room * sizeof(*s->span));
		s->room = room;
	}
	s->end = &s->span[s->n].end;
	s->span[s->n++] = (struct own_span){at, end};
}

void own_stores_look(struct own *o)
{
	const size_t n = o->stores.n;
	struct own_context *c = o->stores.by;
	o->stores.n = 0; /* doubt() may end the epoch again */
	o->stores.end = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct own_span s = o->stores.span[i];
		for (uintptr_t at = s.at; at < s.end; at += OWN_WORD) {
			const uintptr_t value = *(const uintptr_t *)at;
			if (own_is_on_stack(c, value) || own_in_hull(&o->heap, value))
				own_store(o, c, at);
		}
	}
}

void own_stores_drop(struct own *o, uintptr_t at, uintptr_t end)
{
	struct own_stores *s = &o->stores;
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->span[i].at < at || s->span[i].end > end)
			s->span[kept++] = s->span[i];
	s->n = kept;
	s->end = NULL;
}
