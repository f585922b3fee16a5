/* SPDX-License-Identifier: Apache-2.0
 *
 * detector.c - a detector that only counts, to be attached or not
 */
#include "task/hooks.h"

int detector_is_attached;
static unsigned long nevents;

static void count(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	(void)ctx, (void)op, (void)task, (void)target;
	nevents++;
}

static const struct snag_task_hooks hooks = {.event = count};

const struct snag_task_hooks *__snag_task_hooks(void)
{
	return detector_is_attached ? &hooks : NULL;
}
