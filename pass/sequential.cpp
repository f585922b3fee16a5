/* SPDX-License-Identifier: Apache-2.0
 *
 * sequential.cpp - code that runs only while there are no tasks
 *
 * Idea.   All tasks of a program live inside snag_launch().  main() runs outside of it, as do
 *         the functions of this module that only such functions call: what they do comes
 *         before all tasks of a launch, or after all of them, on every schedule.
 * Rules.  [sequential]  in functions that no task executes no access needs a check
 *         [read-only]   a variable of this module needs no checks of reads if only such functions
 *                       write it, and its address is neither stored nor passed on
 *         [passed]      exception: the address may be passed to a function of this module that all
 *                       callers call by name, if that function does not pass it on.  A read by such
 *                       an argument needs no check if the argument is such a variable in all calls
 *         The rules do not hold in a module that creates threads.
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

/* Returns whether all uses are calls by functions of the set. */
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
    if (SmallPtrSet<const Value *, 16> Seen; G.hasLocalLinkage() && isReadOnly(G, Seen))
      Globals.insert(&G);
}

/* The parameter that gets the value of this use; NULL: the value may go anywhere. */
static const Argument *passedTo(const Use &U) { /* [passed] */
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || F->isDeclaration() || !F->hasLocalLinkage() || !Call->isArgOperand(&U) ||
      Call->getArgOperandNo(&U) >= F->arg_size())
    return nullptr;
  return F->getArg(Call->getArgOperandNo(&U));
}

bool Sequential::isReadOnly(const Value &Address, SmallPtrSetImpl<const Value *> &Seen) const {
  if (!Seen.insert(&Address).second)
    return true; /* the caller has examined it already */
  return all_of(Address.uses(), [&](const Use &U) {
    const User *At = U.getUser();
    const auto *I = dyn_cast<Instruction>(At);
    if (I && Functions.count(I->getFunction())) {
      /* The instruction may write, but not give the address away. */
      const auto *S = dyn_cast<StoreInst>(I);
      if (isa<LoadInst>(I) || (S && U.getOperandNo() == S->getPointerOperandIndex()) ||
          isa<MemIntrinsic>(I))
        return true;
    } else if (isa<LoadInst>(At)) {
      return true;
    } else if (const auto *T = dyn_cast<MemTransferInst>(At)) {
      if (&U == &T->getRawSourceUse())
        return true;
    }
    if (isa<Constant>(At) && At->use_empty())
      return true; /* another pass has examined the access and kept it */
    if (const Argument *Parameter = passedTo(U))
      return isReadOnly(*Parameter, Seen);
    return (isa<GEPOperator>(At) || isa<BitCastOperator>(At) || isa<PHINode>(At) ||
            isa<SelectInst>(At)) &&
           isReadOnly(*At, Seen);
  });
}

bool Sequential::isOfReadOnly(const Value *Address, SmallPtrSetImpl<const Value *> &Seen) const {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects);
  return all_of(Objects, [&](const Value *Object) {
    if (!Seen.insert(Object).second)
      return true;
    if (const auto *G = dyn_cast<GlobalVariable>(Object))
      return G->isConstant() || Globals.count(G);
    const auto *Parameter = dyn_cast<Argument>(Object); /* [passed] */
    const Function *F = Parameter ? Parameter->getParent() : nullptr;
    return F && F->hasLocalLinkage() && !Parameter->hasByValAttr() &&
           all_of(F->uses(), [&](const Use &U) {
             const auto *Call = dyn_cast<CallBase>(U.getUser());
             return Call && Call->isCallee(&U) && Parameter->getArgNo() < Call->arg_size() &&
                    isOfReadOnly(Call->getArgOperand(Parameter->getArgNo()), Seen);
           });
  });
}

void Sequential::remove(Function &F, Accesses &All) const {
  bool IsSequential = mayRemove(Removal::Sequential) && Functions.count(&F);
  for (Access &A : All) {
    if (A.isRemoved())
      continue;
    SmallPtrSet<const Value *, 8> Seen;
    if (IsSequential)
      A.Removed = Removal::Sequential;
    else if (!A.IsWrite && mayRemove(Removal::ReadOnly) && !A.Address->getType()->isVectorTy() &&
             isOfReadOnly(A.Address, Seen))
      A.Removed = Removal::ReadOnly;
  }
}

} // namespace snag
