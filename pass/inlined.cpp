/* SPDX-License-Identifier: Apache-2.0
 *
 * inlined.cpp - a check that tests in place whether an access adds anything
 *
 * Idea.   Most accesses repeat what the runtime knows already.  The runtime keeps a table of these
 *         accesses (src/runtime/access/filter.h).  The code before an access compares one
 *         entry, and calls the runtime only if it differs:
 *
 *             if (--fuel < 0 || filter[slot of the address] != address and key)
 *                     if (fuel < 0 || filter[slot of the address] != address and lasting)
 *                             __snag_new_read4(address);
 *
 *         This serves traces and detectors in the process: when accesses must be reported again,
 *         the runtime changes the key.  In programs of tasks two shorter tests come first: whether
 *         a detector observes the program now, and whether the access is at the address that
 *         follows from the iteration before, or at the same one (src/runtime/access/sites.h).  This
 *         is about 70 bytes of code.  places.cpp says which accesses get it; the others call a
 *         function with the same tests (src/runtime/access/check.c).
 * Rules.  [size]  1, 2, 4, 8 bytes anywhere, and 16, which are two of 8
 *         [idle]  A detector in the process sees nothing while nothing can race.
 *         [slow]  Code that is not optimised calls the runtime at every access.
 */
#include "abi.h"
#include "compat.h"

#include "../src/runtime/access/filter.h"
#include "../src/runtime/access/sites.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;

namespace snag {

enum { TwoWords = 16, Seldom = 1, Mostly = 1000 };

bool isFiltered(const Access &A) {
  const Function *F = A.At->getFunction();
  return isInlining() && !A.Mask && !isOfElements(A) && !isSpunOn(A) && !A.IsVptr &&
         A.Size <= TwoWords && isPowerOf2_64(A.Size) && !F->hasOptNone() &&
         Triple(F->getParent()->getTargetTriple()).getArch() == Triple::x86_64;
}

class Look {
  Abi &Calls;
  IRBuilder<> &B;
  bool IsWrite;
  Value *Filter = nullptr; /* the filter of the running thread, once it was loaded */

public:
  Look(Abi &C, IRBuilder<> &Builder, bool W) : Calls(C), B(Builder), IsWrite(W) {}

  /* [idle] Returns whether an access can race at all at this moment. */
  Value *isBusy() {
    Value *Idle = word(B.getInt64(offsetof(rt_filter, is_idle)));
    return B.CreateICmpEQ(Idle, B.getInt64(0));
  }

  /* [event] Counts the event; returns whether the check has to call the runtime. */
  Value *count() {
    Value *At = hot();
    Value *Fuel = B.CreateSub(B.CreateLoad(Calls.Word, At), B.getInt64(1));
    B.CreateStore(Fuel, At);
    return B.CreateICmpSLT(Fuel, B.getInt64(0));
  }

  /* [known] Returns 0 if the access of 2^K bytes is known. *ret_Entry is the content of its slot
   * beside the address. */
  Value *differs(Value *Address, unsigned K, Value **ret_Entry = nullptr) {
    Value *High = B.CreateLShr(Address, RT_FILTER_LOG + K);
    Value *At = B.CreateAdd(B.CreateMul(Address, B.getInt64(RT_FILTER_ENTRY >> K)),
                            B.CreateMul(High, B.getInt64(RT_FILTER_STEP * RT_FILTER_ENTRY)));
    At = B.CreateAnd(At, word(B.getInt64(offsetof(rt_filter, bytes))));
    Value *Entry = word(B.CreateAdd(
        At, B.getInt64(offsetof(rt_filter, slot[0]) + K * sizeof(rt_filter().slot[0]))));
    Value *Key = word(B.getInt64(offsetof(rt_filter, key) + IsWrite * sizeof(uint64_t)));
    Entry = B.CreateXor(Entry, B.CreateAnd(Address, B.getInt64(~RT_FILTER_BITS(K))));
    if (ret_Entry)
      *ret_Entry = Entry;
    Value *Bits = B.CreateXor(Entry, Key);
    return IsWrite ? Bits : B.CreateShl(Bits, 1);
  }

