/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - accesses to memory, for the detector inside the program
 */
#include "inside/access.h"

#include "inside/ranges.h"

enum {
	PAGE = SHADOW_PAGE,
	LINE = SHADOW_LINE,
	FREED_BYTES = 1024,
	EXPECT_BYTES = 4 * PAGE,
	CELLS = 8 /* in a line of 64 bytes */
};

static void variable_report(uint32_t variable, bool is_write)
{
	struct snag_event ev = {.thread = judge.thread,
				.target = variable,
				.op = is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
	if (is_write)
		judge.detector->inside->write(judge.state, &ev, ++judge.nevents);
	else
		judge.detector->inside->read(judge.state, &ev, ++judge.nevents);
}

static inline struct judge_who who_of(uint32_t variable)
{
	const struct snag_past_cell *x = &judge.express->x[variable];
	return (struct judge_who){x->writer, x->reader};
}

static __attribute__((noinline)) void made_report(struct judge_made *made, uint32_t variable,
						  bool is_write)
{
	uint64_t races = judge.races;
	struct judge_who before = who_of(variable);
	if (!snag_express_knows(judge.express, variable, is_write))
		variable_report(variable, is_write);
	struct judge_who after = who_of(variable);
	uint32_t lists =
		(before.writer | before.reader | after.writer | after.reader) & SNAG_PAST_LIST;
	bool is_known =
		judge.express->who && judge.express->is_all && races == judge.races && !lists;
	*made = (struct judge_made){before, after, is_known ? judge.step : 0};
}

static inline bool is_past(const struct snag_past_cell *x, struct judge_who who)
{
	return x->writer == who.writer && x->reader == who.reader;
}

/* [made] Returns the entry for an access to a variable with this past.  made_is() says whether
 * the entry holds the effect of such an access in this step. */
static inline struct judge_made *made_of(const struct snag_past_cell *x, bool is_write)
{
	return &judge.made[is_write][(x->writer ^ x->reader) % JUDGE_MADE];
}

static inline bool made_is(const struct judge_made *made, const struct snag_past_cell *x,
			   bool is_write)
{
	return __builtin_expect(made->step == judge.step && is_past(x, made->before), 1) &&
	       !(is_write && snag_express_keeps(judge.express, made->before.reader));
}

static inline void variable_access(uint32_t variable, bool is_write) /* [made] */
{
	struct snag_past_cell *x = &judge.express->x[variable];
	struct judge_made *made = made_of(x, is_write);
	if (!made_is(made, x, is_write)) {
		made_report(made, variable, is_write);
		return;
	}
	x->writer = made->after.writer;
	x->reader = made->after.reader;
}

static inline bool first_access(uint32_t variable, bool is_write) /* [first] */
{
	struct snag_past_cell *x = &judge.express->x[variable];
	if ((x->writer | x->reader) || !judge_step_begin() || !judge.express->is_all)
		return false;
	*(is_write ? &x->writer : &x->reader) = judge.express->who;
	return true;
}

/* Accesses n variables that lie side by side. */
static inline void few_variables_access(uint32_t first, uint32_t n, bool is_write)
{
	for (uint32_t i = 0; i < n; i++)
		variable_access(first + i, is_write);
}

/* The same if they may have no past. */
static inline void few_first_access(uint32_t first, uint32_t n, bool is_write)
{
	for (uint32_t i = 0; i < n; i++)
		if (!first_access(first + i, is_write))
			variable_access(first + i, is_write);
}

/* The same for many variables, most of them with the same past. */
static void variables_access(uint32_t first, uint32_t n, bool is_write)
{
	for (const uint32_t end = first + n; first < end;) {
		struct snag_past_cell *x = &judge.express->x[first];
		struct judge_made *made = made_of(x, is_write);
		if (!made_is(made, x, is_write)) {
			made_report(made, first++, is_write);
			continue;
		}
		for (const struct judge_who before = made->before, after = made->after;
		     first < end && is_past(x, before); first++, x++) {
			x->writer = after.writer;
			x->reader = after.reader;
		}
	}
}

/* Some bytes of a part, from `low` up to `high`. */
static void bytes_access(struct shadow_page *page, uint32_t part, uint32_t low, uint32_t high,
			 bool is_write)
{
	uint32_t bytes = shadow_grains(page, part);
	if (!bytes && high - low == 1u << page->part_log) {
		variable_access(page->first + part, is_write);
		return;
	}
	if (!bytes && snag_express_knows(judge.express, page->first + part, is_write))
		return;
	if (!bytes)
		bytes = shadow_break(&judge.shadow, page, part, 0);
	for (uint32_t i = low; i < high; i++)
		variable_access(bytes + i, is_write);
	const struct snag_past_cell *x = &judge.express->x[bytes];
	const struct snag_past_cell *last = &x[(1u << page->part_log) - 1];
	if (x->writer == last->writer && x->reader == last->reader)
		shadow_unite_grains(&judge.shadow, page, part);
}

/* Bytes inside a line, in whatever state it is. */
static __attribute__((noinline)) void line_access(struct shadow_page *page, uint64_t address,
						  unsigned size, bool is_write)
{
	uint32_t above = shadow_above(page, address);
	if (above && snag_express_knows(judge.express, above, is_write))
		return;
	shadow_open(&judge.shadow, page, address, size);
	const uint32_t log = page->part_log, begin = (uint32_t)(address & (PAGE - 1));
	for (uint32_t at = begin, end = begin + size; at < end;) {
		uint32_t part = at >> log, start = part << log, next = start + (1u << log);
		next = next < end ? next : end;
		bytes_access(page, part, at - start, next - start, is_write);
		at = next;
	}
}

/* The same, if they may be whole parts. */
static inline void few_access(struct shadow_page *page, uint64_t address, unsigned size,
			      bool is_write)
{
	if (shadow_is_ready(&judge.shadow, page, address, size))
		variables_access(shadow_variable(page, address), size >> page->part_log, is_write);
	else
		line_access(page, address, size, is_write);
}

/* A whole line, not solid, of a page of lines. */
static void whole_line_access(struct shadow_page *page, uint64_t address, bool is_write)
{
	uint32_t line = (uint32_t)(address >> SHADOW_LINE_LOG & 63);
	few_access(page, address, LINE, is_write);
	shadow_unite_line(&judge.shadow, page, line);
}

/* The same for the lines from `low` up to `high`, of which the solid ones lie side by side. */
static void whole_lines_access(struct shadow_page *page, uint64_t low, uint64_t high, bool is_write)
{
	for (uint32_t line, n; low < high; low += (uint64_t)n * LINE) {
		line = (uint32_t)(low >> SHADOW_LINE_LOG & 63);
		uint64_t others = ~(page->solid >> line);
		uint64_t left = (high - low) >> SHADOW_LINE_LOG;
		n = others ? (uint32_t)__builtin_ctzl(others) : 64;
		n = n < left ? n : (uint32_t)left;
		if (n > 0) {
			variables_access(page->lines + line, n, is_write);
		} else {
			whole_line_access(page, low, is_write);
			n = 1;
		}
	}
}

/* Bytes of one page. */
static void page_access(uint64_t address, uint64_t end, bool is_write)
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	uint32_t whole = 0;
	if (end - address == PAGE)
		whole = shadow_whole(&judge.shadow, page, address);
	if (whole) {
		variable_access(whole, is_write);
		return;
	}
	uint64_t low = (address + LINE - 1) & -(uint64_t)LINE, high = end & -(uint64_t)LINE;
	if (low < high)
		shadow_lines(
			&judge.shadow, page, address,
			shadow_lines_between(low & (PAGE - 1), high - (address & -(uint64_t)PAGE)));
	if (address < low) {
		low = low < end ? low : end;
		few_access(page, address, (unsigned)(low - address), is_write);
	}
	if (low < high)
		whole_lines_access(page, low, high, is_write);
	low = low < high ? high : low;
	if (low < end)
		few_access(page, low, (unsigned)(end - low), is_write);
	if (end - address == PAGE)
		shadow_unite_page(&judge.shadow, page);
}

