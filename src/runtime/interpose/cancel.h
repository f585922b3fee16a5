/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.h - cancelling threads
 */
#ifndef SNAG_RUNTIME_CANCEL_H
#define SNAG_RUNTIME_CANCEL_H

#include "runtime/rt.h"

void rt_cancel_act(
	struct rt_thread *self); /* ends the calling thread, if it is cancelled and may end here */

/* Call it where POSIX has a cancellation point: before and after the thread waits. */
static inline void rt_cancel_point(struct rt_thread *self)
{
	if (rt_unlikely(self->cancel.was_requested))
		rt_cancel_act(self);
}

/* Call it where a thread ends that can be cancelled at any time. */
static inline void rt_cancel_anywhere(struct rt_thread *self)
{
	if (rt_unlikely(self->cancel.was_requested && self->cancel.is_asynchronous))
		rt_cancel_act(self);
}

#endif
