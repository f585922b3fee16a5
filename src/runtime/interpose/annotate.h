/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate.h - what annotations of a program do, whatever their names
 */
#ifndef SNAG_RUNTIME_ANNOTATE_H
#define SNAG_RUNTIME_ANNOTATE_H

#include "runtime/rt.h"

/* The running thread has acquired the lock `depth` times; or releases it, once or altogether.  The
 * second function returns how often the thread held it. */
void rt_annotated_lock(uintptr_t lock, bool is_read, uint32_t depth, uintptr_t pc);
int rt_annotated_unlock(uintptr_t lock, bool is_read, bool is_all, uintptr_t pc);
/* Returns whether the running thread holds the lock alone. */
bool rt_annotated_is_mine(uintptr_t lock);
void rt_annotated_destroy(uintptr_t lock, uintptr_t pc);
void rt_annotated_create(uintptr_t lock);
/* [release], [acquire], [benign], [ignore] of annotate.c; change is +1 or -1. */
void rt_annotated_release(uintptr_t addr, uintptr_t pc);
void rt_annotated_acquire(uintptr_t addr, uintptr_t pc);
void rt_annotated_benign(uintptr_t addr, uintptr_t n);
void rt_annotated_ignore(int change);
/* New memory begins: accesses to it before have nothing to do with those behind. */
void rt_annotated_memory(uintptr_t at, uintptr_t n);

#endif
