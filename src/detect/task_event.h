/* SPDX-License-Identifier: Apache-2.0
 *
 * task_event.h - events of a trace for the order of tasks
 */
#ifndef SNAG_DETECT_TASK_EVENT_H
#define SNAG_DETECT_TASK_EVENT_H

#include "order/task_order.h"
#include "trace/event.h"

/* Tells the order of tasks what an event says; events that order nothing do nothing. */
void snag_task_event(struct snag_task_order *o, const struct snag_event *ev);

#endif
