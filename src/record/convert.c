/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - the records of the runtime to the events of a trace
 *
 * State.  thread           who runs
 *         loc[node]        the location of each node
 *         token[k]         the variable of each token, + 1
 *         ev[0 .. n)       the batch to come; one record makes at most ROOM events
 *         range            what is left of the access to a range
 *         again            what is left of the accesses of a run (runtime/run.h)
 *         seen             the last accesses, which say how a run goes on
 * Rules.  The program may be broken, but its runtime is ours: records are believed as
 *         far as nothing here can be harmed by them (numbers are checked, texts bounded).
 */
#include "record/convert.h"

#include "base/memory.h"
#include "record/cells.h"
#include "record/regions.h"
#include "report/symbols.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <string.h>

enum {
	TEXT_MAX = 2048,
	FREED_BYTES = 1024,
	PAGE = 4096,
	MAIN_STACK = 64 << 20,
	ROOM = FREED_BYTES,
	RUNS = 1024,	/* of a batch */
	MIN_ROUNDS = 4, /* of a run */
	WAIT_MAX = 31,	/* rounds, until accesses that were no run are tried again */
	ID_BYTES = 64
};

struct snag_convert {
	struct snag_convert_options options;
	struct snag_names names;
	struct snag_strtab used; /* names of variables that are not in blocks */
	uint32_t used_up_to;	 /* variables below are those of some event */
	struct snag_symbols *symbols;
	struct snag_regions *regions;
	struct snag_cells *cells;
	uint32_t thread;
	bool is_first_turn;
	bool is_of_tasks; /* the program can launch some */
	uint32_t *loc;
	size_t nnodes, loc_cap;
	uint32_t *token;
	size_t token_cap;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	size_t n;
	struct snag_repeat run[RUNS]; /* between them */
	size_t nruns;
	uint64_t in_runs; /* their events */
	uint64_t first;	  /* number of ev[0] */
	uint64_t forgot;  /* the last address of which the past was forgotten */
	bool is_taken;	  /* the batch was, and goes away */
	struct snag_convert_notes notes;
	/* Counting: what threads did in turns before, and the fuel of the one that runs. */
	uint64_t *done;
	size_t done_cap;
	uint32_t turn_fuel, fuel;
	struct snag_step *step;
	size_t step_cap;
	struct snag_label *label; /* by task, up to the last that has one */
	size_t label_cap;
	struct range { /* of an access; at == end: nothing is left */
		uint64_t at, end;
		enum snag_op op;
		struct rt_record record;
	} range;
	struct {
		struct rt_record access[2 * RT_RUN_MAX]; /* a ring */
		uint64_t n;				 /* since the last run */
		uint32_t target[2 * RT_RUN_MAX]; /* a ring: the events before the next one ... */
		uint64_t alone; /* ... so many are each the only one of its access */
	} seen;
	struct again {
		uint32_t left, period, at;
		uint32_t rounds, wait; /* to put before it is tried as a run; and the next time */
		struct step {
			struct rt_record next;
			uint64_t stride;
			uint32_t fuel_step;
			enum snag_op op;
		} step[RT_RUN_MAX];
	} again;
	/* A module being told. */
	uint64_t module_base;
	char text[TEXT_MAX + 16];
	size_t text_need, text_n;
};

/* Makes the text a name that nobody in `names` has yet: with #id behind it, if need be. */
static size_t name_tell_apart(struct snag_strtab *names, uint32_t id, char *text, size_t len,
			      size_t room)
{
	uint32_t known = names->n;
	if (snag_strtab_intern(names, text, len) == known)
		return len;
	len += (size_t)snprintf(text + len, room - len, "#%" PRIu32, id);
	snag_strtab_intern(names, text, len);
	return len;
}

/* The new variable of a name, which has its id behind it if it was used before. */
static uint32_t variable_named(struct snag_convert *c, char *text, size_t len, size_t room)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	len = name_tell_apart(&c->used, words->n, text, len, room);
	c->used_up_to = words->n + 1;
	return snag_strtab_append(words, text, len);
}

