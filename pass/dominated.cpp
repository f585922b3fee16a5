/* SPDX-License-Identifier: Apache-2.0
 *
 * dominated.cpp - cells that are checked twice in a step
 *
 * Idea.   Dataflow over places.  A place is a pointer of the program, an offset from it, a
 *         size, and read or write.
 * Rules.  [before]  The pass removes the check of an access if on all paths to it the place was
 *                   checked since the step began.  A check covers the places inside it, and the
 *                   check of a write covers reads.
 *         [after]   For tasks only, whose steps have no order within: it removes the check of an
 *                   access if on all paths from it another access of the step covers it, and
 *                   [before] did not remove that one.  Not around loops, so that the other access
 *                   comes for certain.
 *         Volatile accesses keep their checks: in a loop that waits for another thread, the
 *         check is where the other thread gets its turn.
 *         A pointer that is computed again is another pointer: its places are forgotten there.
 * Correct.  [before]: The covering access is in the same step.  So an access that is parallel
 *           to one
 *         is parallel to the other, and conflicts with both.  If [before] removed the covering
 *         check, too, the argument goes on from there; it ends, because it goes back in time.
 *         Likewise
 *         [after], forward.  A check removed by [before] may depend on one removed by [after],
 *         which is covered in the same step, too.  In programs of threads the same holds for
 *         happens-before, in which a step has one place: as for the filter of the runtime
 *         (src/runtime/access/access.h).
 */
#include "removals.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

#include <map>
#include <tuple>

using namespace llvm;

namespace snag {

enum { MaxPlaces = 4096 };

struct Place {
  const Value *Base;
  int64_t Offset;
  uint64_t Size;
  bool IsWrite;

  bool covers(const Place &P) const {
    return Base == P.Base && Offset <= P.Offset &&
           Offset + int64_t(Size) >= P.Offset + int64_t(P.Size) && (IsWrite || !P.IsWrite);
  }
  bool operator<(const Place &P) const {
    return std::tie(Base, Offset, Size, IsWrite) < std::tie(P.Base, P.Offset, P.Size, P.IsWrite);
  }
};

class Flow {
  Function &F;
  Accesses &All;
  const Calls &Sync;
  std::vector<Place> Places;
  std::vector<BitVector> Covered;            /* by place: the places that it covers */
  DenseMap<const Value *, BitVector> OfBase; /* by pointer: the places of the pointer */
  DenseMap<const Instruction *, SmallVector<std::pair<size_t, int>, 2>> At; /* access, place */
  /* by block: the places at its end, in the direction of the walk */
  DenseMap<const BasicBlock *, BitVector> Out;

public:
  Flow(Function &Fn, Accesses &A, const Calls &C) : F(Fn), All(A), Sync(C) { placesFind(); }

  bool isTooLarge() const { return Places.size() > MaxPlaces; }

  void forward() { /* [before] */
    ReversePostOrderTraversal<Function *> Order(&F);
    for (bool HasChanged = true; HasChanged;) {
      HasChanged = false;
      for (BasicBlock *B : Order)
        HasChanged |= outSet(*B, through(*B, before(*B), false));
    }
    for (BasicBlock *B : Order)
      through(*B, before(*B), true);
  }

  void backward() { /* [after] */
    Out.clear();
    for (BasicBlock *B : post_order(&F))
      Out[B] = back(*B, after(*B));
  }

private:
  void placesFind() {
    const DataLayout &DL = F.getParent()->getDataLayout();
    std::map<Place, int> Number;
    for (size_t i = 0; i < All.size(); i++) {
      const Access &A = All[i];
      if (A.Mask || A.Length || A.IsVolatile || A.Removed == Removal::Local)
        continue;
      APInt Offset(DL.getIndexTypeSizeInBits(A.Address->getType()), 0);
      const Value *Base = A.Address->stripAndAccumulateConstantOffsets(DL, Offset, true);
      Place P{Base, Offset.getSExtValue(), A.Size, A.IsWrite};
      auto [It, IsNew] = Number.try_emplace(P, int(Places.size()));
      if (IsNew)
        Places.push_back(P);
      At[A.At].push_back({i, It->second});
    }
    if (isTooLarge())
      return;
    for (size_t i = 0; i < Places.size(); i++) {
      BitVector &Same = OfBase[Places[i].Base];
      Same.resize(Places.size());
      Same.set(i);
    }
    Covered.resize(Places.size(), BitVector(Places.size()));
    for (size_t i = 0; i < Places.size(); i++)
      for (unsigned k : OfBase[Places[i].Base].set_bits())
        if (Places[i].covers(Places[k]))
          Covered[i].set(k);
  }

  bool outSet(const BasicBlock &B, const BitVector &State) {
    auto [It, IsNew] = Out.try_emplace(&B, State);
    if (!IsNew && It->second == State)
      return false;
    It->second = State;
    return true;
  }

  /* A path that was not analysed yet counts as one that has all checks. */
  BitVector before(BasicBlock &B) {
    BitVector State(Places.size(), &B != &F.getEntryBlock());
    for (BasicBlock *P : predecessors(&B)) {
      auto It = Out.find(P);
      if (It != Out.end())
        State &= It->second;
    }
    return State;
  }

  void defined(const Instruction &I, BitVector &State) {
    auto It = OfBase.find(&I);
    if (It != OfBase.end())
      State.reset(It->second);
  }

  BitVector through(BasicBlock &B, BitVector State, bool Marks) {
    for (Instruction &I : B) {
      auto It = At.find(&I);
      if (It != At.end())
        for (auto [Number, Of] : It->second) {
          Access &A = All[Number];
          if (Marks && State.test(Of) && !A.isRemoved())
            A.Removed = Removal::Dominated;
          State |= Covered[Of];
        }
      if (Sync.maySynchronise(I))
        State.reset();
      defined(I, State);
    }
    return State;
  }

  /* A path that leads back, or out of the function, counts as one without checks. */
  BitVector after(BasicBlock &B) {
    BitVector State(Places.size(), succ_size(&B) > 0);
    for (BasicBlock *S : successors(&B)) {
      auto It = Out.find(S);
      if (It != Out.end())
        State &= It->second;
      else
        State.reset();
    }
    return State;
  }

  BitVector back(BasicBlock &B, BitVector State) {
    for (Instruction &I : reverse(B)) {
      if (!Sync.isHarmless(I))
        State.reset();
      defined(I, State);
      auto It = At.find(&I);
      if (It == At.end())
        continue;
      for (auto [Number, Of] : It->second) {
        Access &A = All[Number];
        if (A.isRemoved())
          continue;
        if (State.test(Of))
          A.Removed = Removal::Dominated;
        State |= Covered[Of];
      }
    }
    return State;
  }
};

void removeDominated(Function &F, Accesses &All, const Calls &Sync) {
  Flow Places(F, All, Sync);
  if (Places.isTooLarge())
    return;
  Places.forward();
  if (isForTasks())
    Places.backward();
}

} // namespace snag
