/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_tasks.h - programs without data: what explorer, interpreter and detectors must agree on
 */
#ifndef ORACLE_EXPLORE_TASKS_H
#define ORACLE_EXPLORE_TASKS_H

#include "prng.h"

struct explore_tasks_tally {
	unsigned long programs, racy, isolated, blocked, deadlocks, not_exhaustive;
	unsigned long race_free; /* verdicts of detectors, all confirmed */
};

/* One random program; false: they disagree, and the smallest such program has been printed. */
bool explore_tasks_check(struct prng *random, struct explore_tasks_tally *tally);

#endif
