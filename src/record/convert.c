/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - turns the records of the runtime into the events of a trace
 *
 * Rules.  The program may be broken, but its runtime is ours: records are trusted as far as they
 *         can do no harm here (numbers are checked, texts bounded).
 */
#include "record/convert_state.h"

#include "base/memory.h"
#include "record/regions.h"
#include "report/symbols.h"

#include <inttypes.h>
#include <string.h>

struct snag_convert *snag_convert_new(const struct snag_convert_options *options)
{
	struct snag_convert *c = snag_calloc(1, sizeof(*c));
	c->options = *options;
	c->is_first_turn = true;
	snag_names_init(&c->names);
	if (options->is_for_sink)
		snag_strtab_have_places(&c->names.space[SNAG_SPACE_VARIABLE]);
	snag_strtab_init(&c->used);
	snag_strtab_init(&c->depend_names);
	snag_strtab_init(&c->benign);
	c->symbols = snag_symbols_new();
	c->regions = snag_regions_new(c->symbols);
	c->cells = snag_convert_cells(c);
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
	snag_splits_done(&c->splits);
	free(c->split);
	snag_symbols_free(c->symbols);
	free(c->loc);
	snag_convert_called_done(&c->called);
	free(c->token);
	free(c->lock);
	free(c->done);
	free(c->label);
	free(c->thread_name);
	free(c->depend);
	snag_strtab_done(&c->depend_names);
	snag_step_log_done(&c->steps);
	snag_misuses_done(&c->misuses);
	snag_strtab_done(&c->benign);
	for (int i = 0; i < RT_DEFAULTS; i++)
		free(c->defaults[i].text);
	free(c);
}

const char *snag_convert_default(const struct snag_convert *c, enum rt_default which)
{
	return c->defaults[which].text ? c->defaults[which].text : "";
}

const struct snag_names *snag_convert_names(const struct snag_convert *c)
{
	return &c->names;
}

const struct snag_convert_notes *snag_convert_notes(const struct snag_convert *c)
{
	return &c->notes;
}

const struct snag_strtab *snag_convert_benign(const struct snag_convert *c)
{
	return &c->benign;
}

struct snag_misuse_list *snag_convert_misuses(struct snag_convert *c)
{
	return &c->misuses;
}

struct snag_step_log *snag_convert_steps(struct snag_convert *c)
{
	return c->options.keep_steps ? &c->steps : NULL;
}

struct snag_splits *snag_convert_splits(struct snag_convert *c)
{
	return &c->splits;
}

void snag_convert_forget_variables(struct snag_convert *c)
{
	if (!c->options.is_for_sink)
		snag_strtab_have_places(&c->names.space[SNAG_SPACE_VARIABLE]);
	c->options.is_for_sink = true;
}

void snag_convert_take_runs(struct snag_convert *c)
{
	c->has_runs = true;
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
					 .nruns = c->nruns,
					 .split = c->split,
					 .nsplits = c->nsplits};
	c->is_taken = true;
	return true;
}

void snag_convert_step_keep(struct snag_convert *c)
{
	snag_step_log_add(&c->steps, c->thread,
			  c->done[c->thread] + (uint32_t)(c->turn_fuel - c->fuel));
}

/* Accesses. */

static inline bool is_access(const struct rt_record *r)
{
	return (unsigned)rt_record_op(r) - RT_READ <= RT_WRITE - RT_READ;
}

/* The bytes of a cell that an access touches; more than a cell has, or 0: it does not lie in
 * one. */
static inline unsigned access_mask(const struct rt_record *r)
{
	return ((1u << (rt_record_size(r) & 31)) - 1) << rt_record_address(r) % SNAG_CELL;
}

/* Keeps the targets of events, each the only one of its access. */
static void targets_keep(struct snag_convert *c)
{
	const size_t n = c->seen.unkept, ring = 2 * RT_RUN_MAX;
	const struct snag_event *ev = c->ev + c->n - n;
	for (size_t i = n > ring ? n - ring : 0; i < n; i++)
		c->seen.target[(c->seen.alone + i) % ring] = ev[i].target;
	c->seen.alone += n;
	c->seen.unkept = 0;
}

