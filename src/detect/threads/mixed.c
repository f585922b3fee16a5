/* SPDX-License-Identifier: Apache-2.0
 *
 * mixed.c - plain accesses that race with atomic ones
 *
 * Idea.   Two atomic accesses never race, whatever their memory order.  A plain and an atomic
 *         access to the same variable race if one of them writes and nothing orders them (C11,
 *         5.1.2.4).  The other detectors compare plain accesses with each other.
 *
 * State.  clocks   the time of threads and locks, see clocks.h
 *         x[v]     the frontiers of the variable's reads and writes, plain and atomic
 *
 * Rules.  [plain]   racy iff an atomic access that it conflicts with is not ordered before it
 *         [atomic]  first synchronises as its memory order says (clocks.h); then racy iff a
 *                   plain access that it conflicts with is not ordered before it.  An update
 *                   writes.
 *
 * Guarantee.  racy_events is exact: every access with an earlier conflicting access of the other
 *             sort that happens-before does not order before it.  One pair is named for each
 *             kind (read, write) of the other sort.  Misses what the observed order hides, as hb
 *             does.
 * Cost.   As hb.c; 32 bytes per variable.
 * Reference.  ISO/IEC 9899:2011, 5.1.2.4; Lamport, CACM 1978.
 */
#include "base/memory.h"
#include "detect/clocks.h"
#include "detect/detector.h"
#include "order/frontier.h"

enum sort { PLAIN, ATOMIC, SORTS };
enum kind { READS, WRITES, KINDS };

struct mixed {
	const struct snag_detector_env *env;
	struct snag_clocks clocks;
	struct snag_frontier_pool frontiers;
	struct variable {
		struct snag_frontier past[SORTS][KINDS];
	} * x;
	size_t x_cap;
};

static void *mixed_open(const struct snag_detector_env *env)
{
	struct mixed *m = snag_calloc(1, sizeof(*m));
	m->env = env;
	snag_clocks_init(&m->clocks);
	snag_frontier_pool_init(&m->frontiers);
	return m;
}

static void mixed_close(void *state)
{
	struct mixed *m = state;
	if (!m)
		return;
	snag_clocks_done(&m->clocks);
	snag_frontier_pool_done(&m->frontiers);
	free(m->x);
	free(m);
}

static void compare(struct mixed *m, const struct snag_frontier *f, const struct snag_event *ev,
		    uint32_t event, const struct snag_vclock *now, uint32_t seat)
{
	if (__builtin_expect(snag_frontier_before(&m->frontiers, f, now, seat), 1))
		return;
	uint32_t time = snag_frontier_unordered(&m->frontiers, f, now, seat);
	m->env->on_race_with(m->env->ctx, ev, event, time - 1);
}

static inline void mixed_access(struct mixed *m, const struct snag_event *ev, uint32_t event,
				enum sort sort, enum kind kind)
{
	struct variable *x = &m->x[ev->target];
	uint32_t seat = snag_clocks_seat(&m->clocks, ev->thread);
	const struct snag_vclock *now = snag_clocks_now(&m->clocks, seat);
	const struct snag_frontier *others = x->past[SORTS - 1 - sort];
	compare(m, &others[WRITES], ev, event, now, seat);
	if (kind == WRITES)
		compare(m, &others[READS], ev, event, now, seat);
	snag_frontier_add(&m->frontiers, &x->past[sort][kind], now, seat, event + 1);
}

static void mixed_read(void *state, const struct snag_event *ev, uint32_t event) /* [plain] */
{
	mixed_access(state, ev, event, PLAIN, READS);
}

static void mixed_write(void *state, const struct snag_event *ev, uint32_t event) /* [plain] */
{
	mixed_access(state, ev, event, PLAIN, WRITES);
}

static void mixed_sync(void *state, const struct snag_event *ev, uint32_t event) /* [atomic] */
{
	struct mixed *m = state;
	snag_clocks_sync(&m->clocks, ev, event);
	if (ev->op == SNAG_OP_ATOMIC_READ)
		mixed_access(m, ev, event, ATOMIC, READS);
	else if (ev->op == SNAG_OP_ATOMIC_WRITE || ev->op == SNAG_OP_ATOMIC_UPDATE)
		mixed_access(m, ev, event, ATOMIC, WRITES);
}

static void mixed_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = mixed_read, .write = mixed_write, .sync = mixed_sync};
	struct mixed *m = state;
	snag_clocks_reserve(&m->clocks, batch);
	m->x = snag_grow(m->x, &m->x_cap, batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*m->x));
	snag_handlers_run(&handlers, m, batch);
}

const struct snag_detector snag_detector_mixed = {
	.name = "mixed",
	.summary = "plain accesses unordered with atomic ones to the same variable",
	.kind = "relation",
	.guarantee = "first race sound; not complete",
	.cost = "O(1) per access, O(threads) per acquire with news",
	.reference = "C11, 5.1.2.4; Lamport 1978",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_OBSERVED,
	.slice = SNAG_WANT_HB,
	.open = mixed_open,
	.events = mixed_events,
	.close = mixed_close,
};
