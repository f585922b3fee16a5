/* SPDX-License-Identifier: Apache-2.0
 *
 * sequential.cpp - code that runs only while there are no tasks
 *
 * Idea.   All tasks of a program live inside snag_launch().  main() runs outside of it, as do
 *         the functions of this module that nobody but such functions calls: what they do comes
 *         before all tasks of a launch, or after all of them, on every schedule.
 * Rules.  [sequential]  in such functions no access needs a check
 *         [read-only]   a variable of this module whose address goes nowhere, and which only
 *                       such functions write: its reads need none
 *         Neither in a module that creates threads.
 * Correct.  A race needs two parallel accesses, one a write.  Nothing is parallel to an access of
 *         the first kind, and no write to one of the second.
 * Reference.  Raman et al., sections 6.1 and 6.2.
 */
#include "removals.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace snag {

static bool createsThreads(const Module &M) {
  for (const Function &F : M)
    if (F.getName() == "pthread_create" || F.getName() == "thrd_create" ||
        F.getName().contains("_M_start_thread"))
      return true;
  return false;
}

/* Whether all uses are calls by functions of the set. */
static bool isCalledBy(const Function &F, const SmallPtrSetImpl<const Function *> &Set) {
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || !Set.count(Call->getFunction()))
      return false;
  }
  return true;
}

Sequential::Sequential(Module &M) {
  if (!isForTasks() || createsThreads(M))
    return;
  for (Function &F : M)
    if (!F.isDeclaration() && (F.getName() == "main" || (F.hasLocalLinkage() && !F.use_empty())))
      Functions.insert(&F);
  for (bool HasChanged = true; HasChanged;) {
    HasChanged = false;
    for (Function &F : M)
      if (Functions.count(&F) && !isCalledBy(F, Functions)) {
        Functions.erase(&F);
        HasChanged = true;
      }
  }
  for (GlobalVariable &G : M.globals())
    if (G.hasLocalLinkage() && isReadOnly(G))
      Globals.insert(&G);
}

bool Sequential::isReadOnly(const Value &Address) const {
  for (const Use &U : Address.uses()) {
    const User *At = U.getUser();
    const auto *I = dyn_cast<Instruction>(At);
    if (I && Functions.count(I->getFunction())) {
      /* It may write, but not give the address away. */
      const auto *S = dyn_cast<StoreInst>(I);
      if (isa<LoadInst>(I) || (S && U.getOperandNo() == S->getPointerOperandIndex()) ||
          isa<MemIntrinsic>(I))
        continue;
    } else if (isa<LoadInst>(At)) {
      continue;
    } else if (const auto *T = dyn_cast<MemTransferInst>(At)) {
      if (&U == &T->getRawSourceUse())
        continue;
    }
    if (!(isa<GEPOperator>(At) || isa<BitCastOperator>(At)) || !isReadOnly(*At))
      return false;
  }
  return true;
}

bool Sequential::isOfReadOnly(const Value *Address) const {
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Address));
  return G && Globals.count(G);
}

void Sequential::remove(Function &F, Accesses &All) const {
  bool IsSequential = mayRemove(Removal::Sequential) && Functions.count(&F);
  for (Access &A : All) {
    if (A.isRemoved())
      continue;
    if (IsSequential)
      A.Removed = Removal::Sequential;
    else if (!A.IsWrite && mayRemove(Removal::ReadOnly) && !A.Address->getType()->isVectorTy() &&
             isOfReadOnly(A.Address))
      A.Removed = Removal::ReadOnly;
  }
}

} // namespace snag
