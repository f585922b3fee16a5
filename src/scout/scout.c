/* SPDX-License-Identifier: Apache-2.0
 *
 * scout.c - looks at the records of a running program, and says which of them a trace needs
 */
#include "scout/scout.h"

#include "base/memory.h"
#include "detect/deadlock/lock_graph.h"
#include "detect/slice/contended_memory.h"
#include "scout/again.h"
#include "scout/places.h"
#include "scout/spool.h"
#include "trace/branch_filter.h"
#include "trace/lock_rules.h"

#include <string.h>

enum { ACCESSES = 64 }; /* that are looked at together */

struct snag_scout {
	struct snag_detour detour;
	struct snag_spool *spool;
	struct snag_spool *about; /* [nothing] those of the records that are delivered then */
	struct snag_contended_memory *memory;
	struct snag_lock_graph *graph; /* NULL: no detector looks for deadlocks */
	struct snag_lock_rules rules;
	struct snag_counts counts; /* of threads and locks */
	uint32_t *lock;		   /* by number of the runtime: 1 + id; 0: none yet */
	size_t lock_cap;
	uint32_t *token; /* by number of the runtime: its variable; 0: none yet */
	size_t token_cap;
	snag_tid thread;
	uint64_t events;
	struct snag_again again; /* the last accesses, and a run that follows from them */
	bool takes_all;		 /* [all] */
	bool has_more;		 /* records that [nothing] must not leave out refer to others */
	bool needs_nothing;	 /* [nothing] */
	struct {
		uint64_t at, end;
		struct rt_record record;
	} range; /* one that is being delivered */
	/* [count] The fuel left at the last access, and whether that was left out. */
	uint32_t fuel;
	bool is_fuel_untold;
	struct snag_scout_places places;
	struct rt_record held; /* is delivered behind the places that it refers to */
	bool is_holding;
	struct snag_branch_filter *branches; /* [branch] by thread */
	size_t branches_cap;
};

/* While the program runs. */

/* [nothing] What is delivered in any case. */
static bool is_about_run(enum rt_op op)
{
	switch (op) {
	case RT_BEGIN:
	case RT_FORK:
	case RT_JOIN:
	case RT_SWITCH:
	case RT_NODE: /* the others say where they are */
	case RT_MODULE:
	case RT_MODULE_END:
	case RT_DEFAULT:
	case RT_TEXT:
	case RT_NOTE:
		return true;
	default:
		return false;
	}
}

static void locks_reserve(struct snag_scout *s)
{
	snag_lock_rules_reserve(&s->rules, &s->counts);
}

/* [lock] of contended_memory.h. */
static uint32_t lock_of(struct snag_scout *s, const struct rt_record *r, bool is_acquire)
{
	s->lock = snag_grow(s->lock, &s->lock_cap, (size_t)r->arg + 1, sizeof(*s->lock));
	bool is_new =
		is_acquire && snag_contended_memory_lock_is_new(s->memory, rt_record_address(r));
	if (!s->lock[r->arg] || is_new) {
		s->lock[r->arg] = ++s->counts.n[SNAG_SPACE_LOCK];
		locks_reserve(s);
	}
	return s->lock[r->arg] - 1;
}

static uint32_t token_of(struct snag_scout *s, uint32_t number)
{
	s->token = snag_grow(s->token, &s->token_cap, (size_t)number + 1, sizeof(*s->token));
	if (!s->token[number])
		s->token[number] = snag_contended_memory_token(s->memory);
	return s->token[number];
}

static void thread_reserve(struct snag_scout *s, snag_tid t)
{
	if (t < s->counts.n[SNAG_SPACE_THREAD])
		return;
	s->counts.n[SNAG_SPACE_THREAD] = t + 1;
	locks_reserve(s);
}

static void sync_take(struct snag_scout *s, struct snag_event ev)
{
	struct snag_lock_fault fault;
	bool is_lock = SNAG_OPS_OF_LOCKS >> ev.op & 1;
	bool is_thread = SNAG_OPS_OF_THREADS >> ev.op & 1;
	if (is_lock && !snag_lock_rules_check(&s->rules, &ev, s->events, &fault))
		return;
	if (is_thread)
		thread_reserve(s, ev.target);
	snag_contended_memory_sync(s->memory, &ev);
	if (s->graph && (is_lock || is_thread))
		snag_lock_graph_batch(s->graph,
				      &(struct snag_batch){.ev = &ev, .n = 1, .counts = s->counts});
}