/* Makes the events of the first accesses, out of n, that each have one variable already.  Fields
 * of c are copied to locals, because the compiler must assume that writing an event changes
 * them. */
static int group_quick(struct snag_convert *c, const struct rt_record *const first,
		       struct snag_cell *const *cell, int n)
{
	const struct rt_record *r = first, *const end = r + n;
	struct snag_event *ev = c->ev + c->n;
	const uint32_t thread = c->thread, *const loc = c->loc;
	const size_t nnodes = c->nnodes;
	for (struct snag_cell *at; r < end && (at = *cell++); r++, ev++) {
		const unsigned mask = access_mask(r), k = at->mask[0] != mask;
		if (mask - 1 >= UINT8_MAX || at->mask[k] != mask)
			break;
		if (at->flags & SNAG_CELLS_FREED)
			break;
		if (at->owner != (uint8_t)thread)
			at->flags |= SNAG_CELLS_SHARED;
		*ev = (struct snag_event){.thread = thread,
					  .target = at->variable[k] - 1,
					  .loc = r->loc < nnodes ? loc[r->loc] : 0,
					  .op = (uint8_t)access_op(r),
					  .size = (uint8_t)rt_record_size(r)};
	}
	const int taken = (int)(r - first);
	c->n += (size_t)taken;
	c->seen.unkept += (size_t)taken;
	return taken;
}

/* Those of a group of records that are accesses, from the first; returns how many. */
static int group_take(struct snag_convert *c, const struct rt_record *r, int n)
{
	struct snag_cell *cell[GROUP];
	int some = 0;
	for (; some < n && is_access(&r[some]); some++) {
		cell[some] = snag_cells_recent(c->cells, rt_record_address(&r[some]));
		__builtin_prefetch(cell[some], 1);
	}
	for (int i = 0; i < some; i++) {
		const int quick = group_quick(c, r + i, cell + i, some - i);
		for (int k = 0; c->options.keep_steps && k < quick; k++) {
			c->fuel = r[i + k].arg;
			snag_convert_step_keep(c);
		}
		i += quick;
		if (i == some)
			break;
		targets_keep(c);
		c->fuel = r[i].arg;
		word_access(c, access_op(&r[i]), rt_record_address(&r[i]), rt_record_size(&r[i]), 0,
			    &r[i]);
	}
	return some;
}

/* The accesses that the records begin with, as far as there is room; returns how many. */
static int accesses_take(struct snag_convert *c, const struct rt_record *r, int n)
{
	const int ring = 2 * RT_RUN_MAX;
	int i = 0;
	for (bool goes_on = true; goes_on && i < n && has_room(c, GROUP * SNAG_CELL);) {
		int some = n - i < GROUP ? n - i : GROUP, taken = group_take(c, r + i, some);
		goes_on = taken == some;
		i += taken;
	}
	targets_keep(c);
	for (int k = i > ring ? i - ring : 0; k < i; k++)
		c->seen.access[(c->seen.n + (uint64_t)k) % (2 * RT_RUN_MAX)] = r[k];
	c->seen.n += (uint64_t)i;
	return i;
}

bool snag_convert_is_done(const struct snag_convert *c)
{
	return c->range.at == c->range.end && c->again.left == 0;
}

/* Synchronisation. */

uint32_t snag_convert_thread(struct snag_convert *c, uint32_t tid)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_THREAD];
	char text[16];
	while (words->n <= tid)
		snag_strtab_intern_ascending(
			words, text, (size_t)snprintf(text, sizeof(text), "T%" PRIu32, words->n));
	c->done = snag_grow(c->done, &c->done_cap, words->n, sizeof(*c->done));
	return tid;
}

