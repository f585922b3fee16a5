/* SPDX-License-Identifier: Apache-2.0
 *
 * local.cpp - objects that no other thread or task can reach
 *
 * Idea.   Take a variable on the stack, an argument passed by value, a new block of the heap,
 *         or the copy that a task got as its argument.  Suppose the function does not store
 *         its address, return it, or pass it to a function that may keep it.  Then only this
 *         call of the function and those below it access the object: one thread, and one task,
 *         because only a pointer that was kept reaches another one.  No other access
 *         conflicts, in any order.
 * Rules.  [copied]  A function that creates a task with a copy of its argument keeps the copy, not
 *                   the address.  That it reads the object does not matter either.
 *         [own]     If a function is used only to create such tasks, its argument is the copy,
 *                   which no other task can reach.  The function may also be called with an object
 *                   that is local to its caller.
 * Reference.  Raman et al., section 6.3.
 */
#include "removals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace snag {

enum { TheFunction, TheArgument }; /* the operands of snag_async_copy() */

static bool isCopying(const CallBase *Call) {
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && (F->getName() == "snag_async_copy" || F->getName() == "snag_spawn_copy") &&
         Call->arg_size() == 3;
}

static bool isGivenCopied(const Use &U, unsigned Which) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  return isCopying(Call) && Call->isArgOperand(&U) && Call->getArgOperandNo(&U) == Which;
}

/* Values that are assumed to be local until something contradicts it. */
using Objects = SmallPtrSet<const Value *, 8>;

static bool isLocal(const Value *Object, Objects &Seen);

static bool isOwnCopy(const Argument &A, Objects &Seen) { /* [own] */
  const Function *F = A.getParent();
  return A.getArgNo() == 0 && F->hasLocalLinkage() && !F->use_empty() &&
         all_of(F->uses(), [&](const Use &U) {
           const auto *Call = dyn_cast<CallBase>(U.getUser());
           bool IsCalled = Call && Call->isCallee(&U) && Call->arg_size() == F->arg_size();
           return IsCalled ? isLocal(getUnderlyingObject(Call->getArgOperand(0)), Seen)
                           : isGivenCopied(U, TheFunction);
         });
}

struct Keeper : CaptureTracker {
  bool IsKept = false;

  void tooManyUses() override { IsKept = true; }
  bool captured(const Use *U) override {
    IsKept = !isGivenCopied(*U, TheArgument); /* [copied] */
    return IsKept;
  }
};

static bool isLocal(const Value *Object, Objects &Seen) {
  if (!Seen.insert(Object).second)
    return true;
  const auto *Passed = dyn_cast<Argument>(Object);
  if (!isa<AllocaInst>(Object) && !isNoAliasCall(Object) &&
      !(Passed && (Passed->hasByValAttr() || isOwnCopy(*Passed, Seen))))
    return false;
  Keeper K;
  PointerMayBeCaptured(Object, &K);
  return !K.IsKept;
}

static bool isLocal(const Value *Object) {
  Objects Seen;
  return isLocal(Object, Seen);
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

void copyLocal(Function &F) { /* [copied] */
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (isCopying(Call) && isLocal(getUnderlyingObject(Call->getArgOperand(TheArgument))) &&
          Call->getCalledFunction()->isDeclaration())
        Calls.push_back(Call);
  for (CallBase *Call : Calls)
    Call->setCalledFunction(F.getParent()->getOrInsertFunction(
        (Call->getCalledFunction()->getName() + "_local").str(), Call->getFunctionType()));
}

} // namespace snag
