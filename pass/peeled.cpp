/* SPDX-License-Identifier: Apache-2.0
 *
 * peeled.cpp - the first iteration of a loop, by itself
 *
 * Idea.   Suppose every iteration reads the same address, for example a bound that the optimiser
 *         cannot keep in a register.  After the first iteration this adds nothing.  If the first
 *         iteration stands before the loop, its checks are on all paths into the others
 *         (dominated.cpp):
 *
 *             do body(i); while (++i < n);        if (body(i), ++i < n)
 *                                                         do body(i); while (++i < n);
 *
 * Rules.  [same]    Every iteration makes an access at an address that was computed before the
 *                   loop.
 *         [other]   Every iteration also makes an access at another address.  Otherwise the loop
 *                   may wait for another thread, which gets its turn at the checks.
 *         [quiet]   Nothing in the loop synchronises, and it is small.
 *         Not loops that are reported as a whole (loops.cpp), nor with branches, which depend on
 *         single reads.
 */
#include "peeled.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace snag {

enum { MaxInstructions = 200 };

/* [quiet] */
static bool isSmallAndQuiet(const Loop &L) {
  unsigned N = 0;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const bool IsCall = isa<CallBase>(I) && !isa<IntrinsicInst>(I);
      /* Two iterations would share the scope. */
      if (++N > MaxInstructions || IsCall || I.isAtomic() || I.isVolatile() ||
          isa<NoAliasScopeDeclInst>(I))
        return false;
    }
  return L.isSafeToClone();
}

bool isPeelable(const Loop &L, const Accesses &All, const DominatorTree &DT) {
  bool HasSame = false, HasOther = false;
  if (!L.isInnermost() || !L.isLoopSimplifyForm() || !isSmallAndQuiet(L))
    return false;
  for (const Access &A : All) {
    const BasicBlock *B = A.At->getParent();
    if (A.isRemoved() || !L.contains(B) || !DT.dominates(B, L.getLoopLatch()))
      continue;
    const bool IsSame = L.isLoopInvariant(A.Address->stripInBoundsConstantOffsets());
    HasSame |= IsSame;
    HasOther |= !IsSame;
  }
  return HasSame && HasOther;
}

static Value *mapped(const ValueToValueMapTy &Copy, Value *V) {
  auto It = Copy.find(V);
  return It == Copy.end() ? V : static_cast<Value *>(It->second);
}

/* Makes the header of the copy begin with the values from before the loop. */
static void phisRemove(BasicBlock *Header, BasicBlock *Before, ValueToValueMapTy &Copy) {
  for (PHINode &Phi : Header->phis()) {
    auto *First = cast<PHINode>(Copy[&Phi]);
    Copy[&Phi] = Phi.getIncomingValueForBlock(Before);
    First->eraseFromParent();
  }
}

/* The ways out of the copy lead where those of the loop do. */
static void exitsJoin(const Loop &L, const ValueToValueMapTy &Copy) {
  SmallVector<Loop::Edge, 4> Edges;
  L.getExitEdges(Edges);
  for (const Loop::Edge &E : Edges)
    for (PHINode &Phi : E.second->phis())
      Phi.addIncoming(mapped(Copy, Phi.getIncomingValueForBlock(E.first)),
                      cast<BasicBlock>(mapped(Copy, E.first)));
}

void peel(const Loop &L) {
  BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch();
  ValueToValueMapTy Copy;
  SmallVector<BasicBlock *, 8> Blocks;
  for (BasicBlock *B : L.blocks()) {
    BasicBlock *New = CloneBasicBlock(B, Copy, ".first", Header->getParent());
    New->moveBefore(Header);
    Copy[B] = New;
    Blocks.push_back(New);
  }
  phisRemove(Header, Before, Copy);
  remapInstructionsInBlocks(Blocks, Copy);
  exitsJoin(L, Copy);

  auto *First = cast<BasicBlock>(Copy[Header]);
  BasicBlock *Then =
      BasicBlock::Create(Header->getContext(), "snag.rest", Header->getParent(), Header);
  BranchInst::Create(Header, Then);
  for (PHINode &Phi : Header->phis()) {
    Value *Next = mapped(Copy, Phi.getIncomingValueForBlock(Latch));
    int From = Phi.getBasicBlockIndex(Before);
    Phi.setIncomingBlock(unsigned(From), Then);
    Phi.setIncomingValue(unsigned(From), Next);
  }
  Instruction *Back = cast<BasicBlock>(Copy[Latch])->getTerminator();
  Back->replaceSuccessorWith(First, Then);
  Back->setMetadata(LLVMContext::MD_loop, nullptr);
  Before->getTerminator()->replaceSuccessorWith(Header, First);
}

} // namespace snag
