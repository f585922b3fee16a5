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

static Value *sizeOf(Abi &Calls, IRBuilder<> &B, const Access &A) {
  return A.Length ? B.CreateIntCast(A.Length, Calls.Word, false) : B.getInt64(A.Size);
}

/* The detectors of tasks count bytes, whatever variable the bytes belong to. */
bool isOfElements(const Access &A) { return A.ElementSize && !A.Mask && !isForTasks(); }

/* Tasks do not wait by polling memory. */
bool isSpunOn(const Access &A) { return A.IsVolatile && !isForTasks(); }

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
  } else if (isOfElements(A)) {
    Calls.call(B, Twine("__snag_elements_") + Kind,
               {Address, sizeOf(Calls, B, A), B.getInt64(A.ElementSize)});
  } else if (!isPowerUpTo16(A.Size)) {
    Calls.call(B, Twine("__tsan_") + Kind + "_range", {Address, sizeOf(Calls, B, A)});
  } else {
    bool IsAligned = A.Alignment.value() >= 8 || A.Alignment.value() % A.Size == 0;
    std::string Name = IsAligned || A.Size == 1 ? "__tsan_" : "__tsan_unaligned_";
    Name += isSpunOn(A) ? "volatile_" : "";
    Calls.call(B, Name + Kind + Twine(A.Size), {Address});
  }
}

/* Binds the call when a shared library is loaded. The dynamic linker would otherwise bind it at
 * the first call and change r10, on which the caller relies. */
static void bindEarly(Function &Callee) {
  const Module &M = *Callee.getParent();
  if (M.getPICLevel() != PICLevel::NotPIC && M.getPIELevel() == PIELevel::Default)
    Callee.addFnAttr(Attribute::NonLazyBind);
}

void calledEmit(Abi &Calls, const Access &A) {
  IRBuilder<> B(A.At);
  B.SetCurrentDebugLocation(A.At->getDebugLoc());
  CallInst *Call = Calls.call(B,
                              Twine(isForTasks() ? "__snag_task_" : "__snag_") +
                                  (A.IsWrite ? "write" : "read") + Twine(A.Size),
                              {Calls.pointer(B, A.Address)});
  /* A cast is in between if the program declares the function with another type. */
  auto *Callee = cast<Function>(Call->getCalledOperand()->stripPointerCasts());
  Call->setCallingConv(CallingConv::PreserveMost);
  Callee->setCallingConv(CallingConv::PreserveMost);
  bindEarly(*Callee);
}

/* The code of a mem intrinsic will be here, not a call of a function that checks by itself. */
enum { InPlaceBytes = 128 };

bool isInPlace(const MemIntrinsic &M) {
  const auto *Length = dyn_cast<ConstantInt>(M.getLength());
  return isa<MemCpyInlineInst>(M) || M.getDestAddressSpace() != 0 ||
         (Length && Length->getZExtValue() <= InPlaceBytes);
}

static void functionCall(Abi &Calls, MemIntrinsic &I) {
  IRBuilder<> B(&I);
  Value *To = Calls.pointer(B, I.getRawDest());
  Value *Length = B.CreateIntCast(I.getLength(), Calls.Word, false);
  if (auto *Set = dyn_cast<MemSetInst>(&I))
    Calls.call(B, "__snag_memset",
               {To, B.CreateIntCast(Set->getValue(), B.getInt32Ty(), false), Length});
  else
    Calls.call(B, isa<MemMoveInst>(I) ? "__snag_memmove" : "__snag_memcpy",
               {To, Calls.pointer(B, cast<MemTransferInst>(I).getRawSource()), Length});
  I.eraseFromParent();
}

void functionsCall(Function &F) {
  Abi Calls(*F.getParent());
  SmallVector<MemIntrinsic *, 8> Far;
  for (Instruction &I : instructions(F))
    if (auto *Mem = dyn_cast<MemIntrinsic>(&I))
      if (!isInPlace(*Mem))
        Far.push_back(Mem);
  for (MemIntrinsic *Mem : Far)
    functionCall(Calls, *Mem);
}

void checksEmit(Function &F, const Accesses &All) {
  Abi Calls(*F.getParent());
  std::vector<Place> Places = placesOf(F, Calls, All);
  for (size_t i = 0; i < All.size(); i++) {
    const Access &A = All[i];
    IRBuilder<> B(A.At);
    if (hasCounts())
      Calls.count(B, static_cast<unsigned>(A.Removed), A.IsWrite);
    if (A.isRemoved())
      continue;
    if (!isFiltered(A))
      checkEmit(Calls, A, A.At->getDebugLoc());
    else if (Places[i].IsInlined)
      inlinedEmit(Calls, A, Places[i].Site);
    else
      calledEmit(Calls, A);
  }
}

} // namespace snag
