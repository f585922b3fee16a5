/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_state.h - the state that convert.c and convert_*.c share
 *
 * State.  thread           the running thread
 *         loc[node]        the location of each node
 *         token[k]         the variable of each token, + 1
 *         ev[0 .. n)       the next batch; one record makes at most ROOM events
 *         run[0 .. nruns)  the runs between them
 *         range            the rest of the access to a range
 *         again            the rest of the accesses of a run (runtime/channel/run.h)
 *         seen             the last accesses, which determine how a run continues
 */
#ifndef SNAG_RECORD_CONVERT_STATE_H
#define SNAG_RECORD_CONVERT_STATE_H

#include "record/convert/cells.h"
#include "record/convert/convert.h"
#include "record/convert/misuses.h"
#include "record/step_log.h"

enum {
	TEXT_MAX = 2048,
	FREED_BYTES = 1024,
	PAGE = 4096,
	MAIN_STACK = 64 << 20,
	ROOM = FREED_BYTES,
	GROUP = 16,	   /* records whose cells are looked up together */
	RUNS = 1024,	   /* of a batch */
	MIN_ROUNDS = 4,	   /* of a run */
	IN_RUNS = 1 << 20, /* events in runs from which on a batch is full */
	WAIT_MAX = 31,	   /* rounds to wait before accesses that were no run are tried again */
	ID_BYTES = 64
};

/* The frames of a return address, kept because many nodes have the same address. */
struct snag_called {
	struct snag_called_at {
		uint64_t pc;
		uint32_t first, n; /* its frames, by number of their text */
	} * at;
	size_t n, cap;
	struct snag_slots slots;
	struct snag_strtab text; /* the name of each frame, up to the number of its caller */
};

struct snag_convert {
	struct snag_convert_options options;
	bool has_runs; /* batches may contain runs */
	struct snag_names names;
	struct snag_strtab used; /* names of variables that are not in blocks */
	uint32_t used_up_to;	 /* variables with a lower number occur in some event */
	struct snag_symbols *symbols;
	struct snag_regions *regions;
	struct snag_cells *cells;
	struct snag_splits splits;
	struct snag_split *split; /* the splits of the batch */
	size_t nsplits, split_cap;
	uint32_t thread;
	bool is_first_turn;
	bool is_of_tasks; /* the program can launch tasks */
	uint32_t *loc;
	size_t nnodes, loc_cap;
	struct snag_called called;
	uint32_t *token;
	size_t token_cap;
	struct snag_convert_lock {
		uint32_t id;	 /* 1 + that of the trace; 0: none yet */
		uint64_t block;	 /* the block that the lock lies in (regions.h) */
		uint64_t blocks; /* how many blocks there were when `block` was found */
	} * lock;		 /* by number of the runtime */
	size_t lock_cap;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	size_t n;
	struct snag_repeat run[RUNS]; /* between them */
	size_t nruns;
	uint64_t in_runs; /* their events */
	uint64_t first;	  /* number of ev[0] */
	uint64_t forgot;  /* the last address of which the past was forgotten */
	bool is_taken;	  /* the consumer has taken the batch; the next record begins another */
	struct snag_convert_notes notes;
	struct snag_strtab benign; /* names of bytes on which races are not to be reported */
	struct snag_misuse_list misuses;
	struct snag_misuse misuse; /* the next mistake, of which some records are still to come */
	const struct rt_record *accessing; /* the access whose cells are looked up slowly */
	/* Counting: what threads did in turns before, and the fuel of the one that runs. */
	uint64_t *done;
	size_t done_cap;
	uint32_t turn_fuel, fuel;
	struct snag_step_log steps;
	struct snag_thread_name {
		char text[RT_NAME_PART * RT_NAME_PARTS + 1];
	} * thread_name; /* by thread; "": the program gives it none */
	size_t thread_names;
	struct snag_label *label; /* by task, up to the last that has one */
	size_t label_cap;
	struct snag_depend *depend; /* in the order of their records */
	size_t ndepends, depend_cap;
	struct snag_strtab depend_names;
	struct convert_range { /* the rest of an access to a range; at == end: nothing is left */
		uint64_t at, end;
		enum snag_op op;
		struct rt_record record;
	} range;
	struct {
		struct rt_record access[2 * RT_RUN_MAX]; /* a ring */
		uint64_t n;				 /* since the last run */
		uint32_t target[2 * RT_RUN_MAX]; /* a ring: the variables of the latest events */
		/* How many events in a row, up to those of `unkept`, are each the only event of
		 * their access. */
		uint64_t alone;
		size_t unkept; /* as many events more; their variables are not in target[] yet */
	} seen;
	struct convert_again {
		uint32_t left, all, period, at;
		bool is_even; /* all steps use the same fuel in a round */
		/* Rounds to convert before the converter tries a run again, now and after the
		 * next failure. */
		uint32_t rounds, wait;
		struct convert_step {
			struct rt_record next;
			uint64_t stride;
			uint32_t fuel_step;
			enum snag_op op;
		} step[RT_RUN_MAX];
	} again;
	/* A module whose records are arriving. */
	uint64_t module_base;
	char text[TEXT_MAX + 16];
	size_t text_need, text_n;
	struct {
		char *text;
		size_t n, cap;
	} defaults[RT_DEFAULTS];
};