/* Names in blocks are many, and new by what they say: they are not looked up.  That of a part
 * of a variable is that of its address too, so it is told apart by the id.
 */
static uint32_t variable_new(void *ctx, uint64_t addr, bool is_first)
{
	struct snag_convert *c = ctx;
	char text[SNAG_REGION_NAME + 16];
	bool is_block;
	uint32_t up_to = c->used_up_to;
	size_t len = snag_regions_name(c->regions, addr, text, &is_block);
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_VARIABLE];
	/* A block has its own number: only what was cut off a variable there has its name. */
	if (is_block && !is_first)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "#%" PRIu32, words->n);
	uint32_t id = is_block ? snag_strtab_append(words, text, len)
			       : variable_named(c, text, len, sizeof(text));
	/* What is cut off has no event yet. */
	c->used_up_to = is_first ? id + 1 : up_to;
	return id;
}

struct snag_convert *snag_convert_new(const struct snag_convert_options *options)
{
	struct snag_convert *c = snag_calloc(1, sizeof(*c));
	c->options = *options;
	c->is_first_turn = true;
	snag_names_init(&c->names);
	snag_strtab_init(&c->used);
	c->symbols = snag_symbols_new();
	c->regions = snag_regions_new(c->symbols);
	c->cells = snag_cells_new(variable_new, c);
	return c;
}

void snag_convert_free(struct snag_convert *c)
{
	if (!c)
		return;
	snag_names_done(&c->names);
	snag_strtab_done(&c->used);
	snag_regions_free(c->regions);
	snag_cells_free(c->cells);
	snag_symbols_free(c->symbols);
	free(c->loc);
	free(c->token);
	free(c->done);
	free(c->label);
	snag_huge_free(c->step, c->step_cap, sizeof(*c->step));
	free(c);
}

const struct snag_names *snag_convert_names(const struct snag_convert *c)
{
	return &c->names;
}

const struct snag_convert_notes *snag_convert_notes(const struct snag_convert *c)
{
	return &c->notes;
}

const struct snag_step *snag_convert_steps(const struct snag_convert *c)
{
	return c->step;
}

struct snag_label snag_convert_label(const struct snag_convert *c, snag_tid task)
{
	return task < c->label_cap ? c->label[task] : (struct snag_label){RT_LABEL_NONE, 0};
}

bool snag_convert_take(struct snag_convert *c, struct snag_batch *ret_batch)
{
	if (c->is_taken || c->n + c->nruns == 0)
		return false;
	*ret_batch = (struct snag_batch){.ev = c->ev,
					 .n = c->n,
					 .first = c->first,
					 .counts = snag_names_counts(&c->names),
					 .run = c->run,
					 .nruns = c->nruns};
	c->is_taken = true;
	return true;
}

static __attribute__((noinline)) void step_keep(struct snag_convert *c)
{
	uint64_t event = c->first + c->n;
	uint64_t count = c->done[c->thread] + (uint32_t)(c->turn_fuel - c->fuel);
	c->step = snag_huge_grow(c->step, &c->step_cap, event + 1, sizeof(*c->step));
	c->step[event] =
		(struct snag_step){c->thread, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX};
}

static snag_loc loc_of(const struct snag_convert *c, const struct rt_record *r)
{
	return r->loc < c->nnodes ? c->loc[r->loc] : 0;
}

static inline void event_put(struct snag_convert *c, enum snag_op op, uint32_t target,
			     const struct rt_record *r, unsigned size, unsigned flags)
{
	if (c->options.keep_steps)
		step_keep(c);
	c->ev[c->n++] = (struct snag_event){
		.thread = c->thread,
		.target = target,
		.loc = loc_of(c, r),
		.op = (uint8_t)op,
		.flags = (uint8_t)flags,
		.size = (uint8_t)size,
	};
}

