/* SPDX-License-Identifier: Apache-2.0
 *
 * access.cpp - the plain accesses of a function
 */
#include "access.h"
#include "element.h"
#include "marks.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace snag {

static bool isVptr(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  return Tag && Tag->isTBAAVtableAccess();
}

/* Returns whether the memory is never written while threads or tasks run. */
static bool isConstant(const Value *Address) {
  const Value *Object = getUnderlyingObject(Address);
  if (const auto *G = dyn_cast<GlobalVariable>(Object))
    return G->isConstant();
  const auto *Table = dyn_cast<LoadInst>(Object);
  return Table && isVptr(*Table);
}

/* The filter of the running thread, into which checks of loops look (inlined.cpp): what a pointer
 * in the thread's block leads to. */
static bool isFilter(const Value *Address) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects);
  for (const Value *Object : Objects) {
    const auto *L = dyn_cast<LoadInst>(Object);
    const Value *From = L ? getUnderlyingObject(L->getPointerOperand()) : nullptr;
    if (!From || From->getName() != "__snag_hot")
      return false;
  }
  return !Objects.empty();
}

/* Returns whether snag observes the memory: not that of other address spaces, and no counters of
 * the compiler itself. */
static bool isOurs(const Value *Address) {
  if (Address->getType()->getScalarType()->getPointerAddressSpace() != 0 || Address->isSwiftError())
    return false;
  const auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(Address));
  if (!G)
    return !isFilter(Address);
  for (StringRef Prefix : {"__llvm", "__sancov", "__snag"})
    if (G->getName().substr(0, Prefix.size()) == Prefix)
      return false;
  return true;
}

class Collector {
  Accesses &All;
  const DataLayout &DL;

public:
  Collector(Accesses &A, const DataLayout &D) : All(A), DL(D) {}

  void visit(Instruction &I) {
    if (auto *L = dyn_cast<LoadInst>(&I)) {
      if (!L->isAtomic())
        plain(I, L->getPointerOperand(), L->getType(), L->getAlign(), false);
    } else if (auto *S = dyn_cast<StoreInst>(&I)) {
      if (!S->isAtomic())
        plain(I, S->getPointerOperand(), S->getValueOperand()->getType(), S->getAlign(), true);
    } else if (auto *M = dyn_cast<MemIntrinsic>(&I)) {
      memory(*M);
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      call(*Call);
    }
  }

private:
  void add(Access A) {
    if (!isOurs(A.Address) || (!A.IsWrite && isConstant(A.Address)))
      return;
    A.Removed = markOf(*A.At);
    All.push_back(A);
  }

  void plain(Instruction &I, Value *Address, Type *T, Align Alignment, bool IsWrite) {
    TypeSize Size = DL.getTypeStoreSize(T);
    if (Size.isScalable())
      return;
    Access A{&I, Address, Size.getFixedValue()};
    A.Alignment = Alignment;
    A.IsWrite = IsWrite;
    A.IsVolatile = I.isVolatile();
    A.IsVptr = isVptr(I) && A.Size == DL.getPointerSize();
    A.ElementSize = T->isVectorTy() ? elementOf(T, DL) : 0;
    if (A.Size > 0)
      add(A);
  }

  void range(MemIntrinsic &M, Value *Address, bool IsWrite) {
    const auto *Size = dyn_cast<ConstantInt>(M.getLength());
    Access A{&M, Address, Size ? Size->getZExtValue() : 0};
    A.Length = Size ? nullptr : M.getLength();
    A.ElementSize = elementAt(M, Address, DL);
    A.IsWrite = IsWrite;
    if (A.Size > 0 || A.Length)
      add(A);
  }

  void memory(MemIntrinsic &M) {
    if (auto *T = dyn_cast<MemTransferInst>(&M))
      range(M, T->getRawSource(), false);
    range(M, M.getRawDest(), true);
  }

  void call(CallBase &Call) {
    Function *Callee = Call.getCalledFunction();
    switch (Callee ? Callee->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      masked(Call, Call.getArgOperand(0), Call.getArgOperand(2), Call.getType(), false);
      return;
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      masked(Call, Call.getArgOperand(1), Call.getArgOperand(3), Call.getArgOperand(0)->getType(),
             true);
      return;
    default:
      break;
    }
    for (unsigned i = 0; i < Call.arg_size(); i++)
      if (Call.isByValArgument(i))
        plain(Call, Call.getArgOperand(i), Call.getParamByValType(i), Align(1), false);
  }

  void masked(CallBase &Call, Value *Address, Value *Mask, Type *T, bool IsWrite) {
    auto *V = dyn_cast<FixedVectorType>(T);
    if (!V || V->getNumElements() > 64)
      return;
    Access A{&Call, Address, DL.getTypeStoreSize(T).getFixedValue()};
    A.IsWrite = IsWrite;
    A.Mask = Mask;
    A.ElementSize = DL.getTypeStoreSize(V->getElementType()).getFixedValue();
    A.Removed = markOf(Call);
    if (Address->getType()->isVectorTy() || (isOurs(Address) && (IsWrite || !isConstant(Address))))
      All.push_back(A);
  }
};

Accesses accessesOf(Function &F) {
  Accesses All;
  Collector C(All, F.getParent()->getDataLayout());
  for (Instruction &I : instructions(F))
    C.visit(I);
  return All;
}

} // namespace snag
