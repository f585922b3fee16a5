/* SPDX-License-Identifier: Apache-2.0
 *
 * espbags.c - determinacy races of programs with async, finish and isolated
 *
 * Idea.   As spbags, but a task is waited for by a finish, which may be one of an ancestor: a
 *         P-bag belongs to each finish.  Isolated accesses race only with others.
 * State, Rules, Cost.  Those of detect/tasks/serial.h over the bags of order/bags.h; the P-bag of a
 *         finish is its `others`.
 * Guarantee.  A race is named for exactly the racy variables.  If there is none, this input has
 *         none on any schedule, unless the order of two isolated blocks matters.
 * Reference.  Raman et al., Efficient data race detection for async-finish parallelism, FMSD
 *         2012, figures 4 and 6.
 */
#include "detect/tasks/serial.h"

const struct snag_detector snag_detector_espbags = {
	.name = "espbags",
	.summary = "parallel accesses of a serial run with async, finish, isolated, spawn, sync",
	.kind = "tasks",
	.guarantee = "sound and complete for the input, unless isolated blocks do not commute",
	.cost = "O(1) finds per access, 16 bytes per variable, 8 per task",
	.reference = "Raman et al., FMSD 2012",
	.ops = SNAG_OPS_COMMON |
	       (SNAG_OPS_OF_TASKS & ~SNAG_OP_BIT(PROMISE_SET) & ~SNAG_OP_BIT(PROMISE_GET)),
	.verdict = SNAG_OBSERVED,
	.has_rows = true,
	.open = snag_serial_open,
	.events = snag_serial_events,
	.proves = snag_serial_proves,
	.inside = &snag_serial_inside,
	.close = snag_serial_close,
};
