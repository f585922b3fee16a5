/* SPDX-License-Identifier: Apache-2.0
 *
 * run_orders.h - `snag run` of tasks: other orders of isolated blocks than the one observed
 *
 * A run without races whose isolated blocks (of OpenMP: critical sections) depend on their order
 * proves nothing for other orders.  They are run too (cli/exploring.h), as long as there is time for
 * replays.  The first one with a race is reported.  If all have been run, none has a race.
 */
#ifndef SNAG_CLI_RUN_ORDERS_H
#define SNAG_CLI_RUN_ORDERS_H

#include "cli/exploring.h"

/* Whether other orders may matter.  `of_locks`: those of locks are explored, too. */
bool cli_orders_matter(const struct snag_certificate *c, bool of_locks);
/* Says in the certificate what came of it: NULL: no other order was run. */
void cli_orders_certify(struct snag_certificate *c, const struct snag_orders *orders,
			bool of_locks);

#endif
