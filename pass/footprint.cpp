/* SPDX-License-Identifier: Apache-2.0
 *
 * footprint.cpp - checks of loops, moved before them: one for a cell, one for a whole array
 *
 * Idea.   An access that every iteration of a loop makes, at an address that moves by the same
 *         distance each time, touches cells that are known before the loop begins: a range.  Loops
 *         around it make it a range of ranges, up to MaxDims.
 *
 * Rules.  [every]   Every iteration executes the access, or the range it became: its block
 *                   dominates the latch.
 *         [guard]   In place of [every]: all iterations execute it or none, by a condition that
 *                   does not change in the loop, such as the test whether an inner loop begins.
 *                   The count is 0 if it is false.
 *         [count]   The number of iterations is known when the loop begins.  It is one more if all
 *                   exits test behind the access, and not if all test before it.
 *         [step]    The address is affine in the loop, with a distance that does not change in it.
 *         [nsw]     Subscripts are computed as if they were wide: an overflow that must not happen
 *                   would make the access undefined.
 *         [quiet]   Nothing in the loop may synchronise, throw, or end the program: all its
 *                   accesses are in one step, that of the place before the loop.
 *         [same]    Distance 0 means the same cell each time: loop-invariant motion.
 *         [cover]   A range that lies in another one of the same shape and of at least its kind is
 *                   left out.
 *         [join]    Ranges of one loop with one shape that lie side by side become one, as before
 *                   unrolling and vectorising.
 *
 * Correct.  The cells of the range are those of the accesses: no more (by [every], [count]) and no
 *         fewer (by [step]; addresses wrap as in the program), in the same step (by [quiet]).
 *         That a loop is left by its exits only assumes that it ends, as C does.
 * Reference.  Raman et al., section 6.4; Jin et al., DRDP, section 4.4.2, with scalar evolution in
 *         the place of polyhedra.
 */
#include "removals.h"

#include "abi.h"
#include "address.h"
#include "compat.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace snag {

enum { MaxDims = 3, MaxJoins = 64 };

struct Dim {
  const SCEV *Step, *Count; /* 64 bits */

  bool operator==(const Dim &D) const { return Step == D.Step && Count == D.Count; }
};

struct Range {
  size_t Number;                  /* the number of the access */
  const SCEV *Base;               /* the first cell */
  uint64_t Size;                  /* bytes at each place */
  SmallVector<Dim, MaxDims> Dims; /* inner first */
  BasicBlock *At;                 /* the access is executed whenever this block is */
  bool HasMoved = false;
};

class Footprints {
  Accesses &All;
  const Calls &Sync;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  Abi Runtime;
  SCEVExpander Expander;
  IntegerType *Word;
  DenseMap<const Loop *, bool> Quiet;

public:
  Footprints(Function &Fn, Accesses &A, const Calls &C, LoopInfo &Loops, DominatorTree &D,
             ScalarEvolution &S)
      : All(A), Sync(C), LI(Loops), DT(D), SE(S), Runtime(*Fn.getParent()),
        Expander(S, Fn.getParent()->getDataLayout(), "snag"), Word(Runtime.Word) {}

  void move() {
    std::vector<Range> Ranges;
    for (size_t i = 0; i < All.size(); i++) {
      Range R;
      if (begin(i, R))
        Ranges.push_back(R);
    }
    join(Ranges);
    for (const Range &R : Ranges)
      if (R.Size > 0)
        emit(R);
  }

private:
  bool begin(size_t i, Range &R) {
    const Access &A = All[i];
    if (A.isRemoved() || A.Mask || A.Length || A.IsVolatile || A.IsVptr ||
        !LI.getLoopFor(A.At->getParent()))
      return false;
    R.Number = i;
    R.Base = addressOf(SE, A.Address); /* [nsw] */
    R.Size = A.Size;
    R.At = A.At->getParent();
    for (Loop *L = LI.getLoopFor(R.At); L && outOf(*L, R); L = L->getParentLoop())
      R.HasMoved = true;
    return R.HasMoved && mayRemove(kindOf(R));
  }

  bool isQuiet(const Loop &L) { /* [quiet] */
    auto [It, IsNew] = Quiet.try_emplace(&L, true);
    if (IsNew)
      for (BasicBlock *B : L.blocks())
        for (Instruction &I : *B)
          It->second &= Sync.isHarmless(I);
    return It->second;
  }

  /* Returns how often the loop executes the block; NULL: unknown. */
  const SCEV *countOf(const Loop &L, const BasicBlock *B, bool &IsPositive) { /* [count] */
    SmallVector<BasicBlock *, 4> Exiting;
    L.getExitingBlocks(Exiting);
    const SCEV *Back = SE.getBackedgeTakenCount(&L);
    if (Exiting.empty() || isa<SCEVCouldNotCompute>(Back) || !Back->getType()->isIntegerTy() ||
        SE.getTypeSizeInBits(Back->getType()) > 64)
      return nullptr;
    IsPositive = DT.dominates(B, Exiting[0]);
    for (const BasicBlock *E : Exiting)
      if (DT.dominates(B, E) != IsPositive || (!IsPositive && !DT.dominates(E, B)))
        return nullptr;
    Back = SE.getTruncateOrZeroExtend(Back, Word);
    return IsPositive ? SE.getAddExpr(Back, SE.getOne(Word)) : Back;
  }