static void lock_take(struct snag_scout *s, enum snag_op op, const struct rt_record *r)
{
	bool is_acquire = op == SNAG_OP_ACQUIRE || op == SNAG_OP_ACQUIRE_SHARED;
	sync_take(s,
		  (struct snag_event){.thread = s->thread,
				      .op = (uint8_t)op,
				      .target = lock_of(s, r, is_acquire),
				      .flags = is_acquire && rt_record_size(r) ? SNAG_NO_WAIT : 0});
}

static void token_take(struct snag_scout *s, enum snag_op op, const struct rt_record *r,
		       unsigned order)
{
	sync_take(s, (struct snag_event){.thread = s->thread,
					 .op = (uint8_t)op,
					 .target = token_of(s, r->arg),
					 .flags = (uint8_t)order});
}

static void atomic_take(struct snag_scout *s, enum snag_op op, const struct rt_record *r)
{
	const struct snag_event ev = {.thread = s->thread,
				      .op = (uint8_t)op,
				      .size = (uint8_t)rt_record_size(r),
				      .flags = r->arg < SNAG_ORDERS ? (uint8_t)r->arg
								    : SNAG_SEQ_CST};
	snag_contended_memory_atomic(s->memory, ev, rt_record_address(r), rt_record_size(r));
}

static struct snag_bytes_at place_of(const struct rt_record *r, uint64_t nbytes, bool is_write)
{
	return (struct snag_bytes_at){rt_record_address(r), nbytes, is_write, r->loc};
}

static void range_take(struct snag_scout *s, const struct rt_record *r, bool is_write)
{
	if (r->arg == 0)
		return;
	const struct snag_bytes_at p = place_of(r, r->arg, is_write);
	snag_contended_memory_access(s->memory, &p);
	s->events += (r->arg + 7) / 8;
}

static void run_take(struct snag_scout *s, const struct rt_record *r)
{
	struct snag_bytes_step step[SNAG_BYTES_STEPS];
	if (!snag_again_begin(&s->again, r))
		return;
	for (uint32_t i = 0; i < s->again.period; i++) {
		const struct snag_again_step *from = &s->again.step[i];
		step[i] =
			(struct snag_bytes_step){place_of(&from->next, rt_record_size(&from->next),
							  rt_record_op(&from->next) == RT_WRITE),
						 (int64_t)from->stride};
	}
	snag_contended_memory_run(s->memory, step, s->again.period, s->again.left);
	s->events += s->again.left;
	s->again.left = 0;
}

static void memory_take(struct snag_scout *s, enum rt_op op, const struct rt_record *r)
{
	enum { SYSTEM_PAGE = 4096 };
	const uint64_t nbytes =
		op == RT_FORGET && !rt_record_size(r) ? (uint64_t)r->arg * SYSTEM_PAGE : r->arg;
	if (op != RT_FREE) {
		snag_contended_memory_begin(s->memory, rt_record_address(r), nbytes);
	} else if (rt_record_size(r) != RT_FREE_IGNORED && nbytes > 0) {
		const struct snag_bytes_at p = place_of(r, nbytes, true);
		s->has_more |= snag_contended_memory_freed(s->memory, &p);
	}
}

