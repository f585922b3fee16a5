/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h - signal handlers of the program, which run only at their turn
 */
#ifndef SNAG_RUNTIME_SIGNALS_H
#define SNAG_RUNTIME_SIGNALS_H

#include "runtime/rt.h"

void rt_signals_begin(void);	     /* handles those of crash.c */
void rt_signals_watch(void);	     /* handles RT_SIGNAL from here on */
void rt_signals_ask(int kernel_tid); /* sends it */
/* Runs the handlers of signals that came while the calling thread, which has the baton, was in
 * the runtime. */
void rt_signals_run(struct rt_thread *self);
static inline bool rt_signals_pending(const struct rt_thread *self) /* whether there are any */
{
	return __atomic_load_n(&self->signals_kept, __ATOMIC_RELAXED) != self->signals_run;
}
/* The calling thread is OUT and done with the scheduler: handlers run at once from here on.
 * False: a signal came before, and the thread has to take the baton for it. */
bool rt_signals_open(struct rt_thread *self);
void rt_signals_close(struct rt_thread *self); /* the end of that */
/* The calling thread gets no more signals / as before. */
void rt_signals_block(void);
void rt_signals_mask(const sigset_t *mask, sigset_t *ret_old);

#endif
