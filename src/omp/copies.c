/* SPDX-License-Identifier: Apache-2.0
 *
 * copies.c - private copies that are on the heap: allocate clauses
 *
 * A thread that combines a reduction reads its copies, which tasks, or a region inside, may have
 * touched.  Its combining does not come after those (team.c, [combine]), although the thread has
 * waited for them.  So accesses to its copies meanwhile are not reported.  Like the stack, the
 * copies are new memory for the next iteration if tasks of this one may have touched them.
 */
#include "omp/task.h"

struct mp_copy {
	struct mp_copy *next;
	const void *at;
	size_t nbytes;
};

void mp_copy_add(const void *at, size_t nbytes)
{
	struct mp_task *t = mp.now->task;
	if (!mp.hooks || !t->is_implicit || !at)
		return;
	struct mp_copy *c = mp_alloc(sizeof(*c));
	*c = (struct mp_copy){t->copies, at, nbytes};
	t->copies = c;
}

void mp_copy_gone(const void *at)
{
	struct mp_copy **c = &mp.now->task->copies, *gone;
	while (*c && (*c)->at != at)
		c = &(*c)->next;
	if (!*c)
		return;
	gone = *c;
	*c = gone->next;
	mp_free(gone);
}

void mp_copies_renewed(const struct mp_task *t)
{
	for (const struct mp_copy *c = t->copies; c; c = c->next)
		mp.hooks->copy(c->at, c->nbytes, SNAG_OMP_COPY_RENEWED);
}

void mp_copies_unseen(const struct mp_task *t, bool begins)
{
	for (const struct mp_copy *c = t->copies; c; c = c->next)
		mp.hooks->copy(c->at, c->nbytes,
			       begins ? SNAG_OMP_COPY_USED : SNAG_OMP_COPY_COMBINED);
}

void mp_copies_free(struct mp_task *t)
{
	while (t->copies) {
		struct mp_copy *c = t->copies;
		t->copies = c->next;
		mp_free(c);
	}
}
