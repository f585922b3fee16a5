/* SPDX-License-Identifier: Apache-2.0
 *
 * run_orders.c - `snag run` of tasks: other orders of isolated blocks than the one observed
 */
#include "cli/run_orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An obstacle that goes when all orders have been run.  "detector": no detector proves it from one
 * order. */
static bool is_of_orders(const struct snag_obstacle *o, bool of_locks)
{
	return strcmp(o->kind, of_locks ? "lock" : "isolated") == 0 ||
	       strcmp(o->kind, "detector") == 0;
}

bool cli_orders_matter(const struct snag_certificate *c, bool of_locks)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_of_orders(&c->obstacle[i], of_locks))
			return true;
	return false;
}

static void words_add(struct snag_obstacle *o, const struct snag_orders *orders)
{
	size_t n = strlen(o->words), room = sizeof(o->words) - n;
	if (orders)
		snprintf(o->words + n, room, "; of their orders %" PRIu64 " %s run: %s",
			 orders->orders, orders->orders == 1 ? "was" : "were", orders->gap);
	else
		snprintf(o->words + n, room, "; no other order was run");
}

void cli_orders_certify(struct snag_certificate *c, const struct snag_orders *orders, bool of_locks)
{
	bool is_exhaustive = orders && !orders->gap && !orders->has_race && !orders->has_deadlock;
	bool is_nested = false; /* what is inside was not taken apart */
	for (size_t i = 0; is_exhaustive && i < orders->certificate.n; i++)
		is_nested |= strcmp(orders->certificate.obstacle[i].kind, "lock") == 0;
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct snag_obstacle o = c->obstacle[i];
		if (is_of_orders(&o, of_locks) && is_exhaustive && !(of_locks && is_nested))
			continue;
		if (is_of_orders(&o, of_locks) && !is_exhaustive)
			words_add(&o, orders);
		c->obstacle[n++] = o;
	}
	c->n = n;
	c->is_race_free = n == 0;
	c->orders = is_exhaustive ? orders->orders : 0;
}
