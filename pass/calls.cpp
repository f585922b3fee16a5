/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.cpp - instructions that may synchronise, and so end a step
 */
#include "calls.h"
#include "options.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace snag {

/* Returns whether a function of the C library reports nothing. These are functions that compute.
 * In a program of tasks they are all functions that LLVM knows, except those that call code of
 * the program. */
static bool isQuietLibrary(const Function &F, LibFunc Known) {
  if (F.getReturnType()->isFloatingPointTy())
    return true;
  switch (Known) {
  case LibFunc_cxa_guard_acquire:
  case LibFunc_cxa_guard_release:
  case LibFunc_cxa_guard_abort:
  case LibFunc_cxa_atexit:
    return false;
  default:
    return isForTasks();
  }
}

bool Calls::isQuietCall(const CallBase &Call) const {
  const Function *F = Call.getCalledFunction();
  LibFunc Known;
  if (Call.isInlineAsm())
    return false;
  if (isa<IntrinsicInst>(Call) || Call.onlyReadsMemory())
    return true;
  if (!F)
    return false;
  if (Quiet.count(F) || F->getName().substr(0, 7) == "__snag_" ||
      F->getName().substr(0, 7) == "__tsan_")
    return true; /* functions of snag are checks */
  const TargetLibraryInfo &TLI =
      FAM.getResult<TargetLibraryAnalysis>(*const_cast<Function *>(Call.getFunction()));
  return F->isDeclaration() && TLI.getLibFunc(*F, Known) && TLI.has(Known) &&
         isQuietLibrary(*F, Known);
}

bool Calls::maySynchronise(const Instruction &I) const {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return !isQuietCall(*Call);
  return I.isAtomic() && !isForTasks();
}

bool Calls::isHarmless(const Instruction &I) const {
  const auto *Call = dyn_cast<CallBase>(&I);
  return !maySynchronise(I) && !I.mayThrow() && !(Call && Call->doesNotReturn());
}

bool Calls::isQuiet(Function &F) const {
  for (Instruction &I : instructions(F))
    if (maySynchronise(I))
      return false;
  return true;
}

Calls::Calls(Module &M, FunctionAnalysisManager &Manager) : FAM(Manager) {
  for (Function &F : M)
    if (!F.isDeclaration() && !F.isInterposable())
      Quiet.insert(&F);
  for (bool HasChanged = true; HasChanged;) {
    HasChanged = false;
    for (Function &F : M)
      if (Quiet.count(&F) && !isQuiet(F)) {
        Quiet.erase(&F);
        HasChanged = true;
      }
  }
}

} // namespace snag