/* The compilers' names for critical sections become what the program says. */
static size_t critical_named(char *text, size_t len)
{
	static const char begins[] = ".gomp_critical_user_", ends[] = ".var";
	size_t skip = sizeof(begins) - 1, tail = sizeof(ends) - 1;
	char name[SNAG_REGION_NAME + 16];
	if (len < skip || memcmp(text, begins, skip) != 0)
		return len;
	len -= skip;
	memcpy(name, text + skip, len);
	if (len >= tail && memcmp(name + len - tail, ends, tail) == 0)
		len -= tail;
	return (size_t)sprintf(text, len ? "critical(%.*s)" : "critical%.*s", (int)len, name);
}

static uint32_t lock_new(struct snag_convert *c, uint64_t addr)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_LOCK];
	char text[SNAG_REGION_NAME + 16];
	uint32_t id = words->n;
	if (c->options.is_nameless)
		return snag_strtab_append(words, "", 0);
	size_t len = snag_regions_name(c->regions, addr, text, NULL);
	len = critical_named(text, len);
	snag_convert_tell_apart(words, id, text, len, sizeof(text));
	return id;
}

/* The lock of a record.  C++ programs neither initialise nor destroy a std::mutex in a way that the
 * runtime sees: if the memory of the lock was freed and allocated again, it is a new lock. */
static uint32_t lock_named(struct snag_convert *c, const struct rt_record *r, bool is_acquire)
{
	uint64_t addr = rt_record_address(r), blocks = snag_regions_blocks(c->regions);
	c->lock = snag_grow(c->lock, &c->lock_cap, (size_t)r->arg + 1, sizeof(*c->lock));
	struct snag_convert_lock *l = &c->lock[r->arg];
	if (l->id && (!is_acquire || l->blocks == blocks))
		return l->id - 1;
	uint64_t block = snag_regions_block(c->regions, addr);
	if (!l->id || l->block != block)
		l->id = lock_new(c, addr) + 1;
	l->block = block;
	l->blocks = blocks;
	return l->id - 1;
}

static uint32_t token_variable(struct snag_convert *c, uint32_t token)
{
	c->token = snag_grow(c->token, &c->token_cap, (size_t)token + 1, sizeof(*c->token));
	if (!c->token[token]) {
		char text[48];
		size_t len = (size_t)snprintf(text, sizeof(text), "sync#%" PRIu32, token);
		c->token[token] = snag_convert_named(c, text, len, sizeof(text)) + 1;
	}
	return c->token[token] - 1;
}

/* Schedules name the thread by its creator (record/creators.h). */
static void created(struct snag_convert *c, uint32_t thread)
{
	struct snag_created new = snag_creators_add(&c->steps.creators, c->thread, thread);
	if (c->options.schedule)
		fprintf(c->options.schedule, "+%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", new.thread,
			new.creator, new.index);
}

/* A replay gives the same one. */
static void answered(struct snag_convert *c, const struct rt_record *r)
{
	uint64_t value = rt_record_address(r) | (uint64_t)r->loc << RT_ADDRESS_BITS;
	if (c->options.schedule)
		fprintf(c->options.schedule, "@%" PRIu32 " %" PRIu64 "\n", c->thread, value);
	snag_answers_add(&c->steps.answers, c->thread, value);
}

static void turn_begins(struct snag_convert *c, const struct rt_record *r)
{
	if (c->options.schedule && !c->is_first_turn)
		fprintf(c->options.schedule, "%" PRIu32 " %" PRIu64 "\n", c->thread,
			rt_record_address(r));
	if (!c->is_first_turn)
		c->done[c->thread] += rt_record_address(r);
	c->is_first_turn = false;
	c->thread = snag_convert_thread(c, r->arg);
	c->cells->has_namesakes |= c->thread > UINT8_MAX;
	c->turn_fuel = c->fuel = r->loc;
}

/* Only what tasks do counts: outside launches the program has one thread. */
static void seen(struct snag_convert *c, struct snag_convert_seen *s, const struct rt_record *r)
{
	if (c->notes.launched > c->notes.ended && s->n++ == 0)
		s->loc = loc_of(c, r);
}

