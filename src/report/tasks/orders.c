/* SPDX-License-Identifier: Apache-2.0
 *
 * orders.c - the result of running a program in all orders of its isolated blocks
 */
#include "report/tasks/orders.h"

#include "report/json_writer.h"
#include "report/tasks/task_report.h"

#include <inttypes.h>
#include <stdio.h>

void snag_orders_ended(struct snag_orders *o, int status)
{
	size_t i = 0;
	while (i < o->nstatuses && o->status[i].status != status && i + 1 < SNAG_ORDERS_STATUSES)
		i++;
	if (i == o->nstatuses)
		o->status[o->nstatuses++].status = status;
	o->status[i].n++;
}

static bool is_exhaustive(const struct snag_orders *o)
{
	return !o->gap && !o->has_race && !o->has_deadlock;
}

static const char *blocks_text(const struct snag_orders *o)
{
	return o->of_locks ? "critical sections"
	       : o->of_all ? "isolated blocks, locks and atomics"
			   : "isolated blocks";
}

static void orders_text(struct snag_printer *to, const struct snag_orders *o)
{
	snag_printf(to, "%" PRIu64 " order%s of %s", o->orders, snag_plural(o->orders),
		    blocks_text(o));
}

void snag_orders_text(const struct snag_orders *o, const struct snag_names *names, const char *tool,
		      struct snag_printer *to)
{
	snag_printf(to, "%s: ", tool);
	if (o->has_race || o->has_deadlock) {
		snag_printf(to, "a %s in the last of ", o->has_race ? "race" : "deadlock");
		orders_text(to, o);
		snag_print(to, ", where the exploration ended");
	} else if (o->gap) {
		snag_print(to, "no race found in ");
		orders_text(to, o);
		snag_printf(to, ", but there may be others: %s", o->gap);
	} else {
		snag_print(to, o->certificate.n ? "no race found on " : "race-free on ");
		if (o->orders > 1) {
			snag_print(to, "all ");
			orders_text(to, o);
		} else {
			snag_printf(to, "the only order of %s", blocks_text(o));
		}
		snag_print(to, ", for this input");
	}
	if (o->redundant)
		snag_printf(to, " (%" PRIu64 " run%s repeated others)", o->redundant,
			    snag_plural(o->redundant));
	snag_print(to, "\n");
	if (o->nstatuses > 1) {
		snag_printf(to, "%s: the program ended ", tool);
		for (size_t i = 0; i < o->nstatuses; i++)
			snag_printf(to, "%swith status %d in %" PRIu64 " order%s", i ? ", " : "",
				    o->status[i].status, o->status[i].n,
				    snag_plural(o->status[i].n));
		snag_print(to, "\n");
	}
	if (!o->has_race && !o->has_deadlock)
		snag_certificate_text(&o->certificate, names, tool, to);
}

void snag_orders_json(const struct snag_orders *o, struct snag_json *j)
{
	char status[16];
	enum snag_task_verdict v = o->has_race ? SNAG_TASK_RACE
				   : is_exhaustive(o) && !o->certificate.n
					   ? SNAG_TASK_RACE_FREE
					   : SNAG_TASK_NO_RACE_FOUND;
	snag_json_object(j, "explore");
	snag_json_string(j, "verdict", snag_task_verdict_text[v]);
	snag_json_uint(j, "schedules", o->orders);
	snag_json_uint(j, "orders", o->orders);
	snag_json_uint(j, "redundant", o->redundant);
	snag_json_bool(j, "exhaustive", is_exhaustive(o));
	if (o->gap)
		snag_json_string(j, "gap", o->gap);
	if (o->has_race || o->has_deadlock)
		snag_json_string(j, "failure", o->has_race ? "race" : "deadlock");
	snag_json_double(j, "seconds", o->seconds);
	snag_json_object(j, "statuses");
	for (size_t i = 0; i < o->nstatuses; i++) {
		snprintf(status, sizeof(status), "%d", o->status[i].status);
		snag_json_uint(j, status, o->status[i].n);
	}
	snag_json_end(j);
	snag_json_end(j);
	snag_json_newline(j);
}
