/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_trim.c - forget sections that can no longer matter
 *
 * Idea.   A section that nothing refers to, neither an access nor a file, is useless.  A filed
 *         section (a, r) of thread u matters at a release whose clock knows a but not r: its
 *         entry for u, its end in u, lies in (a, r].  A clock grows only by joining other clocks
 *         and by the stamps of future events, whose times are beyond r.  So once no clock in use
 *         ends in u inside the section, none ever will.  This holds for every thread, also one
 *         that has not appeared yet: it can only learn from clocks in use.
 *         With write_write_sections, a section that is wholly known through a write-write
 *         conflict matters too, if no later one of its lock is: then u's end lies before u's
 *         next section in the run.  Such conflicts are learned from the clocks `wrote` and from
 *         sections that accesses refer to, not from those that are only filed.  Because u may
 *         still export later ends, what the last releases of a lock know counts too.
 *         A section that every holder of its lock knows (snag_order_hands_on) does not matter.
 *
 * Rules.  Mark the sections that are referred to (predictive_refs.h), and those that are filed.
 *         Gather the ends of all clocks in use, each once; sort them by thread and time; keep
 *         the filed sections that contain one.  Renumber what is left.
 * Cost.   O(references + clocks in use x threads), each time the sections have grown by a
 *         factor: a constant for each section, in sum.
 */
#include "base/memory.h"
#include "detect/predictive/predictive_refs.h"

#include <string.h>

struct end {
	snag_tid thread;
	uint32_t time;
};

struct ends {
	struct end *at;
	size_t n, cap;
	uint64_t *seen; /* bit by time: each thread has its own times */
	uint32_t base;	/* times up to here are of no interest */
};

static void end_add(struct ends *ends, snag_tid thread, uint32_t time)
{
	if (time <= ends->base)
		return;
	uint64_t *word = &ends->seen[(time - ends->base) / 64],
		 bit = 1ull << (time - ends->base) % 64;
	if (*word & bit)
		return;
	*word |= bit;
	ends->at = snag_grow(ends->at, &ends->cap, ends->n + 1, sizeof(*ends->at));
	ends->at[ends->n++] = (struct end){thread, time};
}

static void clock_ends(struct ends *ends, const struct snag_vclock *clock) /* accepts NULL */
{
	if (clock)
		for (snag_tid u = 0; u < clock->n; u++)
			end_add(ends, u, snag_vclock_get(clock, u));
}

static void lock_ends(struct ends *ends, const struct snag_predictive_lock *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		clock_ends(ends, l[i].alone.now);
		clock_ends(ends, l[i].shared_hb);
		clock_ends(ends, l[i].shared.now);
	}
}

static void lock_wrote_ends(struct ends *ends, const struct snag_predictive_lock *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		clock_ends(ends, l[i].alone.wrote);
		clock_ends(ends, l[i].shared.wrote);
		clock_ends(ends, l[i].shared_hb);
	}
}

static bool end_is_less(struct end a, struct end b)
{
	return a.thread != b.thread ? a.thread < b.thread : a.time < b.time;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One stable pass over a digit of the key. */
static void sort_pass(const struct end *from, struct end *to, size_t n, int shift)
{
	size_t at[DIGITS + 1] = {0};
	for (size_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)from[i].thread << 32 | from[i].time;
		at[(key >> shift) % DIGITS + 1]++;
	}
	for (int d = 0; d < DIGITS; d++)
		at[d + 1] += at[d];
	for (size_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)from[i].thread << 32 | from[i].time;
		to[at[(key >> shift) % DIGITS]++] = from[i];
	}
}

/* By thread, then time: digit by digit, the least first, as far as there are any. */
static void ends_sort(struct ends *ends, size_t nthreads)
{
	int bits = 32;
	while (nthreads >> (bits - 32))
		bits++;
	struct end *other = snag_alloc((ends->n + 1) * sizeof(*other));
	for (int shift = 0; shift < bits; shift += DIGIT_BITS) {
		struct end *sorted = other;
		sort_pass(ends->at, sorted, ends->n, shift);
		other = ends->at;
		ends->at = sorted;
	}
	free(other);
}

static void ends_init(struct ends *ends, uint32_t base, uint32_t now)
{
	*ends = (struct ends){.base = base};
	ends->seen = snag_calloc((now - base) / 64 + 2, sizeof(*ends->seen));
}

static void ends_done(struct ends *ends)
{
	free(ends->at);
	free(ends->seen);
}

/* The ends of closed sections with one of these marks. */
static void section_ends(struct ends *ends, const struct snag_predictive *p, const uint32_t *marks,
			 uint32_t any)
{
	for (size_t i = 1; i < p->sections.n; i++) {
		const struct snag_section *s = &p->sections.section[i];
		if (!(marks[i] & any) || s->release == SNAG_NO_EVENT)
			continue;
		clock_ends(ends, p->sections.rest[i].clock);
		end_add(ends, s->thread, s->release + 1);
	}
	ends_sort(ends, p->nthreads);
}

static void owed_ends(struct ends *ends, const struct snag_predictive *p, uint32_t innermost)
{
	for (uint32_t s = innermost; s; s = p->sections.rest[s].outer)
		clock_ends(ends, p->sections.rest[s].owed);
}

/* The ends of accesses that a later race may order. */
static void raced_ends(struct ends *ends, const struct snag_predictive *p)
{
	for (size_t v = 0; v < p->raced_cap; v++)
		for (uint32_t i = 0; i < p->raced[v].n; i++) {
			const struct snag_raced_access *e = &p->raced[v].at[i];
			clock_ends(ends, e->clock);
			clock_ends(ends, e->now);
			end_add(ends, e->thread, e->time);
		}
}

