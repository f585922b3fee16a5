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
  uint64_t Size = 0;             /* bytes, of all elements; 0: `Length` has the number */
  llvm::Value *Length = nullptr; /* the number of bytes of a mem intrinsic */
  llvm::Value *Mask = nullptr;   /* the elements of a masked vector that are accessed */
  uint64_t ElementSize = 0;      /* the size of these elements; without a mask, see element.h */
  llvm::Align Alignment;         /* the alignment of the address */
  bool IsWrite = false;
  bool IsVolatile = false;
  bool IsVptr = false; /* an access to a pointer to a table of virtual functions */
  /* Why it has no check, also if an earlier pass removed it (marks.h). */
  Removal Removed = Removal::None;

  bool isRemoved() const { return Removed != Removal::None; }
};

using Accesses = std::vector<Access>;

/* Returns the accesses that can race, in the order of the instructions.  Accesses to constants
 * cannot. */
Accesses accessesOf(llvm::Function &F);

/* Returns whether the compiler expands a mem intrinsic in place, so that its accesses are in
 * this code. */
bool isInPlace(const llvm::MemIntrinsic &M);

/* Turns mem intrinsics of unknown or great length into calls of functions of the runtime that make
 * no check. */
void functionsCall(llvm::Function &F);

/* Inserts the checks.  If the program shall count removed checks, inserts counters in their
 * place. */
void checksEmit(llvm::Function &F, const Accesses &All);

} // namespace snag

#endif
