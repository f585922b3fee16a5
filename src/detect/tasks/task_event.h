/* SPDX-License-Identifier: Apache-2.0
 *
 * task_event.h - events of a trace for the order of tasks
 */
#ifndef SNAG_DETECT_TASK_EVENT_H
#define SNAG_DETECT_TASK_EVENT_H

#include "order/task_order.h"
#include "trace/event.h"

/* Tells the order of tasks, which has room, what an event says; events that order nothing do
 * nothing. */
static inline void snag_task_event(struct snag_task_order *o, const struct snag_event *ev)
{
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
		snag_task_order_create(o, ev->thread, ev->target);
		break;
	case SNAG_OP_TASK_SPAWN:
		snag_task_order_spawn(o, ev->thread, ev->target);
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

#endif
