/* SPDX-License-Identifier: Apache-2.0
 *
 * serial.c - the engine of spbags and espbags: shadow memory over bags
 */
#include "detect/tasks/serial.h"

#include "base/memory.h"
#include "detect/past.h"
#include "order/bags.h"

#include <stdio.h>

struct serial {
	const struct snag_detector_env *env;
	struct snag_bags bags;
	snag_tid current; /* the task that runs; SNAG_NO_ID: none yet, or refused */
	bool is_refused;
	bool is_isolated;
	bool is_order_dependent;
	bool only_spawns;
	snag_tid last_task;	     /* for rows */
	uint32_t update;	     /* 1 + the kind of the update that runs; 0: none */
	bool has_async, has_spawned; /* tasks */
	struct snag_express express; /* who: 1 + the task, while there is no isolated block */
	bool is_inside;		     /* then events are not kept */
	/* The last two: NULL while there was none. */
	struct snag_past_cell *events, *iso, *iso_events;
	uint32_t *kind; /* by variable, from the first isolated block on */
	size_t x_cap, events_cap, iso_cap, iso_events_cap, kind_cap;
	struct snag_past_pool pool;
};

void *snag_serial_open(const struct snag_detector_env *env)
{
	struct serial *s = snag_calloc(1, sizeof(*s));
	s->env = env;
	s->current = SNAG_NO_ID;
	s->express.is_all = true;
	snag_bags_init(&s->bags);
	snag_past_pool_init(&s->pool);
	if (env->rows)
		env->rows->serial(env->rows, NULL, NULL);
	return s;
}

void snag_serial_close(void *state)
{
	struct serial *s = state;
	if (!s)
		return;
	snag_bags_done(&s->bags);
	snag_huge_free(s->express.x, s->x_cap, sizeof(*s->express.x));
	snag_huge_free(s->events, s->events_cap, sizeof(*s->events));
	snag_huge_free(s->iso, s->iso_cap, sizeof(*s->iso));
	snag_huge_free(s->iso_events, s->iso_events_cap, sizeof(*s->iso_events));
	snag_huge_free(s->kind, s->kind_cap, sizeof(*s->kind));
	snag_past_pool_done(&s->pool);
	free(s);
}

void snag_serial_only_spawns(void *state)
{
	((struct serial *)state)->only_spawns = true;
}

bool snag_serial_proves(const void *state)
{
	return !((const struct serial *)state)->is_order_dependent;
}

static void refuse(struct serial *s, const struct snag_event *ev, uint32_t event, const char *why)
{
	s->env->on_refuse(s->env->ctx, ev, event, why);
	s->is_refused = true;
	s->current = SNAG_NO_ID;
}

/* Returns whether the task of the event runs.  It does if it is current or the first; otherwise
 * the run is not serial. */
static bool is_running_slow(struct serial *s, const struct snag_event *ev, uint32_t event)
{
	char why[128];
	if (s->is_refused)
		return false;
	if (s->bags.depth == 0) {
		snag_bags_begin(&s->bags, ev->thread, false);
		s->current = ev->thread;
		return true;
	}
	snprintf(why, sizeof(why),
		 "needs a serial run, but task %u goes on before task %u has ended", ev->thread,
		 s->current);
	refuse(s, ev, event, why);
	return false;
}

static inline bool is_running(struct serial *s, const struct snag_event *ev, uint32_t event)
{
	return __builtin_expect(ev->thread == s->current, 1) || is_running_slow(s, ev, event);
}

struct pasts {
	struct snag_past_place writer, reader;
};

static inline bool is_parallel(struct serial *s, uint32_t task_1)
{
	return task_1 != s->current + 1 && snag_bags_is_parallel(&s->bags, task_1 - 1);
}

/* Drops the accesses that come before the current point.  Returns whether one of the rest
 * outlives the current access. */
static bool list_prune(struct serial *s, uint32_t *who)
{
	bool outlives = false;
	uint32_t first = snag_past_first(*who);
	for (uint32_t *at = &first; *at;) {
		struct snag_past_link *l = &s->pool.link[*at];
		if (!is_parallel(s, l->past.who)) {
			*at = snag_past_unlink(&s->pool, *at);
			continue;
		}
		outlives |= snag_bags_outlives(&s->bags, l->past.who - 1);
		at = &l->next;
	}
	*who = first ? first | SNAG_PAST_LIST : 0;
	return outlives;
}

