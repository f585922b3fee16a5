/* SPDX-License-Identifier: Apache-2.0
 *
 * local.cpp - objects that no other thread or task can reach
 *
 * Idea.   A variable on the stack, an argument passed by value, a new block of the heap, or the
 *         copy that a task was given as its argument: if its address is neither stored anywhere,
 *         nor returned, nor given to a function that may keep it, it is accessed only by this call
 *         of the function and those below it: one thread, and one task, since only a pointer that
 *         was kept reaches another.  Whatever order they are in, no other access conflicts.
 * Rules.  [copied]  what creates a task with a copy of its argument keeps the copy, not the address
 *         [own]     the argument of a function that is used for nothing but to create such tasks
 *                   is the copy: nobody else was given it
 * Reference.  Raman et al., section 6.3.
 */
#include "removals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace snag {

enum { TheFunction, TheArgument }; /* of snag_async_copy() */

static bool isGivenCopied(const Use &U, unsigned Which) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && (F->getName() == "snag_async_copy" || F->getName() == "snag_spawn_copy") &&
         Call->isArgOperand(&U) && Call->getArgOperandNo(&U) == Which;
}

static bool isOwnCopy(const Argument &A) { /* [own] */
  const Function *F = A.getParent();
  return A.getArgNo() == 0 && F->hasLocalLinkage() && !F->use_empty() &&
         all_of(F->uses(), [](const Use &U) { return isGivenCopied(U, TheFunction); });
}

struct Keeper : CaptureTracker {
  bool IsKept = false;

  void tooManyUses() override { IsKept = true; }
  bool captured(const Use *U) override {
    IsKept = !isGivenCopied(*U, TheArgument); /* [copied] */
    return IsKept;
  }
};

static bool isLocal(const Value *Object) {
  const auto *Passed = dyn_cast<Argument>(Object);
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(Object) &&
      !(Passed && (Passed->hasByValAttr() || isOwnCopy(*Passed))))
    return false;
  Keeper K;
  PointerMayBeCaptured(Object, &K);
  return !K.IsKept;
}

void removeLocal(Accesses &All) {
  DenseMap<const Value *, bool> Known;
  for (Access &A : All) {
    if (A.isRemoved() || A.Address->getType()->isVectorTy())
      continue;
    const Value *Object = getUnderlyingObject(A.Address);
    auto [It, IsNew] = Known.try_emplace(Object, false);
    if (IsNew)
      It->second = isLocal(Object);
    if (It->second)
      A.Removed = Removal::Local;
  }
}

} // namespace snag
