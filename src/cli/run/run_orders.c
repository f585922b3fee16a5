/* SPDX-License-Identifier: Apache-2.0
 *
 * run_orders.c - `snag run` of tasks: other orders of isolated blocks than the one observed
 */
#include "cli/run/run_orders.h"

#include "cli/run/judging.h"
#include "cli/run/run_outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An obstacle that goes when all orders have been run.  "detector": no detector proves it from one
 * order. */
static bool is_of_orders(const struct snag_obstacle *o, bool of_locks)
{
	return strcmp(o->kind, of_locks ? "lock" : "isolated") == 0 ||
	       (!of_locks && cli_is_of_all(o)) || strcmp(o->kind, "detector") == 0;
}

bool cli_orders_matter(const struct snag_certificate *c, bool of_locks)
{
	for (size_t i = 0; i < c->n; i++)
		if (is_of_orders(&c->obstacle[i], of_locks))
			return true;
	return false;
}

static bool has_of_all(const struct snag_certificate *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (cli_is_of_all(&c->obstacle[i]))
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

static bool has_kind(const struct snag_certificate *c, const char *kind)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->obstacle[i].kind, kind) == 0)
			return true;
	return false;
}

/* Adds the obstacles that only other orders have.  The names of their places are gone. */
static void others_add(struct snag_certificate *c, const struct snag_certificate *others)
{
	for (size_t i = 0; i < others->n; i++)
		if (!has_kind(c, others->obstacle[i].kind))
			snag_certificate_add(c, others->obstacle[i].kind,
					     "in another order of its sections, %s",
					     others->obstacle[i].words);
}

/* Writes the result into the certificate; `orders` NULL: snag ran no other order. */
static void certify(struct snag_certificate *c, const struct snag_orders *orders, bool of_locks)
{
	bool is_exhaustive = orders && !orders->gap && !orders->has_race && !orders->has_deadlock;
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct snag_obstacle o = c->obstacle[i];
		/* kept: nested blocks were not taken apart */
		if (is_of_orders(&o, of_locks) && is_exhaustive &&
		    !has_kind(&orders->certificate, o.kind))
			continue;
		if (is_of_orders(&o, of_locks) && !is_exhaustive)
			words_add(&o, orders);
		c->obstacle[n++] = o;
	}
	c->n = n;
	if (is_exhaustive)
		others_add(c, &orders->certificate);
	c->is_race_free = c->n == 0;
	c->orders = is_exhaustive ? orders->orders : 0;
}

static void orders_member(void *ctx, struct snag_json *j)
{
	snag_orders_json(ctx, j);
}

static int order_failed(void *ctx, struct cli_run_report *r, struct snag_source *src,
			const struct snag_blocks *blocks, struct snag_error *err)
{
	struct cli_run_orders *x = ctx;
	(void)src;
	r->all.members = orders_member;
	r->all.members_ctx = &x->orders;
	x->shown = r->incidents.shown + x->orders.has_deadlock;
	int rc = cli_run_outputs_write(x->v, &r->all, err);
	if (rc == 0 && x->shown)
		cli_explored_order_print(blocks, r->report.names);
	return rc;
}

int cli_orders_run(struct cli_run_orders *x, const struct cli_run *run, double seconds,
		   struct cli_run_report *r, struct snag_error *err)
{
	const struct cli_explore_options options = {.argv = run->argv,
						    .seconds = seconds,
						    .of_all = !x->of_locks &&
							      has_of_all(&r->certificate),
						    .is_part = true,
						    .suppressions = run->suppressions,
						    .is_tsan = run->is_tsan,
						    .strip_path_prefix = run->strip_path_prefix,
						    .on_failure = order_failed,
						    .ctx = x};
	bool is_run = cli_may_run_orders(x->v) && seconds > 0;
	int rc = is_run ? cli_explore(&options, &x->orders, err) : 0;
	if (rc == 0 && is_run) {
		r->all.members = orders_member;
		r->all.members_ctx = &x->orders;
	}
	if (rc == 0)
		certify(&r->certificate, is_run ? &x->orders : NULL, x->of_locks);
	return rc;
}
