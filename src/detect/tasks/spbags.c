/* SPDX-License-Identifier: Apache-2.0
 *
 * spbags.c - determinacy races of fork-join programs (spawn and sync)
 *
 * Idea.   A serial run of a Cilk program shows, for every access, which earlier ones are
 *         parallel to it on some schedule: those of tasks in P-bags.
 * State, Rules, Cost.  Those of detect/tasks/serial.h over the bags of order/bags.h; S_F and P_F of
 *         the paper are the S-bag of a task and the `spawned` P-bag of its frames.
 * Guarantee.  A race is named for exactly the racy variables; if there is none, this input has
 *         none on any schedule.
 * Reference.  Feng and Leiserson, SPAA 1997; Raman et al., FMSD 2012, figure 4.
 */
#include "detect/tasks/serial.h"

/* A launch of <snag/task.h> is a finish around all tasks. */
static void *spbags_open(const struct snag_detector_env *env)
{
	void *state = snag_serial_open(env);
	snag_serial_only_spawns(state);
	return state;
}

const struct snag_detector snag_detector_spbags = {
	.name = "spbags",
	.summary = "parallel accesses of a serial run with spawn and sync",
	.kind = "tasks",
	.guarantee = "sound and complete for the input, on all schedules",
	.cost = "O(1) finds per access, 16 bytes per variable, 8 per task",
	.reference = "Feng and Leiserson, SPAA 1997",
	.ops = SNAG_OPS_COMMON | SNAG_OP_BIT(TASK_CREATE) | SNAG_OP_BIT(TASK_END) |
	       SNAG_OP_BIT(TASK_SPAWN) | SNAG_OP_BIT(SYNC) | SNAG_OP_BIT(FRAME_BEGIN) |
	       SNAG_OP_BIT(FRAME_END),
	.launch_ops = SNAG_OP_BIT(FINISH_BEGIN) | SNAG_OP_BIT(FINISH_END),
	.verdict = SNAG_OBSERVED,
	.has_rows = true,
	.open = spbags_open,
	.events = snag_serial_events,
	.proves = snag_serial_proves,
	.inside = &snag_serial_inside,
	.close = snag_serial_close,
};
