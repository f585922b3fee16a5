/* SPDX-License-Identifier: Apache-2.0
 *
 * stranger.h - threads that the C library creates by itself
 */
#ifndef SNAG_RUNTIME_STRANGER_H
#define SNAG_RUNTIME_STRANGER_H

#include "runtime/rt.h"

/* The calling thread, which the runtime does not know, becomes a thread of the program and takes
 * the baton.  Returns NULL if it is no thread of the program. */
struct rt_thread *rt_stranger_enter(void);

#endif