/* Adds this access, unless a stored one covers it. */
static void past_add_slow(struct serial *s, struct snag_past_place p, struct snag_past now)
{
	uint32_t who = *p.who;
	if (!snag_past_is_list(who) && snag_bags_outlives(&s->bags, who - 1)) {
		*p.who = snag_bags_find(&s->bags, who - 1) + 1; /* [root] */
		if (!s->has_async || !s->has_spawned)		/* [lasting] */
			snag_express_keep(&s->express, *p.who);
		return;
	}
	if (snag_past_is_list(who) && list_prune(s, p.who))
		return;
	if (*p.who)
		snag_past_push(&s->pool, p, now);
	else
		snag_past_set(p, now);
}

static inline void past_add(struct serial *s, struct snag_past_place p, struct snag_past now)
{
	uint32_t who = *p.who;
	if (who == now.who)
		return;
	if (!who || (!snag_past_is_list(who) && !is_parallel(s, who)))
		snag_past_set(p, now);
	else
		past_add_slow(s, p, now);
}

static void report(struct serial *s, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	s->env->on_race_with(s->env->ctx, ev, event, first);
}

static void list_check(struct serial *s, uint32_t who, const struct snag_event *ev, uint32_t event)
{
	for (uint32_t l = snag_past_first(who); l; l = s->pool.link[l].next)
		if (is_parallel(s, s->pool.link[l].past.who))
			report(s, ev, event, s->pool.link[l].past.event);
}

/* Reports the races with the stored accesses. */
static inline void past_check(struct serial *s, struct snag_past_place p,
			      const struct snag_event *ev, uint32_t event)
{
	uint32_t who = *p.who;
	if (!who || who == s->current + 1)
		return;
	if (snag_past_is_list(who))
		list_check(s, who, ev, event);
	else if (is_parallel(s, who))
		report(s, ev, event, snag_past_get(p).event);
}

/* The same for the last writer, which is replaced by the root of its bag: tasks in one bag stay
 * together, so variables whose writers are in one bag become alike. */
static inline void writer_check(struct serial *s, struct snag_past_place w,
				const struct snag_event *ev, uint32_t event) /* [root] */
{
	if (!*w.who || *w.who == s->current + 1)
		return;
	uint32_t root = snag_bags_find(&s->bags, *w.who - 1);
	if (s->bags.up[root] & SNAG_BAGS_PARALLEL)
		report(s, ev, event, snag_past_get(w).event);
	*w.who = root + 1;
	if (root == snag_bags_find(&s->bags, s->bags.scope[0].task)) /* [lasting] */
		s->express.writers[(root + 1) % SNAG_LASTING] = root + 1;
}

static bool past_is_parallel(struct serial *s, uint32_t who)
{
	if (!snag_past_is_list(who))
		return who && is_parallel(s, who);
	for (uint32_t l = snag_past_first(who); l; l = s->pool.link[l].next)
		if (is_parallel(s, s->pool.link[l].past.who))
			return true;
	return false;
}

/* Returns what is kept of a variable, and of its isolated accesses. */
static inline struct pasts pasts_of(struct serial *s, struct snag_past_cell *x,
				    struct snag_past_cell *events, uint32_t variable)
{
	struct snag_past_cell *event = s->is_inside ? NULL : &events[variable];
	return (struct pasts){snag_past_writer(&x[variable], event),
			      snag_past_reader(&x[variable], event)};
}

static inline struct pasts plain_of(struct serial *s, uint32_t variable)
{
	return pasts_of(s, s->express.x, s->events, variable);
}

static inline struct pasts isolated_of(struct serial *s, uint32_t variable)
{
	return pasts_of(s, s->iso, s->iso_events, variable);
}

enum {
	NO_KIND,
	MIXED = UINT32_MAX
}; /* of a variable without isolated accesses; with several kinds */

/* Notes the kind of an isolated access.  Returns whether all those of the variable commute. */
static bool kind_add(struct serial *s, uint32_t variable)
{
	uint32_t *kind = &s->kind[variable], now = s->update ? s->update : MIXED;
	*kind = *kind == NO_KIND || *kind == now ? now : MIXED;
	return *kind != MIXED;
}

static void isolated_access(struct serial *s, const struct snag_event *ev, uint32_t event)
{
	bool is_write = ev->op == SNAG_OP_WRITE;
	struct pasts x = plain_of(s, ev->target), iso = isolated_of(s, ev->target);
	struct snag_past now = {s->current + 1, event};
	past_check(s, x.writer, ev, event);
	if (is_write)
		past_check(s, x.reader, ev, event);
	if (!kind_add(s, ev->target) && !s->is_order_dependent) /* [order] */
		s->is_order_dependent = past_is_parallel(s, *iso.writer.who) ||
					(is_write && past_is_parallel(s, *iso.reader.who));
	past_add(s, is_write ? iso.writer : iso.reader, now);
}

