/* SPDX-License-Identifier: Apache-2.0
 *
 * freed.h - uses of freed memory before the program has a second thread
 *
 * Idea.   While main is alone, its accesses are not recorded, so the converter sees no use after
 *         free. A small table knows the blocks that main has allocated and freed lately.  An access
 *         that the filter does not know is looked up there.
 * State.  A slot for each 16 bytes, by a hash of their address: what the memory is, and where it
 *         was freed.  Later blocks take the slots of earlier ones.
 * Rules.  [begin]   A block begins: its first slot says so.  Its other slots are empty again.
 *         [free]    Only a block that the table knows to live is marked as freed, up to 256 bytes
 *                   of it.  So memory of an allocator that is not observed is never marked.
 *         [large]   Larger blocks than 64 KB are left out: the C library may unmap them.
 *         [use]     An access to freed memory is reported once for each slot.
 *         [threads] The table ends when the program creates its first thread.
 * Guarantee.  A report is true.  A use is missed if other blocks have taken the slot.
 */
#ifndef SNAG_RUNTIME_FREED_H
#define SNAG_RUNTIME_FREED_H

#include "runtime/rt.h"

void rt_freed_begins(uintptr_t at, size_t n);
void rt_freed_ends(uintptr_t at, size_t n, uintptr_t pc);

#endif
