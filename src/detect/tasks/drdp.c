/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp.c - determinacy races of programs with promises, async, finish, isolated, spawn, sync
 *
 * Idea.   Every access belongs to a step of a task.  order/task_order.h decides which steps come
 *         before which on every schedule.  A step that does not come before a later conflicting
 *         one is parallel to it.  Any run will do, serial or not.
 *
 * State.  x[v]     the last writer and the readers since (w, r): their steps; events[v]: the
 *                  numbers of the accesses, not kept inside a program
 *         guards   by variable and guard (guard.h) the writers and readers in isolated blocks,
 *                  under locks, or atomic (gw, gr)
 *         now      the running step (drdp_now.h)
 *
 * Rules.  [read]       races with w and every gw that do not come before; then adds this step to
 *                      r
 *         [write]      races with w, r, every gw, gr that do not come before; then w := this,
 *                      and all others are removed
 *         [guarded]    a read races with w, a write with w, r that do not come before; likewise
 *                      with the gw, gr of guards that do not exclude its own; then adds this
 *                      step to its own gr or gw
 *         [prune]      a step that comes before an added one can be removed: whatever is
 *                      parallel to it later is parallel to the added one too.  Finding such
 *                      steps costs a pass, so it is done when a list has doubled, or more
 *         [cover]      a step need not be added if one that is there stays parallel to all that
 *                      it is parallel to (task_order.h).  Inside a program, it also need not
 *                      replace an earlier one that will be parallel to all that it will be
 *         [order]      a guarded access and a conflicting one that does not come before, but is
 *                      excluded: their order matters, so finding no race proves nothing.  The
 *                      order of updates that commute does not matter
 *
 * Guarantee.  Names a race for exactly the variables that have two parallel conflicting accesses
 *             whose guards do not exclude each other.  If there is none, this input has none on
 *             any schedule, unless the order of two guarded accesses matters.
 * Cost.   O(1) per access while answers are known, else that of order/joins.h; 16 bytes per
 *         variable, inside a program 8, and 16 for each parallel reader beyond the first; a
 *         guarded access also the number of different guards its variable has had.
 * Reference.  Jin et al., Dynamic determinacy race detection for task-parallel programs with
 *             promises (DRDP), with the errors of figures 8 and 9 repaired.
 */
#include "detect/tasks/drdp.h"

#include "base/memory.h"

enum { ROOM = 2 };

static void *drdp_open(const struct snag_detector_env *env)
{
	struct drdp *d = snag_calloc(1, sizeof(*d));
	d->env = env;
	d->current = SNAG_NO_ID;
	d->express.is_all = true;
	d->now.express = &d->express;
	snag_task_order_init(&d->now.order);
	snag_past_pool_init(&d->pool);
	snag_guards_init(&d->guards);
	return d;
}

static void drdp_close(void *state)
{
	struct drdp *d = state;
	if (!d)
		return;
	snag_task_order_done(&d->now.order);
	snag_past_pool_done(&d->pool);
	snag_huge_free(d->express.x, d->x_cap, sizeof(*d->express.x));
	snag_huge_free(d->events, d->events_cap, sizeof(*d->events));
	snag_guards_done(&d->guards);
	free(d);
}

static bool drdp_proves(const void *state)
{
	const struct drdp *d = state;
	for (int i = 0; i < SNAG_DOUBTS; i++)
		if (d->is_doubted[i])
			return false;
	return true;
}

static void drdp_stats(const void *state, snag_stat_handler *handler, void *ctx)
{
	const struct drdp *d = state;
	const struct snag_joins *j = &d->now.order.joins;
	const struct snag_dpst *tree = &d->now.order.tree;
	handler(ctx, "tree nodes", tree->nnodes + tree->retired_nodes);
	handler(ctx, "tree height", tree->deepest + 1);
	handler(ctx, "steps", tree->nsteps - 1 + tree->retired_steps);
	handler(ctx, "waits", j->njoins - 1 + j->retired);
	handler(ctx, "reachability checks", d->now.asked);
	handler(ctx, "answered for this step before", d->now.answered);
	handler(ctx, "not ordered by the tree", j->asked);
	handler(ctx, "searches", j->searched);
	handler(ctx, "lists visited", j->visited);
	handler(ctx, "fewest lists visited", j->searched ? j->visited_min : 0);
	handler(ctx, "most lists visited", j->visited_max);
	handler(ctx, "readers pruned", d->pruned);
}

