/* SPDX-License-Identifier: Apache-2.0
 *
 * inlined.cpp - a look, in place, whether an access adds anything
 *
 * Idea.   Most accesses repeat what the runtime knows already.  It keeps a table of these, one
 * entry to compare (src/runtime/filter.h); the code that does so stands before the access, and a
 * call only behind it:
 *
 *             if (--fuel < 0 || filter[slot of the address] != address and key)
 *                     if (fuel < 0 || filter[slot of the address] != address and lasting)
 *                             __snag_new_read4(address);
 *
 *         This is for traces as for detectors in the process: both tell the runtime when what was
 *         known is so no longer, by another key.
 * Rules.  [size]  1, 2, 4, 8 bytes anywhere, and 16, which are two of 8
 *         [slow]  code that is not optimised, or for size, has calls
 */
#include "abi.h"
#include "compat.h"

#include "../src/runtime/filter.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cstddef>

using namespace llvm;

namespace snag {

enum { TwoWords = 16, Seldom = 1, Mostly = 1000 };

static bool isInlinable(const Access &A) {
  const Function *F = A.At->getFunction();
  return isInlining() && !A.Mask && !A.IsVptr && A.Size <= TwoWords && isPowerOf2_64(A.Size) &&
         !F->hasOptNone() && !F->hasOptSize() &&
         Triple(F->getParent()->getTargetTriple()).getArch() == Triple::x86_64;
}

class Look {
  Abi &Calls;
  IRBuilder<> &B;
  bool IsWrite;
  Constant *Filter;

public:
  Look(Abi &C, IRBuilder<> &Builder, bool W)
      : Calls(C), B(Builder), IsWrite(W),
        Filter(C.M.getOrInsertGlobal("__snag_filter", Builder.getInt8Ty())) {}

  /* [event] Whether the runtime has to be asked. */
  Value *count() {
    auto *Hot = cast<GlobalVariable>(Calls.M.getOrInsertGlobal("__snag_hot", Calls.Word));
    Hot->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
    Value *At = threadLocal(B, Hot);
    Value *Fuel = B.CreateSub(B.CreateLoad(Calls.Word, At), B.getInt64(1));
    B.CreateStore(Fuel, At);
    return B.CreateICmpSLT(Fuel, B.getInt64(0));
  }

  /* [known] Not 0 if the access of 2^K bytes is not; *ret_Entry: what its slot has beside the
   * address. */
  Value *differs(Value *Address, unsigned K, Value **ret_Entry = nullptr) {
    Value *High = B.CreateLShr(Address, RT_FILTER_LOG + K);
    Value *At = B.CreateAdd(B.CreateMul(Address, B.getInt64(RT_FILTER_ENTRY >> K)),
                            B.CreateMul(High, B.getInt64(RT_FILTER_STEP * RT_FILTER_ENTRY)));
    At = B.CreateAnd(At, B.getInt64(RT_FILTER_BITS(3)));
    Value *Entry = word(B.CreateAdd(
        At, B.getInt64(offsetof(rt_filter, slot[0]) + K * sizeof(rt_filter().slot[0]))));
    Value *Key = word(B.getInt64(offsetof(rt_filter, key) + IsWrite * sizeof(uint64_t)));
    Entry = B.CreateXor(Entry, B.CreateAnd(Address, B.getInt64(~RT_FILTER_BITS(K))));
    if (ret_Entry)
      *ret_Entry = Entry;
    Value *Bits = B.CreateXor(Entry, Key);
    return IsWrite ? Bits : B.CreateShl(Bits, 1);
  }

  /* [known] Of a read that seems not to be: whether it is. */
  Value *lasts(Value *Entry) {
    return B.CreateICmpEQ(Entry, word(B.getInt64(offsetof(rt_filter, lasting))));
  }

private:
  Value *word(Value *Offset) {
    Value *At = B.CreateGEP(B.getInt8Ty(), Filter, Offset);
    return B.CreateLoad(Calls.Word, B.CreatePointerCast(At, PointerType::getUnqual(Calls.Word)));
  }
};

bool inlinedEmit(Abi &Calls, const Access &A) {
  if (!isInlinable(A))
    return false;
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(A.At->getDebugLoc());
  Look L(Calls, B, A.IsWrite);
  Value *IsOut = L.count();
  Value *Address = B.CreatePtrToInt(A.Address, Calls.Word);
  Value *Entry;
  Value *Differs = L.differs(Address, A.Size == TwoWords ? 3 : Log2_64(A.Size), &Entry);
  if (A.Size == TwoWords)
    Differs = B.CreateOr(Differs, L.differs(B.CreateAdd(Address, B.getInt64(8)), 3));
  Value *IsNew = B.CreateOr(IsOut, B.CreateICmpNE(Differs, B.getInt64(0)));
  MDNode *Weights = MDBuilder(B.getContext()).createBranchWeights(Seldom, Mostly);
  B.SetInsertPoint(SplitBlockAndInsertIfThen(IsNew, A.At, /*Unreachable=*/false, Weights));
  B.SetCurrentDebugLocation(A.At->getDebugLoc());
  if (!A.IsWrite && A.Size < TwoWords) {
    Value *IsCall = B.CreateOr(IsOut, B.CreateNot(L.lasts(Entry)));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(IsCall, &*B.GetInsertPoint(), false));
    B.SetCurrentDebugLocation(A.At->getDebugLoc());
  }
  Calls.call(B, Twine("__snag_new_") + (A.IsWrite ? "write" : "read") + Twine(A.Size),
             {Calls.pointer(B, A.Address)});
  return true;
}

} // namespace snag
