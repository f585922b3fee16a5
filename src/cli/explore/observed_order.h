/* SPDX-License-Identifier: Apache-2.0
 *
 * observed_order.h - which races a run of tasks has in the order in which its sections ran
 *
 * drdp reports accesses that the structure of tasks does not order.  Isolated blocks or critical
 * sections may order them in this run and in every other run: `isolated { if (!a) x = 1; }` beside
 * `isolated { a = 1; } y = x;` has no race.
 */
#ifndef SNAG_CLI_OBSERVED_ORDER_H
#define SNAG_CLI_OBSERVED_ORDER_H

#include "cli/run/observe.h"

/* Returns whether a program has minima or maxima (`if (v < x) x = v;`).  They commute, but whether
 * one of them writes depends on the order.  So the observed order is judged with updates as plain
 * accesses. */
bool cli_has_choices(const struct snag_names *names);

/* If drdp found races in a run with sections, reads the trace again and replaces *a: the races
 * are then those of the observed order (detect/tasks/sections.c).  Locks make sections, too; and if
 * not `of_openmp`, atomics order what they order in C11.  Returns 1 if the order may have removed
 * some of drdp's races, 0 if not, a negative code on failure (*a is unchanged). */
int cli_observed_order(struct cli_observed *o, struct snag_analysis *a, bool of_openmp,
		       struct snag_error *err);

#endif
