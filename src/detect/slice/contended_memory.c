/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory.c - which memory of a running program a detector has to look at
 */
#include "detect/slice/contended_memory_state.h"

#include "base/memory.h"

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
	if (c->has_guards) /* otherwise the memory of guards is not even there */
		memset(c->guard + first, 0, n * sizeof(*c->guard));
}

static void variables_spread(void *ctx, uint32_t from, uint32_t first, uint32_t n)
{
	struct snag_contended *c = ((struct snag_contended_memory *)ctx)->c;
	for (uint32_t i = first; i < first + n; i++) {
		c->x[i] = c->x[from];
		if (c->has_guards)
			c->guard[i] = c->guard[from];
		contended_readers_copy(c, &c->x[i]);
	}
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
	snag_word_set_done(&m->needed);
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

/* Notes whether the bytes of a variable are needed. */
static void variable_note(struct snag_contended_memory *m, uint32_t variable, uint64_t address,
			  uint32_t nbytes)
{
	const struct contended_variable *x = &m->c->x[variable];
	if (!contended_is_in_slice(m->c, x))
		return;
	m->nwanted += contended_wanted(m->c, x) != 0;
	snag_word_set_add(&m->needed, address, nbytes);
}

/* The same for the variables of a line that is not solid. */
static void parts_note(struct snag_contended_memory *m, const struct shadow_page *page,
		       uint64_t line)
{
	const uint32_t log = page->part_log;
	for (uint64_t at = line; at < line + LINE; at += UINT64_C(1) << log) {
		const uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log;
		const uint32_t first = shadow_grains(page, part);
		if (!first) {
			variable_note(m, page->first + part, at, 1u << log);
			continue;
		}
		const uint32_t grain = 1u << shadow_grain_log(page, part);
		for (uint32_t i = 0; i < shadow_ngrains(page, part); i++)
			variable_note(m, first + i, at + i * grain, grain);
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

struct snag_word_set *snag_contended_memory_needed(struct snag_contended_memory *m)
{
	return &m->needed;
}

uint64_t snag_contended_memory_observed(const struct snag_contended_memory *m)
{
	return snag_contended_counts(m->c).observed;
}

bool snag_contended_memory_is_hopeless(const struct snag_contended_memory *m)
{
	return m->time > UINT32_MAX - (1u << 24);
}

void snag_contended_memory_need(struct snag_contended_memory *m, uint64_t address, uint64_t nbytes)
{
	snag_word_set_add(&m->needed, address, nbytes);
}

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
			 bytes = shadow_grains(page, part);
		uint64_t begin = at >> log << log;
		next = begin + (UINT64_C(1) << log);
		next = next < address + size ? next : address + size;
		if (bytes || next - at < UINT64_C(1) << log)
			bytes = shadow_break(&m->shadow, page, part, 0);
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

/* The variable of a byte of an open line. */
static uint32_t variable_at(const struct shadow_page *page, uint64_t address)
{
	const uint32_t part = (uint32_t)(address & (PAGE - 1)) >> page->part_log;
	const uint32_t byte = (uint32_t)address & ((1u << page->part_log) - 1);
	const uint32_t first = shadow_grains(page, part);
	return first ? first + (byte >> shadow_grain_log(page, part)) : page->first + part;
}

bool snag_contended_memory_lock_is_new(struct snag_contended_memory *m, uint64_t address)
{
	struct shadow_page *page = shadow_page(&m->shadow, address);
	shadow_open(&m->shadow, page, address & -(uint64_t)WORD, WORD);
	struct contended_variable *x = &m->c->x[variable_at(page, address)];
	const bool is_new = !(x->flags & LOCK);
	x->flags |= LOCK;
	if (is_new)
		snag_word_set_add(&m->needed, address, 1);
	return is_new;
}

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
		const uint32_t part = (uint32_t)(at & (PAGE - 1)) >> log;
		const uint32_t first = shadow_grains(page, part);
		if (!first)
			m->c->x[page->first + part].flags |= FREED;
		for (uint32_t i = 0; first && i < shadow_ngrains(page, part); i++)
			m->c->x[first + i].flags |= FREED;
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
	const bool is_open = (page->ready | page->broken) & shadow_line_bit(p->address);
	const uint32_t first = above ? above : is_open ? variable_at(page, p->address) : 0;
	const bool is_again = first && m->c->x[first].flags & FREED;
	m->is_freeing = true;
	snag_contended_memory_access(m, p);
	m->is_freeing = false;
	range_mark(m, p->address, p->address + p->nbytes);
	if (is_again)
		snag_word_set_add(&m->needed, p->address, 1);
	return is_again;
}
