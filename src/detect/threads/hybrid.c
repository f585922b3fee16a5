/* SPDX-License-Identifier: Apache-2.0
 *
 * hybrid.c - accesses with no common lock, where neither thread waits for the other
 *
 * Idea.   Two conflicting accesses are suspicious if no lock is held at both, and only the order
 *         in which threads happened to reach locks and atomics put one before the other.  Real
 *         waiting counts: fork and join, and in recordings barriers, semaphores, conditions and
 *         the like.
 *
 * State.  clocks   the time of threads, see clocks.h, advanced by these alone
 *         held[t]  the locks thread t holds
 *         x[v]     the accesses a later one may race with, see order/history.h
 *
 * Rules.  [acquire] [release]  held[t]
 *         [fork] [join]        clocks
 *         [atomic]             clocks, if it is an object of the recording itself (a size of 0);
 *                              atomics of the program order nothing
 *         [read] [write]       racy if a conflicting one is neither ordered before it nor holds
 *                              a lock in common, see order/history.h; one of these is named
 *
 * Guarantee.  racy_events is exact.  It has the second access of every race that m2 predicts,
 *             and many more, because reads may see any value.  `snag run` replays the
 *             candidates, and reports those that a run confirms.
 * Cost.   O(unordered accesses) per access, mostly a handful; 28 bytes per variable and more.
 * Reference.  O'Callahan and Choi, PPoPP 2003.
 */
#include "base/memory.h"
#include "detect/clocks.h"
#include "detect/detector.h"
#include "order/history.h"
#include "order/lockset.h"

struct hybrid {
	const struct snag_detector_env *env;
	struct snag_clocks clocks;
	struct snag_locksets locksets;
	struct snag_histories histories;
	snag_lockset *held; /* by thread */
	size_t held_cap;
	struct snag_history *x;
	size_t x_cap;
};

static void *hybrid_open(const struct snag_detector_env *env)
{
	struct hybrid *h = snag_calloc(1, sizeof(*h));
	h->env = env;
	snag_clocks_init(&h->clocks);
	snag_locksets_init(&h->locksets);
	snag_histories_init(&h->histories, &h->locksets);
	return h;
}

static void hybrid_close(void *state)
{
	struct hybrid *h = state;
	if (!h)
		return;
	snag_clocks_done(&h->clocks);
	snag_histories_done(&h->histories);
	snag_locksets_done(&h->locksets);
	free(h->held);
	free(h->x);
	free(h);
}

static void hybrid_access(struct hybrid *h, const struct snag_event *ev, uint32_t event,
			  bool is_write)
{
	uint32_t seat = snag_clocks_seat(&h->clocks, ev->thread);
	struct snag_vclock *now = snag_clocks_now(&h->clocks, seat);
	const struct snag_history_entry new = {seat, event + 1, h->held[ev->thread], is_write};
	uint32_t first = snag_history_access(&h->histories, &h->x[ev->target], now, new);
	if (first)
		h->env->on_race_with(h->env->ctx, ev, event, first - 1);
}

static void hybrid_read(void *state, const struct snag_event *ev, uint32_t event)
{
	hybrid_access(state, ev, event, false);
}

static void hybrid_write(void *state, const struct snag_event *ev, uint32_t event)
{
	hybrid_access(state, ev, event, true);
}

static void hybrid_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct hybrid *h = state;
	snag_lockset *held = &h->held[ev->thread];
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		*held = snag_lockset_add(&h->locksets, *held, ev->target,
					 ev->op == SNAG_OP_ACQUIRE_SHARED);
		break;
	case SNAG_OP_RELEASE:
	case SNAG_OP_RELEASE_SHARED:
		*held = snag_lockset_remove(&h->locksets, *held, ev->target);
		break;
	case SNAG_OP_FORK:
	case SNAG_OP_JOIN:
		snag_clocks_sync(&h->clocks, ev, event);
		break;
	default:
		if (snag_event_is_wait(ev))
			snag_clocks_sync(&h->clocks, ev, event);
	}
}

static void hybrid_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = hybrid_read, .write = hybrid_write, .sync = hybrid_sync};
	struct hybrid *h = state;
	snag_clocks_reserve(&h->clocks, batch);
	h->held = snag_grow(h->held, &h->held_cap, batch->counts.n[SNAG_SPACE_THREAD],
			    sizeof(*h->held));
	h->x = snag_grow(h->x, &h->x_cap, batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*h->x));
	snag_handlers_run(&handlers, h, batch);
}

const struct snag_detector snag_detector_hybrid = {
	.name = "hybrid",
	.summary = "accesses with no lock in common that no thread waits between",
	.kind = "lockset",
	.guarantee = "neither sound nor complete: candidates",
	.cost = "O(unordered accesses) per access",
	.reference = "O'Callahan and Choi, PPoPP 2003",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.likely_slice = SNAG_WANT_LIKELY,
	.open = hybrid_open,
	.events = hybrid_events,
	.close = hybrid_close,
};
