/* SPDX-License-Identifier: Apache-2.0
 *
 * reduction.c - reductions that tasks take part in
 *
 * Each task that takes part has a copy of its own; threads have none.  So it does not matter which
 * task ran on which thread.  The task that ends the taskgroup combines the copies, in the order in
 * which they were made.
 */
#include "omp/task.h"

#include <string.h>

struct copy {
	struct copy *next;
	const struct mp_reduction *item;
	struct mp_task *task;
	void *at;
};

struct mp_reduced {
	struct mp_reduced *next;
	struct mp_reduction *item;
	size_t n;
	struct copy *first, **end;
};

void mp_reduced_add(struct mp_group *g, const struct mp_reduction *item, size_t n)
{
	struct mp_reduced *r = mp_alloc(sizeof(*r));
	r->item = mp_alloc(n * sizeof(*item));
	memcpy(r->item, item, n * sizeof(*item));
	r->n = n;
	r->end = &r->first;
	r->next = g->reduced;
	g->reduced = r;
}

/* The item that an address belongs to: the original, or the copy of a thread. */
static const struct mp_reduction *item_of(const struct mp_reduced *r, const void *at)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->item[i].shared == at)
			return &r->item[i];
	for (const struct copy *c = r->first; c; c = c->next)
		if (c->at == at)
			return c->item;
	return NULL;
}

static void *copy_of(struct mp_reduced *r, const struct mp_reduction *item, struct mp_task *t)
{
	for (const struct copy *c = r->first; c; c = c->next)
		if (c->item == item && c->task == t)
			return c->at;
	struct copy *c = mp_alloc(sizeof(*c));
	*c = (struct copy){.item = item, .task = t, .at = mp_alloc(item->nbytes)};
	t->known++;
	*r->end = c;
	r->end = &c->next;
	mp_memory(c->at, item->nbytes);
	if (item->init)
		item->init(c->at, item->original);
	return c->at;
}

void *mp_reduced_copy(struct mp_task *t, void *at)
{
	for (struct mp_group *g = t->group; g; g = g->outer)
		for (struct mp_reduced *r = g->reduced; r; r = r->next) {
			const struct mp_reduction *item = item_of(r, at);
			if (item)
				return copy_of(r, item, t);
		}
	return at;
}

void mp_reduced_end(struct mp_reduced *r)
{
	while (r) {
		struct mp_reduced *next = r->next;
		while (r->first) {
			struct copy *c = r->first;
			r->first = c->next;
			c->item->combine(c->item->shared, c->at);
			if (c->item->fini)
				c->item->fini(c->at);
			mp_task_forget(c->task);
			mp_free(c->at);
			mp_free(c);
		}
		mp_free(r->item);
		mp_free(r);
		r = next;
	}
}
