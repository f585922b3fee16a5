/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_private.h - what the library says of a context's own memory
 *
 * Rules.  [own]   in a segment, its stack, and heap blocks (omp_blocks.h), while others do not know of them (omp_known.h)
 *         [done]  outside of segments, what it does to the memory of others is compared with what the
 *                 other threads of its team do (omp_done.h), unless it has asked for its number
 */
#ifndef SNAG_RUNTIME_OMP_PRIVATE_H
#define SNAG_RUNTIME_OMP_PRIVATE_H

#include "omp/hooks.h"
#include "runtime/rt.h"

/* As struct snag_omp_hooks says. */
void rt_omp_own(const void *low, const void *high, bool has_tasks);
void rt_omp_lend(bool is_in_segment);
bool rt_omp_handed(const void *at, size_t nbytes);
void rt_omp_implicit(const struct snag_omp_implicit *who);
uint64_t rt_omp_done(void);
void rt_omp_renewed(const void *at, size_t nbytes);
void rt_omp_unseen(const void *at, size_t nbytes);

void rt_omp_differs(struct rt_thread *self); /* it has asked for its number */

#endif