void judge_range(uint64_t address, uint64_t nbytes, bool is_write)
{
	if (judge.nlate)
		judge_late_flush();
	for (uint64_t end = address + nbytes, next; address < end; address = next) {
		next = (address | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		page_access(address, next, is_write);
	}
}

/* Prefetches a line that the access begins or ends with. */
static inline void line_expect(const struct shadow_page *page, uint64_t address)
{
	const struct snag_past_cell *x = judge.express->x;
	if (page->ready & shadow_line_bit(address)) {
		__builtin_prefetch(&x[shadow_variable(page, address & -(uint64_t)LINE)], 1);
		__builtin_prefetch(&x[shadow_variable(page, address | (LINE - 1))], 1);
	}
}

void judge_expect(uint64_t address, uint64_t nbytes)
{
	uint64_t end = address + (nbytes < EXPECT_BYTES ? nbytes : EXPECT_BYTES);
	for (uint64_t next; address < end; address = next) {
		const struct shadow_page *page = shadow_page(&judge.shadow, address);
		next = (address | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		if (page->is_whole || !page->lines)
			continue;
		line_expect(page, address);
		line_expect(page, next - 1);
		const struct snag_past_cell *x = &judge.express->x[page->lines];
		for (uint64_t line = address; line < next; line += CELLS * LINE)
			__builtin_prefetch(&x[line >> SHADOW_LINE_LOG & 63], 1);
	}
}

/* Returns whether the access was one to variables that exist as they are. */
static inline bool ready_access(struct shadow_page *page, uint64_t address, unsigned size,
				bool is_write)
{
	if ((address & (LINE - 1)) + size > LINE ||
	    !shadow_is_ready(&judge.shadow, page, address, size))
		return false;
	few_first_access(shadow_variable(page, address), size >> page->part_log, is_write);
	return true;
}

void judge_access(uint64_t address, unsigned size, bool is_write)
{
	if (!ready_access(shadow_page(&judge.shadow, address), address, size, is_write))
		judge_range(address, size, is_write);
}

void judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write)
{
	struct shadow_page *page = NULL;
	for (uint64_t i = 0, last = 0; i < count; i++, address += (uint64_t)step) {
		if (!page || (address ^ last) >> SHADOW_PAGE_LOG)
			page = shadow_page(&judge.shadow, address);
		if (size > LINE || !ready_access(page, address, (unsigned)size, is_write))
			judge_range(address, size, is_write);
		last = address;
	}
}

/* [lasting] Returns whether reads of n variables of the page may be left out until further
 * notice. */
static inline bool variables_last(struct shadow_page *page, uint32_t first, uint32_t n)
{
	struct snag_express *e = judge.express;
	uint64_t used = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!snag_express_lasts(e, first + i))
			return false;
		used |= UINT64_C(1) << e->x[first + i].reader % SNAG_LASTING;
	}
	e->used |= used;
	page->has_lasting = true;
	return true;
}