/* Makes the text a name that is not yet in `names`, by appending #id if needed.  Returns its
 * length. */
size_t snag_convert_tell_apart(struct snag_strtab *names, uint32_t id, char *text, size_t len,
			       size_t room);
/* Makes the variable of a name; appends its id if the name was used before. */
uint32_t snag_convert_named(struct snag_convert *c, char *text, size_t len, size_t room);
struct snag_cells *snag_convert_cells(struct snag_convert *c);
/* Notes the step of the event that is put next. */
void snag_convert_step_keep(struct snag_convert *c);
/* Handles a record about the layout of the program. */
void snag_convert_place(struct snag_convert *c, enum rt_op op, const struct rt_record *r);
void snag_convert_called_done(struct snag_called *called);
/* Returns the id of a thread or task, and names it if needed. */
uint32_t snag_convert_thread(struct snag_convert *c, uint32_t tid);
/* Records RT_TASK and RT_LABEL. */
void snag_convert_task(struct snag_convert *c, const struct rt_record *r);
void snag_convert_task_label(struct snag_convert *c, const struct rt_record *r);
void snag_convert_task_waits(struct snag_convert *c, const struct rt_record *r);
/* Handles an access to a range.  The second function continues when the batch was full. */
void snag_convert_range(struct snag_convert *c, enum snag_op op, const struct rt_record *r);
void snag_convert_range_go_on(struct snag_convert *c);
/* Makes events of the accesses at the beginning of n records, as far as the batch has room; returns
 * how many accesses there were. */
int snag_convert_accesses(struct snag_convert *c, const struct rt_record *r, int n);
/* Makes an event of a record that orders threads. */
void snag_convert_sync(struct snag_convert *c, enum rt_op op, const struct rt_record *r);
/* Handles records RT_NOTE and RT_CIRCLE. */
void snag_convert_note(struct snag_convert *c, const struct rt_record *r);
void snag_convert_circle(struct snag_convert *c, const struct rt_record *r);
/* Counts the event of the record if tasks run.  Outside of launches the program has one thread. */
void snag_convert_seen_note(struct snag_convert *c, struct snag_convert_seen *s,
			    const struct rt_record *r);
/* Handles a record RT_AGAIN.  The second function continues when the batch was full. */
void snag_convert_again(struct snag_convert *c, const struct rt_record *r);
void snag_convert_again_go_on(struct snag_convert *c);

/* Handles records RT_MISUSE, RT_BEFORE and RT_BENIGN. */
void snag_convert_misuse(struct snag_convert *c, enum rt_op op, const struct rt_record *r);
/* A hook of cells: freed memory is accessed. */
void snag_convert_freed_used(void *ctx, uint64_t addr);
/* Reports a mistake if the block was freed whose memory the running thread uses, or frees, at that
 * location. */
void snag_convert_check_freed(struct snag_convert *c, enum snag_misuse_kind kind, uint64_t addr,
			      snag_loc loc);

static inline snag_loc loc_of(const struct snag_convert *c, const struct rt_record *r)
{
	return r->loc < c->nnodes ? c->loc[r->loc] : 0;
}

static inline void event_put(struct snag_convert *c, enum snag_op op, uint32_t target,
			     const struct rt_record *r, unsigned size, unsigned flags)
{
	if (c->options.keep_steps)
		snag_convert_step_keep(c);
	c->ev[c->n++] = (struct snag_event){
		.thread = c->thread,
		.target = target,
		.loc = loc_of(c, r),
		.op = (uint8_t)op,
		.flags = (uint8_t)flags,
		.size = (uint8_t)size,
	};
}

static inline void word_access(struct snag_convert *c, enum snag_op op, uint64_t addr,
			       unsigned size, unsigned flags, const struct rt_record *r)
{
	uint32_t variable[SNAG_CELL];
	unsigned n = 1, room = SNAG_CELL - (unsigned)(addr % SNAG_CELL);
	size = size == 0 ? 1 : size < room ? size : room;
	if (!snag_cells_quick(snag_cells_recent(c->cells, addr), addr, size, c->thread, variable)) {
		c->accessing = r;
		n = snag_cells_access(c->cells, addr, size, c->thread, variable);
		c->accessing = NULL;
	}
	for (unsigned i = 0; i < n; i++)
		event_put(c, op, variable[i], r, size, flags);
	c->seen.target[c->seen.alone % (2 * RT_RUN_MAX)] = variable[0];
	c->seen.alone = n == 1 ? c->seen.alone + 1 : 0;
}

static inline enum snag_op access_op(const struct rt_record *r)
{
	return rt_record_op(r) == RT_READ ? SNAG_OP_READ : SNAG_OP_WRITE;
}

static inline bool has_room(const struct snag_convert *c, size_t events)
{
	return c->n + events <= SNAG_BATCH_EVENTS && c->nruns < RUNS && c->in_runs < IN_RUNS;
}

#endif