/* The ends of all clocks in use. */
static void ends_gather(struct ends *ends, const struct snag_predictive *p, const uint32_t *marks)
{
	for (size_t i = 0; i < p->nthreads; i++) {
		clock_ends(ends, p->thread[i].now);
		clock_ends(ends, p->thread[i].hb);
		owed_ends(ends, p, p->thread[i].innermost);
		owed_ends(ends, p, p->thread[i].deep);
	}
	for (size_t i = 0; i < p->pool.seats.nthreads; i++) /* who may be joined again */
		clock_ends(ends, p->pool.seats.thread[i].last);
	lock_ends(ends, p->lock, p->lock_cap);
	lock_ends(ends, p->atomic, p->atomic_cap);
	raced_ends(ends, p);
	section_ends(ends, p, marks, SNAG_REFERRED | SNAG_FILED);
}

/* The ends of clocks from which write-write conflicts may be learned. */
static void wrote_gather(struct ends *ends, const struct snag_predictive *p, const uint32_t *marks)
{
	for (size_t i = 0; i < p->nthreads; i++)
		clock_ends(ends, p->thread[i].wrote);
	lock_wrote_ends(ends, p->lock, p->lock_cap);
	lock_wrote_ends(ends, p->atomic, p->atomic_cap);
	raced_ends(ends, p);
	section_ends(ends, p, marks, SNAG_REFERRED);
}

/* Whether a clock ends in the thread in (after, upto]. */
static bool ends_between(const struct ends *ends, snag_tid thread, uint32_t after, uint32_t upto)
{
	size_t low = 0, high = ends->n;
	struct end first = {thread, after + 1};
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (end_is_less(ends->at[mid], first))
			low = mid + 1;
		else
			high = mid;
	}
	return low < ends->n && ends->at[low].thread == thread && ends->at[low].time <= upto;
}

struct trim {
	uint32_t *marks; /* by section; then its new number */
	bool hands_on;
	struct ends ends;
	struct ends wrote; /* write_write_sections */
	uint32_t *next;	   /* the same: by thread, its next section in the run; else NULL */
};

static bool still_matters(const struct snag_predictive *p, struct trim *trim,
			  const struct snag_filed *f)
{
	uint32_t release = p->sections.section[f->section].release;
	if (trim->next) {
		uint32_t next = trim->next[f->thread];
		trim->next[f->thread] = f->acquire;
		if (ends_between(&trim->wrote, f->thread, f->acquire, next))
			return true;
	}
	return ends_between(&trim->ends, f->thread, f->acquire, release);
}

static void run_trim(struct snag_predictive *p, const struct snag_predictive_lock *l,
		     struct snag_section_run *run, struct trim *trim)
{
	uint32_t known = trim->hands_on && !run->is_shared ? l->known : 0;
	size_t first = run->n; /* of those that are kept */
	for (size_t i = 0; trim->next && i < p->nthreads; i++)
		trim->next[i] = SNAG_NO_EVENT;
	for (size_t i = run->n; i-- > 0;) {
		struct snag_filed f = run->at[i];
		if (f.section > known && still_matters(p, trim, &f))
			run->at[--first] = f;
		else
			trim->marks[f.section] &= ~(uint32_t)SNAG_FILED;
	}
	run->n -= first;
	memmove(run->at, run->at + first, run->n * sizeof(*run->at));
}

static uint32_t first_filed(const struct snag_predictive_lock *l, size_t n)
{
	uint32_t first = SNAG_NO_EVENT;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < l[i].nruns; k++)
			if (l[i].run[k].n && l[i].run[k].at[0].acquire < first)
				first = l[i].run[k].at[0].acquire;
	return first;
}

static void locks_trim(struct snag_predictive *p, struct snag_predictive_lock *l, size_t n,
		       struct trim *trim)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < l[i].nruns; k++)
			run_trim(p, &l[i], &l[i].run[k], trim);
}

/* Returns how many sections must be added before the next trimming pays. */
static size_t limit_after(const struct snag_predictive *p, const struct trim *trim)
{
	return SNAG_SECTIONS_FEW + p->sections.n * 2 + trim->ends.n / 2 +
	       (p->conflicts.n + p->nx + p->lock_cap + p->atomic_cap) / 8;
}

void snag_predictive_trim(struct snag_predictive *p, const struct snag_order_rules *rules,
			  uint32_t now)
{
	if (p->sections.n < p->section_limit)
		return;
	struct trim trim = {.hands_on = snag_order_hands_on(rules)};
	trim.marks = snag_calloc(p->sections.n, sizeof(*trim.marks));
	snag_predictive_mark(p, rules, trim.marks);
	uint32_t locks = first_filed(p->lock, p->lock_cap);
	uint32_t atomics = first_filed(p->atomic, p->atomic_cap);
	uint32_t base = locks < atomics ? locks : atomics;
	base = base < now ? base : now;
	ends_init(&trim.ends, base, now);
	ends_gather(&trim.ends, p, trim.marks);
	if (rules->write_write_sections) {
		ends_init(&trim.wrote, base, now);
		wrote_gather(&trim.wrote, p, trim.marks);
		trim.next = snag_alloc(p->nthreads * sizeof(*trim.next));
	}
	locks_trim(p, p->lock, p->lock_cap, &trim);
	locks_trim(p, p->atomic, p->atomic_cap, &trim);
	snag_sections_compact(&p->sections, &p->pool, trim.marks);
	snag_predictive_renumber(p, rules, trim.marks);
	p->section_limit = limit_after(p, &trim);
	ends_done(&trim.ends);
	ends_done(&trim.wrote);
	free(trim.next);
	free(trim.marks);
}
