/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory.c - which memory of a running program a detector has to look at
 */
#include "detect/slice/contended_memory.h"

#include "base/memory.h"
#include "base/slots.h"
#include "detect/slice/contended_access.h"
#include "shadow/shadow.h"

enum {
	PAGE = SHADOW_PAGE,
	LINE = SHADOW_LINE,
	WORD_LOG = 3,
	WORD = 1 << WORD_LOG,
	PAGE_WORDS = PAGE / WORD,
	BUFFER_PARTS = 64, /* [buffer] that are divided */
	SLOW_ROUNDS = 64,
	RECENT_PAGES = 64,
};

struct needed_page {
	uint64_t number;
	uint64_t words[PAGE_WORDS / 64];
};

struct snag_contended_memory {
	struct snag_contended *c;
	struct shadow shadow;
	snag_tid t;	     /* who acts */
	uint32_t time;	     /* of the present event; odd: shared, rule [time] */
	uint64_t ncontended; /* of c->counts, as last looked at */
	bool has_partial;    /* some part is, or was, PARTIAL */
	bool is_freeing;     /* the access is the end of a block */
	struct snag_counts counts;
	uint64_t nwanted;
	struct needed_page *needed;
	size_t nneeded, needed_cap;
	struct snag_slots by_page;
	struct needed_recent {
		uint64_t number; /* 1 + that of the page; 0: none */
		uint32_t at;	 /* or SNAG_SLOTS_NONE */
	} recent[RECENT_PAGES];
};

/* Variables, for the shadow. */

static void variables_more(void *ctx)
{
	struct snag_contended_memory *m = ctx;
	struct snag_contended *c = m->c;
	c->nvariables = m->shadow.nvariables;
	c->x = snag_huge_grow(c->x, &c->x_cap, c->nvariables, sizeof(*c->x));
	c->guard = snag_huge_grow(c->guard, &c->guard_cap, c->nvariables, sizeof(*c->guard));
}

static void variables_forget(void *ctx, uint32_t first, uint32_t n)
{
	struct snag_contended *c = ((struct snag_contended_memory *)ctx)->c;
	for (struct contended_variable *x = c->x + first, *end = x + n; x < end; x++) {
		if (x->reader == READERS)
			contended_readers_give(c, x);
		if (x->flags & ATOMIC)
			snag_clocks_forget_atomic(&c->hb, (uint32_t)(x - c->x));
	}
	memset(c->x + first, 0, n * sizeof(*c->x));
	memset(c->guard + first, 0, n * sizeof(*c->guard));
}

static void variables_spread(void *ctx, uint32_t from, uint32_t first, uint32_t n)
{
	struct snag_contended *c = ((struct snag_contended_memory *)ctx)->c;
	for (uint32_t i = first; i < first + n; i++) {
		c->x[i] = c->x[from];
		c->guard[i] = c->guard[from];
		contended_readers_copy(c, &c->x[i]);
	}
}

static inline bool is_alike(const struct snag_contended *c, uint32_t a, uint32_t b)
{
	return memcmp(&c->x[a], &c->x[b], sizeof(*c->x)) == 0 && c->guard[a] == c->guard[b];
}

static bool variables_are_same(void *ctx, uint32_t first, uint32_t n)
{
	const struct snag_contended *c = ((struct snag_contended_memory *)ctx)->c;
	if (c->x[first].reader == READERS || !is_alike(c, first, first + n - 1))
		return false;
	for (uint32_t i = 1; i + 1 < n; i++)
		if (!is_alike(c, first, first + i))
			return false;
	return true;
}

struct snag_contended_memory *snag_contended_memory_new(unsigned wants)
{
	struct snag_contended_memory *m = snag_calloc(1, sizeof(*m));
	m->c = snag_contended_new(wants);
	m->c->shares_times = true;
	m->time = 1;
	m->shadow.forget = variables_forget;
	m->shadow.spread = variables_spread;
	m->shadow.is_same = variables_are_same;
	m->shadow.more = variables_more;
	m->shadow.ctx = m;
	snag_contended_memory_token(m); /* number 0 and 1 stand for nothing */
	snag_contended_memory_thread(m, 0);
	return m;
}

void snag_contended_memory_rest(struct snag_contended_memory *m)
{
	shadow_done(&m->shadow);
	snag_contended_free(m->c);
	m->c = NULL;
}

