/* SPDX-License-Identifier: Apache-2.0
 *
 * alike.c - whether the threads of a team do the same, where all do something
 *
 * Idea.   Work of a thread outside of loops and blocks comes before the iterations that it gets, up
 *         to the barrier, although another thread may get these iterations in another run.  If all
 *         threads do the same work, the detector still sees the conflict.  If they do not, and none
 *         has read its number, the work depends on something else (for example a private
 *         variable that an iteration has set).  Then the run proves nothing, and the library
 *         reports an obstacle.
 *
 * State.  alike[k]  of a team: a digest of what the first thread had done since the barrier when it
 *                   came to the k-th loop or single block (runtime/tasks/omp_done.h)
 * Rules.  [marked]  A thread that has executed a block for one thread (deal.h) gets no iterations
 *                   behind it, and is not compared.
 *         [gnu]     Nor is a thread that reads its number as code of gcc does: not for a filter,
 *                   but for copyin, which is not for thread 0.
 * Guarantee.  snag never sees a difference where there is none.  It misses one if a thread accesses
 *             thousands of places.
 */
#include "omp/core.h"

void mp_alike_apart(struct mp_task *t) /* [gnu] */
{
	t->met.is_apart |= !t->met.is_filtered;
	t->met.is_filtered = false;
}

void mp_alike_look(struct mp_task *t)
{
	struct mp_deals *d = &t->team->deals;
	if (!mp.hooks || !t->team->is_reported || t->team->n == 1)
		return;
	size_t k = t->met.constructs++;
	if (k == d->nalike) {
		d->alike = mp_grow(d->alike, &d->alike_cap, k + 1, sizeof(*d->alike));
		d->alike[d->nalike++] = 0;
	}
	if (t->met.has_single || t->met.has_masked || t->knows_number || t->met.is_apart)
		return; /* [marked], [gnu] */
	uint64_t done = mp.hooks->done();
	if (!d->alike[k]) /* no thread could be compared */
		d->alike[k] = done;
	else if (done && d->alike[k] != done)
		mp_obstacle(SNAG_OMP_OBSTACLE_THREADS_DIFFER);
}
