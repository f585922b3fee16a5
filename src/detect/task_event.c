/* SPDX-License-Identifier: Apache-2.0
 *
 * task_event.c - events of a trace for the order of tasks
 */
#include "detect/task_event.h"

void snag_task_event(struct snag_task_order *o, const struct snag_event *ev)
{
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
	case SNAG_OP_TASK_SPAWN:
		snag_task_order_create(o, ev->thread, ev->target, ev->op == SNAG_OP_TASK_SPAWN);
		break;
	case SNAG_OP_TASK_END:
		snag_task_order_end(o, ev->thread);
		break;
	case SNAG_OP_FINISH_BEGIN:
		snag_task_order_finish_begin(o, ev->thread);
		break;
	case SNAG_OP_FINISH_END:
		snag_task_order_finish_end(o, ev->thread);
		break;
	case SNAG_OP_FRAME_BEGIN:
		snag_task_order_frame_begin(o, ev->thread);
		break;
	case SNAG_OP_FRAME_END:
		snag_task_order_frame_end(o, ev->thread);
		break;
	case SNAG_OP_SYNC:
		snag_task_order_sync(o, ev->thread);
		break;
	case SNAG_OP_PROMISE_SET:
		snag_task_order_set(o, ev->thread, ev->target);
		break;
	case SNAG_OP_PROMISE_GET:
		snag_task_order_get(o, ev->thread, ev->target);
		break;
	}
}