static void other_take(struct snag_scout *s, const struct rt_record *r)
{
	const enum rt_op op = rt_record_op(r);
	const unsigned size = rt_record_size(r);
	switch (op) {
	case RT_READ_RANGE:
	case RT_WRITE_RANGE:
		range_take(s, r, op == RT_WRITE_RANGE);
		break;
	case RT_AGAIN:
		run_take(s, r);
		break;
	case RT_ATOMIC_READ:
		atomic_take(s, SNAG_OP_ATOMIC_READ, r);
		break;
	case RT_ATOMIC_WRITE:
		atomic_take(s, SNAG_OP_ATOMIC_WRITE, r);
		break;
	case RT_ATOMIC_UPDATE:
		atomic_take(s, SNAG_OP_ATOMIC_UPDATE, r);
		break;
	case RT_FENCE:
		sync_take(s, (struct snag_event){.thread = s->thread,
						 .op = SNAG_OP_FENCE,
						 .flags = r->arg < SNAG_ORDERS ? (uint8_t)r->arg
									       : SNAG_SEQ_CST});
		break;
	case RT_ACQUIRE:
		lock_take(s, SNAG_OP_ACQUIRE, r);
		break;
	case RT_RELEASE:
		lock_take(s, SNAG_OP_RELEASE, r);
		break;
	case RT_ACQUIRE_SHARED:
		lock_take(s, SNAG_OP_ACQUIRE_SHARED, r);
		break;
	case RT_RELEASE_SHARED:
		lock_take(s, SNAG_OP_RELEASE_SHARED, r);
		break;
	case RT_SYNC_READ:
		token_take(s, SNAG_OP_ATOMIC_READ, r, SNAG_ACQUIRE);
		break;
	case RT_SYNC_WRITE:
		token_take(s, SNAG_OP_ATOMIC_WRITE, r, SNAG_RELEASE);
		break;
	case RT_SYNC_UPDATE:
		token_take(s, SNAG_OP_ATOMIC_UPDATE, r, size < SNAG_ORDERS ? size : SNAG_ACQ_REL);
		break;
	case RT_FORK:
	case RT_JOIN:
		sync_take(s, (struct snag_event){.thread = s->thread,
						 .op = op == RT_FORK ? SNAG_OP_FORK : SNAG_OP_JOIN,
						 .target = r->arg});
		break;
	case RT_SWITCH:
		s->thread = r->arg;
		thread_reserve(s, r->arg);
		snag_contended_memory_thread(s->memory, r->arg);
		return;
	case RT_ALLOC:
	case RT_FREE:
	case RT_FORGET:
		memory_take(s, op, r);
		return;
	case RT_NOTE:
		s->takes_all |= r->arg == RT_NOTE_LAUNCH;
		s->has_more |= r->arg == RT_NOTE_CRASH;
		return;
	case RT_BRANCH:
	case RT_BEGIN:
	case RT_NODE:
	case RT_STACK:
	case RT_MODULE:
	case RT_MODULE_END:
	case RT_DEFAULT:
	case RT_TEXT:
	case RT_COUNT:
	case RT_DEPENDS:
	case RT_ANSWER:
	case RT_READ:
	case RT_WRITE:
	case RT_NONE:
		return;
	default:
		s->has_more = true;
		return;
	}
	s->events += op >= RT_ATOMIC_READ && op <= RT_JOIN;
}

/* Takes the accesses at the beginning of these records; returns how many there are. */
static int accesses_take(struct snag_scout *s, const struct rt_record *r, int n)
{
	struct snag_bytes_at p[ACCESSES];
	int i = 0;
	for (; i < n && i < ACCESSES; i++) {
		const enum rt_op op = rt_record_op(&r[i]);
		if (op != RT_READ && op != RT_WRITE)
			break;
		p[i] = place_of(&r[i], rt_record_size(&r[i]), op == RT_WRITE);
	}
	snag_contended_memory_accesses(s->memory, p, (size_t)i);
	for (int k = i < 2 * RT_RUN_MAX ? 0 : i - 2 * RT_RUN_MAX; k < i; k++)
		snag_again_add(&s->again, &r[k]);
	s->events += (uint64_t)i;
	return i;
}

static bool records_take(void *ctx, const struct rt_record *r, int n)
{
	struct snag_scout *s = ctx;
	snag_spool_put(s->spool, r, n);
	if (!s->takes_all && snag_contended_memory_is_hopeless(s->memory)) /* [long] */
		snag_spool_close(s->spool, "the run has more events than can be numbered");
	if (snag_spool_error(s->spool)) /* what is not there later is not looked at */
		return false;
	for (int i = 0; i < n && !s->takes_all;) {
		const enum rt_op op = rt_record_op(&r[i]);
		if (op == RT_READ || op == RT_WRITE) {
			i += accesses_take(s, r + i, n - i);
			continue;
		}
		other_take(s, &r[i]);
		if (is_about_run(op))
			snag_spool_put(s->about, &r[i], 1);
		i++;
	}
	return true;
}

static void run_ended(void *ctx)
{
	struct snag_scout *s = ctx;
	uint64_t wanted = s->takes_all ? 1 : snag_contended_memory_end(s->memory);
	bool has_circle = s->graph && snag_lock_graph_has_circle(s->graph);
	s->needs_nothing = !wanted && !has_circle && !s->has_more;
	snag_contended_memory_rest(s->memory);
	snag_lock_graph_free(s->graph);
	s->graph = NULL;
	memset(&s->again, 0, sizeof(s->again));
	s->thread = 0;
	snag_spool_rewind(s->needs_nothing ? s->about : s->spool);
}

