/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.h - file descriptors as variables: close writes one, every other call reads it
 *
 * Idea.   A thread that closes a descriptor that another one still uses makes that thread read or
 *         write whatever file gets the number next.  So a descriptor is a variable of 8 bytes, at
 *         an address that no program can map (channel.h).
 * Rules.  [use]    read, write, accept and their like read it
 *         [close]  close and dup2 write it
 *         [known]  only descriptors that open, socket, socketpair, pipe, dup, dup2 or dup3 made are
 *                  variables.  Others, such as those of fopen, may be closed unseen, and their
 *                  numbers used again
 *         [caller] counts only if the caller was compiled with snag, as in libc.c
 */
#ifndef SNAG_RUNTIME_DESCRIPTOR_H
#define SNAG_RUNTIME_DESCRIPTOR_H

#include "runtime/rt.h"

void rt_descriptor_made(int fd); /* fails for -1, without effect */
/* The caller has the baton; the access belongs to its last event. */
void rt_descriptor_used(int fd, uintptr_t pc);
void rt_descriptor_closed(int fd, uintptr_t pc);
/* Made with a number that the program chose: that writes it, since another thread may know it. */
void rt_descriptor_replaced(int fd, uintptr_t pc);

#endif