/* Returns whether a plain access continues; an isolated one is handled here. */
static inline bool access_begin(struct serial *s, const struct snag_event *ev, uint32_t event)
{
	if (!is_running(s, ev, event))
		return false;
	if (s->is_isolated)
		isolated_access(s, ev, event);
	return !s->is_isolated;
}

static inline void serial_read(void *state, const struct snag_event *ev,
			       uint32_t event) /* [read] */
{
	struct serial *s = state;
	struct pasts x = plain_of(s, ev->target);
	if (!access_begin(s, ev, event))
		return;
	writer_check(s, x.writer, ev, event);
	if (s->iso)
		past_check(s, isolated_of(s, ev->target).writer, ev, event);
	past_add(s, x.reader, (struct snag_past){s->current + 1, event});
}

static inline void serial_write(void *state, const struct snag_event *ev,
				uint32_t event) /* [write] */
{
	struct serial *s = state;
	struct pasts x = plain_of(s, ev->target);
	if (!access_begin(s, ev, event))
		return;
	past_check(s, x.writer, ev, event);
	past_check(s, x.reader, ev, event);
	if (s->iso) {
		struct pasts iso = isolated_of(s, ev->target);
		past_check(s, iso.writer, ev, event);
		past_check(s, iso.reader, ev, event);
		snag_past_clear(&s->pool, iso.writer.who);
		snag_past_clear(&s->pool, iso.reader.who);
		s->kind[ev->target] = NO_KIND;
	}
	snag_past_clear(&s->pool, x.reader.who);
	snag_past_set(x.writer, (struct snag_past){s->current + 1, event});
}

/* Ends what lasted because of the scopes from this one on, which are waited for; 0: nothing is
 * certain any more. */
static void lasting_end(struct serial *s, uint32_t scope) /* [lasting] */
{
	for (uint64_t kept = s->express.kept; kept; kept &= kept - 1) {
		unsigned i = (unsigned)__builtin_ctzll(kept);
		uint32_t r = s->express.readers[i];
		if (s->bags.scope_of[snag_bags_find(&s->bags, r - 1)] >= scope)
			snag_express_drop(&s->express, i);
	}
}

/* Before an event. */
static void lasting_look(struct serial *s, const struct snag_event *ev) /* [lasting] */
{
	const uint32_t top = (uint32_t)s->bags.depth - 1;
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
	case SNAG_OP_TASK_SPAWN:
		*(ev->op == SNAG_OP_TASK_SPAWN ? &s->has_spawned : &s->has_async) = true;
		if (s->has_async && s->has_spawned)
			lasting_end(s, 0);
		break;
	case SNAG_OP_SYNC:
		lasting_end(s, s->bags.scope[top].frame);
		break;
	case SNAG_OP_FINISH_END:
		lasting_end(s, top);
		break;
	default:
		break;
	}
}

static const char *bags_step(struct serial *s, const struct snag_event *ev)
{
	struct snag_bags *b = &s->bags;
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
	case SNAG_OP_TASK_SPAWN:
		snag_bags_begin(b, ev->target, ev->op == SNAG_OP_TASK_SPAWN);
		return NULL;
	case SNAG_OP_TASK_END:
		return snag_bags_end(b);
	case SNAG_OP_SYNC:
		snag_bags_sync(b);
		return NULL;
	case SNAG_OP_FRAME_BEGIN:
		snag_bags_open(b, SNAG_SCOPE_FRAME);
		return NULL;
	case SNAG_OP_FRAME_END:
		return snag_bags_close(b, SNAG_SCOPE_FRAME);
	case SNAG_OP_FINISH_BEGIN:
		snag_bags_open(b, SNAG_SCOPE_FINISH);
		return NULL;
	case SNAG_OP_FINISH_END:
		return snag_bags_close(b, SNAG_SCOPE_FINISH);
	case SNAG_OP_ISOLATED_BEGIN:
	case SNAG_OP_ISOLATED_END:
		s->is_isolated = ev->op == SNAG_OP_ISOLATED_BEGIN;
		return NULL;
	case SNAG_OP_UPDATE_BEGIN:
	case SNAG_OP_UPDATE_END:
		s->update = ev->op == SNAG_OP_UPDATE_BEGIN ? ev->target + 1 : 0;
		return NULL;
	default:
		return NULL;
	}
}

static void serial_turn(void *state, snag_tid task)
{
	struct serial *s = state;
	s->express.who = s->iso || s->is_refused || task != s->current ? 0 : task + 1;
}

