/* SPDX-License-Identifier: Apache-2.0
 *
 * compat.h - functions that differ between LLVM 14 and LLVM 19
 */
#ifndef SNAG_PASS_COMPAT_H
#define SNAG_PASS_COMPAT_H

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif

namespace snag {

/* A pointer to anything, in address space 0. */
inline llvm::PointerType *bytePointer(llvm::LLVMContext &C) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::getUnqual(C);
#else
  return llvm::Type::getInt8PtrTy(C);
#endif
}

/* Returns the type that a pointer of this type points to; NULL: the pointer does not say. */
inline llvm::Type *pointedTo(llvm::Type *Pointer) {
#if LLVM_VERSION_MAJOR >= 15
  (void)Pointer;
  return nullptr;
#else
  return llvm::cast<llvm::PointerType>(Pointer)->isOpaque() ? nullptr
                                                            : Pointer->getPointerElementType();
#endif
}

inline llvm::Value *threadLocal(llvm::IRBuilder<> &B, llvm::GlobalVariable *G) {
#if LLVM_VERSION_MAJOR >= 15
  return B.CreateThreadLocalAddress(G);
#else
  (void)B;
  return G;
#endif
}

/* Sets whether a call touches only memory that the program cannot name. */
inline void hidesMemory(llvm::CallBase &Call, bool Hides) {
  if (Hides)
    Call.setOnlyAccessesInaccessibleMemory();
  else
#if LLVM_VERSION_MAJOR >= 16
    Call.removeFnAttr(llvm::Attribute::Memory);
#else
    Call.removeFnAttr(llvm::Attribute::InaccessibleMemOnly);
#endif
}

inline bool canExpandAt(const llvm::SCEV *S, llvm::Instruction *At, llvm::ScalarEvolution &SE,
                        llvm::SCEVExpander &Expander) {
#if LLVM_VERSION_MAJOR >= 15
  (void)SE;
  return Expander.isSafeToExpandAt(S, At);
#else
  (void)Expander;
  return llvm::isSafeToExpandAt(S, At, SE);
#endif
}

} // namespace snag

#endif
