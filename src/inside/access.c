/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - accesses to memory, for the detector inside the program
 */
#include "inside/access.h"

enum { PAGE = SHADOW_PAGE, LINE = SHADOW_LINE, FREED_BYTES = 1024 };

/* ---- one variable ---- */

static void variable_tell(uint32_t variable, bool is_write)
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
	return (struct judge_who){x->writer.who, x->reader.who};
}

static __attribute__((noinline)) void made_tell(struct judge_made *made, uint32_t variable,
						bool is_write)
{
	uint64_t races = judge.races;
	struct judge_who before = who_of(variable);
	if (!snag_express_knows(judge.express, variable, is_write))
		variable_tell(variable, is_write);
	struct judge_who after = who_of(variable);
	uint32_t lists =
		(before.writer | before.reader | after.writer | after.reader) & SNAG_PAST_LIST;
	bool is_known =
		judge.express->who && judge.express->is_all && races == judge.races && !lists;
	*made = (struct judge_made){before, after, is_known ? judge.step : 0};
}

static inline void variable_access(uint32_t variable, bool is_write) /* [made] */
{
	struct snag_past_cell *x = &judge.express->x[variable];
	struct judge_who who = who_of(variable);
	struct judge_made *made = &judge.made[is_write][(who.writer ^ who.reader) % JUDGE_MADE];
	if (__builtin_expect(made->step != judge.step || who.writer != made->before.writer ||
				     who.reader != made->before.reader,
			     0)) {
		made_tell(made, variable, is_write);
		return;
	}
	x->writer.who = made->after.writer;
	x->reader.who = made->after.reader;
}

/* ---- parts of a line ---- */

/* Some bytes of a part, from `low` up to `high`. */
static void bytes_access(struct shadow_page *page, uint32_t part, uint32_t low, uint32_t high,
			 bool is_write)
{
	uint32_t bytes = shadow_bytes(page, part);
	if (!bytes && high - low == 1u << page->part_log) {
		variable_access(page->first + part, is_write);
		return;
	}
	if (!bytes && snag_express_knows(judge.express, page->first + part, is_write))
		return;
	if (!bytes)
		bytes = shadow_break(&judge.shadow, page, part);
	for (uint32_t i = low; i < high; i++)
		variable_access(bytes + i, is_write);
	const struct snag_past_cell *x = &judge.express->x[bytes];
	const struct snag_past_cell *last = &x[(1u << page->part_log) - 1];
	if (x->writer.who == last->writer.who && x->reader.who == last->reader.who)
		shadow_unite_bytes(&judge.shadow, page, part);
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

/* ---- ranges ---- */

/* A whole line of a page of lines. */
static inline void whole_line_access(struct shadow_page *page, uint64_t address, bool is_write)
{
	uint32_t line = (uint32_t)(address >> SHADOW_LINE_LOG & 63);
	if (page->solid >> line & 1) {
		variable_access(page->lines + line, is_write);
		return;
	}
	line_access(page, address, LINE, is_write);
	shadow_unite_line(&judge.shadow, page, line);
}

/* The lines of a page from `low` up to `high`, addresses within it. */
static uint64_t lines_between(uint64_t low, uint64_t high)
{
	uint64_t first = low >> SHADOW_LINE_LOG, n = (high >> SHADOW_LINE_LOG) - first;
	return n >= 64 ? ~UINT64_C(0) : ((UINT64_C(1) << n) - 1) << first;
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
		shadow_lines(&judge.shadow, page, address,
			     lines_between(low & (PAGE - 1), high - (address & -(uint64_t)PAGE)));
	if (address < low) {
		low = low < end ? low : end;
		line_access(page, address, (unsigned)(low - address), is_write);
	}
	for (; low < high; low += LINE)
		whole_line_access(page, low, is_write);
	if (low < end)
		line_access(page, low, (unsigned)(end - low), is_write);
	if (end - address == PAGE)
		shadow_unite_page(&judge.shadow, page);
}

void judge_range(uint64_t address, uint64_t nbytes, bool is_write)
{
	for (uint64_t end = address + nbytes, next; address < end; address = next) {
		next = (address | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		page_access(address, next, is_write);
	}
}

void judge_access(uint64_t address, unsigned size, bool is_write)
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	if ((address & (LINE - 1)) + size > LINE ||
	    !shadow_is_ready(&judge.shadow, page, address, size)) {
		judge_range(address, size, is_write);
		return;
	}
	uint32_t variable = shadow_variable(page, address), n = size >> page->part_log;
	for (uint32_t i = 0; i < n; i++)
		variable_access(variable + i, is_write);
}

void judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write)
{
	for (uint64_t i = 0; i < count; i++, address += (uint64_t)step)
		if (size <= LINE)
			judge_access(address, (unsigned)size, is_write);
		else
			judge_range(address, size, is_write);
}

bool judge_lasts(uint64_t address, unsigned size) /* [lasting] */
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	uint32_t first = shadow_above(page, address), n = 1;
	if ((address & (LINE - 1)) + size > LINE)
		return false;
	if (!first) {
		if (!(page->ready & shadow_line_bit(address)) ||
		    ((address | size) & ((1u << page->part_log) - 1)))
			return false;
		first = shadow_variable(page, address);
		n = size >> page->part_log;
	}
	bool lasts = true;
	for (uint32_t i = 0; i < n && lasts; i++)
		lasts = snag_express_lasts(judge.express, first + i);
	for (uint32_t i = 0; i < n && lasts; i++)
		judge.express->used |= UINT32_C(1)
				       << judge.express->x[first + i].reader.who % SNAG_LASTING;
	page->has_lasting |= lasts;
	return lasts;
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