  /* Moves the range to the block before its own, whose condition decides whether its own runs.
   * The function does not test that this condition stays the same in the loop. The condition is
   * part of a count, which must stay the same (outOfLoop). */
  bool outOfCondition(const Loop &L, Range &R) { /* [guard] */
    BasicBlock *P = R.At->getSinglePredecessor();
    auto *Branch = P && L.contains(P) ? dyn_cast<BranchInst>(P->getTerminator()) : nullptr;
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return false;
    const SCEV *Times = SE.getZeroExtendExpr(SE.getSCEV(Branch->getCondition()), Word);
    if (Branch->getSuccessor(1) == R.At)
      Times = SE.getMinusSCEV(SE.getOne(Word), Times);
    if (R.Dims.empty())
      R.Dims.push_back({SE.getZero(Word), Times});
    else
      R.Dims.back().Count = SE.getMulExpr(R.Dims.back().Count, Times);
    R.At = P;
    return true;
  }

  /* Moves the range from the loop to the place before it, if that is possible. */
  bool outOf(Loop &L, Range &R) {
    Range Moved = R;
    if (!outOfLoop(L, Moved))
      return false;
    R = Moved;
    return true;
  }

  bool outOfLoop(Loop &L, Range &R) {
    BasicBlock *Latch = L.getLoopLatch(), *Before = L.getLoopPreheader();
    bool IsPositive;
    if (!Latch || !Before || !isQuiet(L))
      return false;
    while (!DT.dominates(R.At, Latch)) /* [every] */
      if (!outOfCondition(L, R))
        return false;
    const SCEV *Count = countOf(L, R.At, IsPositive);
    if (!Count || !SE.isLoopInvariant(Count, &L))
      return false;
    Affine Moves;
    if (!affineIn(SE, L, R.Base, Moves)) /* [step] */
      return false;
    const SCEV *Base = Moves.Start, *Step = Moves.Step;
    bool HasDim = !Step->isZero() || !IsPositive; /* [same] otherwise */
    if ((HasDim && R.Dims.size() == MaxDims) || !canExpand(Base, Before) ||
        (HasDim && (!canExpand(Step, Before) || !canExpand(Count, Before))))
      return false;
    /* A value that can be computed before the loop does not change in the loop. */
    for (const Dim &D : R.Dims)
      if (!canExpand(D.Step, Before) || !canExpand(D.Count, Before))
        return false;
    if (HasDim)
      R.Dims.push_back({Step, Count});
    R.Base = Base;
    R.At = Before;
    return true;
  }

  bool canExpand(const SCEV *S, BasicBlock *B) {
    return canExpandAt(S, B->getTerminator(), SE, Expander);
  }

  /* Returns whether b lies in a, or directly after it, in every place. */
  bool takes(Range &A, const Range &B) {
    bool IsWrite = All[A.Number].IsWrite, SameKind = IsWrite == All[B.Number].IsWrite;
    if (A.At != B.At || A.Dims != B.Dims || !(SameKind || IsWrite))
      return false;
    const auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(B.Base, A.Base));
    if (!Apart || Apart->getAPInt().isNegative())
      return false;
    uint64_t Offset = Apart->getAPInt().getLimitedValue(), End = Offset + B.Size;
    if (End <= A.Size) /* [cover] */
      return true;
    const auto *Step = A.Dims.empty() ? nullptr : dyn_cast<SCEVConstant>(A.Dims[0].Step);
    if (!SameKind || !Step || Step->getAPInt().isNegative() || Offset > A.Size ||
        End > Step->getAPInt().getLimitedValue())
      return false;
    A.Size = std::max(A.Size, End);
    return true;
  }

  void join(std::vector<Range> &Ranges) { /* [join] */
    for (bool HasChanged = true; HasChanged;) {
      HasChanged = false;
      for (size_t i = 0; i < Ranges.size(); i++)
        for (size_t k = i > MaxJoins ? i - MaxJoins : 0; k < Ranges.size() && k < i + MaxJoins; k++)
          if (i != k && Ranges[i].Size > 0 && Ranges[k].Size > 0 && takes(Ranges[i], Ranges[k])) {
            All[Ranges[k].Number].Removed = kindOf(Ranges[k]);
            Ranges[k].Size = 0;
            HasChanged = true;
          }
    }
  }

  static Removal kindOf(const Range &R) {
    for (const Dim &D : R.Dims)
      if (!D.Step->isZero())
        return Removal::Footprint;
    return Removal::Invariant;
  }

  void emit(const Range &R) {
    Access &A = All[R.Number];
    Instruction *At = R.At->getTerminator();
    A.Removed = kindOf(R);
    Value *Base = Expander.expandCodeFor(R.Base, A.Address->getType(), At);
    IRBuilder<> B(At);
    if (hasCounts())
      Runtime.count(B, Abi::OfLoops, A.IsWrite);
    if (R.Dims.empty()) {
      Access Once{At, Base, R.Size};
      Once.Alignment = A.Alignment;
      Once.IsWrite = A.IsWrite;
      checkEmit(Runtime, Once, A.At->getDebugLoc());
      return;
    }
    SmallVector<Value *, 3 + 2 *MaxDims> Args = {Runtime.pointer(B, Base), B.getInt64(R.Size),
                                                 B.getInt64(A.IsWrite)};
    for (const Dim &D : R.Dims) {
      Args.push_back(Expander.expandCodeFor(D.Step, Word, At));
      Args.push_back(Expander.expandCodeFor(D.Count, Word, At));
    }
    B.SetInsertPoint(At);
    Runtime.call(B, Twine("__snag_range") + Twine(R.Dims.size()), Args)
        ->setDebugLoc(A.At->getDebugLoc());
  }
};

void removeInLoops(Function &F, Accesses &All, const Calls &Sync, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool HasChanged = false;
  for (Loop *L : LI.getLoopsInPreorder())
    if (!L->getLoopPreheader())
      HasChanged |= InsertPreheaderForLoop(L, &DT, &LI, nullptr, false) != nullptr;
  if (HasChanged)
    SE.forgetAllLoops();
  Footprints(F, All, Sync, LI, DT, SE).move();
}

} // namespace snag
