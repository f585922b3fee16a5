/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.h - instructions that may synchronise, and so end a step
 *
 * Idea.   A step of a thread or task ends where it may be ordered with another one.  In a program
 *         of tasks only calls can do that; in a program of threads atomics and fences, too.
 * Rules.  A call does not synchronise if it is an intrinsic, if it does not write memory, if it
 *         calls a function of the C library that is known not to synchronise, or if it calls a
 *         function of this module that no other definition can replace and in which nothing
 *         synchronises: the greatest such set.
 */
#ifndef SNAG_PASS_CALLS_H
#define SNAG_PASS_CALLS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace snag {

class Calls {
  llvm::FunctionAnalysisManager &FAM;
  /* functions of this module without such calls */
  llvm::SmallPtrSet<const llvm::Function *, 32> Quiet;

public:
  Calls(llvm::Module &M, llvm::FunctionAnalysisManager &Manager);

  bool maySynchronise(const llvm::Instruction &I) const;

  /* Returns whether the instruction does not synchronise, does not leave the function by an
   * exception and does not end the program. */
  bool isHarmless(const llvm::Instruction &I) const;

private:
  bool isQuietCall(const llvm::CallBase &Call) const;
  bool isQuiet(llvm::Function &F) const;
};

} // namespace snag

#endif