static uint64_t address_of(const struct rt_record *r)
{
	return r->what & RT_ADDRESS_MASK;
}

static enum rt_op op_of(const struct rt_record *r)
{
	return (enum rt_op)(r->what >> RT_OP_SHIFT & 0x7f);
}

static unsigned size_of(const struct rt_record *r)
{
	return (unsigned)(r->what >> RT_SIZE_SHIFT);
}

/* Accesses. */

static inline void word_access(struct snag_convert *c, enum snag_op op, uint64_t addr,
			       unsigned size, unsigned flags, const struct rt_record *r)
{
	uint32_t variable[SNAG_CELL];
	unsigned room = SNAG_CELL - (unsigned)(addr % SNAG_CELL);
	size = size == 0 ? 1 : size < room ? size : room;
	unsigned n = snag_cells_access(c->cells, addr, size, c->thread, variable);
	for (unsigned i = 0; i < n; i++)
		event_put(c, op, variable[i], r, size, flags);
	c->seen.target[c->seen.alone % (2 * RT_RUN_MAX)] = variable[0];
	c->seen.alone = n == 1 ? c->seen.alone + 1 : 0;
}

static void range_go_on(struct snag_convert *c)
{
	struct range *range = &c->range;
	while (range->at < range->end && c->n + ROOM <= SNAG_BATCH_EVENTS) {
		uint64_t next = range->at - range->at % SNAG_CELL + SNAG_CELL;
		next = next < range->end ? next : range->end;
		word_access(c, range->op, range->at, (unsigned)(next - range->at), 0,
			    &range->record);
		range->at = next;
	}
}

static void range_access(struct snag_convert *c, enum snag_op op, const struct rt_record *r)
{
	c->range = (struct range){address_of(r), address_of(r) + r->arg, op, *r};
	range_go_on(c);
}

/* Runs. */

static enum snag_op access_op(const struct rt_record *r)
{
	return op_of(r) == RT_READ ? SNAG_OP_READ : SNAG_OP_WRITE;
}

static void steps_skip(struct again *again, uint32_t n)
{
	for (uint32_t i = 0; i < again->period; i++) {
		struct step *s = &again->step[(again->at + i) % again->period];
		uint32_t rounds = n / again->period + (i < n % again->period);
		s->next.what += s->stride * rounds;
		s->next.arg += s->fuel_step * rounds;
	}
	again->at = (again->at + n) % again->period;
	again->left -= n;
}

static inline bool has_room(const struct snag_convert *c, size_t events)
{
	return c->n + events <= SNAG_BATCH_EVENTS && c->nruns < RUNS;
}

/* How many of the accesses to come make one event each, whose targets follow from those before.
 * Which these are says target[], the last of them the round before. */
static uint32_t run_length(struct snag_convert *c, uint32_t variable[], uint32_t stride[])
{
	const struct again *again = &c->again;
	const uint64_t ring = 2 * RT_RUN_MAX, k = again->period, n = c->seen.alone;
	uint64_t length = again->left;
	if (n < 2 * k)
		return 0;
	for (uint64_t i = 0; i < k && i < length; i++) {
		const struct step *s = &again->step[(again->at + i) % k];
		uint32_t rounds = (uint32_t)((length - i + k - 1) / k);
		variable[i] = c->seen.target[(n - k + i) % ring];
		stride[i] = variable[i] - c->seen.target[(n - 2 * k + i) % ring];
		uint64_t known = snag_cells_known(c->cells, address_of(&s->next), s->stride,
						  size_of(&s->next), c->thread,
						  variable[i] + stride[i], stride[i], rounds);
		if (known < rounds)
			length = known * k + i;
	}
	return (uint32_t)length;
}

