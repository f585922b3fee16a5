/* SPDX-License-Identifier: Apache-2.0
 *
 * regions.c - names the addresses of the program
 *
 * State.  modules, stacks: few, searched one by one (the one found last first)
 *         blocks: a sorted list would be slow to change.  Instead, each page of 4096 bytes has a
 *         bit for each word at which a block begins, and the block that reaches into it from
 *         before.  Blocks of many pages are kept separately.
 * Rules.  A block ends those it overlaps: the program freed their memory, although no event said
 *         so. If an overlapped block became visible again later, two variables would have one
 *         name.
 * Cost.   A few loads for a small block; a binary search among the large ones.
 */
#include "record/convert/regions.h"

#include "base/keyed.h"
#include "base/memory.h"
#include "base/placed.h"
#include "report/source/symbols.h"
#include "runtime/channel/channel.h"

#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, WORDS = PAGE / 8, LARGE = 16 * PAGE, NAMED = 4 };

struct module {
	uint64_t base, end;
	char *path, *name;
};

struct stack {
	uint64_t low, top;
	uint32_t thread;
};

struct block {
	uint64_t addr, nbytes;
	uint64_t number;
	uint32_t thread, loc; /* that allocated it */
	bool is_ended;
	struct snag_region_end end;
};

struct page {
	uint64_t number; /* address / PAGE */
	uint64_t starts[WORDS / 64];
	uint64_t cover; /* address of the small block that reaches in from before; 0: none */
};

/* The name of a block. */
struct named {
	uint64_t number;
	uint64_t addr, nbytes;
	uint64_t alone; /* how many bytes from addr on belong to this block only */
	char name[SNAG_REGION_NAME];
	size_t len;
	uint64_t mark; /* the caller's */
};

struct snag_regions {
	struct snag_symbols *symbols;
	struct module *module;
	size_t nmodules, module_cap;
	struct stack *stack; /* by their top, ascending */
	size_t nstacks, stack_cap;
	struct snag_keyed pages,
		blocks;	     /* by address, without slots.h, which took a quarter more time */
	struct block *large; /* by address */
	size_t nlarge, large_cap;
	uint64_t nblocks;
	struct named named[NAMED]; /* the blocks named last: mostly the next is one of them */
	/* Set to 0 when regions change; beyond NAMED, new ones replace the oldest. */
	size_t nnamed;
	size_t last_named; /* the one that was met last */
};

struct snag_regions *snag_regions_new(struct snag_symbols *symbols)
{
	struct snag_regions *r = snag_calloc(1, sizeof(*r));
	r->symbols = symbols;
	r->pages.elem = sizeof(struct page);
	r->blocks.elem = sizeof(struct block);
	return r;
}

void snag_regions_free(struct snag_regions *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nmodules; i++) {
		free(r->module[i].path);
		free(r->module[i].name);
	}
	free(r->module);
	free(r->stack);
	snag_keyed_done(&r->pages);
	snag_keyed_done(&r->blocks);
	free(r->large);
	free(r);
}

static bool has_name(const struct snag_regions *r, const char *name)
{
	for (size_t i = 0; i < r->nmodules; i++)
		if (strcmp(r->module[i].name, name) == 0)
			return true;
	return false;
}

const char *snag_regions_module(struct snag_regions *r, uint64_t base, uint64_t nbytes,
				const char *path)
{
	char name[128];
	const char *file = basename(path);
	for (size_t i = 0; i < r->nmodules; i++)
		if (r->module[i].base == base && strcmp(r->module[i].path, path) == 0)
			return NULL;
	snprintf(name, sizeof(name), "%.100s", file);
	for (unsigned k = 2; has_name(r, name); k++)
		snprintf(name, sizeof(name), "%.100s~%u", file, k);
	r->module = snag_grow(r->module, &r->module_cap, r->nmodules + 1, sizeof(*r->module));
	r->module[r->nmodules] =
		(struct module){base, base + nbytes, snag_strdup(path), snag_strdup(name)};
	return r->module[r->nmodules++].name;
}

