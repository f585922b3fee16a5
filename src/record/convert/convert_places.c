/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_places.c - the layout of the program: code, modules, blocks, stacks
 *
 * These records make no events, with one exception: the end of a block.
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"
#include "record/convert/regions.h"
#include "report/source/symbols.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOCATION = 1024 }; /* bytes of a name */

static uint32_t location_named(struct snag_convert *c, const struct snag_frame *f, uint32_t caller)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCATION];
	char text[LOCATION];
	size_t n = snag_frame_name(f, caller, text, sizeof(text));
	return snag_strtab_intern(words, text, n < sizeof(text) ? n : sizeof(text) - 1);
}

static uint64_t called_hash(const void *at, uint32_t i)
{
	return snag_hash(((const struct snag_called_at *)at)[i].pc, 0);
}

static bool called_equals(const void *at, uint32_t i, const void *pc)
{
	return ((const struct snag_called_at *)at)[i].pc == *(const uint64_t *)pc;
}

/* Returns the frames of a return address, outermost first.  Their names have caller 0 in place of
 * the real caller.  A function of snag's headers has no frame if it has a caller. */
static const struct snag_called_at *called_at(struct snag_convert *c, uint64_t pc)
{
	struct snag_called *called = &c->called;
	struct snag_frame frame[SNAG_MAX_FRAMES];
	uint32_t known =
		snag_slots_find(&called->slots, snag_hash(pc, 0), called_equals, called->at, &pc);
	if (known != SNAG_SLOTS_NONE)
		return &called->at[known];
	called->at = snag_grow(called->at, &called->cap, called->n + 1, sizeof(*called->at));
	struct snag_called_at *at = &called->at[called->n];
	*at = (struct snag_called_at){.pc = pc, .first = called->text.n};
	for (size_t i = snag_symbols_frames(c->symbols, pc - 1, frame); i-- > 0;) {
		char text[LOCATION];
		if (snag_frame_is_of_header(&frame[i]))
			continue;
		size_t n = snag_frame_name(&frame[i], 0, text, sizeof(text));
		n = n < sizeof(text) ? n : 1; /* the name is too long: the text becomes empty */
		snag_strtab_append(&called->text, text, n - 1);
		at->n++;
	}
	snag_slots_add(&called->slots, (uint32_t)called->n++, called_hash, called->at);
	return at;
}

/* The same with a caller; false: the name is too long to be put together. */
static bool frame_named(struct snag_convert *c, uint32_t frame, uint32_t *caller)
{
	const struct snag_strtab *known = &c->called.text;
	const size_t n = snag_strtab_len(known, frame);
	char text[LOCATION + 16];
	if (n == 0)
		return false;
	memcpy(text, snag_strtab_get(known, frame), n);
	size_t len = n + (size_t)sprintf(text + n, "%" PRIu32, *caller);
	if (len >= LOCATION)
		return false;
	*caller = snag_strtab_intern(&c->names.space[SNAG_SPACE_LOCATION], text, len);
	return true;
}

static void called_forget(struct snag_called *called)
{
	snag_convert_called_done(called);
	*called = (struct snag_called){0};
	snag_strtab_init(&called->text);
}

void snag_convert_called_done(struct snag_called *called)
{
	free(called->at);
	snag_slots_done(&called->slots);
	snag_strtab_done(&called->text);
}

/* Handles a return address and the node of its caller.  Makes a location for each function that was
 * inlined there. */
static void node_new(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_frame frame[SNAG_MAX_FRAMES];
	const uint32_t caller = r->loc && r->loc < c->nnodes ? c->loc[r->loc] : SNAG_NO_ID;
	const uint64_t pc = rt_record_address(r);
	uint32_t at = caller, n = 0, done = 0;
	if (c->options.is_nameless)
		at = snag_strtab_append(&c->names.space[SNAG_SPACE_LOCATION], "", 0);
	else if (caller != SNAG_NO_ID) {
		const struct snag_called_at *called = called_at(c, pc);
		for (n = called->n; done < n && frame_named(c, called->first + done, &at); done++)
			;
	}
	if (!c->options.is_nameless && (done < n || caller == SNAG_NO_ID)) {
		at = caller;
		for (size_t i = snag_symbols_frames(c->symbols, pc - 1, frame); i-- > 0;)
			if (at == SNAG_NO_ID || !snag_frame_is_of_header(&frame[i]))
				at = location_named(c, &frame[i], at);
	}
	const size_t had = c->loc_cap;
	c->loc = snag_grow(c->loc, &c->loc_cap, (size_t)r->arg + 1, sizeof(*c->loc));
	memset(c->loc + had, 0,
	       (c->loc_cap - had) * sizeof(*c->loc)); /* not all numbers are used */
	c->loc[r->arg] = at;
	if (c->nnodes <= r->arg)
		c->nnodes = (size_t)r->arg + 1;
}

/* The memory forgotten just before is the stack of the thread; that of main is unknown. */
static void stack_begins(struct snag_convert *c, const struct rt_record *r)
{
	uint64_t top = rt_record_address(r), low = c->forgot ? c->forgot : top - MAIN_STACK;
	snag_regions_stack(c->regions, r->arg, low, top);
}

