/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory_quick.h - accesses to memory that only change times
 *
 * Idea.   Nearly all accesses are quick (contended_access.h): all orders order them after what they
 *         conflict with, and they touch whole variables.  These functions make such an access, and
 *         return false for any other.  The caller then makes the whole access in the general way
 *         (contended_memory_access.c).  That does no harm to parts that were made already: at one
 *         time, a quick access may be made twice.
 */
#ifndef SNAG_DETECT_CONTENDED_MEMORY_QUICK_H
#define SNAG_DETECT_CONTENDED_MEMORY_QUICK_H

#include "detect/slice/contended_memory_state.h"

enum { BUFFER_PARTS = 64 }; /* [buffer] that are divided */

/* [buffer] */
static inline bool is_of_buffer(const struct snag_contended_memory *m,
				const struct shadow_page *page, uint32_t variable)
{
	const struct contended_variable *x = &m->c->x[variable];
	return page->nbroken > BUFFER_PARTS && !(x->flags & (SNAG_WANTS | ATOMIC | LOCK)) &&
	       (x->wtime == 0 || x->writer == m->t) && (x->rtime == 0 || x->reader == m->t);
}

/* Makes m->t the acting thread; returns whether none of its reads is pending. */
static inline bool is_settled(struct snag_contended_memory *m)
{
	const struct snag_contended *c = m->c;
	if (__builtin_expect(c->acting != m->t, 0))
		acting_change(m->c, m->t);
	return __builtin_expect(c->npending == 0, 1) || c->pending[m->t].variable == SNAG_NO_ID;
}

/* Does for an access what guard_check() would do, if that is little: the variable has accesses
 * without a lock, or its guard is held alone.  Returns false otherwise. */
static inline bool guard_quickly(struct snag_contended *c, uint32_t variable)
{
	if ((c->mark | c->x[variable].flags) & UNGUARDED)
		return true;
	const struct holding *h = &c->held[c->acting];
	uint32_t *guard = &c->guard[variable];
	if (*guard == 0) {
		*guard = h->at[h->n - 1] / 2 + 1;
		c->has_guards = true;
	}
	for (size_t i = h->n; i-- > 0;)
		if (h->at[i] == 2 * (*guard - 1))
			return true;
	return false;
}

/* Makes an access to each of n variables, as long as it is quick and there is nothing else to think
 * of; returns how many it made.  To the next one it has done nothing that the same access will not
 * do again.  m->t is acting, and none of its reads is pending. */
static inline __attribute__((always_inline)) uint32_t
variables_quickly(struct snag_contended_memory *m, uint32_t first, uint32_t n, bool is_write)
{
	struct snag_contended *c = m->c;
	struct contended_variable *x = &c->x[first];
	const snag_tid t = m->t;
	const uint32_t time = m->time;
	const unsigned mark = c->mark;
	uint32_t i = 0;
	for (; i < n; i++, x++) {
		if (x->flags & FREED || !guard_quickly(c, first + i))
			break;
		if (!is_of_one(x, t) &&
		    (is_write ? !write_is_quick(c, x, t) : !read_is_quick(c, x, t)))
			break;
		if (is_write) {
			x->flags = (x->flags & ~(unsigned)PARTIAL) | mark;
			write_quickly(x, t, time);
		} else {
			x->flags |= mark;
			read_quickly(c, x, t, time);
		}
	}
	return i;
}

/* The same for one variable; returns whether it made the access. */
static inline __attribute__((always_inline)) bool variable_quickly(struct snag_contended_memory *m,
								   uint32_t variable, bool is_write)
{
	return variables_quickly(m, variable, 1, is_write);
}

/* The same for a write to some bytes of a part that has no grains. */
static inline bool buffer_quickly(struct snag_contended_memory *m, const struct shadow_page *page,
				  uint32_t variable)
{
	if (!is_of_buffer(m, page, variable) || !variable_quickly(m, variable, true))
		return false;
	m->c->x[variable].flags |= PARTIAL;
	m->has_partial = true;
	return true;
}

/* The same for bytes of a part with grains, from `low` up to `high`.  A write to all of them may
 * let them unite, so it is not quick. */
static inline bool grains_quickly(struct snag_contended_memory *m, const struct shadow_page *page,
				  uint32_t part, uint32_t low, uint32_t high, bool is_write)
{
	const uint32_t log = shadow_grain_log(page, part), first = shadow_grains(page, part);
	if (is_write && (((low | high) & ((1u << log) - 1)) || high - low == 1u << page->part_log))
		return false;
	const uint32_t at = low >> log, n = ((high - 1) >> log) + 1 - at;
	return variables_quickly(m, first + at, n, is_write) == n;
}

/* The same for an access inside a word, whose line is ready or broken. */
static inline __attribute__((always_inline)) bool
word_quickly(struct snag_contended_memory *m, uint64_t address, uint64_t nbytes, bool is_write)
{
	const struct shadow_page *page = shadow_page(&m->shadow, address);
	const uint64_t bit = shadow_line_bit(address);
	const uint32_t log = page->part_log, size = 1u << log;
	uint32_t at = (uint32_t)address & (PAGE - 1);
	const uint32_t end = at + (uint32_t)nbytes;
	if (!((page->ready | page->broken) & bit))
		return false;
	for (uint32_t next; at < end; at = next) {
		const uint32_t part = at >> log, begin = part << log;
		next = begin + size < end ? begin + size : end;
		bool is_done;
		if (page->broken & bit && page->grains[part])
			is_done = grains_quickly(m, page, part, at - begin, next - begin, is_write);
		else if (!is_write || next - at == size)
			is_done = variable_quickly(m, page->first + part, is_write);
		else
			is_done = buffer_quickly(m, page, page->first + part);
		if (!is_done)
			return false;
	}
	return true;
}

#endif