/* Drops the steps that come before now, and all but one of those that the same block waits for.
 * (These are neighbours: of two steps, the path of the later one meets that of now further
 * down.) Returns the room for more. */
static uint32_t list_prune(struct drdp *d, uint32_t *who) /* [prune] */
{
	uint32_t first = snag_past_first(*who), n = 0, gone = 0, last_block = 0;
	for (uint32_t *at = &first; *at;) {
		struct snag_past_link *l = &d->pool.link[*at];
		uint32_t a = l->past.who, block = 0;
		bool is_gone = snag_drdp_is_before(&d->now, a);
		if (!is_gone && d->now.is_alone)
			block = snag_drdp_block_of(&d->now, a);
		is_gone |= block && block == last_block;
		if (is_gone) {
			*at = snag_past_unlink(&d->pool, *at);
			gone++;
			continue;
		}
		last_block = block;
		at = &l->next;
		n++;
	}
	d->pruned += gone;
	uint32_t room = gone < n / 4 ? 3 * n : n; /* after a pass for little, wait longer */
	*who = first ? first | SNAG_PAST_LIST : 0;
	return room > ROOM ? room : ROOM;
}

static void past_add_slow(struct drdp *d, struct snag_past_place p, struct snag_past now)
{
	uint32_t first = snag_past_first(*p.who), room = ROOM;
	uint32_t last = first ? d->pool.link[first].past.who : *p.who;
	if (last == now.who || snag_drdp_is_covered(&d->now, last))
		return;
	if (first) {
		room = d->pool.link[first].room;
		room = room ? room - 1 : list_prune(d, p.who);
	}
	if (*p.who) {
		snag_past_push(&d->pool, p, now);
		d->pool.link[snag_past_first(*p.who)].room = room;
	} else {
		snag_past_set(p, now);
	}
}

static inline void past_add(struct drdp *d, struct snag_past_place p, uint32_t event)
{
	struct snag_past now = {d->now.step, event};
	uint32_t who = *p.who;
	if (who == now.who)
		return;
	if (snag_drdp_is_covered_for_good(&d->now, who))
		return;
	if (who && (snag_past_is_list(who) || !snag_drdp_is_before(&d->now, who)))
		past_add_slow(d, p, now);
	else if (!who || !d->is_inside ||
		 !snag_drdp_is_below(&d->now, d->current, who)) /* [cover] */
		snag_past_set(p, now);
}

static void report(struct drdp *d, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	d->env->on_race_with(d->env->ctx, ev, event, first);
}

static void list_check(struct drdp *d, uint32_t who, const struct snag_event *ev, uint32_t event)
{
	for (uint32_t l = snag_past_first(who); l; l = d->pool.link[l].next)
		if (!snag_drdp_is_before(&d->now, d->pool.link[l].past.who))
			report(d, ev, event, d->pool.link[l].past.event);
}

/* Reports the races with the stored accesses. */
static inline void past_check(struct drdp *d, struct snag_past_place p, const struct snag_event *ev,
			      uint32_t event)
{
	uint32_t who = *p.who;
	if (!who || who == d->now.step)
		return;
	if (snag_past_is_list(who))
		list_check(d, who, ev, event);
	else if (!snag_drdp_is_before(&d->now, who))
		report(d, ev, event, snag_past_get(p).event);
}

/* Returns a step that does not come before now; who is 0 if there is none. */
static struct snag_past past_parallel(struct drdp *d, struct snag_past_place p)
{
	static const struct snag_past none = {0, 0};
	uint32_t who = *p.who;
	if (!snag_past_is_list(who))
		return who && !snag_drdp_is_before(&d->now, who) ? snag_past_get(p) : none;
	for (uint32_t l = snag_past_first(who); l; l = d->pool.link[l].next)
		if (!snag_drdp_is_before(&d->now, d->pool.link[l].past.who))
			return d->pool.link[l].past;
	return none;
}

/* Returns where the events of a variable are kept, or NULL. */
static inline struct snag_past_cell *events_of(struct drdp *d, uint32_t variable)
{
	return d->is_inside ? NULL : &d->events[variable];
}

