/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.h - cancelling threads
 */
#ifndef SNAG_RUNTIME_CANCEL_H
#define SNAG_RUNTIME_CANCEL_H

#include "runtime/rt.h"

void rt_cancel_act(struct rt_thread *self); /* the calling thread ends here, if it may */

/* Where POSIX says that a thread can be cancelled: before and after it waits. */
static inline void rt_cancel_point(struct rt_thread *self)
{
	if (rt_unlikely(self->is_cancelled))
		rt_cancel_act(self);
}

/* Where one that can be cancelled at any time is. */
static inline void rt_cancel_anywhere(struct rt_thread *self)
{
	if (rt_unlikely(self->is_cancelled && self->is_asynchronous))
		rt_cancel_act(self);
}

#endif
