/* SPDX-License-Identifier: Apache-2.0
 *
 * observe.h - a program that observes itself: it starts the tool, and waits for its verdict
 */
#ifndef SNAG_RUNTIME_OBSERVE_H
#define SNAG_RUNTIME_OBSERVE_H

#include <stdbool.h>

/* Starts the tool for a process that was not started by it, and executes the program anew with
 * the channel.  Returns if the program is not to be observed, or cannot be. */
void rt_observe_start(void);

/* The same for a child of fork, which continues where it is, with threads that run freely or
 * take turns. Returns true if there is a channel to open. */
bool rt_observe_forked(bool is_free);

/* From now on, the end of the process waits for the verdict of the tool. */
void rt_observe_begin(void);

/* Ends the process with this status, or that of the verdict. */
__attribute__((noreturn)) void rt_observe_exit(int status);

#endif
