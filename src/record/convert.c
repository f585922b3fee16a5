/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - the records of the runtime to the events of a trace
 *
 * State.  thread           who runs
 *         loc[node]        the location of each node
 *         token[k]         the variable of each token, + 1
 *         ev[0 .. n)       the batch to come
 * Rules.  The program may be broken, but its runtime is ours: records are believed as
 *         far as nothing here can be harmed by them (numbers are checked, texts bounded).
 */
#include "record/convert.h"

#include "base/memory.h"
#include "record/cells.h"
#include "record/regions.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_MAX = 2048, FREED_BYTES = 1024, PAGE = 4096, MAIN_STACK = 64 << 20 };

struct snag_convert {
	struct snag_sink *sink;
	FILE *schedule;
	struct snag_names names;
	struct snag_regions *regions;
	struct snag_cells *cells;
	uint32_t thread;
	bool is_first_turn;
	uint32_t *loc;
	size_t nnodes, loc_cap;
	uint32_t *token;
	size_t token_cap;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	size_t n;
	uint64_t first;	 /* number of ev[0] */
	uint64_t forgot; /* the last address of which the past was forgotten */
	/* A module being told. */
	uint64_t module_base;
	char text[TEXT_MAX + 16];
	size_t text_need, text_n;
};

/* A name nobody has yet, in a name space: the text, or text#id. */
static uint32_t name_new(struct snag_convert *c, enum snag_space space, char *text, size_t len,
			 size_t room)
{
	struct snag_strtab *words = &c->names.space[space];
	uint32_t id = words->n;
	if (snag_strtab_intern(words, text, len) == id)
		return id;
	len += (size_t)snprintf(text + len, room - len, "#%" PRIu32, id);
	return snag_strtab_intern(words, text, len);
}

static uint32_t variable_new(void *ctx, uint64_t addr, bool is_first)
{
	struct snag_convert *c = ctx;
	char text[SNAG_REGION_NAME + 16];
	bool is_block;
	size_t len = snag_regions_name(c->regions, addr, text, &is_block);
	if (is_block && is_first)
		return snag_strtab_append(&c->names.space[SNAG_SPACE_VARIABLE], text, len);
	return name_new(c, SNAG_SPACE_VARIABLE, text, len, sizeof(text));
}

struct snag_convert *snag_convert_new(struct snag_sink *sink, FILE *schedule)
{
	struct snag_convert *c = snag_calloc(1, sizeof(*c));
	c->sink = sink;
	c->schedule = schedule;
	c->is_first_turn = true;
	snag_names_init(&c->names);
	c->regions = snag_regions_new();
	c->cells = snag_cells_new(variable_new, c);
	return c;
}

void snag_convert_free(struct snag_convert *c)
{
	if (!c)
		return;
	snag_names_done(&c->names);
	snag_regions_free(c->regions);
	snag_cells_free(c->cells);
	free(c->loc);
	free(c->token);
	free(c);
}

uint64_t snag_convert_events(const struct snag_convert *c)
{
	return c->first + c->n;
}

static int batch_write(struct snag_convert *c, struct snag_error *err)
{
	struct snag_batch batch = {.ev = c->ev, .n = c->n, .first = c->first};
	batch.counts = snag_names_counts(&c->names);
	c->first += c->n;
	c->n = 0;
	return batch.n ? snag_sink_write(c->sink, &batch, &c->names, err) : 0;
}

static int event_put(struct snag_convert *c, enum snag_op op, uint32_t target,
		     const struct rt_record *r, unsigned size, unsigned flags,
		     struct snag_error *err)
{
	uint32_t node = r->loc;
	c->ev[c->n++] = (struct snag_event){
		.thread = c->thread,
		.target = target,
		.loc = node < c->nnodes ? c->loc[node] : 0,
		.op = (uint8_t)op,
		.flags = (uint8_t)flags,
		.size = (uint8_t)size,
	};
	return c->n == SNAG_BATCH_EVENTS ? batch_write(c, err) : 0;
}

static uint64_t address_of(const struct rt_record *r)
{
	return r->what & RT_ADDRESS_MASK;
}

static unsigned size_of(const struct rt_record *r)
{
	return (unsigned)(r->what >> RT_SIZE_SHIFT);
}

/* Accesses. */

static int word_access(struct snag_convert *c, enum snag_op op, uint64_t addr, unsigned size,
		       unsigned flags, const struct rt_record *r, struct snag_error *err)
{
	uint32_t variable[SNAG_CELL];
	unsigned room = SNAG_CELL - (unsigned)(addr % SNAG_CELL);
	size = size < room ? size : room;
	unsigned n = snag_cells_access(c->cells, addr, size, c->thread, variable);
	int rc = 0;
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = event_put(c, op, variable[i], r, size, flags, err);
	return rc;
}

