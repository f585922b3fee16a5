/* SPDX-License-Identifier: Apache-2.0
 *
 * sched_context.c - the running thread changes its identity within a turn
 */
#include "runtime/sched/sched_context.h"

#include "runtime/channel/record.h"

void rt_sched_speak_as(struct rt_thread *self, uint32_t as)
{
	rt_record_settle();
	if (self->as == as)
		return;
	self->as = as;
	rt_epoch_end();
	rt.listener.speaks(as);
}