  /* [known] For a read that seems to be unknown: returns whether the filter knows it after all. */
  Value *lasts(Value *Entry) {
    return B.CreateICmpEQ(Entry, word(B.getInt64(offsetof(rt_filter, lasting))));
  }

private:
  /* The thread's struct rt_hot (src/runtime/rt.h): fuel, filter ... */
  Value *hot() {
    auto *Hot = cast<GlobalVariable>(Calls.M.getOrInsertGlobal("__snag_hot", Calls.Word));
    Hot->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
    return threadLocal(B, Hot);
  }

  /* The first look loads the filter, before all other looks. */
  Value *filter() {
    Type *Bytes = PointerType::getUnqual(B.getInt8Ty());
    if (!Filter) {
      Value *At = B.CreateConstGEP1_32(Calls.Word, hot(), 1);
      Filter = B.CreateLoad(Bytes, B.CreatePointerCast(At, PointerType::getUnqual(Bytes)));
    }
    return Filter;
  }

  Value *word(Value *Offset) {
    Value *At = B.CreateGEP(B.getInt8Ty(), filter(), Offset);
    return B.CreateLoad(Calls.Word, B.CreatePointerCast(At, PointerType::getUnqual(Calls.Word)));
  }
};

/* [idle] For programs of tasks: emits the look before the code that B emits. */
static void idleEmit(Look &L, IRBuilder<> &B, Instruction *At) {
  B.SetInsertPoint(SplitBlockAndInsertIfThen(L.isBusy(), At, /*Unreachable=*/false));
}

/* [site] For programs of tasks: emits the look at the site. */
static void siteEmit(Abi &Calls, IRBuilder<> &B, Value *Address, Value *Site) {
  Value *Next = B.CreateConstInBoundsGEP1_32(Calls.Word, Site, offsetof(rt_site, next) / 8);
  Value *Stride = B.CreateConstInBoundsGEP1_32(Calls.Word, Site, offsetof(rt_site, stride) / 8);
  Value *Here = B.CreateLoad(Calls.Word, Next), *By = B.CreateLoad(Calls.Word, Stride);
  Instruction *Elsewhere, *GoesOn;
  SplitBlockAndInsertIfThenElse(B.CreateICmpNE(Here, Address), &*B.GetInsertPoint(), &Elsewhere,
                                &GoesOn);
  B.SetInsertPoint(GoesOn);
  B.CreateStore(B.CreateAdd(Here, By), Next);
  B.SetInsertPoint(Elsewhere);
  Value *IsAgain = B.CreateICmpEQ(B.CreateAdd(Address, By), Here);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(B.CreateNot(IsAgain), Elsewhere,
                                             /*Unreachable=*/false));
}

void inlinedEmit(Abi &Calls, const Access &A, Value *Site) {
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(A.At->getDebugLoc());
  Look L(Calls, B, A.IsWrite);
  Value *Address = B.CreatePtrToInt(A.Address, Calls.Word);
  if (isForTasks())
    idleEmit(L, B, A.At);
  if (Site)
    siteEmit(Calls, B, Address, Site);
  Value *IsOut = L.count(), *Entry;
  Value *Differs = L.differs(Address, A.Size == TwoWords ? 3 : Log2_64(A.Size), &Entry);
  if (A.Size == TwoWords)
    Differs = B.CreateOr(Differs, L.differs(B.CreateAdd(Address, B.getInt64(8)), 3));
  Value *IsNew = B.CreateOr(IsOut, B.CreateICmpNE(Differs, B.getInt64(0)));
  MDNode *Weights = MDBuilder(B.getContext()).createBranchWeights(Seldom, Mostly);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsNew, &*B.GetInsertPoint(), false, Weights));
  if (!A.IsWrite && A.Size < TwoWords) {
    Value *IsCall = B.CreateOr(IsOut, B.CreateNot(L.lasts(Entry)));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(IsCall, &*B.GetInsertPoint(), false));
  }
  B.SetCurrentDebugLocation(A.At->getDebugLoc());
  SmallVector<Value *, 2> Args = {Calls.pointer(B, A.Address)};
  if (Site)
    Args.push_back(Site);
  Calls.call(B,
             Twine(Site ? "__snag_next_" : "__snag_new_") + (A.IsWrite ? "write" : "read") +
                 Twine(A.Size),
             Args);
}

} // namespace snag