static void thread_name_add(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t thread = snag_convert_thread(c, r->loc);
	unsigned part = rt_record_size(r);
	c->thread_name = snag_grow(c->thread_name, &c->thread_names, (size_t)thread + 1,
				   sizeof(*c->thread_name));
	for (unsigned i = 0; part < RT_NAME_PARTS && i < RT_NAME_PART; i++)
		c->thread_name[thread].text[part * RT_NAME_PART + i] =
			(char)(rt_record_address(r) >> 8 * i);
}

const char *snag_convert_thread_name(const struct snag_convert *c, snag_tid thread)
{
	return thread < c->thread_names ? c->thread_name[thread].text : "";
}

static void crash_note(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_crash *crash = &c->notes.crash;
	if (r->arg == RT_NOTE_FAULT) {
		crash->has_address = true;
		crash->address = rt_record_address(r);
		return;
	}
	crash->signal = (int)rt_record_size(r);
	crash->thread = snag_convert_thread(c, (uint32_t)rt_record_address(r));
	crash->loc = loc_of(c, r);
	crash->names = &c->names;
}

static void note(struct snag_convert *c, const struct rt_record *r)
{
	if (r->arg == RT_NOTE_FAULT || r->arg == RT_NOTE_CRASH)
		crash_note(c, r);
	if (r->arg == RT_NOTE_TASKS && rt_record_address(r) < RT_DIALECTS)
		c->notes.dialect = (enum rt_dialect)rt_record_address(r);
	if (r->arg == RT_NOTE_OBSTACLE && rt_record_address(r) < RT_OBSTACLES)
		seen(c, &c->notes.obstacle[rt_record_address(r)], r);
	if (r->arg == RT_NOTE_NAMED)
		thread_name_add(c, r);
	c->notes.was_deadlock |= r->arg == RT_NOTE_DEADLOCK;
	c->is_of_tasks |= r->arg == RT_NOTE_TASKS;
	c->notes.launched += r->arg == RT_NOTE_LAUNCH;
	c->notes.ended += r->arg == RT_NOTE_LAUNCHED;
	c->notes.is_held |= r->arg == RT_NOTE_HELD;
	if (r->arg == RT_NOTE_VALUE && rt_record_size(r) < 2 * RT_RACE_VALUES && r->loc <= 8) {
		unsigned half = rt_record_size(r);
		c->notes.race_value[half / 2] |= (rt_record_address(r) & UINT32_MAX)
						 << 32 * (half % 2);
		c->notes.race_bytes = r->loc;
	}
	if (r->arg == RT_NOTE_DIVERGED) {
		c->notes.diverged = true;
		c->notes.turn = rt_record_address(r);
		c->notes.stuck = (enum rt_stuck)rt_record_size(r);
		c->notes.has_stuck_loc = r->loc > 0 && r->loc < c->nnodes;
		c->notes.stuck_loc = c->notes.has_stuck_loc ? c->loc[r->loc] : 0;
	}
}

static void circle_note(struct snag_convert *c, const struct rt_record *r)
{
	static const enum snag_op op[] = {[RT_WAITS_ALONE] = SNAG_OP_ACQUIRE,
					  [RT_WAITS_SHARED] = SNAG_OP_ACQUIRE_SHARED,
					  [RT_WAITS_THREAD] = SNAG_OP_JOIN};
	struct snag_convert_notes *n = &c->notes;
	unsigned how = rt_record_size(r);
	bool is_join = how == RT_WAITS_THREAD;
	/* A thread waits for the lock, so another one has taken it before. */
	if (n->ncircle == SNAG_CONVERT_WAITS || how > RT_WAITS_THREAD ||
	    (!is_join && (r->arg >= c->lock_cap || !c->lock[r->arg].id)))
		return;
	n->circle[n->ncircle++] = (struct snag_convert_link){
		.thread = snag_convert_thread(c, (uint32_t)rt_record_address(r)),
		.op = op[how],
		.target = is_join ? snag_convert_thread(c, r->arg) : c->lock[r->arg].id - 1,
		.loc = loc_of(c, r)};
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
			  rt_record_size(r) < SNAG_ORDERS ? rt_record_size(r) : SNAG_ACQ_REL);
		break;
	case RT_FORK:
		created(c, r->arg);
		event_put(c, SNAG_OP_FORK, snag_convert_thread(c, r->arg), r, 0, 0);
		break;
	case RT_JOIN:
		event_put(c, SNAG_OP_JOIN, snag_convert_thread(c, r->arg), r, 0,
			  rt_record_size(r) ? SNAG_NO_WAIT : 0);
		break;
	default: {
		bool is_acquire = op == RT_ACQUIRE || op == RT_ACQUIRE_SHARED;
		uint8_t flags = is_acquire && rt_record_size(r) ? SNAG_NO_WAIT : 0;
		event_put(c, lock_op[op], lock_named(c, r, is_acquire), r, 0, flags);
		break;
	}
	}
}

