/* SPDX-License-Identifier: Apache-2.0
 *
 * fork.h - children of the program
 */
#ifndef SNAG_RUNTIME_FORK_H
#define SNAG_RUNTIME_FORK_H

#include "runtime/rt.h"

void rt_fork_begin(void); /* call it before the program can register handlers */

/* The process is a child of fork that no tool observes.  It has one thread. */
extern bool rt_fork_is_unobserved RT_HIDDEN;
/* Call it before such a process creates a thread: a tool observes it from here on. */
void rt_fork_observe(void);

#endif
