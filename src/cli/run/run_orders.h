/* SPDX-License-Identifier: Apache-2.0
 *
 * run_orders.h - `snag run` of tasks: other orders of isolated blocks than the one observed
 *
 * A run without races whose isolated blocks (of OpenMP: critical sections) depend on their order
 * proves nothing for other orders.  snag runs the other orders, too (cli/explore/exploring.h), as
 * long as there is time for replays.  It reports the first order with a race.  If it has run all of
 * them without one, the program is race-free.
 */
#ifndef SNAG_CLI_RUN_ORDERS_H
#define SNAG_CLI_RUN_ORDERS_H

#include "cli/explore/exploring.h"
#include "cli/run/run_environment.h"

/* The result of running other orders. */
struct cli_run_orders {
	const struct cli_run_values *v;
	bool of_locks; /* locks make sections, too */
	struct snag_orders orders;
	size_t shown; /* races and deadlocks that were reported */
};

/* Returns whether only the order of sections keeps the certificate from being a proof. */
bool cli_orders_matter(const struct snag_certificate *c, bool of_locks);
/* Runs the other orders for at most `seconds`, if snag may run them at all, and adds the result
 * to the report `r` and its certificate. Reports a race or deadlock of another order at once,
 * and sets orders.has_race or orders.has_deadlock. The caller sets x->v and x->of_locks. */
int cli_orders_run(struct cli_run_orders *x, const struct cli_run *run, double seconds,
		   struct cli_run_report *r, struct snag_error *err);

#endif