void snag_contended_memory_free(struct snag_contended_memory *m)
{
	if (!m)
		return;
	snag_contended_memory_rest(m);
	free(m->needed);
	snag_slots_done(&m->by_page);
	free(m);
}

/* Makes room for the next event, whose thread or operand may be new. */
static void reserve(struct snag_contended_memory *m)
{
	m->counts.n[SNAG_SPACE_VARIABLE] = m->shadow.nvariables;
	contended_reserve(m->c, &(struct snag_batch){.n = 1, .counts = m->counts});
}

static void threads_reserve(struct snag_contended_memory *m, snag_tid t)
{
	if (t >= m->counts.n[SNAG_SPACE_THREAD])
		m->counts.n[SNAG_SPACE_THREAD] = t + 1;
	reserve(m);
}

void snag_contended_memory_thread(struct snag_contended_memory *m, snag_tid t)
{
	threads_reserve(m, t);
	m->t = t;
}

/* The needed words. */

static uint64_t needed_hash(const void *ctx, uint32_t number)
{
	return snag_hash(((const struct snag_contended_memory *)ctx)->needed[number].number, 0);
}

static bool needed_equals(const void *ctx, uint32_t number, const void *key)
{
	return ((const struct snag_contended_memory *)ctx)->needed[number].number ==
	       *(const uint64_t *)key;
}

static struct needed_page *needed_find(struct snag_contended_memory *m, uint64_t number)
{
	struct needed_recent *r = &m->recent[number % RECENT_PAGES];
	if (r->number != number + 1) {
		r->number = number + 1;
		r->at = snag_slots_find(&m->by_page, snag_hash(number, 0), needed_equals, m,
					&number);
	}
	return r->at == SNAG_SLOTS_NONE ? NULL : &m->needed[r->at];
}

static struct needed_page *needed_make(struct snag_contended_memory *m, uint64_t number)
{
	struct needed_page *page = needed_find(m, number);
	if (page)
		return page;
	uint32_t at = (uint32_t)m->nneeded++;
	m->needed = snag_grow(m->needed, &m->needed_cap, m->nneeded, sizeof(*m->needed));
	m->needed[at] = (struct needed_page){.number = number};
	snag_slots_add(&m->by_page, at, needed_hash, m);
	m->recent[number % RECENT_PAGES] = (struct needed_recent){number + 1, at};
	return &m->needed[at];
}

static void words_need(struct snag_contended_memory *m, uint64_t address, uint64_t nbytes)
{
	for (uint64_t at = address & -(uint64_t)WORD; at < address + nbytes; at += WORD) {
		uint32_t word = (uint32_t)(at & (PAGE - 1)) >> WORD_LOG;
		needed_make(m, at >> SHADOW_PAGE_LOG)->words[word / 64] |= UINT64_C(1) << word % 64;
	}
}

/* Notes whether the bytes of a variable are needed. */
static void variable_note(struct snag_contended_memory *m, uint32_t variable, uint64_t address,
			  uint32_t nbytes)
{
	const struct contended_variable *x = &m->c->x[variable];
	if (!contended_is_in_slice(m->c, x))
		return;
	m->nwanted += contended_wanted(m->c, x) != 0;
	words_need(m, address, nbytes);
}

/* The same for the variables of a line that is not solid. */
static void parts_note(struct snag_contended_memory *m, const struct shadow_page *page,
		       uint64_t line)
{
	const uint32_t log = page->part_log;
	for (uint64_t at = line; at < line + LINE; at += UINT64_C(1) << log) {
		uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log,
			 bytes = shadow_bytes(page, part);
		if (!bytes)
			variable_note(m, page->first + part, at, 1u << log);
		for (uint32_t i = 0; bytes && i < 1u << log; i++)
			variable_note(m, bytes + i, at + i, 1);
	}
}

static void page_note(void *ctx, struct shadow_page *page, uint64_t start)
{
	struct snag_contended_memory *m = ctx;
	if (!(page->reuse & SHADOW_USER))
		return;
	if (page->is_whole) {
		variable_note(m, page->whole, start, PAGE);
		return;
	}
	for (uint64_t lines = shadow_touched(page); lines; lines &= lines - 1) {
		uint32_t line = (uint32_t)__builtin_ctzll(lines);
		if (page->solid >> line & 1)
			variable_note(m, page->lines + line, start + line * LINE, LINE);
		else
			parts_note(m, page, start + line * LINE);
	}
}

