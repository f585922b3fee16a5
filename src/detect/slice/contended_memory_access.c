/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory_access.c - accesses to memory, single ones, ranges and loops
 */
#include "detect/slice/contended_memory_quick.h"

enum {
	SLOW_ROUNDS = 64,
	ROUNDS_MOST = 1 << 14, /* of a loop that are looked at together */
	FETCH_AHEAD = 12,      /* accesses */
};

/* After an access that was contended: the page has something that may be needed. */
static __attribute__((noinline)) void contention_note(struct snag_contended_memory *m,
						      struct shadow_page *page)
{
	m->ncontended = m->c->counts.contended;
	page->reuse |= SHADOW_USER;
}

static inline __attribute__((always_inline)) void variable_access(struct snag_contended_memory *m,
								  struct shadow_page *page,
								  uint32_t variable, bool is_write,
								  snag_loc loc)
{
	contended_access(m->c, variable, m->t, is_write, m->time, loc);
	if (__builtin_expect(m->c->counts.contended != m->ncontended, 0))
		contention_note(m, page);
}

/* A write to all of a variable. */
static inline void partial_end(struct snag_contended_memory *m, uint32_t variable)
{
	if (__builtin_expect(m->has_partial, 0))
		m->c->x[variable].flags &= ~(unsigned)PARTIAL;
}

/* [freed] */
static __attribute__((noinline)) void freed_access(struct snag_contended_memory *m,
						   uint32_t variable, const struct snag_bytes_at *p)
{
	m->c->x[variable].flags &= ~(unsigned)FREED;
	if (m->is_freeing)
		return;
	m->nwanted++;
	if (m->freed_time == m->time && m->freed_at == p->address)
		return; /* the same access, to another variable */
	m->freed_time = m->time;
	m->freed_at = p->address;
	snag_word_set_add(&m->needed, p->address, p->nbytes);
}

static inline void whole_access(struct snag_contended_memory *m, struct shadow_page *page,
				uint32_t variable, const struct snag_bytes_at *p)
{
	if (__builtin_expect(m->c->x[variable].flags & FREED, 0))
		freed_access(m, variable, p);
	if (p->is_write)
		partial_end(m, variable);
	variable_access(m, page, variable, p->is_write, p->loc);
}

/* The same for n variables. */
static void variables_access(struct snag_contended_memory *m, struct shadow_page *page,
			     uint32_t first, uint32_t n, const struct snag_bytes_at *p)
{
	for (uint32_t i = 0; i < n;) {
		if (is_settled(m))
			i += p->is_write ? variables_quickly(m, first + i, n - i, true)
					 : variables_quickly(m, first + i, n - i, false);
		if (i < n)
			whole_access(m, page, first + i++, p);
	}
}

/* log2 of the largest grains of which bytes from `low` up to `high` of a part are whole ones. */
static inline uint32_t grain_log_of(uint32_t low, uint32_t high)
{
	return (uint32_t)__builtin_ctz(low | high);
}

/* Some bytes of a part of an open line, from `low` up to `high`. */
static void part_access(struct snag_contended_memory *m, struct shadow_page *page, uint32_t part,
			uint32_t low, uint32_t high, const struct snag_bytes_at *p)
{
	const uint32_t size = 1u << page->part_log;
	uint32_t first = shadow_grains(page, part);
	if (!first && (high - low == size || !p->is_write)) { /* [read] */
		variables_access(m, page, page->first + part, 1, p);
		return;
	}
	if (!first && is_of_buffer(m, page, page->first + part)) {
		if (m->c->x[page->first + part].flags & FREED)
			freed_access(m, page->first + part, p);
		variable_access(m, page, page->first + part, true, p->loc);
		m->c->x[page->first + part].flags |= PARTIAL;
		m->has_partial = true;
		return;
	}
	if (p->is_write) /* [write] */
		first = shadow_break(&m->shadow, page, part, grain_log_of(low, high));
	const uint32_t log = shadow_grain_log(page, part), at = low >> log;
	variables_access(m, page, first + at, ((high - 1) >> log) + 1 - at, p);
	if (is_alike(m->c, first, first + shadow_ngrains(page, part) - 1))
		shadow_unite_grains(&m->shadow, page, part);
}

