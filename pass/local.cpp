/* SPDX-License-Identifier: Apache-2.0
 *
 * local.cpp - objects that no other thread or task can reach
 *
 * Idea.   A variable on the stack, an argument passed by value, or a new block of the heap whose
 *         address is neither stored anywhere, nor returned, nor given to a function that
 *         may keep it, is accessed only by this call of the function and those below it:
 *         one thread, and one task, since only a pointer that was kept reaches another.
 *         Whatever order they are in, no other access conflicts.
 */
#include "removals.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace snag {

static bool isLocal(const Value *Object) {
  const auto *Passed = dyn_cast<Argument>(Object);
  return (isa<AllocaInst>(Object) || isNoAliasCall(Object) || (Passed && Passed->hasByValAttr())) &&
         !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
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