/* The same for bytes. */
static inline bool bytes_last(struct shadow_page *page, uint64_t address, unsigned size)
{
	uint32_t above = shadow_above(page, address);
	if ((address & (LINE - 1)) + size > LINE)
		return false;
	if (above)
		return variables_last(page, above, 1);
	return (page->ready & shadow_line_bit(address)) &&
	       !((address | size) & ((1u << page->part_log) - 1)) &&
	       variables_last(page, shadow_variable(page, address), size >> page->part_log);
}

/* The same for any range, also over several lines and pages. */
static bool range_lasts(uint64_t address, uint64_t nbytes)
{
	for (uint64_t end = address + nbytes, next; address < end; address = next) {
		struct shadow_page *page = shadow_page(&judge.shadow, address);
		next = (address | (page->is_whole ? PAGE - 1 : LINE - 1)) + 1;
		next = next < end ? next : end;
		if (page->is_whole ? !variables_last(page, page->whole, 1)
				   : !bytes_last(page, address, (unsigned)(next - address)))
			return false;
	}
	return true;
}

bool judge_range_lasts(uint64_t address, uint64_t nbytes)
{
	struct judge_lasting *l =
		&judge.lasting[(address ^ nbytes) * UINT64_C(0x9e3779b97f4a7c15) >>
			       (64 - JUDGE_LASTING_LOG)];
	if (!judge.may_last)
		return false;
	if (l->address != address || l->nbytes != nbytes || l->ended != judge_ended())
		*l = (struct judge_lasting){address, nbytes, .ended = judge_ended()};
	l->times++;
	if (!l->lasts && l->times > 1 && (l->times & (l->times - 1)) == 0)
		l->lasts = range_lasts(address, nbytes);
	return l->lasts;
}

