/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp_now.c - the step of drdp that runs, and how earlier steps stand to it
 */
#include "detect/tasks/drdp_now.h"

void snag_drdp_waited_slow(struct snag_drdp_now *now, uint32_t node) /* [lasting] */
{
	struct snag_express *e = now->express;
	e->has_lasting = node != 0;
	for (uint64_t kept = e->kept; kept; kept &= kept - 1) {
		unsigned i = (unsigned)__builtin_ctzll(kept);
		if (now->order.tree.step[e->readers[i]] >= node)
			snag_express_drop(e, i);
	}
	for (unsigned i = 0; node == 0 && i < SNAG_LASTING; i++)
		e->writers[i] = 0; /* what was left out because of it had a reader too */
}

void snag_drdp_begin(struct snag_drdp_now *now, uint32_t task)
{
	const struct snag_dpst *tree = &now->order.tree;
	now->step = now->express->latest = snag_task_order_step(&now->order, task);
	const uint32_t own = tree->step[now->step];
	now->node = snag_dpst_is_many(tree, own) ? SNAG_DPST_NONE : own;
	for (uint32_t i = 0, node = own; i < SNAG_DRDP_ABOVE; node = now->above[i++].node)
		now->above[i] =
			(struct snag_drdp_above){tree->node[node].parent, tree->node[node].time};
	now->list = snag_task_order_list(&now->order, task);
	now->past = snag_task_order_past(&now->order, task);
	now->is_alone = snag_task_order_is_alone(&now->order, task);
	now->below =
		now->is_alone ? snag_task_order_below(&now->order, task) : SNAG_TASK_ORDER_NONE;
	if (!now->is_alone)
		snag_drdp_waited(now, 0);
}

bool snag_drdp_is_before_slow(struct snag_drdp_now *now, uint32_t a, uint32_t node)
{
	struct snag_drdp_before *b = &now->before[node % SNAG_DRDP_BEFORE];
	now->asked++;
	if (b->step != now->step || b->node != node)
		*b = (struct snag_drdp_before){now->step, node, 0, UINT32_MAX};
	if (a <= b->yes || a >= b->no) {
		now->answered++;
		return a <= b->yes;
	}
	bool is_before = snag_dpst_precedes(&now->order.tree, a, now->step) ||
			 snag_joins_has(&now->order.joins, now->list, a);
	if (is_before)
		b->yes = a;
	else
		b->no = a;
	return is_before;
}

bool snag_drdp_is_covered(struct snag_drdp_now *now, uint32_t a) /* [cover] */
{
	const uint32_t *of_step = now->order.tree.step;
	struct snag_drdp_cover *c = &now->cover[a % SNAG_DRDP_COVERS];
	if (now->node == SNAG_DPST_NONE && of_step[a] == of_step[now->step])
		return true; /* [many] */
	if (!now->is_alone)
		return false;
	if (snag_drdp_is_covered_for_good(now, a))
		return true;
	if (c->a != a || c->step != now->step) {
		bool yes = !snag_drdp_is_before(now, a) &&
			   snag_task_order_covers(&now->order, a, now->step);
		*c = (struct snag_drdp_cover){.step = now->step, .a = a, .yes = yes};
		if (yes && snag_task_order_is_plain(&now->order)) /* [lasting] */
			snag_express_keep(now->express, a);
	}
	return c->yes;
}

uint32_t snag_drdp_block_of(struct snag_drdp_now *now, uint32_t a)
{
	/* The steps on a list often have the same distance: a remainder would be the same for
	 * many. */
	struct snag_drdp_block *b =
		&now->block[a * UINT32_C(0x9e3779b9) >> (32 - SNAG_DRDP_BLOCKS_LOG)];
	if (b->step != now->step || b->a != a)
		*b = (struct snag_drdp_block){now->step, a,
					      snag_task_order_block(&now->order, a, now->step)};
	return b->block;
}