/* Puts accesses to come as a run; false: they are none. */
static bool run_put(struct snag_convert *c)
{
	uint32_t variable[RT_RUN_MAX], stride[RT_RUN_MAX], k = c->again.period;
	uint32_t n = run_length(c, variable, stride);
	if (n < MIN_ROUNDS * k)
		return false;
	c->run[c->nruns++] = (struct snag_repeat){.at = (uint32_t)c->n, .period = k, .n = n};
	c->in_runs += n;
	for (uint32_t i = n < 2 * k ? 0 : n - 2 * k; i < n; i++)
		c->seen.target[(c->seen.alone + i) % (2 * RT_RUN_MAX)] =
			variable[i % k] + stride[i % k] * (i / k + 1);
	c->seen.alone += n;
	steps_skip(&c->again, n);
	return true;
}

/* One round of accesses, or what is left of it. */
static void round_put(struct snag_convert *c)
{
	struct again *again = &c->again;
	for (uint32_t i = 0; i < again->period && again->left > 0; i++) {
		struct step *s = &again->step[again->at];
		c->fuel = s->next.arg;
		word_access(c, s->op, address_of(&s->next), size_of(&s->next), 0, &s->next);
		s->next.what += s->stride;
		s->next.arg += s->fuel_step;
		again->at = again->at + 1 == again->period ? 0 : again->at + 1;
		again->left--;
	}
}

/* What becomes a run depends on what was done, never on when a batch was taken. */
static void again_go_on(struct snag_convert *c)
{
	struct again *again = &c->again;
	while (again->left > 0 && has_room(c, RT_RUN_MAX * SNAG_CELL)) {
		if (c->options.is_for_sink && again->rounds == 0) {
			if (run_put(c))
				continue;
			again->wait = again->wait < WAIT_MAX ? 2 * again->wait + 1 : WAIT_MAX;
			again->rounds = again->wait;
		}
		round_put(c);
		again->rounds -= again->rounds > 0;
	}
}

static void again(struct snag_convert *c, const struct rt_record *r)
{
	const uint64_t period = size_of(r), n = c->seen.n, ring = 2 * RT_RUN_MAX;
	c->seen.n = 0;
	if (period == 0 || period > RT_RUN_MAX || n < 2 * period)
		return;
	c->again = (struct again){.left = r->arg, .period = (uint32_t)period};
	for (uint64_t i = 0; i < period; i++) {
		const struct rt_record *now = &c->seen.access[(n - period + i) % ring];
		const struct rt_record *before = &c->seen.access[(n - 2 * period + i) % ring];
		struct step *s = &c->again.step[i];
		*s = (struct step){.next = *now,
				   .stride = address_of(now) - address_of(before),
				   .fuel_step = now->arg - before->arg,
				   .op = access_op(now)};
		s->next.what += s->stride;
		s->next.arg += s->fuel_step;
	}
	again_go_on(c);
}

static inline void access_take(struct snag_convert *c, const struct rt_record *r)
{
	c->seen.access[c->seen.n++ % (2 * RT_RUN_MAX)] = *r;
	c->fuel = r->arg;
	word_access(c, access_op(r), address_of(r), size_of(r), 0, r);
}

bool snag_convert_is_done(const struct snag_convert *c)
{
	return c->range.at == c->range.end && c->again.left == 0;
}

/* The end of a block conflicts with what other threads did there, as far as they are known to have
 * been there, and at its beginning with what they will do. */
static void block_freed(struct snag_convert *c, const struct rt_record *r)
{
	uint64_t addr = address_of(r), nbytes = snag_regions_dealloc(c->regions, addr);
	uint32_t variable[SNAG_CELL];
	nbytes = nbytes < FREED_BYTES ? nbytes : FREED_BYTES;
	for (uint64_t at = addr; at < addr + nbytes; at += SNAG_CELL) {
		unsigned n = snag_cells_shared(c->cells, at, c->thread, variable);
		if (n == 0 && at == addr && !size_of(r))
			n = snag_cells_access(c->cells, at,
					      nbytes < SNAG_CELL ? (unsigned)nbytes : SNAG_CELL,
					      c->thread, variable);
		for (unsigned i = 0; i < n; i++)
			event_put(c, SNAG_OP_WRITE, variable[i], r, 0, 0);
	}
}

