/* SPDX-License-Identifier: Apache-2.0
 *
 * alike.c - whether the threads of a team do the same, where all do something
 *
 * Idea.   What a thread does outside of loops and blocks comes before the iterations that it gets, up to the barrier, though
 *         they might be another's.  If the others do the same, that is seen.  If they do not, although
 *         none has asked for its number, it depends on what they had before (a private variable that an
 *         iteration has set, say): then the run proves nothing, and the detector hears of it.
 *
 * State.  alike[k]  of a team: what the first thread had done since the barrier when it came to the k-th loop or single
 *                   block, as the detector sees it (runtime/omp_done.h)
 * Rules.  [marked]  who has executed a block for one thread (deal.h) has no iterations behind it, and is not asked
 *         [gnu]     nor is who asks for its number as gcc does: not for a filter, but for copyin, which is not for
 *                   thread 0
 * Guarantee.  A difference is never seen where there is none; it is missed if a thread accesses thousands of places.
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
	if (!mp.hooks || !t->team->is_told || t->team->n == 1)
		return;
	size_t k = t->met.constructs++;
	if (k == d->nalike) {
		d->alike = mp_grow(d->alike, &d->alike_cap, k + 1, sizeof(*d->alike));
		d->alike[d->nalike++] = 0;
	}
	if (t->met.has_single || t->met.has_masked || t->has_asked || t->met.is_apart)
		return; /* [marked], [gnu] */
	uint64_t done = mp.hooks->done();
	if (!d->alike[k]) /* nobody was asked */
		d->alike[k] = done;
	else if (done && d->alike[k] != done)
		mp_tell_asked(SNAG_OMP_ASKED_ALIKE);
}