/* After its end. */

static bool is_needed(struct snag_scout *s, uint64_t address, uint64_t nbytes)
{
	return snag_contended_memory_is_needed(s->memory, address, nbytes);
}

/* [count] An access is left out, or delivered. */
static void access_pass(struct snag_scout *s, const struct rt_record *r, bool is_delivered)
{
	s->fuel = r->arg;
	s->is_fuel_untold = !is_delivered;
}

/* [branch] Of the running thread. */
static struct snag_branch_filter *branches_of(struct snag_scout *s)
{
	s->branches = snag_grow(s->branches, &s->branches_cap, (size_t)s->thread + 1,
				sizeof(*s->branches));
	return &s->branches[s->thread];
}

/* [branch] Whether a record that is no plain access is left out. */
static bool is_left_out(struct snag_scout *s, const struct rt_record *r)
{
	switch (rt_record_op(r)) {
	case RT_BRANCH:
		return !snag_branch_filter_branch(branches_of(s));
	case RT_DEPENDS:
		return !snag_branch_filter_dep(
			branches_of(s), is_needed(s, rt_record_address(r), rt_record_size(r)));
	case RT_SWITCH:
		s->thread = r->arg;
		return false;
	default: /* it may read */
		snag_branch_filter_read(branches_of(s));
		return false;
	}
}

/* The last access of a run that is left out. */
static void run_skip(struct snag_scout *s)
{
	const uint32_t last = s->again.left - 1;
	const struct snag_again_step *step = &s->again.step[last % s->again.period];
	struct rt_record r = step->next;
	r.arg += step->arg_stride * (last / s->again.period);
	access_pass(s, &r, false);
	s->again.left = 0;
}

/* [run] Whether some access of the run is needed. */
static bool run_is_needed(struct snag_scout *s)
{
	const uint64_t rounds = s->again.left / s->again.period;
	for (uint32_t i = 0; i < s->again.period; i++) {
		const struct snag_again_step *step = &s->again.step[i];
		uint64_t first = rt_record_address(&step->next),
			 last = first + step->stride * rounds;
		uint64_t low = (int64_t)step->stride < 0 ? last : first;
		uint64_t high = (int64_t)step->stride < 0 ? first : last;
		if (is_needed(s, low, high - low + rt_record_size(&step->next)))
			return true;
	}
	return false;
}

/* The run is skipped, or its accesses are delivered behind the places that they refer to. */
static void run_prepare(struct snag_scout *s)
{
	if (!run_is_needed(s)) {
		run_skip(s);
		return;
	}
	snag_branch_filter_read(branches_of(s));
	for (uint32_t i = 0; i < s->again.period; i++)
		snag_scout_place_need(&s->places, s->again.step[i].next.loc);
}

/* Delivers accesses of a run; returns how many. */
static int run_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	int n = 0;
	while (s->again.left > 0 && n < room) {
		struct rt_record r = snag_again_next(&s->again);
		bool is_wanted = is_needed(s, rt_record_address(&r), rt_record_size(&r));
		access_pass(s, &r, is_wanted);
		if (is_wanted)
			ret_record[n++] = r;
	}
	return n;
}

/* [range] Delivers needed parts of a range; returns how many. */
static int range_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	enum { WORD = 8 };
	int n = 0;
	while (s->range.at < s->range.end && n < room) {
		uint64_t at = s->range.at, end = s->range.end;
		if (!is_needed(s, at, end - at)) {
			s->range.at = end;
			break;
		}
		while (!is_needed(s, at, 1))
			at = (at | (WORD - 1)) + 1;
		uint64_t to = at;
		while (to < end && is_needed(s, to, 1))
			to = (to | (WORD - 1)) + 1;
		to = to < end ? to : end;
		struct rt_record r = s->range.record;
		r.what += at - rt_record_address(&r);
		r.arg = (uint32_t)(to - at);
		ret_record[n++] = r;
		s->range.at = to;
	}
	return n;
}

/* [count] Tells the fuel left at the last access, if that access was left out; returns how many
 * records this took. */
static int fuel_tell(struct snag_scout *s, struct rt_record *ret_record)
{
	if (!s->is_fuel_untold)
		return 0;
	s->is_fuel_untold = false;
	*ret_record = (struct rt_record){.what = (uint64_t)RT_COUNT << RT_OP_SHIFT, .arg = s->fuel};
	return 1;
}

