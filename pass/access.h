/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - the plain accesses of a function, and the checks that stand before them
 *
 * Accesses.  Loads and stores of every type, mem intrinsics, masked and scattered vector
 *         accesses, arguments passed by value.  Atomics are left to the compiler's own pass, as
 *         are functions that ask not to be instrumented.
 * Checks.  A call of the ABI of ThreadSanitizer where that has one (__tsan_read4 ...), of
 *         __tsan_read_range and __tsan_write_range for other sizes, of __snag_masked for vectors
 *         with a mask, of __snag_elements for arrays and vectors of known elements.
 *         In optimised code the check of an access of 1 to 16 bytes first tests whether there is
 *         anything to report: inlined (inlined.cpp) or in a call (src/runtime/access/check.c);
 *         places.cpp decides which.
 */
#ifndef SNAG_PASS_ACCESS_H
#define SNAG_PASS_ACCESS_H

#include "options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <vector>

namespace snag {

struct Access {
  llvm::Instruction *At;         /* the check stands before it */
  llvm::Value *Address;          /* the first byte */
  uint64_t Size = 0;             /* bytes, of all elements; 0: ... */
  llvm::Value *Length = nullptr; /* ... this many, of a mem intrinsic */
  llvm::Value *Mask = nullptr;   /* for a masked vector: which elements ... */
  uint64_t ElementSize = 0;      /* ... of this size; else see element.h */
  llvm::Align Alignment;         /* the alignment of the address */
  bool IsWrite = false;
  bool IsVolatile = false;
  bool IsVptr = false;             /* an access to a pointer to a table of virtual functions */
  Removal Removed = Removal::None; /* why it has no check; marks.h: from before */

  bool isRemoved() const { return Removed != Removal::None; }
};

using Accesses = std::vector<Access>;

/* All that can race, in the order of the instructions; constants cannot. */
Accesses accessesOf(llvm::Function &F);

/* Returns whether the compiler expands a mem intrinsic in place, so that its accesses are in
 * this code. */
bool isInPlace(const llvm::MemIntrinsic &M);

/* Mem intrinsics of unknown or great length become calls of the runtime, which do not check. */
void functionsCall(llvm::Function &F);

/* Puts the checks in, and counters in the place of those removed if these are wanted. */
void checksEmit(llvm::Function &F, const Accesses &All);

} // namespace snag

#endif
