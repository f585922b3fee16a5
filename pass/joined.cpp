/* SPDX-License-Identifier: Apache-2.0
 *
 * joined.cpp - parts of a word that are accessed one after the other: one check
 *
 * Idea.   Bytes that make a word, or the two halves of a pair: accesses of one block, from one
 *         pointer, all reads or all writes, that together fill 2, 4 or 8 bytes.  The first of them
 *         gets one check for all.
 *
 * Rules.  [block]  Nothing between them may synchronise, throw or end the program.  So they are in
 *                  one step, and all or none of them is executed.
 *         [fill]   Every byte of the word belongs to an access that lies in it.
 *
 * Correct.  The check says about a byte what the check of its access said, in the same step.  For
 *         tasks only, whose steps have no order within.
 *
 * Cost.   The pass keeps at most MaxOpen words at a time.
 */
#include "compat.h"
#include "removals.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace snag {

enum { MaxOpen = 64 };

struct Piece {
  size_t Number; /* the number of the access */
  const Value *Base;
  int64_t Offset;
};

class Joiner {
  Accesses &All;
  const DataLayout &DL;
  SmallVector<Piece, MaxOpen> Open; /* the pieces of the step, in the order of execution */

public:
  Joiner(Accesses &A, const DataLayout &D) : All(A), DL(D) {}

  void add(size_t i) {
    const Access &A = All[i];
    if (A.isRemoved() || A.Mask || A.IsVolatile || A.IsVptr || A.Size > 4 ||
        !(isa<LoadInst>(A.At) || isa<StoreInst>(A.At)))
      return;
    if (Open.size() == MaxOpen)
      end();
    APInt Offset(DL.getIndexTypeSizeInBits(A.Address->getType()), 0);
    const Value *Base = A.Address->stripAndAccumulateConstantOffsets(DL, Offset, true);
    Open.push_back({i, Base, Offset.getSExtValue()});
  }

  /* The step ends, or the block. */
  void end() {
    for (int64_t Size : {8, 4, 2})
      for (const Piece &Low : Open)
        fill(Low, Size);
    Open.clear();
  }

private:
  bool isIn(const Piece &P, const Piece &Low, int64_t Size) const {
    const Access &A = All[P.Number];
    return !A.isRemoved() && P.Base == Low.Base && A.IsWrite == All[Low.Number].IsWrite &&
           P.Offset >= Low.Offset && P.Offset + int64_t(A.Size) <= Low.Offset + Size;
  }

  void fill(const Piece &Low, int64_t Size) { /* [fill] */
    unsigned Bytes = 0, Count = 0;
    const Piece *First = nullptr;
    for (const Piece &P : Open)
      if (isIn(P, Low, Size)) {
        Bytes |= ((1u << All[P.Number].Size) - 1) << (P.Offset - Low.Offset);
        First = First ? First : &P;
        Count++;
      }
    if (Count < 2 || Bytes != (1u << Size) - 1)
      return;
    Align Alignment = All[Low.Number].Alignment;
    for (const Piece &P : Open)
      if (&P != First && isIn(P, Low, Size))
        All[P.Number].Removed = Removal::Joined;
    widen(All[First->Number], Low.Offset - First->Offset, Size, Alignment);
  }

  static void widen(Access &A, int64_t From, int64_t Size, Align Alignment) {
    if (From) {
      IRBuilder<> B(A.At);
      Value *Bytes = B.CreatePointerCast(A.Address, bytePointer(A.At->getContext()));
      A.Address = B.CreateGEP(B.getInt8Ty(), Bytes, B.getInt64(uint64_t(From)));
    }
    A.Size = uint64_t(Size);
    A.Alignment = Alignment;
  }
};

void removeJoined(Function &F, Accesses &All, const Calls &Sync) {
  Joiner J(All, F.getParent()->getDataLayout());
  DenseMap<const Instruction *, SmallVector<size_t, 2>> At;
  for (size_t i = 0; i < All.size(); i++)
    At[All[i].At].push_back(i);
  for (BasicBlock &Block : F) {
    for (Instruction &I : Block) {
      if (!Sync.isHarmless(I)) /* [block] */
        J.end();
      auto It = At.find(&I);
      if (It != At.end())
        for (size_t i : It->second)
          J.add(i);
    }
    J.end();
  }
}

} // namespace snag