uint64_t snag_contended_memory_end(struct snag_contended_memory *m)
{
	shadow_visit(&m->shadow, 0, UINT64_C(1) << 48, page_note, m);
	return m->nwanted;
}

bool snag_contended_memory_is_needed(struct snag_contended_memory *m, uint64_t address,
				     uint64_t nbytes)
{
	const uint64_t last = address + nbytes - 1;
	for (uint64_t at = address & -(uint64_t)WORD; at <= last;) {
		const struct needed_page *page = needed_find(m, at >> SHADOW_PAGE_LOG);
		uint32_t word = (uint32_t)(at & (PAGE - 1)) >> WORD_LOG;
		if (page && page->words[word / 64] >> word % 64 & 1)
			return true;
		at = page ? at + WORD : (at | (PAGE - 1)) + 1;
	}
	return false;
}

bool snag_contended_memory_is_hopeless(const struct snag_contended_memory *m)
{
	return m->time > UINT32_MAX - (1u << 24);
}

uint64_t snag_contended_memory_observed(const struct snag_contended_memory *m)
{
	return snag_contended_counts(m->c).observed;
}

/* Accesses. */

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
	words_need(m, p->address, p->nbytes);
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

/* [buffer] */
static bool is_of_buffer(const struct snag_contended_memory *m, const struct shadow_page *page,
			 uint32_t variable)
{
	const struct contended_variable *x = &m->c->x[variable];
	return page->nbroken > BUFFER_PARTS && !(x->flags & (SNAG_WANTS | ATOMIC | LOCK)) &&
	       (x->wtime == 0 || x->writer == m->t) && (x->rtime == 0 || x->reader == m->t);
}

/* Some bytes of a part of an open line, from `low` up to `high`. */
static void part_access(struct snag_contended_memory *m, struct shadow_page *page, uint32_t part,
			uint32_t low, uint32_t high, const struct snag_bytes_at *p)
{
	const uint32_t size = 1u << page->part_log;
	uint32_t bytes = shadow_bytes(page, part);
	if (!bytes && (high - low == size || !p->is_write)) { /* [read] */
		whole_access(m, page, page->first + part, p);
		return;
	}
	if (!bytes && is_of_buffer(m, page, page->first + part)) {
		if (m->c->x[page->first + part].flags & FREED)
			freed_access(m, page->first + part, p);
		variable_access(m, page, page->first + part, true, p->loc);
		m->c->x[page->first + part].flags |= PARTIAL;
		m->has_partial = true;
		return;
	}
	if (!bytes) /* [write] */
		bytes = shadow_break(&m->shadow, page, part);
	for (uint32_t i = low; i < high; i++)
		whole_access(m, page, bytes + i, p);
	if (is_alike(m->c, bytes, bytes + size - 1))
		shadow_unite_bytes(&m->shadow, page, part);
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
	uint32_t first = shadow_variable(page, at), last = shadow_variable(page, end - 1);
	for (uint32_t variable = first; variable <= last; variable++)
		whole_access(m, page, variable, p);
}

