/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.h - file descriptors as variables: close writes one, every other call reads it
 *
 * Idea.   If a thread closes a descriptor that another thread still uses, that thread reads or
 *         writes the file that gets the number next.  So a descriptor is a variable of 8 bytes, at
 *         an address that no program can map (channel.h).
 * Rules.  [use]    read, write, accept and similar calls read it
 *         [close]  close writes it
 *         [replace]  dup2 and dup3 read the descriptor that they replace.  A use by another thread
 *                  gets the old file or the new one, and no third.  But dup2 and close race.
 *         [known]  only descriptors that open, socket, socketpair, pipe, dup, dup2 or dup3 made are
 *                  variables.  Other descriptors, such as those of fopen, may be closed by a call
 *                  that snag does not observe, and their numbers used again
 *         [caller] a call counts only if its caller was compiled with snag, as in libc.c
 */
#ifndef SNAG_RUNTIME_DESCRIPTOR_H
#define SNAG_RUNTIME_DESCRIPTOR_H

#include "runtime/rt.h"

void rt_descriptor_made(int fd); /* -1, of a call that failed, has no effect */
/* The caller has the baton; the access belongs to its last event. */
void rt_descriptor_used(int fd, uintptr_t pc);
void rt_descriptor_closed(int fd, uintptr_t pc);
/* [replace] Made in place of another one, which was used. */
void rt_descriptor_replaced(int fd);

#endif
