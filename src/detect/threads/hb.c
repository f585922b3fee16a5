/* SPDX-License-Identifier: Apache-2.0
 *
 * hb.c - happens-before races
 *
 * Idea.   Two conflicting accesses race in the observed run if neither program order nor
 *         synchronisation (release before acquire, fork, join) orders them.
 *
 * State.  clocks   the time of threads and locks, see clocks.h (C_t, L_l)
 *         x[v]     the frontiers of the variable's reads and writes, see access.h
 *                  (R_x, W_x): an epoch each while accesses are ordered
 *
 * Rules.  [acquire] [release] [fork] [join] [atomic]  move the clocks, see clocks.h
 *         [read] [write]  racy if not ordered after all conflicting ones, see access.h
 *         [race]   with env->order_races: the later access of a race then comes after the
 *                  earlier one, see raced.h
 *
 * Guarantee.  racy_events is exact: every access with an earlier conflicting access that is
 *         not ordered before it by happens-before, also after the first race.  The first
 *         race of a trace is real; later ones may owe to an earlier one.  Misses races
 *         that the observed order of critical sections hides.
 * Cost.   O(1) per access that is ordered, and mostly per racy one; at worst O(threads in the
 *         frontier).  A release O(1), an acquire O(threads) when it brings news.  Memory: 40
 *         bytes per variable, and clocks by how much of those that are alive is different.
 * Reference.  Lamport, CACM 1978; the epochs are those of FastTrack (Flanagan and Freund,
 *         PLDI 2009), without its shortcuts that lose later races.
 */
#include "base/memory.h"
#include "detect/access.h"
#include "detect/clocks.h"
#include "detect/detector.h"
#include "detect/raced.h"

struct hb {
	const struct snag_detector_env *env;
	struct snag_clocks clocks;
	struct snag_frontier_pool frontiers;
	struct snag_access_state *x;
	struct snag_access_past *past;
	size_t x_cap, past_cap;
	struct snag_raced *raced; /* [race]: in place of x[] */
	size_t raced_cap;
};

static void *hb_open(const struct snag_detector_env *env)
{
	struct hb *hb = snag_calloc(1, sizeof(*hb));
	hb->env = env;
	snag_clocks_init(&hb->clocks);
	snag_frontier_pool_init(&hb->frontiers);
	return hb;
}

static void hb_close(void *state)
{
	struct hb *hb = state;
	if (!hb)
		return;
	snag_raced_free(hb->raced, hb->raced_cap, &hb->clocks.pool);
	snag_clocks_done(&hb->clocks);
	snag_frontier_pool_done(&hb->frontiers);
	free(hb->x);
	free(hb->past);
	free(hb);
}

static void hb_report(struct hb *hb, const struct snag_event *ev, uint32_t event, uint32_t seat,
		      struct snag_vclock *now)
{
	uint32_t since = snag_access_since(&hb->past[ev->target], now, seat);
	hb->env->on_racy(hb->env->ctx, ev, event, since, now, &hb->clocks.pool);
}

static void hb_order_access(void *state, const struct snag_event *ev, uint32_t event) /* [race] */
{
	struct hb *hb = state;
	uint32_t seat = snag_clocks_seat(&hb->clocks, ev->thread);
	struct snag_vclock_pool *pool = &hb->clocks.pool;
	struct snag_vclock *before = snag_vclock_share(snag_clocks_now(&hb->clocks, seat));
	struct snag_raced_access new = {
		.thread = seat, .time = event + 1, .is_write = ev->op == SNAG_OP_WRITE};
	struct snag_raced *x = &hb->raced[ev->target];
	bool is_racy = false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct snag_raced_access *e = &x->at[i];
		if (!snag_raced_with(NULL, e, &new, before))
			continue;
		struct snag_stamp stamp = {e->thread, e->time, e->clock};
		snag_clocks_join(&hb->clocks, seat, &stamp);
		is_racy = true;
	}
	if (is_racy)
		hb->env->on_racy(hb->env->ctx, ev, event, 0, before, pool);
	snag_vclock_drop(pool, before);
	new.clock = snag_clocks_now(&hb->clocks, seat);
	snag_raced_add(x, pool, NULL, &new, new.clock, true);
}

static void hb_read(void *state, const struct snag_event *ev, uint32_t event) /* [read] */
{
	struct hb *hb = state;
	uint32_t seat = snag_clocks_seat(&hb->clocks, ev->thread);
	struct snag_vclock *now = snag_clocks_now(&hb->clocks, seat);
	if (snag_access_read(&hb->frontiers, &hb->x[ev->target], now, seat, event + 1))
		hb_report(hb, ev, event, seat, now);
}

static void hb_write(void *state, const struct snag_event *ev, uint32_t event) /* [write] */
{
	struct hb *hb = state;
	uint32_t seat = snag_clocks_seat(&hb->clocks, ev->thread);
	struct snag_vclock *now = snag_clocks_now(&hb->clocks, seat);
	if (snag_access_write(&hb->frontiers, &hb->x[ev->target], now, seat, event + 1))
		hb_report(hb, ev, event, seat, now);
	else
		snag_access_settle(&hb->past[ev->target], seat, event + 1);
}

static void hb_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	snag_clocks_sync(&((struct hb *)state)->clocks, ev, event);
}

static void hb_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = hb_read, .write = hb_write, .sync = hb_sync};
	static const struct snag_handlers order_handlers = {
		.read = hb_order_access, .write = hb_order_access, .sync = hb_sync};
	struct hb *hb = state;
	snag_clocks_reserve(&hb->clocks, batch);
	if (hb->env->order_races) {
		hb->raced = snag_grow(hb->raced, &hb->raced_cap,
				      batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*hb->raced));
		snag_handlers_run(&order_handlers, hb, batch);
		return;
	}
	hb->x = snag_grow(hb->x, &hb->x_cap, batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*hb->x));
	hb->past = snag_grow(hb->past, &hb->past_cap, batch->counts.n[SNAG_SPACE_VARIABLE],
			     sizeof(*hb->past));
	snag_handlers_run(&handlers, hb, batch);
}

const struct snag_detector snag_detector_hb = {
	.name = "hb",
	.summary = "accesses unordered by program order and synchronisation of the observed run",
	.kind = "relation",
	.guarantee = "first race sound; not complete",
	.cost = "O(1) per access, O(threads) per acquire with news",
	.reference = "Lamport 1978; FastTrack, PLDI 2009",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_OBSERVED,
	.slice = SNAG_WANT_HB,
	.by_default = true,
	.orders_races = true,
	.open = hb_open,
	.events = hb_events,
	.close = hb_close,
};
