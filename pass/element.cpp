/* SPDX-License-Identifier: Apache-2.0
 *
 * element.cpp - the size of the elements that vectors and mem intrinsics access
 */
#include "element.h"

#include "compat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace snag {

enum { WordBytes = 8, MaxFields = 16 };

/* [same] Returns the size of each scalar; 0: they differ. */
static uint64_t scalarOf(Type *T, const DataLayout &DL) {
  while (T->isArrayTy() || isa<FixedVectorType>(T))
    T = T->getContainedType(0);
  auto *S = dyn_cast<StructType>(T);
  if (!S)
    return T->isSized() && T->isSingleValueType() && !T->isVectorTy()
               ? DL.getTypeStoreSize(T).getFixedValue()
               : 0;
  uint64_t Size = 0;
  if (S->getNumElements() > MaxFields)
    return 0;
  for (Type *Field : S->elements()) {
    uint64_t Here = scalarOf(Field, DL);
    if (Here == 0 || (Size && Here != Size))
      return 0;
    Size = Here;
  }
  return Size;
}

uint64_t elementOf(Type *T, const DataLayout &DL) {
  uint64_t Size = scalarOf(T, DL);
  return Size > 1 && Size < WordBytes && isPowerOf2_64(Size) ? Size : 0;
}

/* [type] Returns the type at an address; NULL: it is unknown. */
static Type *typeAt(const Value *Address) {
  const Value *V = Address->stripPointerCasts();
  for (; isa<GEPOperator>(V); V = cast<GEPOperator>(V)->getPointerOperand()->stripPointerCasts()) {
    Type *T = cast<GEPOperator>(V)->getResultElementType();
    if (!T->isIntegerTy(8))
      return T;
  }
  if (const auto *A = dyn_cast<AllocaInst>(V))
    return A->getAllocatedType();
  if (const auto *G = dyn_cast<GlobalVariable>(V))
    return G->getValueType();
  return pointedTo(V->getType());
}

/* [alias] Returns the size by the names that clang gives types in C and C++. */
static uint64_t aliasOf(const MemIntrinsic &M) {
  const MDNode *Tag = M.getMetadata(LLVMContext::MD_tbaa);
  const auto *T = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  const auto *Name = T && T->getNumOperands() > 0 ? dyn_cast<MDString>(T->getOperand(0)) : nullptr;
  return Name ? StringSwitch<uint64_t>(Name->getString())
                    .Cases("int", "float", 4)
                    .Case("short", 2)
                    .Default(0)
              : 0;
}

uint64_t elementAt(const MemIntrinsic &M, const Value *Address, const DataLayout &DL) {
  Type *T = typeAt(Address);
  uint64_t Size = T ? elementOf(T, DL) : 0;
  return Size ? Size : aliasOf(M);
}

} // namespace snag