void snag_regions_stack(struct snag_regions *r, uint32_t thread, uint64_t low, uint64_t top)
{
	size_t i = 0;
	while (i < r->nstacks && r->stack[i].top < top)
		i++;
	if (i == r->nstacks || r->stack[i].top != top) {
		r->stack = snag_grow(r->stack, &r->stack_cap, r->nstacks + 1, sizeof(*r->stack));
		memmove(r->stack + i + 1, r->stack + i, (r->nstacks - i) * sizeof(*r->stack));
		r->nstacks++;
	}
	r->stack[i] = (struct stack){low, top, thread};
	r->nnamed = 0;
}

/* The first large block that begins behind addr. */
static size_t large_behind(const struct snag_regions *r, uint64_t addr)
{
	size_t from = 0, to = r->nlarge;
	while (from < to) {
		size_t mid = (from + to) / 2;
		if (r->large[mid].addr > addr)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Ends the large blocks that overlap [addr, end). */
static void large_end(struct snag_regions *r, uint64_t addr, uint64_t end)
{
	size_t to = large_behind(r, end - 1), from = to;
	while (from > 0 && r->large[from - 1].addr + r->large[from - 1].nbytes > addr)
		from--;
	if (from == to)
		return;
	memmove(r->large + from, r->large + to, (r->nlarge - to) * sizeof(*r->large));
	r->nlarge -= to - from;
}

/* Ends what a page knows of [addr, end), which does not begin behind the page. */
static void page_end(struct page *p, uint64_t addr, uint64_t end)
{
	uint64_t at = p->number * PAGE;
	for (uint64_t w = 0; w < WORDS; w++, at += 8)
		if (at >= addr && at < end)
			p->starts[w / 64] &= ~(1ull << w % 64);
	if (p->number * PAGE >= addr)
		p->cover = 0;
}

/* Ends the small blocks that overlap [addr, end), by its pages or by all there are. */
static void small_end(struct snag_regions *r, uint64_t addr, uint64_t end)
{
	uint64_t first = addr / PAGE, last = (end - 1) / PAGE;
	struct page *page = (struct page *)r->pages.at;
	if (last - first < r->pages.nslots) {
		for (uint64_t number = first; number <= last; number++)
			if ((page = snag_keyed_find(&r->pages, number)))
				page_end(page, addr, end);
	} else {
		for (size_t i = 0; i < r->pages.nslots; i++)
			if (page[i].number >= first && page[i].number <= last)
				page_end(&page[i], addr, end);
	}
}

/* Marks that a block begins here: no block from before reaches behind the address. */
static void start_set(struct snag_regions *r, uint64_t addr)
{
	struct page *p = snag_keyed_get(&r->pages, addr / PAGE);
	uint64_t w = addr % PAGE / 8;
	p->starts[w / 64] |= 1ull << w % 64;
}

static void large_add(struct snag_regions *r, const struct block *b)
{
	struct block *small = snag_keyed_find(&r->blocks, b->addr);
	if (small)
		small->nbytes = 0;
	start_set(r, b->addr);
	size_t i = large_behind(r, b->addr);
	r->large = snag_grow(r->large, &r->large_cap, r->nlarge + 1, sizeof(*r->large));
	memmove(r->large + i + 1, r->large + i, (r->nlarge - i) * sizeof(*r->large));
	r->large[i] = *b;
	r->nlarge++;
}

static void small_add(struct snag_regions *r, const struct block *b)
{
	uint64_t end = b->addr + b->nbytes;
	*(struct block *)snag_keyed_get(&r->blocks, b->addr) = *b;
	start_set(r, b->addr);
	for (uint64_t number = b->addr / PAGE + 1; number * PAGE < end; number++)
		((struct page *)snag_keyed_get(&r->pages, number))->cover = b->addr;
}

void snag_regions_alloc(struct snag_regions *r, uint64_t addr, uint64_t nbytes, uint32_t thread,
			uint32_t loc)
{
	struct block b = {.addr = addr,
			  .nbytes = nbytes ? nbytes : 1,
			  .number = r->nblocks++,
			  .thread = thread,
			  .loc = loc};
	r->nnamed = 0;
	large_end(r, addr, addr + b.nbytes);
	small_end(r, addr, addr + b.nbytes);
	if (b.nbytes >= LARGE)
		large_add(r, &b);
	else
		small_add(r, &b);
}

void snag_regions_skip(struct snag_regions *r, uint64_t nblocks)
{
	r->nblocks += nblocks;
}

uint64_t snag_regions_dealloc(struct snag_regions *r, uint64_t addr, uint32_t thread, uint32_t loc)
{
	size_t i = large_behind(r, addr);
	struct block *b = i > 0 && r->large[i - 1].addr == addr ? &r->large[i - 1]
								: snag_keyed_find(&r->blocks, addr);
	r->nnamed = 0;
	if (!b)
		return 0;
	b->is_ended = true;
	b->end = (struct snag_region_end){thread, loc};
	return b->nbytes;
}

static const struct block *block_at(const struct snag_regions *r, uint64_t addr)
{
	size_t i = large_behind(r, addr);
	if (i > 0 && addr - r->large[i - 1].addr < r->large[i - 1].nbytes)
		return &r->large[i - 1];
	const struct page *p = snag_keyed_find(&r->pages, addr / PAGE);
	if (!p)
		return NULL;
	uint64_t start = p->cover;
	for (int64_t w = (int64_t)(addr % PAGE / 8), word = w / 64; word >= 0; word--) {
		uint64_t bits = p->starts[word];
		if (word == w / 64)
			bits &= ~0ull >> (63 - w % 64);
		if (bits) {
			start = addr / PAGE * PAGE +
				8 * (64 * (uint64_t)word + 63 - (uint64_t)__builtin_clzll(bits));
			break;
		}
	}
	const struct block *b = start ? snag_keyed_find(&r->blocks, start) : NULL;
	return b && addr - b->addr < b->nbytes ? b : NULL;
}

static const struct stack *stack_at(const struct snag_regions *r, uint64_t addr)
{
	for (size_t i = 0; i < r->nstacks; i++)
		if (r->stack[i].top > addr)
			return addr >= r->stack[i].low ? &r->stack[i] : NULL;
	return NULL;
}

static const struct module *module_at(const struct snag_regions *r, uint64_t addr)
{
	for (size_t i = 0; i < r->nmodules; i++)
		if (addr >= r->module[i].base && addr < r->module[i].end)
			return &r->module[i];
	return NULL;
}

bool snag_regions_ended(const struct snag_regions *r, uint64_t addr,
			struct snag_region_end *ret_end)
{
	const struct block *b = stack_at(r, addr) || module_at(r, addr) ? NULL : block_at(r, addr);
	if (!b || !b->is_ended)
		return false;
	*ret_end = b->end;
	return true;
}

uint64_t snag_regions_block(const struct snag_regions *r, uint64_t addr)
{
	const struct block *b = block_at(r, addr);
	return b ? b->number + 1 : 0;
}

uint64_t snag_regions_blocks(const struct snag_regions *r)
{
	return r->nblocks;
}

/* "<text><number>" in base 16, or in base 10; returns the new length.  Inlined, so that the
 * compiler knows the base and need not divide. */
static inline __attribute__((always_inline)) size_t put(char *to, size_t n, const char *text,
							uint64_t number, unsigned base)
{
	char digits[20];
	size_t d = sizeof(digits);
	while (*text && n < SNAG_REGION_NAME - sizeof(digits) - 1)
		to[n++] = *text++;
	do {
		digits[--d] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	memcpy(to + n, digits + d, sizeof(digits) - d);
	n += sizeof(digits) - d;
	to[n] = 0;
	return n;
}

/* The name of an object, and the offset unless that is 0. */
static size_t put_object(char *to, const char *name, uint64_t offset)
{
	size_t n = strlen(name), most = SNAG_REGION_NAME - 32;
	n = n < most ? n : most;
	memcpy(to, name, n);
	to[n] = 0;
	return offset ? put(to, n, "+0x", offset, 16) : n;
}

/* A place in a block that has been named. */
static inline size_t put_named(const struct named *n, uint64_t addr, char *to)
{
	memcpy(to, n->name, n->len + 1);
	return n->len + snag_placed_put(to + n->len, addr - n->addr);
}

static inline struct named *named_at(struct snag_regions *r, uint64_t addr)
{
	struct named *last = &r->named[r->last_named];
	if (r->last_named < r->nnamed && addr - last->addr < last->alone)
		return last;
	for (size_t i = 0; i < r->nnamed && i < NAMED; i++)
		if (addr - r->named[i].addr < r->named[i].alone) {
			r->last_named = i;
			return &r->named[i];
		}
	return NULL;
}

/* Returns whether a block has its memory for itself.  A large block has, unless a stack lies in it:
 * it ends when another block takes a part of it. */
static bool is_alone(const struct snag_regions *r, const struct block *b)
{
	for (size_t i = 0; i < r->nstacks; i++)
		if (r->stack[i].low < b->addr + b->nbytes && r->stack[i].top > b->addr)
			return false;
	return b->nbytes >= LARGE;
}

static struct named *block_named(struct snag_regions *r, const struct block *b)
{
	for (size_t i = 0; i < r->nnamed && i < NAMED; i++)
		if (r->named[i].number == b->number)
			return &r->named[i];
	struct named *named = &r->named[r->nnamed++ % NAMED];
	named->number = b->number;
	named->mark = 0;
	named->addr = b->addr;
	named->nbytes = b->nbytes;
	named->alone = is_alone(r, b) ? b->nbytes : 0;
	size_t n = put(named->name, 0, "heap#", b->number, 10);
	n = put(named->name, n, ":", b->nbytes, 10);
	n = put(named->name, n, "@", b->loc, 10);
	named->len = put(named->name, n, ",T", b->thread, 10);
	return named;
}

size_t snag_regions_name(struct snag_regions *r, uint64_t addr, char to[SNAG_REGION_NAME],
			 bool *ret_is_block)
{
	const struct named *named = named_at(r, addr);
	if (named) {
		if (ret_is_block)
			*ret_is_block = true;
		return put_named(named, addr, to);
	}
	const struct stack *s = stack_at(r, addr);
	const struct block *b = s ? NULL : block_at(r, addr);
	const struct module *m = s || b ? NULL : module_at(r, addr);
	struct snag_object object;
	if (ret_is_block)
		*ret_is_block = b != NULL;
	if (s)
		return put(to, put(to, 0, "T", s->thread, 10), "-0x", s->top - addr, 16);
	if (b)
		return put_named(block_named(r, b), addr, to);
	if (!m && addr < RT_DESCRIPTOR_AT(RT_DESCRIPTORS))
		return put(to, 0, "descriptor:", addr / 8 - 1, 10);
	if (!m)
		return put(to, 0, "0x", addr, 16);
	if (snag_symbols_object(r->symbols, addr, &object))
		return put_object(to, object.name, addr - object.start);
	return put_object(to, m->name, addr - m->base);
}

/* Returns how many of nbytes from an address outside of stacks come before the next stack. */
static uint64_t before_stack(const struct snag_regions *r, uint64_t addr, uint64_t nbytes)
{
	for (size_t i = 0; i < r->nstacks; i++)
		if (r->stack[i].low > addr && r->stack[i].low - addr < nbytes)
			nbytes = r->stack[i].low - addr;
	return nbytes;
}

uint64_t *snag_regions_mark(struct snag_regions *r, uint64_t addr, uint64_t *ret_offset,
			    uint64_t *ret_nbytes)
{
	struct named *named = named_at(r, addr);
	if (!named) {
		const struct block *b = stack_at(r, addr) ? NULL : block_at(r, addr);
		named = b ? block_named(r, b) : NULL;
	}
	if (!named || named->len > SNAG_PLACED_BYTES)
		return NULL;
	*ret_offset = addr - named->addr;
	*ret_nbytes = before_stack(r, addr, named->nbytes - *ret_offset);
	return &named->mark;
}