/* [place] Returns whether places have to be delivered before this record, which is held then. */
static bool has_to_wait(struct snag_scout *s, const struct rt_record *r)
{
	if (rt_record_op(r) == RT_MODULE)
		snag_scout_places_need_all(&s->places);
	else
		snag_scout_place_need(&s->places, r->loc);
	s->is_holding = snag_scout_places_are_due(&s->places);
	s->held = *r;
	return s->is_holding;
}

/* Delivers a record, or prepares what is left of it; returns how many were delivered, at most 2. */
static int record_deliver(struct snag_scout *s, const struct rt_record *r,
			  struct rt_record *ret_record)
{
	const enum rt_op op = rt_record_op(r);
	int n = 0;
	if (s->takes_all) {
		*ret_record = *r;
		return 1;
	}
	if (op == RT_NODE) {
		snag_scout_place_add(&s->places, r);
		return 0;
	}
	if (op == RT_READ || op == RT_WRITE) {
		bool is_wanted = is_needed(s, rt_record_address(r), rt_record_size(r));
		if (is_wanted && has_to_wait(s, r))
			return 0;
		snag_again_add(&s->again, r);
		access_pass(s, r, is_wanted);
		if (is_wanted)
			snag_branch_filter_read(branches_of(s));
		*ret_record = *r;
		return is_wanted;
	}
	if (op == RT_AGAIN) {
		if (snag_again_begin(&s->again, r))
			run_prepare(s);
		return 0;
	}
	if (has_to_wait(s, r) || is_left_out(s, r))
		return 0;
	n = fuel_tell(s, ret_record);
	if (op != RT_READ_RANGE && op != RT_WRITE_RANGE) {
		ret_record[n++] = *r;
		return n;
	}
	s->range.at = rt_record_address(r);
	s->range.end = s->range.at + r->arg;
	s->range.record = *r;
	return n;
}

static int records_next(void *ctx, struct rt_record *ret_record, int room)
{
	struct snag_scout *s = ctx;
	int n = 0;
	for (;;) {
		struct rt_record r;
		n += snag_scout_places_deliver(&s->places, ret_record + n, room - n);
		if (n < room)
			n += run_deliver(s, ret_record + n, room - n);
		if (n < room)
			n += range_deliver(s, ret_record + n, room - n);
		if (n + 2 > room)
			break;
		if (s->is_holding)
			r = s->held;
		else if (snag_spool_next(s->needs_nothing ? s->about : s->spool, &r, 1) == 0)
			break;
		s->is_holding = false;
		n += record_deliver(s, &r, ret_record + n);
	}
	return n;
}

int snag_scout_new(const struct snag_scout_options *options, struct snag_scout **ret_scout,
		   struct snag_error *err)
{
	struct snag_spool *spool = NULL, *about = NULL;
	int rc = snag_spool_new(options->folder, options->disk, &spool, err);
	if (rc == 0)
		rc = snag_spool_new(options->folder, options->disk, &about, err);
	if (rc < 0) {
		snag_spool_free(spool);
		return rc;
	}
	struct snag_scout *s = snag_calloc(1, sizeof(*s));
	s->detour = (struct snag_detour){
		.records = records_take, .ended = run_ended, .next = records_next, .ctx = s};
	s->spool = spool;
	s->about = about;
	s->memory = snag_contended_memory_new(options->wants);
	s->graph = options->of_deadlocks ? snag_lock_graph_new() : NULL;
	thread_reserve(s, 0);
	*ret_scout = s;
	return 0;
}

void snag_scout_free(struct snag_scout *s)
{
	if (!s)
		return;
	snag_spool_free(s->spool);
	snag_spool_free(s->about);
	snag_contended_memory_free(s->memory);
	snag_lock_graph_free(s->graph);
	snag_scout_places_done(&s->places);
	snag_lock_rules_done(&s->rules);
	free(s->lock);
	free(s->token);
	free(s->branches);
	free(s);
}

const struct snag_detour *snag_scout_detour(struct snag_scout *s)
{
	return &s->detour;
}

uint64_t snag_scout_observed(const struct snag_scout *s)
{
	return s->takes_all ? 0 : snag_contended_memory_observed(s->memory);
}

uint64_t snag_scout_events(const struct snag_scout *s)
{
	return s->events;
}

const char *snag_scout_error(const struct snag_scout *s)
{
	const char *error = snag_spool_error(s->spool);
	return error ? error : snag_spool_error(s->about);
}
