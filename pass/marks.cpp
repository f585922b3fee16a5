/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.cpp - accesses whose checks were moved before the vectoriser
 */
#include "marks.h"
#include "compat.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace snag {

static const char Name[] = "snag.pass.removed"; /* the groups, by reason */

static MDNode *groupOf(Module &M, Removal R) {
  NamedMDNode *Groups = M.getOrInsertNamedMetadata(Name);
  while (Groups->getNumOperands() < Removals)
    Groups->addOperand(MDNode::getDistinct(M.getContext(), {}));
  return Groups->getOperand(static_cast<unsigned>(R));
}

static bool isCheck(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && (F->getName().substr(0, 7) == "__snag_" || F->getName().substr(0, 7) == "__tsan_");
}

static void checksHide(Function &F, bool Hides) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (isCheck(*Call))
        hidesMemory(*Call, Hides);
}

void marksHide(Function &F) { checksHide(F, true); }
void marksDone(Function &F) { checksHide(F, false); }

void marksSet(Module &M, const Accesses &All) {
  for (const Access &A : All)
    if ((A.Removed == Removal::Invariant || A.Removed == Removal::Footprint ||
         A.Removed == Removal::Loop) &&
        (isa<LoadInst>(A.At) || isa<StoreInst>(A.At) || A.Removed == Removal::Loop))
      A.At->setMetadata(LLVMContext::MD_access_group,
                        uniteAccessGroups(A.At->getMetadata(LLVMContext::MD_access_group),
                                          groupOf(M, A.Removed)));
}

static bool isIn(const MDNode *Groups, const MDNode *One) {
  if (Groups == One)
    return true;
  for (const MDOperand &O : Groups->operands())
    if (O.get() == One)
      return true;
  return false;
}

Removal markOf(const Instruction &I) {
  const MDNode *Groups = I.getMetadata(LLVMContext::MD_access_group);
  const NamedMDNode *Ours = Groups ? I.getModule()->getNamedMetadata(Name) : nullptr;
  for (unsigned i = 0; Ours && i < Ours->getNumOperands(); i++)
    if (isIn(Groups, Ours->getOperand(i)))
      return static_cast<Removal>(i);
  return Removal::None;
}

} // namespace snag