/* Bytes inside a line, from `at` up to `end`, in whatever state it is. */
static __attribute__((noinline)) void line_access(struct snag_contended_memory *m,
						  struct shadow_page *page, uint64_t at,
						  uint64_t end, const struct snag_bytes_at *p)
{
	if (p->is_write)
		shadow_open(&m->shadow, page, at, (unsigned)(end - at));
	else
		shadow_open(&m->shadow, page, at & -(uint64_t)WORD, WORD);
	const uint32_t log = page->part_log;
	for (uint64_t next; at < end; at = next) {
		uint32_t begin = (uint32_t)(at & (PAGE - 1)), part = begin >> log;
		next = ((at >> log) + 1) << log;
		next = next < end ? next : end;
		part_access(m, page, part, begin - (part << log),
			    (uint32_t)(next - at) + begin - (part << log), p);
	}
}

/* The same, if they may be whole parts. */
static inline void few_access(struct snag_contended_memory *m, struct shadow_page *page,
			      uint64_t at, uint64_t end, const struct snag_bytes_at *p)
{
	const uint32_t log = page->part_log;
	if (!(page->ready & shadow_line_bit(at)) ||
	    (p->is_write && ((at | end) & ((1u << log) - 1)))) {
		line_access(m, page, at, end, p);
		return;
	}
	const uint32_t first = shadow_variable(page, at);
	variables_access(m, page, first, shadow_variable(page, end - 1) + 1 - first, p);
}

/* Whole lines, from `low` up to `high`, of a page of lines. */
static void lines_access(struct snag_contended_memory *m, struct shadow_page *page, uint64_t low,
			 uint64_t high, const struct snag_bytes_at *p)
{
	while (low < high) {
		const uint32_t line = (uint32_t)(low >> SHADOW_LINE_LOG & 63);
		const uint64_t others = ~(page->solid >> line);
		const uint32_t all = (uint32_t)((high - low) / LINE);
		uint32_t n = others ? (uint32_t)__builtin_ctzll(others) : 64; /* are solid */
		n = n < all ? n : all;
		if (n > 0) {
			variables_access(m, page, page->lines + line, n, p);
			low += (uint64_t)n * LINE;
			continue;
		}
		few_access(m, page, low, low + LINE, p);
		shadow_unite_line(&m->shadow, page, line);
		low += LINE;
	}
}

/* Bytes of one page. */
static void page_access(struct snag_contended_memory *m, uint64_t at, uint64_t end,
			const struct snag_bytes_at *p)
{
	struct shadow_page *page = shadow_page(&m->shadow, at);
	const bool is_all = end - at == PAGE;
	uint32_t whole = is_all ? shadow_whole(&m->shadow, page, at) : 0;
	if (whole) {
		whole_access(m, page, whole, p);
		return;
	}
	uint64_t low = (at + LINE - 1) & -(uint64_t)LINE, high = end & -(uint64_t)LINE;
	if (low >= high) { /* inside a line, or two */
		low = low < end ? low : end;
		if (at < low)
			few_access(m, page, at, low, p);
		if (low < end)
			few_access(m, page, low, end, p);
		return;
	}
	if (at < low)
		few_access(m, page, at, low, p);
	shadow_lines(&m->shadow, page, low,
		     shadow_lines_between(low & (PAGE - 1), high - (low & -(uint64_t)PAGE)));
	lines_access(m, page, low, high, p);
	if (high < end)
		few_access(m, page, high, end, p);
	if (is_all)
		shadow_unite_page(&m->shadow, page);
}