/* Handles an access that is excluded from those of an entry. */
static void excluded_check(struct drdp *d, struct snag_guarded *e, snag_lockset guard,
			   bool is_write, const struct snag_event *ev, uint32_t event) /* [order] */
{
	enum snag_doubt why = snag_guards_reason(&d->guards, e->guard, guard);
	if (d->is_doubted[why] || snag_guards_commute(&d->guards, e->guard, guard))
		return;
	struct snag_past first = past_parallel(d, snag_past_writer(&e->past, &e->events));
	if (!first.who && is_write)
		first = past_parallel(d, snag_past_reader(&e->past, &e->events));
	if (!first.who)
		return;
	d->is_doubted[why] = true;
	d->env->on_doubt(d->env->ctx, why, ev, event, first.event);
}

/* Reports races with guarded accesses. */
static void guarded_check(struct drdp *d, snag_lockset guard, bool is_write,
			  const struct snag_event *ev, uint32_t event)
{
	for (uint32_t i = snag_guarded_first(&d->guards, ev->target); i;) {
		struct snag_guarded *e = &d->guards.entry[i];
		i = e->next;
		if (snag_lockset_excludes(&d->guards.sets, e->guard, guard)) {
			excluded_check(d, e, guard, is_write, ev, event);
			continue;
		}
		past_check(d, snag_past_writer(&e->past, &e->events), ev, event);
		if (is_write)
			past_check(d, snag_past_reader(&e->past, &e->events), ev, event);
	}
}

static void guarded_access(struct drdp *d, snag_lockset guard, bool is_write,
			   const struct snag_event *ev, uint32_t event) /* [guarded] */
{
	struct snag_past_cell *x = &d->express.x[ev->target], *events = events_of(d, ev->target);
	past_check(d, snag_past_writer(x, events), ev, event);
	if (is_write)
		past_check(d, snag_past_reader(x, events), ev, event);
	guarded_check(d, guard, is_write, ev, event);
	if (d->express.is_all)
		snag_drdp_waited(&d->now, 0); /* nothing lasts from here on */
	d->express.is_all = false;
	struct snag_guarded *own = snag_guarded_entry(&d->guards, ev->target, guard, d->x_cap);
	past_add(d,
		 is_write ? snag_past_writer(&own->past, &own->events)
			  : snag_past_reader(&own->past, &own->events),
		 event);
}

static inline bool access_begin(struct drdp *d, const struct snag_event *ev, uint32_t event)
{
	return __builtin_expect(ev->thread == d->current && d->now.step, 1) ||
	       snag_drdp_look(d, ev, event);
}

/* Notes the last writer of a variable that is read. */
static inline void writer_note(struct drdp *d, uint32_t a) /* [lasting] */
{
	uint32_t *w = &d->express.writers[a % SNAG_LASTING];
	if (*w != a && d->now.is_alone && snag_task_order_is_plain(&d->now.order) &&
	    snag_task_order_is_first(&d->now.order, a) && snag_drdp_is_before(&d->now, a)) {
		*w = a;
		d->express.has_lasting = true;
	}
}

static inline void drdp_read(void *state, const struct snag_event *ev, uint32_t event) /* [read] */
{
	struct drdp *d = state;
	struct snag_past_cell *x = &d->express.x[ev->target], *events = events_of(d, ev->target);
	if (!access_begin(d, ev, event))
		return;
	if (d->guard) {
		guarded_access(d, d->guard, false, ev, event);
		return;
	}
	past_check(d, snag_past_writer(x, events), ev, event);
	if (x->writer && d->is_inside)
		writer_note(d, x->writer);
	if (d->guards.of)
		guarded_check(d, 0, false, ev, event);
	past_add(d, snag_past_reader(x, events), event);
}

