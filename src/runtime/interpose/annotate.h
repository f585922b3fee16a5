/* SPDX-License-Identifier: Apache-2.0
 *
 * annotate.h - locks that the program implements and annotates
 */
#ifndef SNAG_RUNTIME_ANNOTATE_H
#define SNAG_RUNTIME_ANNOTATE_H

#include "runtime/rt.h"

/* The running thread has acquired the lock `depth` times; or releases it, once or altogether.  The
 * second function returns how often the thread held it. */
void rt_annotated_lock(uintptr_t lock, bool is_read, uint32_t depth, uintptr_t pc);
int rt_annotated_unlock(uintptr_t lock, bool is_read, bool is_all, uintptr_t pc);

#endif
