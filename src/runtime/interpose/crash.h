/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.h - a signal that ends the program: which thread it met, and where
 */
#ifndef SNAG_RUNTIME_CRASH_H
#define SNAG_RUNTIME_CRASH_H

#include "runtime/rt.h"

/* Returns whether the runtime handles this signal while the program leaves it to the system. */
bool rt_crash_is_watched(int signal);
/* Handles these signals from here on with that function; those that are ignored stay ignored. */
void rt_crash_watch(void (*handler)(int, siginfo_t *, void *));
/* Call it in that function: records the crash of the calling thread, and ends the program by the
 * signal. */
void rt_crash(int signal, const siginfo_t *info, const void *context);
/* Gives the signal back to the system and sends it again to the calling thread. */
void rt_crash_die(int signal);
/* Returns whether the signal came while the runtime was at work. */
bool rt_crash_is_inside(const void *context);

#endif
