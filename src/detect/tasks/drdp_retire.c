/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp_retire.c - removes from the order of tasks what no variable of drdp names
 *
 * When everything so far comes before everything that follows, all of it is removed.  Then no
 * earlier access can take part in a race, so what is kept of variables is removed as well.
 *
 * Cost.   That of order/retire.h and two passes over the variables, when the tree is full and
 *         has a node or step for every second of them: O(1) per task.  The tree is then twice as
 *         large as what is named, or as large as the caches.
 */
#include "detect/tasks/drdp.h"
#include "order/retire.h"

#include <string.h>

uint32_t snag_drdp_retire_from = 1 << 15;

enum { VARIABLES_A_PART = 2 };

/* One pass over all named steps: to keep them, or to give them their new numbers. */
struct look {
	struct drdp *d;
	struct snag_retire r;
	bool is_numbered;
};

static void step_look(struct look *l, uint32_t *step)
{
	if (!*step)
		return;
	if (l->is_numbered)
		*step = snag_retire_number(&l->r, *step);
	else
		snag_retire_keep(&l->r, *step);
}

static void who_look(struct look *l, uint32_t *who)
{
	if (!snag_past_is_list(*who))
		step_look(l, who);
	for (uint32_t i = snag_past_first(*who); i; i = l->d->pool.link[i].next)
		step_look(l, &l->d->pool.link[i].past.who);
}

static void cell_look(struct look *l, struct snag_past_cell *x)
{
	who_look(l, &x->writer);
	who_look(l, &x->reader);
}

static void all_look(struct look *l)
{
	struct snag_guards *g = &l->d->guards;
	struct snag_past_cell *x = l->d->express.x, *end = x + l->d->nvariables;
	for (; x < end; x++)
		if (x->writer | x->reader)
			cell_look(l, x);
	for (size_t v = 0; v < g->of_cap; v++)
		for (uint32_t i = g->of[v]; i; i = g->entry[i].next)
			cell_look(l, &g->entry[i].past);
}

/* Forgets the remembered answers, because they name steps and nodes. */
static void answers_forget(struct snag_drdp_now *now)
{
	memset(now->before, 0, sizeof(now->before));
	memset(now->cover, 0, sizeof(now->cover));
	memset(now->block, 0, sizeof(now->block));
}

static size_t order_size(const struct snag_task_order *o)
{
	return o->tree.nnodes + o->tree.nsteps + o->joins.njoins;
}

/* Not too often: a pass over everything must cost no more than what was added since. */
static bool is_worth_it(const struct drdp *d)
{
	const struct snag_task_order *o = &d->now.order;
	const size_t size = order_size(o);
	return size >= d->retire_at && size >= snag_drdp_retire_from &&
	       size >= d->nvariables / VARIABLES_A_PART &&
	       size >= o->joins.promise_cap / VARIABLES_A_PART;
}

/* After renumbering, no step is running. */
static void numbers_changed(struct drdp *d)
{
	answers_forget(&d->now);
	d->retire_at = 2 * order_size(&d->now.order);
	d->now.step = d->express.who = 0;
	d->express.latest = (uint32_t)d->now.order.tree.nsteps;
}

void snag_drdp_retire(struct drdp *d)
{
	struct snag_task_order *o = &d->now.order;
	struct look l = {.d = d};
	if (!snag_retire_may(o) || !is_worth_it(d))
		return;
	snag_drdp_waited_slow(&d->now, 0); /* nothing lasts */
	snag_retire_begin(&l.r, o);
	all_look(&l);
	snag_retire_rest(&l.r);
	l.is_numbered = true;
	all_look(&l);
	snag_retire_done(&l.r);
	numbers_changed(d);
}

void snag_drdp_retire_all(struct drdp *d)
{
	if (!snag_retire_may_all(&d->now.order) || !is_worth_it(d))
		return;
	snag_drdp_waited_slow(&d->now, 0); /* nothing lasts */
	if (d->nvariables)
		snag_past_forget(&d->pool, d->express.x, 0, (uint32_t)d->nvariables);
	for (size_t v = 0; d->guards.of && v < d->guards.of_cap; v++)
		snag_guarded_clear(&d->guards, (uint32_t)v, &d->pool);
	snag_retire_all(&d->now.order);
	numbers_changed(d);
}
