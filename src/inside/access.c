/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - accesses to memory, for the detector inside the program
 */
#include "inside/access.h"

enum { PAGE = SHADOW_PAGE, LINE = SHADOW_LINE, FREED_BYTES = 1024 };

/* ---- one variable ---- */

static __attribute__((noinline)) void variable_tell(uint32_t variable, bool is_write)
{
	struct snag_event ev = {.thread = judge.thread,
				.target = variable,
				.op = is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
	if (is_write)
		judge.detector->inside->write(judge.state, &ev, ++judge.nevents);
	else
		judge.detector->inside->read(judge.state, &ev, ++judge.nevents);
}

static inline void variable_access(uint32_t variable, bool is_write)
{
	if (!snag_express_knows(judge.express, variable, is_write))
		variable_tell(variable, is_write);
}

/* What the accesses of a row made of a variable. */
struct row {
	struct snag_past_cell before, after;
	bool is_known, is_write;
};

static __attribute__((noinline)) void row_tell(struct row *row, uint32_t variable)
{
	uint64_t races = judge.races;
	row->before = judge.express->x[variable];
	variable_access(variable, row->is_write);
	row->after = judge.express->x[variable];
	row->is_known = judge.express->who && judge.express->is_all && races == judge.races &&
			!snag_past_is_list(&row->before.writer) &&
			!snag_past_is_list(&row->before.reader) &&
			!snag_past_is_list(&row->after.writer) &&
			!snag_past_is_list(&row->after.reader);
}

static inline void row_access(struct row *row, uint32_t variable)
{
	struct snag_past_cell *x = &judge.express->x[variable];
	if (row->is_known && x->writer.who == row->before.writer.who &&
	    x->reader.who == row->before.reader.who)
		*x = row->after;
	else
		row_tell(row, variable);
}

/* ---- parts of a line ---- */

/* Some bytes of a part, from `low` up to `high`. */
static void bytes_access(struct row *row, struct shadow_page *page, uint32_t part, uint32_t low,
			 uint32_t high)
{
	uint32_t bytes = shadow_bytes(page, part);
	if (!bytes && high - low == 1u << page->part_log) {
		row_access(row, page->first + part);
		return;
	}
	if (!bytes && snag_express_knows(judge.express, page->first + part, row->is_write))
		return;
	if (!bytes)
		bytes = shadow_break(&judge.shadow, page, part);
	for (uint32_t i = low; i < high; i++)
		row_access(row, bytes + i);
	const struct snag_past_cell *x = &judge.express->x[bytes];
	const struct snag_past_cell *last = &x[(1u << page->part_log) - 1];
	if (x->writer.who == last->writer.who && x->reader.who == last->reader.who)
		shadow_unite_bytes(&judge.shadow, page, part);
}

/* Bytes inside a line, in whatever state it is. */
static __attribute__((noinline)) void line_access(struct row *row, struct shadow_page *page,
						  uint64_t address, unsigned size)
{
	uint32_t above = shadow_above(page, address);
	if (above && snag_express_knows(judge.express, above, row->is_write))
		return;
	shadow_open(&judge.shadow, page, address, size);
	const uint32_t log = page->part_log, begin = (uint32_t)(address & (PAGE - 1));
	for (uint32_t at = begin, end = begin + size; at < end;) {
		uint32_t part = at >> log, start = part << log, next = start + (1u << log);
		next = next < end ? next : end;
		bytes_access(row, page, part, at - start, next - start);
		at = next;
	}
}

/* ---- ranges ---- */

/* A whole line of a page of lines. */
static inline void whole_line_access(struct row *row, struct shadow_page *page, uint64_t address)
{
	uint32_t line = (uint32_t)(address >> SHADOW_LINE_LOG & 63);
	if (page->solid >> line & 1) {
		row_access(row, page->lines + line);
		return;
	}
	line_access(row, page, address, LINE);
	shadow_unite_line(&judge.shadow, page, line);
}

/* The lines of a page from `low` up to `high`, addresses within it. */
static uint64_t lines_between(uint64_t low, uint64_t high)
{
	uint64_t first = low >> SHADOW_LINE_LOG, n = (high >> SHADOW_LINE_LOG) - first;
	return n >= 64 ? ~UINT64_C(0) : ((UINT64_C(1) << n) - 1) << first;
}

/* Bytes of one page. */
static void page_access(struct row *row, uint64_t address, uint64_t end)
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	uint32_t whole = 0;
	if (end - address == PAGE)
		whole = shadow_whole(&judge.shadow, page, address);
	if (whole) {
		row_access(row, whole);
		return;
	}
	uint64_t low = (address + LINE - 1) & -(uint64_t)LINE, high = end & -(uint64_t)LINE;
	if (low < high)
		shadow_lines(&judge.shadow, page, address,
			     lines_between(low & (PAGE - 1), high - (address & -(uint64_t)PAGE)));
	if (address < low) {
		low = low < end ? low : end;
		line_access(row, page, address, (unsigned)(low - address));
	}
	for (; low < high; low += LINE)
		whole_line_access(row, page, low);
	if (low < end)
		line_access(row, page, low, (unsigned)(end - low));
	if (end - address == PAGE)
		shadow_unite_page(&judge.shadow, page);
}

static void range_access(struct row *row, uint64_t address, uint64_t nbytes)
{
	for (uint64_t end = address + nbytes, next; address < end; address = next) {
		next = (address | (PAGE - 1)) + 1;
		next = next < end ? next : end;
		page_access(row, address, next);
	}
}

void judge_range(uint64_t address, uint64_t nbytes, bool is_write)
{
	struct row row = {.is_write = is_write};
	range_access(&row, address, nbytes);
}

void judge_access(uint64_t address, unsigned size, bool is_write)
{
	struct shadow_page *page = shadow_page(&judge.shadow, address);
	if ((address & (LINE - 1)) + size > LINE || !shadow_is_ready(page, address, size)) {
		judge_range(address, size, is_write);
		return;
	}
	uint32_t variable = shadow_variable(page, address), n = size >> page->part_log;
	for (uint32_t i = 0; i < n; i++)
		variable_access(variable + i, is_write);
}

void judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write)
{
	struct row row = {.is_write = is_write};
	for (uint64_t i = 0; i < count; i++, address += (uint64_t)step)
		range_access(&row, address, size);
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
