/* SPDX-License-Identifier: Apache-2.0
 *
 * checks.cpp - the calls that stand before accesses
 */
#include "abi.h"
#include "access.h"
#include "compat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace snag {

Abi::Abi(Module &Mod)
    : M(Mod), Pointer(bytePointer(Mod.getContext())), Word(Type::getInt64Ty(Mod.getContext())),
      Nothing(Type::getVoidTy(Mod.getContext())) {}

CallInst *Abi::call(IRBuilder<> &B, const Twine &Name, ArrayRef<Value *> Args) {
  SmallVector<Type *, 6> Types;
  for (Value *A : Args)
    Types.push_back(A->getType());
  std::string Text = Name.str();
  FunctionCallee Callee =
      M.getOrInsertFunction(Text, FunctionType::get(Nothing, Types, /*isVarArg=*/false));
  CallInst *Call = B.CreateCall(Callee, Args);
  Call->setDoesNotThrow();
  return Call;
}

Value *Abi::pointer(IRBuilder<> &B, Value *Address) {
  return B.CreatePointerCast(Address, Pointer);
}

void Abi::count(IRBuilder<> &B, unsigned Kind, bool IsWrite) {
  auto *Counters = ArrayType::get(Word, 2 * (OfLoops + 1));
  Constant *Table = M.getOrInsertGlobal("__snag_pass_counts", Counters);
  Value *At = B.CreateConstInBoundsGEP2_32(Counters, Table, 0, 2 * Kind + IsWrite);
  B.CreateStore(B.CreateAdd(B.CreateLoad(Word, At), ConstantInt::get(Word, 1)), At);
}

static bool isPowerUpTo16(uint64_t Size) { return Size <= 16 && isPowerOf2_64(Size); }

static void maskedEmit(Abi &Calls, IRBuilder<> &B, const Access &A) {
  auto *MaskType = cast<FixedVectorType>(A.Mask->getType());
  unsigned N = MaskType->getNumElements();
  Value *Bits = B.CreateZExt(B.CreateBitCast(A.Mask, B.getIntNTy(N)), Calls.Word);
  Value *Size = ConstantInt::get(Calls.Word, A.ElementSize);
  const char *Name = A.IsWrite ? "__snag_masked_write" : "__snag_masked_read";
  if (!A.Address->getType()->isVectorTy()) {
    Calls.call(B, Name, {Calls.pointer(B, A.Address), Size, Bits});
    return;
  }
  for (unsigned i = 0; i < N; i++) {
    Value *One = B.CreateAnd(B.CreateLShr(Bits, i), 1);
    Calls.call(B, Name, {Calls.pointer(B, B.CreateExtractElement(A.Address, i)), Size, One});
  }
}

void checkEmit(Abi &Calls, const Access &A, const DebugLoc &Where) {
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(Where);
  const char *Kind = A.IsWrite ? "write" : "read";
  if (A.Mask) {
    maskedEmit(Calls, B, A);
    return;
  }
  Value *Address = Calls.pointer(B, A.Address);
  if (A.IsVptr && A.IsWrite) {
    Value *New = cast<StoreInst>(A.At)->getValueOperand();
    New = New->getType()->isIntegerTy() ? B.CreateIntToPtr(New, Calls.Pointer)
                                        : Calls.pointer(B, New);
    Calls.call(B, "__tsan_vptr_update", {Address, New});
  } else if (A.IsVptr) {
    Calls.call(B, "__tsan_vptr_read", {Address});
  } else if (!isPowerUpTo16(A.Size)) {
    Calls.call(B, Twine("__tsan_") + Kind + "_range", {Address, B.getInt64(A.Size)});
  } else {
    bool IsAligned = A.Alignment.value() >= 8 || A.Alignment.value() % A.Size == 0;
    Calls.call(B, Twine(IsAligned ? "__tsan_" : "__tsan_unaligned_") + Kind + Twine(A.Size),
               {Address});
  }
}

/* A mem intrinsic of unknown or great length: the function itself, as the runtime has it. */
static void functionCall(Abi &Calls, MemIntrinsic &I) {
  IRBuilder<> B(&I);
  Value *To = Calls.pointer(B, I.getRawDest());
  Value *Length = B.CreateIntCast(I.getLength(), Calls.Word, false);
  if (auto *Set = dyn_cast<MemSetInst>(&I)) {
    Value *Byte = B.CreateIntCast(Set->getValue(), B.getInt32Ty(), false);
    B.CreateCall(Calls.M.getOrInsertFunction("memset", Calls.Pointer, Calls.Pointer, B.getInt32Ty(),
                                             Calls.Word),
                 {To, Byte, Length});
  } else {
    Value *From = Calls.pointer(B, cast<MemTransferInst>(I).getRawSource());
    B.CreateCall(Calls.M.getOrInsertFunction(isa<MemMoveInst>(I) ? "memmove" : "memcpy",
                                             Calls.Pointer, Calls.Pointer, Calls.Pointer,
                                             Calls.Word),
                 {To, From, Length});
  }
  I.eraseFromParent();
}

void functionsCall(Function &F) {
  Abi Calls(*F.getParent());
  SmallVector<MemIntrinsic *, 8> Far;
  for (Instruction &I : instructions(F))
    if (auto *Mem = dyn_cast<MemIntrinsic>(&I))
      if (!isInPlace(*Mem) && !isa<MemCpyInlineInst>(Mem) && Mem->getDestAddressSpace() == 0)
        Far.push_back(Mem);
  for (MemIntrinsic *Mem : Far)
    functionCall(Calls, *Mem);
}

void checksEmit(Function &F, const Accesses &All) {
  Abi Calls(*F.getParent());
  for (const Access &A : All) {
    IRBuilder<> B(A.At);
    if (hasCounts())
      Calls.count(B, static_cast<unsigned>(A.Removed), A.IsWrite);
    if (!A.isRemoved() && !inlinedEmit(Calls, A))
      checkEmit(Calls, A, A.At->getDebugLoc());
  }
}

} // namespace snag