/* A trace of tasks has no events of threads.  Outside launches locks and atomics order nothing,
 * because the program has one thread.  A program that creates threads instead of tasks is one of
 * threads. */
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
	enum rt_op op = rt_record_op(r);
	if (is_left_out(c, op, r))
		return;
	switch (op) {
	case RT_TASK:
		snag_convert_task(c, r);
		break;
	case RT_READ_RANGE:
		snag_convert_range(c, SNAG_OP_READ, r);
		break;
	case RT_WRITE_RANGE:
		snag_convert_range(c, SNAG_OP_WRITE, r);
		break;
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		word_access(c, atomic_op[op], rt_record_address(r), rt_record_size(r), order, r);
		break;
	case RT_FENCE:
		event_put(c, SNAG_OP_FENCE, 0, r, 0, order);
		break;
	case RT_BRANCH:
		event_put(c, SNAG_OP_BRANCH, 0, r, 0, 0);
		break;
	case RT_DEPENDS:
		word_access(c, SNAG_OP_DEPENDS, rt_record_address(r), rt_record_size(r), 0, r);
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
	case RT_MISUSE:
	case RT_BEFORE:
	case RT_BENIGN:
		snag_convert_misuse(c, op, r);
		break;
	case RT_NODE:
	case RT_ALLOC:
	case RT_FREE:
	case RT_BLOCKS:
	case RT_FORGET:
	case RT_STACK:
	case RT_MODULE:
	case RT_TEXT:
	case RT_MODULE_END:
	case RT_DEFAULT:
		snag_convert_place(c, op, r);
		break;
	case RT_CIRCLE:
		circle_note(c, r);
		break;
	case RT_SWITCH:
		turn_begins(c, r);
		break;
	case RT_ANSWER:
		answered(c, r);
		break;
	case RT_COUNT:
		c->fuel = r->arg;
		break;
	case RT_AGAIN:
		snag_convert_again(c, r);
		break;
	case RT_NOTE:
		note(c, r);
		break;
	case RT_LABEL:
		snag_convert_task_label(c, r);
		break;
	case RT_WAITS:
		snag_convert_task_waits(c, r);
		break;
	case RT_RING: /* the merge takes these out */
	case RT_ORDER:
	case RT_END:
	case RT_STEP_ACQUIRE:
	case RT_STEP_RELEASE:
	case RT_STEP_READ:
	case RT_STEP_WRITE:
	case RT_STEP_UPDATE:
	case RT_LOCK_ENDS:
	case RT_NONE:
	case RT_TOUCH:
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
		c->n = c->nruns = c->in_runs = c->nsplits = 0;
		c->is_taken = false;
	}
	snag_convert_range_go_on(c);
	snag_convert_again_go_on(c);
	while (i < n && snag_convert_is_done(c) && has_room(c, ROOM)) {
		int accesses = accesses_take(c, r + i, n - i); /* nearly all are */
		i += accesses;
		if (!accesses)
			record_other(c, &r[i++]);
	}
	return i;
}
