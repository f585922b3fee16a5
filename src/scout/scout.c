/* SPDX-License-Identifier: Apache-2.0
 *
 * scout.c - looks at the records of a running program, and says which of them a trace needs
 */
#include "scout/scout_state.h"

#include <string.h>

enum { ACCESSES = 64 }; /* that are looked at together */

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

static unsigned order_of(unsigned order, unsigned otherwise)
{
	return order < SNAG_ORDERS ? order : otherwise;
}

static void atomic_take(struct snag_scout *s, enum snag_op op, const struct rt_record *r)
{
	const struct snag_event ev = {.thread = s->thread,
				      .op = (uint8_t)op,
				      .size = (uint8_t)rt_record_size(r),
				      .flags = (uint8_t)order_of(r->arg, SNAG_SEQ_CST)};
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
	} else if (rt_record_size(r) != RT_FREE_IGNORED) {
		/* A block that was freed before can have no size any more. */
		const struct snag_bytes_at p = place_of(r, nbytes ? nbytes : 1, true);
		s->has_more |= snag_contended_memory_freed(s->memory, &p);
	}
}

/* [block] Needs the place of a record that names memory, so that its block is delivered. */
static void place_need(struct snag_scout *s, const struct rt_record *r)
{
	const bool is_one = rt_record_op(r) == RT_MISUSE;
	const uint32_t nbytes = r->arg < RT_BENIGN_BYTES ? r->arg : RT_BENIGN_BYTES;
	snag_contended_memory_need(s->memory, rt_record_address(r), is_one ? 1 : nbytes);
}

/* Takes a record that orders threads; returns whether it is one. */
static bool order_take(struct snag_scout *s, enum rt_op op, const struct rt_record *r)
{
	static const uint8_t event_op[RT_OPS] = {
		[RT_ATOMIC_READ] = SNAG_OP_ATOMIC_READ,
		[RT_ATOMIC_WRITE] = SNAG_OP_ATOMIC_WRITE,
		[RT_ATOMIC_UPDATE] = SNAG_OP_ATOMIC_UPDATE,
		[RT_ACQUIRE] = SNAG_OP_ACQUIRE,
		[RT_RELEASE] = SNAG_OP_RELEASE,
		[RT_ACQUIRE_SHARED] = SNAG_OP_ACQUIRE_SHARED,
		[RT_RELEASE_SHARED] = SNAG_OP_RELEASE_SHARED,
		[RT_FORK] = SNAG_OP_FORK,
		[RT_JOIN] = SNAG_OP_JOIN,
	};
	struct snag_event ev = {.thread = s->thread, .op = event_op[op]};
	switch (op) {
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		atomic_take(s, (enum snag_op)event_op[op], r);
		break;
	case RT_ACQUIRE:
	case RT_RELEASE:
	case RT_ACQUIRE_SHARED:
	case RT_RELEASE_SHARED:
		lock_take(s, (enum snag_op)event_op[op], r);
		break;
	case RT_SYNC_READ:
		token_take(s, SNAG_OP_ATOMIC_READ, r, SNAG_ACQUIRE);
		break;
	case RT_SYNC_WRITE:
		token_take(s, SNAG_OP_ATOMIC_WRITE, r, SNAG_RELEASE);
		break;
	case RT_SYNC_UPDATE:
		token_take(s, SNAG_OP_ATOMIC_UPDATE, r, order_of(rt_record_size(r), SNAG_ACQ_REL));
		break;
	case RT_FENCE:
		ev.op = SNAG_OP_FENCE;
		ev.flags = (uint8_t)order_of(r->arg, SNAG_SEQ_CST);
		sync_take(s, ev);
		break;
	case RT_FORK:
	case RT_JOIN:
		ev.target = r->arg;
		sync_take(s, ev);
		break;
	default:
		return false;
	}
	return true;
}

/* Takes a record that is not an access. */
static void other_take(struct snag_scout *s, const struct rt_record *r)
{
	const enum rt_op op = rt_record_op(r);
	if (op < RT_OPS && order_take(s, op, r)) {
		s->events += op >= RT_ATOMIC_READ && op <= RT_JOIN;
		return;
	}
	switch (op) {
	case RT_READ_RANGE:
	case RT_WRITE_RANGE:
		range_take(s, r, op == RT_WRITE_RANGE);
		break;
	case RT_AGAIN:
		run_take(s, r);
		break;
	case RT_SWITCH:
		s->thread = r->arg;
		thread_reserve(s, r->arg);
		snag_contended_memory_thread(s->memory, r->arg);
		break;
	case RT_ALLOC:
	case RT_FREE:
	case RT_FORGET:
		memory_take(s, op, r);
		break;
	case RT_NOTE:
		s->takes_all |= r->arg == RT_NOTE_LAUNCH;
		s->has_more |= r->arg == RT_NOTE_CRASH;
		break;
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
		break;
	case RT_MISUSE: /* these have a name, which a block can give them */
	case RT_BENIGN:
		place_need(s, r);
		s->has_more = true;
		break;
	default:
		s->has_more = true;
		break;
	}
}

/* Takes the accesses at the beginning of these records; returns how many there are. */
static int accesses_take(struct snag_scout *s, const struct rt_record *r, int n)
{
	struct snag_bytes_at p[ACCESSES];
	int i = 0;
	for (; i < n && i < ACCESSES; i++) {
		if (!rt_record_is_access(&r[i]))
			break;
		p[i] = place_of(&r[i], rt_record_size(&r[i]), rt_record_op(&r[i]) == RT_WRITE);
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
		if (rt_record_is_access(&r[i])) {
			i += accesses_take(s, r + i, n - i);
			continue;
		}
		other_take(s, &r[i]);
		if (is_about_run(rt_record_op(&r[i])))
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
		.records = records_take, .ended = run_ended, .next = scout_deliver, .ctx = s};
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
	snag_word_set_done(&s->idle);
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
