/* SPDX-License-Identifier: Apache-2.0
 *
 * stranger.h - threads that the C library makes of its own accord
 */
#ifndef SNAG_RUNTIME_STRANGER_H
#define SNAG_RUNTIME_STRANGER_H

#include "runtime/rt.h"

/* The calling thread, unknown so far, becomes one of the program's and has the baton; NULL: it is
 * none of them. */
struct rt_thread *rt_stranger_enter(void);

#endif