static void range_access(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	const uint64_t end = p->address + p->nbytes;
	for (uint64_t at = p->address, next; at < end; at = next) {
		next = (at | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		page_access(m, at, next, p);
	}
}

static inline void place_access(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	const uint64_t end = p->address + p->nbytes;
	if (__builtin_expect((p->address ^ (end - 1)) >> SHADOW_LINE_LOG == 0, 1))
		few_access(m, shadow_page(&m->shadow, p->address), p->address, end, p);
	else
		range_access(m, p);
}

static inline __attribute__((always_inline)) void access_take(struct snag_contended_memory *m,
							      const struct snag_bytes_at *p)
{
	if (__builtin_expect((p->address ^ (p->address + p->nbytes - 1)) >> WORD_LOG, 0)) {
		time_shared(m);
		place_access(m, p);
		return;
	}
	time_single(m);
	if (!is_settled(m) || !word_quickly(m, p->address, p->nbytes, p->is_write))
		place_access(m, p);
}

void snag_contended_memory_access(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	access_take(m, p);
}

/* Fetches what an access to this address will look at. */
static inline void place_fetch(const struct snag_contended_memory *m, uint64_t address)
{
	const struct shadow_page *page = shadow_page_recent(&m->shadow, address);
	if (page)
		__builtin_prefetch(&m->c->x[shadow_variable(page, address)], 1);
}

void snag_contended_memory_accesses(struct snag_contended_memory *m, const struct snag_bytes_at *p,
				    size_t n)
{
	for (size_t i = 0; i < n && i < FETCH_AHEAD; i++)
		place_fetch(m, p[i].address);
	for (size_t i = 0; i < n; i++) {
		if (i + FETCH_AHEAD < n)
			place_fetch(m, p[i + FETCH_AHEAD].address);
		access_take(m, &p[i]);
	}
}

static inline bool is_quick(const struct snag_contended_memory *m, uint32_t variable, bool is_write)
{
	const struct contended_variable *x = &m->c->x[variable];
	if (x->flags & FREED)
		return false;
	return is_write ? write_is_quick(m->c, x, m->t) : read_is_quick(m->c, x, m->t);
}

/* Whether an access to bytes inside a line that is not solid is quick. */
static inline bool parts_are_quick(const struct snag_contended_memory *m,
				   const struct shadow_page *page, uint64_t at, uint64_t end,
				   bool is_write)
{
	const uint32_t log = page->part_log;
	for (uint64_t next; at < end; at = next) {
		const uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log;
		const uint32_t first = shadow_grains(page, part);
		next = ((at >> log) + 1) << log;
		next = next < end ? next : end;
		if (!first && !is_quick(m, page->first + part, is_write))
			return false;
		for (uint64_t i = at; first && i < next; i++) {
			const uint32_t byte = (uint32_t)(i & ((1u << log) - 1));
			if (!is_quick(m, first + (byte >> shadow_grain_log(page, part)), is_write))
				return false;
		}
	}
	return true;
}

/* Whether an access to the bytes from `at` on is quick; they end with *ret_end at the latest, where
 * what is known from the same variable ends. */
static inline bool bytes_are_quick(struct snag_contended_memory *m, uint64_t at, uint64_t end,
				   bool is_write, uint64_t *ret_end)
{
	const struct shadow_page *page = shadow_page(&m->shadow, at);
	const uint64_t bit = shadow_line_bit(at);
	if (page->is_whole) {
		*ret_end = (at | (PAGE - 1)) + 1;
		return is_quick(m, page->whole, is_write);
	}
	*ret_end = (at | (LINE - 1)) + 1;
	if (page->solid & bit)
		return is_quick(m, page->lines + (uint32_t)(at >> SHADOW_LINE_LOG & 63), is_write);
	if (!((page->ready | page->broken) & bit))
		return true; /* new */
	*ret_end = end < *ret_end ? end : *ret_end;
	return parts_are_quick(m, page, at, *ret_end, is_write);
}

/* A step in n rounds covers a range without gaps: the range. */
static bool is_range(const struct snag_bytes_step *s, uint32_t n, struct snag_bytes_at *ret_range)
{
	const int64_t size = (int64_t)s->next.nbytes;
	if (s->stride != size && s->stride != -size)
		return false;
	*ret_range = s->next;
	ret_range->nbytes = (uint64_t)size * n;
	if (s->stride < 0)
		ret_range->address -= (uint64_t)size * (n - 1);
	return true;
}

/* In how many of the next rounds, at most n, the access to a range is quick. */
static uint32_t range_quick(struct snag_contended_memory *m, const struct snag_bytes_step *s,
			    const struct snag_bytes_at *range, uint32_t n)
{
	const uint64_t end = range->address + range->nbytes;
	uint64_t at = range->address, known;
	while (at < end && bytes_are_quick(m, at, end, s->next.is_write, &known))
		at = known;
	if (at >= end)
		return n;
	return s->stride > 0 ? (uint32_t)((at - range->address) / s->next.nbytes) : 0;
}

/* Makes an access if it is quick; otherwise returns false. */
static inline bool place_quickly(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	const uint64_t last = p->address + p->nbytes - 1;
	if ((p->address ^ last) >> WORD_LOG == 0 &&
	    word_quickly(m, p->address, p->nbytes, p->is_write))
		return true;
	uint64_t known;
	for (uint64_t at = p->address, end = at + p->nbytes; at < end; at = known)
		if (!bytes_are_quick(m, at, end, p->is_write, &known))
			return false;
	place_access(m, p);
	return true;
}

/* Makes accesses of a step to whole parts of one page, at most n, as long as they are quick;
 * returns how many. */
static inline __attribute__((always_inline)) uint32_t parts_quickly(struct snag_contended_memory *m,
								    const struct snag_bytes_at *p,
								    int64_t stride, uint32_t n,
								    bool is_write)
{
	const struct shadow_page *page = shadow_page(&m->shadow, p->address);
	const uint32_t log = page->part_log;
	const uint64_t ready = page->ready;
	int64_t at = (int64_t)(p->address & (PAGE - 1));
	uint32_t i = 0;
	if (p->nbytes != UINT64_C(1) << log ||
	    ((p->address | (uint64_t)stride) & ((UINT64_C(1) << log) - 1)))
		return 0;
	for (; i < n && at >= 0 && at < PAGE && ready & shadow_line_bit((uint64_t)at); i++) {
		if (!variable_quickly(m, page->first + ((uint32_t)at >> log), is_write))
			break;
		at += stride;
	}
	return i;
}

/* Makes the accesses of a step that is no range, in at most n rounds, as long as they are quick;
 * returns in how many rounds they are. */
static uint32_t step_quickly(struct snag_contended_memory *m, const struct snag_bytes_step *s,
			     uint32_t n)
{
	struct snag_bytes_at p = s->next;
	uint32_t i = 0;
	if (s->stride == 0)
		return place_quickly(m, &p) ? n : 0;
	while (i < n) {
		uint32_t made = p.is_write ? parts_quickly(m, &p, s->stride, n - i, true)
					   : parts_quickly(m, &p, s->stride, n - i, false);
		if (made == 0 && !place_quickly(m, &p))
			break;
		made = made ? made : 1;
		p.address += (uint64_t)s->stride * made;
		i += made;
	}
	return i;
}

/* Processes the rounds of a loop, from the first, in which all accesses are quick; returns their
 * number.  All have one time.  So it makes no difference in which order they are made, nor whether
 * an access of a later round, which is quick, is made now and again in its turn: quick accesses
 * teach nothing, and what is quick stays so (docs/algorithms/slice.md). */
static uint32_t rounds_quick(struct snag_contended_memory *m, struct snag_bytes_step *step,
			     uint32_t period, uint32_t rounds)
{
	struct snag_bytes_at range;
	uint32_t ranges = 0; /* a bit for each step */
	for (uint32_t i = 0; i < period && rounds > 0; i++) {
		const bool is_one = is_range(&step[i], rounds, &range);
		uint32_t quick = is_one ? range_quick(m, &step[i], &range, rounds)
					: step_quickly(m, &step[i], rounds);
		ranges |= (uint32_t)is_one << i;
		rounds = quick < rounds ? quick : rounds;
	}
	for (uint32_t i = 0; i < period && rounds > 0; i++)
		if (ranges >> i & 1 && is_range(&step[i], rounds, &range))
			range_access(m, &range);
	for (uint32_t i = 0; i < period; i++)
		step[i].next.address += (uint64_t)step[i].stride * rounds;
	return rounds;
}

static void rounds_slow(struct snag_contended_memory *m, struct snag_bytes_step *step,
			uint32_t period, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct snag_bytes_step *s = &step[i % period];
		snag_contended_memory_access(m, &s->next);
		s->next.address += (uint64_t)s->stride;
	}
}

void snag_contended_memory_run(struct snag_contended_memory *m, struct snag_bytes_step *step,
			       uint32_t period, uint32_t n)
{
	while (n > 0) {
		const uint32_t rounds = n / period < ROUNDS_MOST ? n / period : ROUNDS_MOST;
		time_shared(m);
		const uint32_t quick = is_settled(m) ? rounds_quick(m, step, period, rounds) : 0;
		n -= quick * period;
		if (quick > 0 && quick == rounds && n >= period)
			continue;
		uint32_t slow = n < SLOW_ROUNDS * period ? n : SLOW_ROUNDS * period;
		rounds_slow(m, step, period, slow);
		n -= slow;
	}
}
