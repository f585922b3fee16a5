/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h - signal handlers of the program, which run only at their turn
 */
#ifndef SNAG_RUNTIME_SIGNALS_H
#define SNAG_RUNTIME_SIGNALS_H

#include "runtime/rt.h"

void rt_signals_begin(void);	     /* handles the signals of crash.c */
void rt_signals_watch(void);	     /* installs the handler of RT_SIGNAL */
void rt_signals_ask(int kernel_tid); /* sends RT_SIGNAL to a thread */
/* Runs the handlers of signals that came while the calling thread, which has the baton, was in
 * the runtime. */
void rt_signals_run(struct rt_thread *self);
static inline bool rt_signals_pending(const struct rt_thread *self) /* whether there are any */
{
	return __atomic_load_n(&self->signals.kept, __ATOMIC_RELAXED) != self->signals.run;
}
/* The calling thread is OUT and has left the scheduler: from here on its handlers run at once.
 * Returns false if a signal came before: the thread has to take the baton for its handler. */
bool rt_signals_open(struct rt_thread *self);
void rt_signals_close(struct rt_thread *self); /* ends what rt_signals_open() began */
/* The calling thread leaves by longjmp for a frame at `target`. */
void rt_signals_jump(struct rt_thread *self, uintptr_t target);
/* Blocks all signals of the calling thread; or unblocks them. */
void rt_signals_block(void);
void rt_signals_mask(const sigset_t *mask, sigset_t *ret_old);

#endif
