/* SPDX-License-Identifier: Apache-2.0
 *
 * abi.h - calling the runtime
 */
#ifndef SNAG_PASS_ABI_H
#define SNAG_PASS_ABI_H

#include "access.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace snag {

struct Abi {
  llvm::Module &M;
  llvm::PointerType *Pointer;
  llvm::IntegerType *Word; /* 64 bits */
  llvm::Type *Nothing;

  explicit Abi(llvm::Module &Mod);

  /* A call of a function that returns nothing; its type is that of the arguments. */
  llvm::CallInst *call(llvm::IRBuilder<> &B, const llvm::Twine &Name,
                       llvm::ArrayRef<llvm::Value *> Args);
  llvm::Value *pointer(llvm::IRBuilder<> &B, llvm::Value *Address);

  /* Counts one access of this kind when the program runs; after the kinds come those that have a
   * check, and checks of loops (src/runtime/access/pass.c). */
  void count(llvm::IRBuilder<> &B, unsigned Kind, bool IsWrite);
  static constexpr unsigned OfLoops = Removals + 1;
};

/* Returns whether the access is reported by element (element.h). */
bool isOfElements(const Access &A);

/* Returns whether threads may wait for the access by repeating it: it is volatile. */
bool isSpunOn(const Access &A);

/* Puts the check of an access in. */
void checkEmit(Abi &Calls, const Access &A, const llvm::DebugLoc &Where);

/* Returns whether the filter (src/runtime/access/filter.h) can hold accesses of this size and
 * kind. If so, calledEmit() or inlinedEmit() inserts the check; otherwise checkEmit() does. */
bool isFiltered(const Access &A);

/* Inlined checks of a function, at most; those of loops that are reported as a whole count for
 * themselves. */
enum { MaxInlined = 128 };

/* How an access is checked (places.cpp). */
struct Place {
  bool IsInlined = false;
  llvm::Value *Site = nullptr; /* the site of an inlined check, in a program of tasks */
};
std::vector<Place> placesOf(llvm::Function &F, Abi &Calls, const Accesses &All);

/* A check that looks into the filter: a call of a function that spares registers
 * (src/runtime/access/check.c), or inlined.  The latter ends the block at the access. */
void calledEmit(Abi &Calls, const Access &A);
void inlinedEmit(Abi &Calls, const Access &A, llvm::Value *Site = nullptr);

} // namespace snag

#endif