/* [single] Returns whether an access is judged at once. */
static inline bool is_single(struct shadow_page *page, uint64_t address, unsigned size)
{
	uint64_t at = address & (LINE - 1);
	if ((!at || at + size >= LINE) && !(page->reuse & SHADOW_STACK))
		return false;
	if (page->reuse)
		return shadow_is_ready(&judge.shadow, page, address, size);
	return (page->ready & shadow_line_bit(address)) &&
	       !((address | size) & ((1u << page->part_log) - 1));
}

static __attribute__((noinline)) void late_judge(struct judge_late late)
{
	few_variables_access(late.first, late.n, true);
}

static inline void late_put(uint32_t first, uint32_t n) /* [late] */
{
	const struct judge_late now = {first, n};
	__builtin_prefetch(&judge.express->x[first], 1);
	if (judge.nlate < JUDGE_LATE) {
		judge.late[judge.nlate++] = now;
		return;
	}
	struct judge_late *at = &judge.late[judge.oldest++ % JUDGE_LATE], old = *at;
	*at = now;
	late_judge(old);
}

void judge_late_flush(void)
{
	uint32_t n = judge.nlate;
	judge.nlate = 0;
	for (uint32_t i = 0; i < n; i++)
		few_variables_access(judge.late[i].first, judge.late[i].n, true);
}

/* [single] A read of n variables: judges it, or, if it lasts, returns true. */
static __attribute__((noinline)) bool single_read(struct shadow_page *page, uint32_t first,
						  uint32_t n)
{
	if (judge.may_last && variables_last(page, first, n))
		return true;
	few_first_access(first, n, false);
	return false;
}

/* Keeps an access until it is part of a range (ranges.h).  Returns true, and keeps nothing, for a
 * read that may be left out. */
static __attribute__((noinline)) bool stream_access(unsigned number, uint64_t address,
						    unsigned size)
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	if (judge.may_last && number < JUDGE_STREAMS && bytes_last(page, address, size))
		return true;
	line_expect(page, address);
	judge_stream_begin(number, address, size);
	return false;
}

bool judge_one(uint64_t address, unsigned size, bool is_write)
{
	unsigned number = judge_stream_of(address, is_write);
	if (judge_stream_join(number, address, size))
		return false;
	struct shadow_page *page = shadow_page_recent(&judge.shadow, address);
	if (!page || !is_single(page, address, size))
		return stream_access(number, address, size);
	uint32_t first = shadow_variable(page, address), n = size >> page->part_log;
	if (!is_write)
		return single_read(page, first, n);
	if (page->reuse)
		few_first_access(first, n, true);
	else
		late_put(first, n);
	return false;
}

void judge_freed(uint64_t address, uint64_t nbytes) /* [freed] */
{
	uint64_t end = address + (nbytes < FREED_BYTES ? nbytes : FREED_BYTES);
	for (uint64_t next; address < end; address = next) {
		next = (address | (LINE - 1)) + 1;
		next = next < end ? next : end;
		if (shadow_is_touched(&judge.shadow, address))
			judge_range(address, next - address, true);
	}
}
