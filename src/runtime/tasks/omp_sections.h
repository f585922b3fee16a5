/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sections.h - how critical sections of OpenMP order each other
 *
 * Idea.   A section that reads a byte that another section of the same lock wrote, and does not
 *         write it, waits in effect for that other section: the byte is a flag.  So the reader
 *         comes after the writer, in this run.  A section that also writes the byte (a
 *         counter) does not wait: in another run it may come first.  If the program reads
 *         thread numbers, its verdict does not cover other runs; then snag orders both.
 * State.  last[byte]  the lock and promise of the last section that wrote it; in words of 8 bytes
 *         Of the open section: the bytes it has read, with the promise of their writer.
 * Rules.  [write]  last[byte] := this section, which will set its promise.
 *         [read]   A byte of another section of the same lock: note its promise, unless this
 *                  section writes the byte later.
 *         [end]    The section gets the promises that it noted, then sets its own.
 */
#ifndef SNAG_RUNTIME_OMP_SECTIONS_H
#define SNAG_RUNTIME_OMP_SECTIONS_H

#include "runtime/channel/channel.h"
#include "runtime/rt.h"

/* Around RT_ACQUIRE and RT_RELEASE of a lock by the running context. */
void rt_section_begin(uint32_t lock);
void rt_section_end(uint32_t lock, uint32_t loc);
/* An access of the running context, in a section. */
void rt_section_access(uintptr_t addr, size_t nbytes, bool is_write);
/* Orders all sections of a lock that access one byte, also counters (true: the program has read
 * thread numbers), or only flags (false: a new launch begins). */
void rt_sections_order_all(bool orders);
bool rt_sections_orders_all(void);
uint32_t rt_promise_new(void);

#endif