/* Synchronisation. */

static uint32_t thread_named(struct snag_convert *c, uint32_t tid)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_THREAD];
	char text[16];
	while (words->n <= tid)
		snag_strtab_intern(words, text,
				   (size_t)snprintf(text, sizeof(text), "T%" PRIu32, words->n));
	c->done = snag_grow(c->done, &c->done_cap, words->n, sizeof(*c->done));
	return tid;
}

static uint32_t lock_named(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCK];
	char text[SNAG_REGION_NAME + 16];
	while (words->n <= r->arg) {
		size_t len = snag_regions_name(c->regions, address_of(r), text, NULL);
		name_tell_apart(words, words->n, text, len, sizeof(text));
	}
	return r->arg;
}

static uint32_t token_variable(struct snag_convert *c, uint32_t token)
{
	c->token = snag_grow(c->token, &c->token_cap, (size_t)token + 1, sizeof(*c->token));
	if (!c->token[token]) {
		char text[48];
		size_t len = (size_t)snprintf(text, sizeof(text), "sync#%" PRIu32, token);
		c->token[token] = variable_named(c, text, len, sizeof(text)) + 1;
	}
	return c->token[token] - 1;
}

static uint32_t promise_named(struct snag_convert *c, uint32_t promise)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_PROMISE];
	char text[16];
	while (words->n <= promise)
		snag_strtab_intern(words, text,
				   (size_t)snprintf(text, sizeof(text), "p%" PRIu32, words->n));
	return promise;
}

static void task_event(struct snag_convert *c, const struct rt_record *r)
{
	unsigned op = size_of(r);
	uint32_t target = 0;
	if (op >= SNAG_OPS || !snag_op_is_of_tasks((uint8_t)op))
		return;
	if (snag_op_info[op].space == SNAG_SPACE_THREAD)
		target = thread_named(c, r->arg);
	else if (snag_op_info[op].space == SNAG_SPACE_PROMISE)
		target = promise_named(c, r->arg);
	event_put(c, op, target, r, 0, 0);
}

static void task_label(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t task = thread_named(c, r->arg);
	if (size_of(r) >= RT_LABELS)
		return;
	c->label = snag_grow(c->label, &c->label_cap, (size_t)task + 1, sizeof(*c->label));
	c->label[task] = (struct snag_label){(enum rt_label)size_of(r), address_of(r)};
}

static void turn_begins(struct snag_convert *c, const struct rt_record *r)
{
	if (c->options.schedule && !c->is_first_turn)
		fprintf(c->options.schedule, "%" PRIu32 " %" PRIu64 "\n", c->thread, address_of(r));
	if (!c->is_first_turn)
		c->done[c->thread] += address_of(r);
	c->is_first_turn = false;
	c->thread = thread_named(c, r->arg);
	c->turn_fuel = c->fuel = r->loc;
}

/* Places. */

static uint32_t location_named(struct snag_convert *c, const struct snag_frame *f, uint32_t caller)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCATION];
	char text[1024];
	size_t n = snag_frame_name(f, caller, text, sizeof(text));
	return snag_strtab_intern(words, text, n < sizeof(text) ? n : sizeof(text) - 1);
}

