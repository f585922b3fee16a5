/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sections.h - what critical sections of OpenMP tell each other
 *
 * Idea.   A section that reads what another section of the same lock wrote, and does not write it
 *         itself, waits for that other one in effect: a flag.  So it comes after it, in this run.
 *         A section that also writes it (a counter) does not: it may come first in another run.
 *         Where the program asks for thread numbers, which makes other runs a different
 *         matter anyway, both count.
 * State.  last[word]  the lock and promise of the last section that wrote it
 *         Of the section that is open: which words it has read of which promise.
 * Rules.  [write]  last := this section, which will set its promise
 *         [read]   of another section of the same lock: noted, until it is written
 *         [end]    the promises that are noted are got, then the section's own is set
 */
#ifndef SNAG_RUNTIME_OMP_SECTIONS_H
#define SNAG_RUNTIME_OMP_SECTIONS_H

#include "runtime/channel.h"
#include "runtime/rt.h"

/* Around RT_ACQUIRE and RT_RELEASE of a lock by the running context. */
void rt_section_begin(uint32_t lock);
void rt_section_end(uint32_t lock, uint32_t loc);
/* An access in it. */
void rt_section_access(uintptr_t addr, bool is_write);
/* Thread numbers were asked for / a new launch begins. */
void rt_sections_asked(bool was_asked);
bool rt_sections_were_asked(void);
uint32_t rt_promise_new(void);

#endif