static int range_access(struct snag_convert *c, enum snag_op op, const struct rt_record *r,
			struct snag_error *err)
{
	uint64_t addr = address_of(r), end = addr + r->arg;
	int rc = 0;
	while (addr < end && rc == 0) {
		uint64_t next = addr - addr % SNAG_CELL + SNAG_CELL;
		next = next < end ? next : end;
		rc = word_access(c, op, addr, (unsigned)(next - addr), 0, r, err);
		addr = next;
	}
	return rc;
}

/* The end of a block conflicts with what other threads do there. */
static int block_freed(struct snag_convert *c, const struct rt_record *r, struct snag_error *err)
{
	uint64_t addr = address_of(r), nbytes = snag_regions_dealloc(c->regions, addr);
	uint32_t variable[SNAG_CELL];
	int rc = 0;
	nbytes = nbytes < FREED_BYTES ? nbytes : FREED_BYTES;
	for (uint64_t at = addr; at < addr + nbytes && rc == 0; at += SNAG_CELL) {
		unsigned n = snag_cells_shared(c->cells, at, c->thread, variable);
		for (unsigned i = 0; i < n && rc == 0; i++)
			rc = event_put(c, SNAG_OP_WRITE, variable[i], r, 0, 0, err);
	}
	return rc;
}

/* Synchronisation. */

static uint32_t thread_named(struct snag_convert *c, uint32_t tid)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_THREAD];
	char text[16];
	while (words->n <= tid)
		snag_strtab_intern(words, text,
				   (size_t)snprintf(text, sizeof(text), "T%" PRIu32, words->n));
	return tid;
}

static uint32_t lock_named(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCK];
	char text[SNAG_REGION_NAME + 16];
	while (words->n <= r->arg) {
		size_t len = snag_regions_name(c->regions, address_of(r), text, NULL);
		name_new(c, SNAG_SPACE_LOCK, text, len, sizeof(text));
	}
	return r->arg;
}

static uint32_t token_variable(struct snag_convert *c, uint32_t token)
{
	c->token = snag_grow(c->token, &c->token_cap, (size_t)token + 1, sizeof(*c->token));
	if (!c->token[token]) {
		char text[48];
		size_t len = (size_t)snprintf(text, sizeof(text), "sync#%" PRIu32, token);
		c->token[token] = name_new(c, SNAG_SPACE_VARIABLE, text, len, sizeof(text)) + 1;
	}
	return c->token[token] - 1;
}

static int turn_begins(struct snag_convert *c, const struct rt_record *r, struct snag_error *err)
{
	if (c->schedule && !c->is_first_turn)
		fprintf(c->schedule, "%" PRIu32 " %" PRIu64 "\n", c->thread, address_of(r));
	c->is_first_turn = false;
	c->thread = thread_named(c, r->arg);
	return 0;
}

/* Places. */

static void node_new(struct snag_convert *c, const struct rt_record *r)
{
	char text[SNAG_REGION_NAME + 48];
	size_t len = snag_regions_name(c->regions, address_of(r) - 1, text, NULL);
	if (r->loc && r->loc < c->nnodes)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "^%" PRIu32,
					c->loc[r->loc]);
	c->loc = snag_grow(c->loc, &c->loc_cap, (size_t)r->arg + 1, sizeof(*c->loc));
	c->loc[r->arg] = name_new(c, SNAG_SPACE_LOCATION, text, len, sizeof(text));
	c->nnodes = (size_t)r->arg + 1;
}

/* The stack of a thread is what was forgotten just before; that of main is not known. */
static void stack_begins(struct snag_convert *c, const struct rt_record *r)
{
	uint64_t top = address_of(r), low = c->forgot ? c->forgot : top - MAIN_STACK;
	snag_regions_stack(c->regions, r->arg, low, top);
}

static void module_begins(struct snag_convert *c, const struct rt_record *r)
{
	c->module_base = address_of(r);
	c->text_need = r->arg < TEXT_MAX ? r->arg : TEXT_MAX;
	c->text_n = 0;
}

static void text_add(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t word[3] = {r->arg, r->loc, (uint32_t)address_of(r)};
	if (c->text_n < c->text_need)
		memcpy(c->text + c->text_n, word, sizeof(word));
	c->text_n += sizeof(word);
}