static inline void drdp_write(void *state, const struct snag_event *ev,
			      uint32_t event) /* [write] */
{
	struct drdp *d = state;
	struct snag_past_cell *x = &d->express.x[ev->target], *events = events_of(d, ev->target);
	if (!access_begin(d, ev, event))
		return;
	if (d->guard) {
		guarded_access(d, d->guard, true, ev, event);
		return;
	}
	past_check(d, snag_past_writer(x, events), ev, event);
	past_check(d, snag_past_reader(x, events), ev, event);
	if (snag_guarded_first(&d->guards, ev->target)) {
		guarded_check(d, 0, true, ev, event);
		snag_guarded_clear(&d->guards, ev->target, &d->pool);
	}
	if (snag_express_keeps(&d->express, x->reader)) /* [below] it may come before */
		snag_express_drop(&d->express, x->reader % SNAG_LASTING);
	snag_past_clear(&d->pool, &x->reader);
	snag_past_set(snag_past_writer(x, events), (struct snag_past){d->now.step, event});
}

void snag_drdp_atomic(struct drdp *d, const struct snag_event *ev, uint32_t event)
{
	if (access_begin(d, ev, event))
		guarded_access(d, snag_guard_atomic(&d->guards, d->guard),
			       ev->op != SNAG_OP_ATOMIC_READ, ev, event);
}

static void drdp_reserve(void *state, const struct snag_counts *counts)
{
	struct drdp *d = state;
	d->ntasks = counts->n[SNAG_SPACE_THREAD];
	snag_task_order_reserve(&d->now.order, d->ntasks, counts->n[SNAG_SPACE_PROMISE]);
	size_t n = d->nvariables = counts->n[SNAG_SPACE_VARIABLE];
	d->express.x = snag_huge_grow(d->express.x, &d->x_cap, n, sizeof(*d->express.x));
	if (!d->is_inside)
		d->events = snag_huge_grow(d->events, &d->events_cap, n, sizeof(*d->events));
	snag_guards_reserve(&d->guards, d->ntasks, d->x_cap);
}

static void drdp_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = drdp_read, .write = drdp_write, .sync = snag_drdp_sync};
	struct drdp *d = state;
	if (d->is_refused)
		return;
	drdp_reserve(d, &batch->counts);
	snag_handlers_run(&handlers, d, batch);
}

static struct snag_express *drdp_express(void *state)
{
	struct drdp *d = state;
	d->is_inside = true;
	return &d->express;
}

static __attribute__((noinline)) void guarded_forget(struct drdp *d, uint32_t first, uint32_t n)
{
	for (uint32_t v = first; v < first + n; v++)
		snag_guarded_clear(&d->guards, v, &d->pool);
}

static void drdp_forget(void *state, uint32_t first, uint32_t n)
{
	struct drdp *d = state;
	if (d->guards.of)
		guarded_forget(d, first, n);
	snag_past_forget(&d->pool, d->express.x, first, n);
}

static void drdp_spread(void *state, uint32_t from, uint32_t first, uint32_t n)
{
	struct drdp *d = state;
	snag_past_spread(&d->pool, d->express.x, from, first, n);
	for (uint32_t v = first; d->guards.of && v < first + n; v++)
		snag_guarded_copy(&d->guards, from, v, &d->pool);
}

static const struct snag_inside drdp_inside = {
	.express = drdp_express,
	.reserve = drdp_reserve,
	.turn = snag_drdp_turn,
	.begin = snag_drdp_who,
	.synced = snag_drdp_synced,
	.read = drdp_read,
	.write = drdp_write,
	.sync = snag_drdp_sync,
	.child = snag_drdp_child,
	.ended = snag_drdp_ended,
	.segment = snag_drdp_segment,
	.forget = drdp_forget,
	.spread = drdp_spread,
};

const struct snag_detector snag_detector_drdp = {
	.name = "drdp",
	.summary =
		"parallel accesses of tasks, with promises, async, finish, isolated, spawn, sync",
	.kind = "tasks",
	.guarantee =
		"sound and complete for the input, unless the order of isolated blocks, locks or "
		"atomics matters",
	.cost = "O(1) per access if known, else O(newer waits, log depth)",
	.reference = "Jin et al., DRDP, repaired",
	.ops = SNAG_OPS_COMMON | SNAG_OPS_OF_LOCKS | SNAG_OPS_OF_ATOMICS | SNAG_OPS_OF_TASKS,
	.verdict = SNAG_OBSERVED,
	.by_default = true,
	.open = drdp_open,
	.events = drdp_events,
	.proves = drdp_proves,
	.stats = drdp_stats,
	.inside = &drdp_inside,
	.close = drdp_close,
};