/* From the first isolated block on there is an `iso`, also if there is no variable yet. */
static void isolated_reserve(struct serial *s)
{
	size_t n = s->x_cap ? s->x_cap : 1;
	s->iso = snag_huge_grow(s->iso, &s->iso_cap, n, sizeof(*s->iso));
	s->kind = snag_huge_grow(s->kind, &s->kind_cap, n, sizeof(*s->kind));
	if (!s->is_inside)
		s->iso_events = snag_huge_grow(s->iso_events, &s->iso_events_cap, n,
					       sizeof(*s->iso_events));
}

static void serial_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct serial *s = state;
	if (!is_running(s, ev, event))
		return;
	if (ev->op == SNAG_OP_ISOLATED_BEGIN && !s->iso) {
		isolated_reserve(s);
		s->express.is_all = false;
	}
	lasting_look(s, ev);
	bool is_inner = ev->op == SNAG_OP_FINISH_BEGIN && s->bags.depth > 1;
	const char *why = s->only_spawns && is_inner
				  ? "cannot judge a finish inside a task; can: espbags"
				  : bags_step(s, ev);
	if (why)
		refuse(s, ev, event, why);
	else
		s->current = s->bags.scope[s->bags.depth - 1].task;
	if (ev->op == SNAG_OP_TASK_CREATE || ev->op == SNAG_OP_TASK_SPAWN)
		s->express.latest = ev->target + 1;
	serial_turn(s, s->current);
}

static void serial_reserve(void *state, const struct snag_counts *counts)
{
	struct serial *s = state;
	size_t n = counts->n[SNAG_SPACE_VARIABLE];
	snag_bags_reserve(&s->bags, counts->n[SNAG_SPACE_THREAD]);
	s->express.x = snag_huge_grow(s->express.x, &s->x_cap, n, sizeof(*s->express.x));
	if (!s->is_inside)
		s->events = snag_huge_grow(s->events, &s->events_cap, n, sizeof(*s->events));
	if (s->iso)
		isolated_reserve(s);
}

static void row_put(struct serial *s, const struct snag_event *ev, size_t nvariables)
{
	if (ev->op == SNAG_OP_TASK_CREATE || ev->op == SNAG_OP_TASK_SPAWN)
		s->last_task = ev->target > s->last_task ? ev->target : s->last_task;
	const struct snag_serial_view view = {.bags = &s->bags,
					      .last_task = s->last_task,
					      .nvariables = nvariables,
					      .plain = s->express.x,
					      .isolated = s->iso,
					      .pool = &s->pool};
	s->env->rows->serial(s->env->rows, &view, ev);
}

void snag_serial_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = serial_read, .write = serial_write, .sync = serial_sync};
	struct serial *s = state;
	if (s->is_refused)
		return;
	serial_reserve(s, &batch->counts);
	if (!s->env->rows) {
		snag_handlers_run(&handlers, s, batch);
		return;
	}
	for (size_t i = 0; i < batch->n && !s->is_refused; i++) {
		struct snag_batch one = *batch;
		one.ev += i;
		one.first += i;
		one.n = 1;
		snag_handlers_run(&handlers, s, &one);
		row_put(s, &batch->ev[i], batch->counts.n[SNAG_SPACE_VARIABLE]);
	}
}

static struct snag_express *serial_express(void *state)
{
	struct serial *s = state;
	s->is_inside = true;
	return &s->express;
}

static void serial_child(void *state, snag_tid task, snag_tid child, enum snag_op op)
{
	struct snag_event ev = {.thread = task, .target = child, .op = op};
	serial_sync(state, &ev, 0);
	serial_turn(state, child);
}

static void serial_ended(void *state, snag_tid task, snag_tid next)
{
	struct snag_event ev = {.thread = task, .op = SNAG_OP_TASK_END};
	serial_sync(state, &ev, 0);
	serial_turn(state, next);
}

static void serial_forget(void *state, uint32_t first, uint32_t n)
{
	struct serial *s = state;
	snag_past_forget(&s->pool, s->express.x, first, n);
	if (!s->iso)
		return;
	snag_past_forget(&s->pool, s->iso, first, n);
	for (uint32_t v = first; v < first + n; v++)
		s->kind[v] = NO_KIND;
}

static void serial_spread(void *state, uint32_t from, uint32_t first, uint32_t n)
{
	struct serial *s = state;
	snag_past_spread(&s->pool, s->express.x, from, first, n);
	if (!s->iso)
		return;
	snag_past_spread(&s->pool, s->iso, from, first, n);
	for (uint32_t v = first; v < first + n; v++)
		s->kind[v] = s->kind[from];
}

const struct snag_inside snag_serial_inside = {
	.express = serial_express,
	.reserve = serial_reserve,
	.turn = serial_turn,
	.read = serial_read,
	.write = serial_write,
	.sync = serial_sync,
	.child = serial_child,
	.ended = serial_ended,
	.forget = serial_forget,
	.spread = serial_spread,
};