static void module_begins(struct snag_convert *c, const struct rt_record *r)
{
	c->module_base = rt_record_address(r);
	c->text_need = r->arg < TEXT_MAX ? r->arg : TEXT_MAX;
	c->text_n = 0;
}

static void text_add(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t word[3] = {r->arg, r->loc, (uint32_t)rt_record_address(r)};
	if (c->text_n < c->text_need)
		memcpy(c->text + c->text_n, word, sizeof(word));
	c->text_n += sizeof(word);
}

/* The bytes that a text in hexadecimal stands for. */
static size_t id_parse(const char *text, uint8_t id[ID_BYTES])
{
	size_t n = 0;
	for (unsigned byte; n < ID_BYTES && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		id[n] = (uint8_t)byte;
	return n;
}

/* The longest text of the program that is kept. */
enum { DEFAULT_MAX = 1 << 20 };

static void default_add(struct snag_convert *c, const struct rt_record *r)
{
	size_t n = c->text_need < c->text_n ? c->text_need : c->text_n;
	if (r->arg >= RT_DEFAULTS || c->defaults[r->arg].n + n > DEFAULT_MAX)
		return;
	char **text = &c->defaults[r->arg].text;
	*text = snag_grow(*text, &c->defaults[r->arg].cap, c->defaults[r->arg].n + n + 1, 1);
	memcpy(*text + c->defaults[r->arg].n, c->text, n);
	c->defaults[r->arg].n += n;
}

static void module_ends(struct snag_convert *c, const struct rt_record *r)
{
	uint8_t id[ID_BYTES];
	size_t given = c->text_need < c->text_n ? c->text_need : c->text_n;
	c->text[given] = 0;
	const char *path = c->text, *hex = path + strlen(path) + 1;
	struct snag_module module = {
		.path = path,
		.bias = c->module_base,
		.start = c->module_base,
		.end = c->module_base + (uint64_t)r->arg * PAGE,
		.build_id = id,
		.build_id_bytes = hex < c->text + given ? id_parse(hex, id) : 0,
	};
	if (!module.build_id_bytes)
		module.build_id = NULL;
	if (c->options.is_nameless)
		return;
	called_forget(&c->called);
	/* A module that cannot be read, such as the kernel's own, has addresses in place of
	 * names. */
	if (snag_regions_module(c->regions, module.start, module.end - module.start, path))
		snag_symbols_add(c->symbols, &module, NULL);
}

/* The end of a block writes the variables in it that several threads have accessed, and its first
 * cell.  So it conflicts with earlier and with later accesses of other threads. */
static void block_freed(struct snag_convert *c, const struct rt_record *r)
{
	const uint64_t addr = rt_record_address(r);
	uint32_t variable[SNAG_CELL];
	if (rt_record_size(r) != RT_FREE_IGNORED)
		snag_convert_check_freed(c, SNAG_MISUSE_DOUBLE_FREE, addr, loc_of(c, r));
	const uint64_t known = snag_regions_dealloc(c->regions, addr, c->thread, loc_of(c, r));
	const uint64_t all =
		known ? known
		      : r->arg; /* a mute replay does not record the beginning of the block */
	const uint64_t nbytes = all < FREED_BYTES ? all : FREED_BYTES;
	if (rt_record_size(r) == RT_FREE_IGNORED)
		return;
	for (uint64_t at = addr; at < addr + nbytes; at += SNAG_CELL) {
		unsigned n = snag_cells_shared(c->cells, at, c->thread, variable);
		if (n == 0 && (at == addr || !known) && rt_record_size(r) == RT_FREE_WRITES)
			n = snag_cells_access(c->cells, at,
					      nbytes < SNAG_CELL ? (unsigned)nbytes : SNAG_CELL,
					      c->thread, variable);
		for (unsigned i = 0; i < n; i++)
			event_put(c, SNAG_OP_WRITE, variable[i], r, 0, 0);
	}
	snag_cells_end(c->cells, addr, all);
}

/* Handles the beginning of new memory, of `nbytes`. */
static void memory_begins(struct snag_convert *c, const struct rt_record *r, uint64_t nbytes)
{
	snag_regions_alloc(c->regions, rt_record_address(r), nbytes, c->thread, loc_of(c, r));
	snag_cells_forget(c->cells, rt_record_address(r), nbytes);
}

void snag_convert_place(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	switch (op) {
	case RT_NODE:
		node_new(c, r);
		break;
	case RT_ALLOC:
		memory_begins(c, r, r->arg);
		break;
	case RT_FREE:
		block_freed(c, r);
		break;
	case RT_BLOCKS:
		snag_regions_skip(c->regions, r->arg);
		break;
	case RT_FORGET:
		memory_begins(c, r, rt_record_size(r) ? r->arg : (uint64_t)r->arg * PAGE);
		c->forgot = rt_record_address(r);
		break;
	case RT_STACK:
		stack_begins(c, r);
		break;
	case RT_MODULE:
		module_begins(c, r);
		break;
	case RT_TEXT:
		text_add(c, r);
		break;
	case RT_DEFAULT:
		default_add(c, r);
		break;
	default:
		module_ends(c, r);
		break;
	}
}