static void module_ends(struct snag_convert *c, const struct rt_record *r)
{
	char text[TEXT_MAX + SNAG_REGION_NAME];
	c->text[c->text_need < c->text_n ? c->text_need : c->text_n] = 0;
	const char *path = c->text, *id = path + strlen(path) + 1;
	const char *name =
		snag_regions_module(c->regions, c->module_base, (uint64_t)r->arg * PAGE, path);
	if (!name)
		return;
	if (id > c->text + c->text_need)
		id = "";
	int len = snprintf(text, sizeof(text), "%s=%s#%s", name, path, id);
	name_new(c, SNAG_SPACE_LOCATION, text, (size_t)len < sizeof(text) ? (size_t)len : 0,
		 sizeof(text));
}

int snag_convert_record(struct snag_convert *c, const struct rt_record *r, struct snag_error *err)
{
	unsigned order = r->arg < SNAG_ORDERS ? r->arg : SNAG_SEQ_CST;
	switch ((enum rt_op)(r->what >> RT_OP_SHIFT & 0x7f)) {
	case RT_READ:
		return word_access(c, SNAG_OP_READ, address_of(r), size_of(r), 0, r, err);
	case RT_WRITE:
		return word_access(c, SNAG_OP_WRITE, address_of(r), size_of(r), 0, r, err);
	case RT_READ_RANGE:
		return range_access(c, SNAG_OP_READ, r, err);
	case RT_WRITE_RANGE:
		return range_access(c, SNAG_OP_WRITE, r, err);
	case RT_ATOMIC_READ:
		return word_access(c, SNAG_OP_ATOMIC_READ, address_of(r), size_of(r), order, r,
				   err);
	case RT_ATOMIC_WRITE:
		return word_access(c, SNAG_OP_ATOMIC_WRITE, address_of(r), size_of(r), order, r,
				   err);
	case RT_ATOMIC_UPDATE:
		return word_access(c, SNAG_OP_ATOMIC_UPDATE, address_of(r), size_of(r), order, r,
				   err);
	case RT_FENCE:
		return event_put(c, SNAG_OP_FENCE, 0, r, 0, order, err);
	case RT_ACQUIRE:
		return event_put(c, SNAG_OP_ACQUIRE, lock_named(c, r), r, 0, 0, err);
	case RT_RELEASE:
		return event_put(c, SNAG_OP_RELEASE, lock_named(c, r), r, 0, 0, err);
	case RT_ACQUIRE_SHARED:
		return event_put(c, SNAG_OP_ACQUIRE_SHARED, lock_named(c, r), r, 0, 0, err);
	case RT_RELEASE_SHARED:
		return event_put(c, SNAG_OP_RELEASE_SHARED, lock_named(c, r), r, 0, 0, err);
	case RT_SYNC_READ:
		return event_put(c, SNAG_OP_ATOMIC_READ, token_variable(c, r->arg), r, 0,
				 SNAG_ACQUIRE, err);
	case RT_SYNC_WRITE:
		return event_put(c, SNAG_OP_ATOMIC_WRITE, token_variable(c, r->arg), r, 0,
				 SNAG_RELEASE, err);
	case RT_SYNC_UPDATE:
		return event_put(c, SNAG_OP_ATOMIC_UPDATE, token_variable(c, r->arg), r, 0,
				 size_of(r) < SNAG_ORDERS ? size_of(r) : SNAG_ACQ_REL, err);
	case RT_BRANCH:
		return event_put(c, SNAG_OP_BRANCH, 0, r, 0, 0, err);
	case RT_FORK:
		return event_put(c, SNAG_OP_FORK, thread_named(c, r->arg), r, 0, 0, err);
	case RT_JOIN:
		return event_put(c, SNAG_OP_JOIN, thread_named(c, r->arg), r, 0, 0, err);
	case RT_SWITCH:
		return turn_begins(c, r, err);
	case RT_NODE:
		node_new(c, r);
		return 0;
	case RT_ALLOC:
		snag_regions_alloc(c->regions, address_of(r), r->arg);
		snag_cells_forget(c->cells, address_of(r), r->arg);
		return 0;
	case RT_FREE:
		return block_freed(c, r, err);
	case RT_FORGET:
		snag_regions_alloc(c->regions, address_of(r), (uint64_t)r->arg * PAGE);
		snag_cells_forget(c->cells, address_of(r), (uint64_t)r->arg * PAGE);
		c->forgot = address_of(r);
		return 0;
	case RT_STACK:
		stack_begins(c, r);
		return 0;
	case RT_MODULE:
		module_begins(c, r);
		return 0;
	case RT_TEXT:
		text_add(c, r);
		return 0;
	case RT_MODULE_END:
		module_ends(c, r);
		return 0;
	case RT_NOTE:
	case RT_NONE:
	case RT_OPS:
		return 0;
	}
	return 0;
}

int snag_convert_finish(struct snag_convert *c, struct snag_error *err)
{
	return batch_write(c, err);
}