/* A return address, and the node of its caller: a location for each function inlined there. */
static void node_new(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_frame frame[SNAG_MAX_FRAMES];
	uint32_t at = r->loc && r->loc < c->nnodes ? c->loc[r->loc] : SNAG_NO_ID;
	for (size_t i = snag_symbols_frames(c->symbols, address_of(r) - 1, frame); i-- > 0;)
		at = location_named(c, &frame[i], at);
	c->loc = snag_grow(c->loc, &c->loc_cap, (size_t)r->arg + 1, sizeof(*c->loc));
	c->loc[r->arg] = at;
	if (c->nnodes <= r->arg)
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

/* The bytes that a text in hexadecimal stands for. */
static size_t id_parse(const char *text, uint8_t id[ID_BYTES])
{
	size_t n = 0;
	for (unsigned byte; n < ID_BYTES && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		id[n] = (uint8_t)byte;
	return n;
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
	/* One that cannot be read has addresses for names, as the kernel's own has. */
	if (snag_regions_module(c->regions, module.start, module.end - module.start, path))
		snag_symbols_add(c->symbols, &module, NULL);
}

/* Only what tasks do counts: outside of launches the program is alone. */
static void seen(struct snag_convert *c, struct snag_convert_seen *s, const struct rt_record *r)
{
	if (c->notes.launched > c->notes.ended && s->n++ == 0)
		s->loc = loc_of(c, r);
}

static void note(struct snag_convert *c, const struct rt_record *r)
{
	if (r->arg == RT_NOTE_TASKS && address_of(r) < RT_DIALECTS)
		c->notes.dialect = (enum rt_dialect)address_of(r);
	if (r->arg == RT_NOTE_ASKED && address_of(r) < RT_ASKED_KINDS)
		seen(c, &c->notes.asked[address_of(r)], r);
	c->notes.was_deadlock |= r->arg == RT_NOTE_DEADLOCK;
	c->is_of_tasks |= r->arg == RT_NOTE_TASKS;
	c->notes.launched += r->arg == RT_NOTE_LAUNCH;
	c->notes.ended += r->arg == RT_NOTE_LAUNCHED;
	c->notes.is_held |= r->arg == RT_NOTE_HELD;
	if (r->arg == RT_NOTE_DIVERGED) {
		c->notes.diverged = true;
		c->notes.turn = address_of(r);
	}
}

/* Memory that begins anew, of `nbytes`. */
static void memory_begins(struct snag_convert *c, const struct rt_record *r, uint64_t nbytes)
{
	snag_regions_alloc(c->regions, address_of(r), nbytes, c->thread, loc_of(c, r));
	snag_cells_forget(c->cells, address_of(r), nbytes);
}

/* What orders threads. */
static void sync_record(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	static const uint8_t lock_op[RT_OPS] = {
		[RT_ACQUIRE] = SNAG_OP_ACQUIRE,
		[RT_RELEASE] = SNAG_OP_RELEASE,
		[RT_ACQUIRE_SHARED] = SNAG_OP_ACQUIRE_SHARED,
		[RT_RELEASE_SHARED] = SNAG_OP_RELEASE_SHARED,
	};
	switch (op) {
	case RT_SYNC_READ:
		event_put(c, SNAG_OP_ATOMIC_READ, token_variable(c, r->arg), r, 0, SNAG_ACQUIRE);
		break;
	case RT_SYNC_WRITE:
		event_put(c, SNAG_OP_ATOMIC_WRITE, token_variable(c, r->arg), r, 0, SNAG_RELEASE);
		break;
	case RT_SYNC_UPDATE:
		event_put(c, SNAG_OP_ATOMIC_UPDATE, token_variable(c, r->arg), r, 0,
			  size_of(r) < SNAG_ORDERS ? size_of(r) : SNAG_ACQ_REL);
		break;
	case RT_FORK:
		event_put(c, SNAG_OP_FORK, thread_named(c, r->arg), r, 0, 0);
		break;
	case RT_JOIN:
		event_put(c, SNAG_OP_JOIN, thread_named(c, r->arg), r, 0, 0);
		break;
	default:
		event_put(c, lock_op[op], lock_named(c, r), r, 0, 0);
		break;
	}
}

/* What lies where in the program: no event. */
static void place_record(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
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
	case RT_FORGET:
		memory_begins(c, r, size_of(r) ? r->arg : (uint64_t)r->arg * PAGE);
		c->forgot = address_of(r);
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
	default:
		module_ends(c, r);
		break;
	}
}

/* A trace of tasks has no events of threads.  Outside of launches locks and atomics order nothing:
 * the program is alone.  A program that creates threads instead of tasks is one of threads. */
static bool is_left_out(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	bool is_thread = op == RT_FORK || op == RT_JOIN;
	bool is_kept = c->notes.launched > c->notes.ended && op <= RT_RELEASE_SHARED;
	if (!c->is_of_tasks || is_kept ||
	    (!is_thread && (op < RT_ATOMIC_READ || op > RT_SYNC_UPDATE)))
		return false;
	if (is_thread && !c->notes.launched) {
		c->is_of_tasks = false;
		return false;
	}
	seen(c, &c->notes.left_out, r);
	return true;
}

static void record_other(struct snag_convert *c, const struct rt_record *r)
{
	static const uint8_t atomic_op[RT_OPS] = {
		[RT_ATOMIC_READ] = SNAG_OP_ATOMIC_READ,
		[RT_ATOMIC_WRITE] = SNAG_OP_ATOMIC_WRITE,
		[RT_ATOMIC_UPDATE] = SNAG_OP_ATOMIC_UPDATE,
	};
	unsigned order = r->arg < SNAG_ORDERS ? r->arg : SNAG_SEQ_CST;
	enum rt_op op = op_of(r);
	if (is_left_out(c, op, r))
		return;
	switch (op) {
	case RT_TASK:
		task_event(c, r);
		break;
	case RT_READ_RANGE:
		range_access(c, SNAG_OP_READ, r);
		break;
	case RT_WRITE_RANGE:
		range_access(c, SNAG_OP_WRITE, r);
		break;
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		word_access(c, atomic_op[op], address_of(r), size_of(r), order, r);
		break;
	case RT_FENCE:
		event_put(c, SNAG_OP_FENCE, 0, r, 0, order);
		break;
	case RT_BRANCH:
		event_put(c, SNAG_OP_BRANCH, 0, r, 0, 0);
		break;
	case RT_DEPENDS:
		word_access(c, SNAG_OP_DEPENDS, address_of(r), size_of(r), 0, r);
		break;
	case RT_BEGIN:
		event_put(c, SNAG_OP_BEGIN, 0, r, 0, 0);
		break;
	case RT_ACQUIRE:
	case RT_RELEASE:
	case RT_ACQUIRE_SHARED:
	case RT_RELEASE_SHARED:
	case RT_SYNC_READ:
	case RT_SYNC_WRITE:
	case RT_SYNC_UPDATE:
	case RT_FORK:
	case RT_JOIN:
		sync_record(c, op, r);
		break;
	case RT_NODE:
	case RT_ALLOC:
	case RT_FREE:
	case RT_FORGET:
	case RT_STACK:
	case RT_MODULE:
	case RT_TEXT:
	case RT_MODULE_END:
		place_record(c, op, r);
		break;
	case RT_SWITCH:
		turn_begins(c, r);
		break;
	case RT_COUNT:
		c->fuel = r->arg;
		break;
	case RT_AGAIN:
		again(c, r);
		break;
	case RT_NOTE:
		note(c, r);
		break;
	case RT_LABEL:
		task_label(c, r);
		break;
	case RT_NONE:
	case RT_READ: /* below */
	case RT_WRITE:
	case RT_OPS:
		break;
	}
}

int snag_convert_records(struct snag_convert *c, const struct rt_record *r, int n)
{
	int i = 0;
	if (c->is_taken) {
		if (c->options.is_for_sink)
			snag_strtab_forget(&c->names.space[SNAG_SPACE_VARIABLE], c->used_up_to);
		c->first += c->n + c->in_runs;
		c->n = c->nruns = c->in_runs = 0;
		c->is_taken = false;
	}
	range_go_on(c);
	again_go_on(c);
	for (; i < n && snag_convert_is_done(c) && has_room(c, ROOM); i++) {
		enum rt_op op = op_of(&r[i]);
		if (op == RT_READ || op == RT_WRITE) /* nearly all are */
			access_take(c, &r[i]);
		else
			record_other(c, &r[i]);
	}
	return i;
}
