/* SPDX-License-Identifier: Apache-2.0
 *
 * shb.c - schedulably-happens-before races
 *
 * Idea.   Happens-before forgets that a read depends on the write it saw; after a first
 *         race it may report pairs that no schedule brings together.  Ordering every read
 *         after its writer makes every reported race real, not only the first.
 *
 * State.  As hb.c (clocks, x[v]), and wrote[v]: the stamp of the variable's last write
 *         (LW_x): who wrote, when, and what the writer knew then.
 *
 * Rules.  [read]   the reader's clock joins wrote[v]; then as in hb.c
 *         [write]  as in hb.c; then wrote[v] = stamp of the writer
 *                  (atomic accesses read and write in this sense too, whatever their order)
 *         others   as in hb.c
 *
 * Guarantee.  Every race is real.  racy_events is exact for the relation as defined: a
 *         read is ordered after its own writer, so that pair is never a race here (hb
 *         reports it).  Not complete.
 * Cost.   As hb.c, and O(threads) per read that learns something from its writer.
 * Reference.  Mathur, Kini, Viswanathan, OOPSLA 2018; the definition as in Pavlogiannis,
 *         POPL 2020, appendix B.
 */
#include "base/memory.h"
#include "detect/access.h"
#include "detect/clocks.h"
#include "detect/detector.h"

struct shb {
	const struct snag_detector_env *env;
	struct snag_clocks clocks;
	struct snag_frontier_pool frontiers;
	struct shb_variable {
		struct snag_access_state access;
		struct snag_access_past past;
		struct snag_stamp wrote;
	} * x;
	size_t x_cap;
};

static void *shb_open(const struct snag_detector_env *env)
{
	struct shb *shb = snag_calloc(1, sizeof(*shb));
	shb->env = env;
	snag_clocks_init(&shb->clocks);
	snag_frontier_pool_init(&shb->frontiers);
	return shb;
}

static void shb_close(void *state)
{
	struct shb *shb = state;
	if (!shb)
		return;
	for (size_t i = 0; i < shb->x_cap; i++)
		snag_vclock_drop(&shb->clocks.pool, shb->x[i].wrote.clock);
	snag_clocks_done(&shb->clocks);
	snag_frontier_pool_done(&shb->frontiers);
	free(shb->x);
	free(shb);
}

static void shb_report(struct shb *shb, const struct snag_event *ev, uint32_t event, uint32_t seat,
		       struct snag_vclock *now)
{
	uint32_t since = snag_access_since(&shb->x[ev->target].past, now, seat);
	shb->env->on_racy(shb->env->ctx, ev, event, since, now, &shb->clocks.pool);
}

static void shb_read(void *state, const struct snag_event *ev, uint32_t event) /* [read] */
{
	struct shb *shb = state;
	struct shb_variable *x = &shb->x[ev->target];
	uint32_t seat = snag_clocks_seat(&shb->clocks, ev->thread);
	snag_clocks_join(&shb->clocks, seat, &x->wrote);
	struct snag_vclock *now = snag_clocks_now(&shb->clocks, seat);
	if (snag_access_read(&shb->frontiers, &x->access, now, seat, event + 1))
		shb_report(shb, ev, event, seat, now);
}

static void shb_write(void *state, const struct snag_event *ev, uint32_t event) /* [write] */
{
	struct shb *shb = state;
	struct shb_variable *x = &shb->x[ev->target];
	uint32_t seat = snag_clocks_seat(&shb->clocks, ev->thread);
	struct snag_vclock *now = snag_clocks_now(&shb->clocks, seat);
	if (snag_access_write(&shb->frontiers, &x->access, now, seat, event + 1))
		shb_report(shb, ev, event, seat, now);
	else
		snag_access_settle(&x->past, seat, event + 1);
	snag_stamp_set(&shb->clocks, &x->wrote, seat, event + 1);
}

static void shb_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct shb *shb = state;
	uint32_t seat = snag_clocks_seat(&shb->clocks, ev->thread);
	bool is_atomic = ev->op == SNAG_OP_ATOMIC_READ || ev->op == SNAG_OP_ATOMIC_WRITE ||
			 ev->op == SNAG_OP_ATOMIC_UPDATE;
	if (is_atomic && ev->op != SNAG_OP_ATOMIC_WRITE) /* [read] */
		snag_clocks_join(&shb->clocks, seat, &shb->x[ev->target].wrote);
	snag_clocks_sync(&shb->clocks, ev, event);
	if (is_atomic && ev->op != SNAG_OP_ATOMIC_READ) /* [write] */
		snag_stamp_set(&shb->clocks, &shb->x[ev->target].wrote, seat, event + 1);
}

static void shb_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = shb_read, .write = shb_write, .sync = shb_sync};
	struct shb *shb = state;
	snag_clocks_reserve(&shb->clocks, batch);
	shb->x = snag_grow(shb->x, &shb->x_cap, batch->counts.n[SNAG_SPACE_VARIABLE],
			   sizeof(*shb->x));
	snag_handlers_run(&handlers, shb, batch);
}

const struct snag_detector snag_detector_shb = {
	.name = "shb",
	.summary = "happens-before, and every read after the write it saw",
	.kind = "relation",
	.guarantee = "sound, every race; not complete",
	.cost = "as hb, O(threads) per read with news",
	.reference = "Mathur et al., OOPSLA 2018",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_OBSERVED,
	.slice = SNAG_WANT_HB,
	.open = shb_open,
	.events = shb_events,
	.close = shb_close,
};