/* Whole lines, from `low` up to `high`, of a page of lines. */
static void lines_access(struct snag_contended_memory *m, struct shadow_page *page, uint64_t low,
			 uint64_t high, const struct snag_bytes_at *p)
{
	for (; low < high; low += LINE) {
		uint32_t line = (uint32_t)(low >> SHADOW_LINE_LOG & 63);
		if (page->solid >> line & 1) {
			whole_access(m, page, page->lines + line, p);
			continue;
		}
		few_access(m, page, low, low + LINE, p);
		shadow_unite_line(&m->shadow, page, line);
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

/* [time] The next event is a single one / accesses that are several events. */
static inline void time_single(struct snag_contended_memory *m)
{
	m->time = (m->time | 1) + 1;
}

static inline void time_shared(struct snag_contended_memory *m)
{
	m->time = (m->time | 1) + 2;
}

void snag_contended_memory_access(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	if ((p->address ^ (p->address + p->nbytes - 1)) >> WORD_LOG == 0)
		time_single(m);
	else
		time_shared(m);
	place_access(m, p);
}

/* Runs. */

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
		uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log,
			 bytes = shadow_bytes(page, part);
		next = ((at >> log) + 1) << log;
		next = next < end ? next : end;
		if (!bytes && !is_quick(m, page->first + part, is_write))
			return false;
		for (uint64_t i = at; bytes && i < next; i++)
			if (!is_quick(m, bytes + (uint32_t)(i & ((1u << log) - 1)), is_write))
				return false;
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

/* In how many of the next rounds, at most n, the access of a step is quick. */
static uint32_t step_quick(struct snag_contended_memory *m, const struct snag_bytes_step *s,
			   uint32_t n)
{
	const bool is_write = s->next.is_write;
	struct snag_bytes_at range;
	uint64_t known;
	if (s->stride == 0)
		n = n < 1 ? n : 1;
	if (is_range(s, n, &range)) {
		const uint64_t end = range.address + range.nbytes;
		uint64_t at = range.address;
		while (at < end && bytes_are_quick(m, at, end, is_write, &known))
			at = known;
		if (at >= end)
			return n;
		return s->stride > 0 ? (uint32_t)((at - range.address) / s->next.nbytes) : 0;
	}
	uint64_t at = s->next.address;
	uint32_t i = 0;
	for (; i < n; i++, at += (uint64_t)s->stride)
		for (uint64_t from = at, end = at + s->next.nbytes; from < end; from = known)
			if (!bytes_are_quick(m, from, end, is_write, &known))
				return i;
	return s->stride == 0 ? UINT32_MAX : i;
}

/* Makes n accesses of a step, which are quick. */
static void step_take(struct snag_contended_memory *m, const struct snag_bytes_step *s, uint32_t n)
{
	struct snag_bytes_at p = s->next;
	if (is_range(s, n, &p)) {
		range_access(m, &p);
		return;
	}
	n = s->stride == 0 ? 1 : n;
	for (uint32_t i = 0; i < n; i++, p.address += (uint64_t)s->stride)
		place_access(m, &p);
}

/* Processes the rounds of a loop, from the first, in which all accesses are quick; returns their
 * number.  As in contended.c: writes first, all at one time. */
static uint32_t rounds_quick(struct snag_contended_memory *m, struct snag_bytes_step *step,
			     uint32_t period, uint32_t rounds)
{
	for (uint32_t i = 0; i < period && rounds > 0; i++) {
		uint32_t quick = step_quick(m, &step[i], rounds);
		rounds = quick < rounds ? quick : rounds;
	}
	for (int k = 0; rounds > 0 && k < 2; k++)
		for (uint32_t i = 0; i < period; i++)
			if (step[i].next.is_write == (k == 0))
				step_take(m, &step[i], rounds);
	for (uint32_t i = 0; i < period; i++)
		step[i].next.address += (uint64_t)step[i].stride * rounds;
	return rounds;
}

void snag_contended_memory_run(struct snag_contended_memory *m, struct snag_bytes_step *step,
			       uint32_t period, uint32_t n)
{
	struct snag_contended *c = m->c;
	if (c->acting != m->t)
		acting_change(c, m->t);
	while (n > 0) {
		time_shared(m);
		if (c->pending[m->t].variable == SNAG_NO_ID && n >= period)
			n -= rounds_quick(m, step, period, n / period) * period;
		uint32_t slow = n < SLOW_ROUNDS * period ? n : SLOW_ROUNDS * period;
		for (uint32_t i = 0; i < slow; i++) {
			struct snag_bytes_step *s = &step[i % period];
			snag_contended_memory_access(m, &s->next);
			s->next.address += (uint64_t)s->stride;
		}
		n -= slow;
	}
}

/* Synchronisation. */

/* Makes each of these bytes, inside a line, one of the variables that have this flag; returns the
 * first. */
static uint32_t variables_flag(struct snag_contended_memory *m, uint64_t address, unsigned size,
			       unsigned flag)
{
	struct shadow_page *page = shadow_page(&m->shadow, address);
	uint32_t found = 0;
	shadow_open(&m->shadow, page, address, size);
	const uint32_t log = page->part_log;
	for (uint64_t at = address, next; at < address + size; at = next) {
		uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log,
			 bytes = shadow_bytes(page, part);
		uint64_t begin = at >> log << log;
		next = begin + (UINT64_C(1) << log);
		next = next < address + size ? next : address + size;
		if (!bytes && next - at < UINT64_C(1) << log)
			bytes = shadow_break(&m->shadow, page, part);
		uint32_t first = bytes ? bytes + (uint32_t)(at - begin) : page->first + part;
		for (uint64_t i = 0; i < (bytes ? next - at : 1); i++)
			m->c->x[first + i].flags |= flag;
		found = found ? found : first;
	}
	return found;
}

void snag_contended_memory_atomic(struct snag_contended_memory *m, struct snag_event ev,
				  uint64_t address, unsigned size)
{
	const uint64_t in_line = LINE - (address & (LINE - 1));
	if (size > in_line) /* none should be; its first bytes stand for it */
		size = (unsigned)in_line;
	ev.target = variables_flag(m, address, size, ATOMIC);
	shadow_page(&m->shadow, address)->reuse |= SHADOW_USER;
	snag_contended_memory_sync(m, &ev);
}

void snag_contended_memory_sync(struct snag_contended_memory *m, const struct snag_event *ev)
{
	if (ev->op == SNAG_OP_FORK || ev->op == SNAG_OP_JOIN)
		threads_reserve(m, ev->target);
	bool is_lock = SNAG_OPS_OF_LOCKS >> ev->op & 1;
	if (is_lock && ev->target >= m->counts.n[SNAG_SPACE_LOCK]) {
		m->counts.n[SNAG_SPACE_LOCK] = ev->target + 1;
		reserve(m);
	}
	time_single(m);
	contended_sync(m->c, ev, m->time);
}

uint32_t snag_contended_memory_token(struct snag_contended_memory *m)
{
	return shadow_number_new(&m->shadow);
}

bool snag_contended_memory_lock_is_new(struct snag_contended_memory *m, uint64_t address)
{
	struct shadow_page *page = shadow_page(&m->shadow, address);
	shadow_open(&m->shadow, page, address & -(uint64_t)WORD, WORD);
	const uint32_t part = (uint32_t)(address & (PAGE - 1)) >> page->part_log;
	const uint32_t bytes = shadow_bytes(page, part);
	struct contended_variable *x =
		&m->c->x[bytes ? bytes + (address & ((1u << page->part_log) - 1))
			       : page->first + part];
	const bool is_new = !(x->flags & LOCK);
	x->flags |= LOCK;
	return is_new;
}

/* Memory that begins and ends. */

void snag_contended_memory_begin(struct snag_contended_memory *m, uint64_t address, uint64_t nbytes)
{
	if (nbytes == 0)
		return;
	shadow_visit(&m->shadow, address, nbytes, page_note, m); /* [reuse] */
	shadow_forget(&m->shadow, address, nbytes, false);
}

/* [freed] Marks the variables of a line that is not solid, from `at` up to `end`. */
static void parts_mark(struct snag_contended_memory *m, const struct shadow_page *page, uint64_t at,
		       uint64_t end)
{
	const uint32_t log = page->part_log;
	for (; at < end; at = ((at >> log) + 1) << log) {
		uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log,
			 bytes = shadow_bytes(page, part);
		if (!bytes)
			m->c->x[page->first + part].flags |= FREED;
		for (uint32_t i = 0; bytes && i < 1u << log; i++)
			m->c->x[bytes + i].flags |= FREED;
	}
}

static void range_mark(struct snag_contended_memory *m, uint64_t at, uint64_t end)
{
	for (uint64_t next; at < end; at = next) {
		const struct shadow_page *page = shadow_page(&m->shadow, at);
		next = (at | (page->is_whole ? PAGE - 1 : LINE - 1)) + 1;
		next = next < end ? next : end;
		uint32_t above = shadow_above(page, at);
		if (above)
			m->c->x[above].flags |= FREED;
		else
			parts_mark(m, page, at, next);
	}
}

bool snag_contended_memory_freed(struct snag_contended_memory *m, const struct snag_bytes_at *p)
{
	const struct shadow_page *page = shadow_page(&m->shadow, p->address);
	const uint32_t above = shadow_above(page, p->address);
	const uint32_t part = (uint32_t)(p->address & (PAGE - 1)) >> page->part_log;
	const bool is_open = (page->ready | page->broken) & shadow_line_bit(p->address);
	const uint32_t bytes = is_open ? shadow_bytes(page, part) : 0;
	const uint32_t first = above ? above : !is_open ? 0 : bytes ? bytes : page->first + part;
	const bool is_again = first && m->c->x[first].flags & FREED;
	m->is_freeing = true;
	snag_contended_memory_access(m, p);
	m->is_freeing = false;
	range_mark(m, p->address, p->address + p->nbytes);
	return is_again;
}
