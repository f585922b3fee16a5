/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.cpp - conditional branches, and the reads they depend on
 *
 * Idea.   What a thread does next depends on what it read only where its control flow branches: at
 *         conditional branches, switches, and calls of computed functions.  An access whose address
 *         depends on a read counts as a branch, because with another value it would touch another
 *         location.  The pass finds the reads: it walks from the condition back to where its values
 *         come from, through arithmetic, addresses, and variables on the stack (at -O0 nearly all
 *         are).
 *
 * Rules.  [load]    A load depends on that read.  The pass has reported before what its address
 *                   depends on.
 *         [address] An access is a branch on what its address and its length depend on.
 *         [call]    A call is a branch on what its arguments depend on.  So the caller has reported
 *                   a branch for an argument that is part of an address.
 *         [slot]    A variable on the stack that only loads and stores use: its load depends
 *                   on what the stored values depend on, if each value is read in the same
 *                   block as its store, and the variable in the block of its use.  They were
 *                   last executed together then.
 *         [merge]   A phi where paths join depends on the read of the path that was taken; a phi of
 *                   pointers tells which.
 *         [loop]    A phi of a loop depends on nothing, if none of its values depends on a read.
 *         [new]     The address of new memory depends on nothing.
 *         [again]   If on every path to a branch an earlier branch named a read, the pass does not
 *                   name that read again.
 *         [all]     A value from elsewhere (arguments in conditions, results of calls, atomics,
 *                   reads of earlier iterations) may depend on all earlier reads.
 *         The pass does not report a branch that depends on no read, and the runtime leaves out
 *         branches that add nothing (src/runtime/access/branch.c).  Data that flows through other
 *         memory needs no care: a write depends on every read before it.
 *
 * Guarantee.  The reads named include all that the condition was computed from.
 */
#include "branch.h"

#include "abi.h"
#include "compat.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace snag {

enum { MaxReads = 8, MaxValues = 200 };

struct Read {
  Value *Address;
  Value *Size;          /* 64 bits */
  const LoadInst *Load; /* NULL: the value may come from several loads */
};

struct Cone {
  SmallVector<Read, 4> Reads;
  bool IsAll = false;

  void add(const Read &R) {
    for (const Read &Old : Reads)
      if (Old.Address == R.Address && Old.Size == R.Size)
        return;
    Reads.push_back(R);
    IsAll |= Reads.size() > MaxReads;
  }
  void add(const Cone &C) {
    IsAll |= C.IsAll;
    for (const Read &R : C.Reads)
      add(R);
  }
};

class Branches {
  Function &F;
  const DominatorTree &DT;
  Abi Runtime;
  const DataLayout &DL;
  DenseMap<PHINode *, Cone> Merged;
  SmallPtrSet<Value *, 32> Open; /* being walked: values that depend on themselves */
  unsigned Budget = 0;
  unsigned Loops = 0;      /* how often the walk met a loop again */
  bool IsAddress = false;  /* the walk is in the operands of an address, or of an argument */
  bool WasAddress = false; /* the walk was in one before */
  DenseMap<const LoadInst *, SmallVector<const Instruction *, 2>>
      NamedAt; /* the branches that named a read */

public:
  Branches(Function &Fn, const DominatorTree &D)
      : F(Fn), DT(D), Runtime(*Fn.getParent()), DL(Fn.getParent()->getDataLayout()) {}

  void emit(const Accesses &All) {
    DenseMap<Instruction *, SmallVector<Value *, 2>> Addresses;
    SmallVector<Instruction *, 64> Sites;
    for (const Access &A : All)
      if (!A.isRemoved())
        for (Value *V : {A.Address, A.Length, A.Mask})
          if (V)
            Addresses[A.At].push_back(V);
    for (Instruction &I : instructions(F)) {
      addressesAdd(I, Addresses);
      if (decides(I) || Addresses.count(&I))
        Sites.push_back(&I);
    }
    for (Instruction *I : Sites) {
      Cone C;
      auto It = Addresses.find(I);
      if (It != Addresses.end())
        for (Value *V : It->second)
          C.add(coneFrom(V, *I, true));
      if (Value *V = decides(*I))
        C.add(coneFrom(V, *I, false));
      siteEmit(*I, C);
    }
  }

private:
  /* Adds the addresses of atomics and calls, which are not among the accesses. */
  static void addressesAdd(Instruction &I, DenseMap<Instruction *, SmallVector<Value *, 2>> &To) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (I.isAtomic() && getPointerOperandOf(I))
      To[&I].push_back(getPointerOperandOf(I));
    if (Call && !isa<IntrinsicInst>(I) && !Call->isInlineAsm())
      for (Value *V : Call->args())
        if (!isa<Constant>(V))
          To[&I].push_back(V);
  }

  static Value *getPointerOperandOf(Instruction &I) {
    if (auto *X = dyn_cast<AtomicRMWInst>(&I))
      return X->getPointerOperand();
    if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
      return X->getPointerOperand();
    return getLoadStorePointerOperand(&I);
  }

  Cone coneFrom(Value *V, Instruction &At, bool IsOfAddress) {
    Budget = MaxValues;
    Open.clear();
    IsAddress = IsOfAddress;
    if (IsOfAddress != WasAddress)
      Merged.clear(); /* arguments count in one of them, and not in the other */
    WasAddress = IsOfAddress;
    return coneOf(V, At);
  }

  bool isNamed(const Read &R, const Instruction &At) const { /* [again] */
    auto It = R.Load ? NamedAt.find(R.Load) : NamedAt.end();
    if (It == NamedAt.end())
      return false;
    for (const Instruction *Before : It->second)
      if (DT.dominates(Before, &At))
        return true;
    return false;
  }

  static Value *decides(Instruction &I) {
    if (auto *B = dyn_cast<BranchInst>(&I))
      return B->isConditional() ? B->getCondition() : nullptr;
    if (auto *S = dyn_cast<SwitchInst>(&I))
      return S->getCondition();
    if (auto *J = dyn_cast<IndirectBrInst>(&I))
      return J->getAddress();
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->isIndirectCall() ? Call->getCalledOperand() : nullptr;
  }

  void siteEmit(Instruction &I, const Cone &C) {
    IRBuilder<> B(&I);
    if (C.IsAll) {
      Runtime.call(B, "__snag_branch_all", {});
      return;
    }
    bool IsAny = false;
    for (const Read &R : C.Reads) {
      if (isNamed(R, I))
        continue;
      Runtime.call(B, "__snag_depends", {Runtime.pointer(B, R.Address), R.Size});
      IsAny = true;
      if (R.Load)
        NamedAt[R.Load].push_back(&I);
    }
    if (IsAny)
      Runtime.call(B, "__snag_branch", {});
  }

  static Cone all() {
    Cone C;
    C.IsAll = true;
    return C;
  }

  /* Returns the sources of the value at an instruction. */
  Cone coneOf(Value *V, Instruction &At) {
    auto *I = dyn_cast<Instruction>(V);
    if (isa<Argument>(V))
      return IsAddress ? Cone() : all(); /* [call] */
    if (!I)
      return Cone(); /* a constant */
    if (Budget == 0)
      return all();
    Budget--;
    if (!Open.insert(I).second) {
      Loops++;
      return Cone();
    }
    Cone C = instructionCone(*I, At);
    Open.erase(I);
    return C;
  }

  Cone instructionCone(Instruction &I, Instruction &At) {
    if (auto *L = dyn_cast<LoadInst>(&I))
      return loadCone(*L, At);
    if (auto *P = dyn_cast<PHINode>(&I))
      return phiCone(*P);
    if (IsAddress && isNoAliasCall(&I)) /* [new] */
      return Cone();
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (!Call->doesNotAccessMemory() || Call->isIndirectCall())
        return all();
    if (I.isAtomic())
      return all();
    return operandsCone(I, At);
  }

  Cone operandsCone(User &U, Instruction &At) {
    Cone C;
    for (Value *Operand : U.operands())
      if (!C.IsAll)
        C.add(coneOf(Operand, At));
    return C;
  }

  Cone loadCone(LoadInst &L, Instruction &At) { /* [load] */
    Value *Address = L.getPointerOperand();
    Value *Object = getUnderlyingObject(Address);
    if (L.isAtomic())
      return all();
    if (auto *Slot = dyn_cast<AllocaInst>(Object))
      if (!PointerMayBeCaptured(Slot, true, true))
        return Address == Slot && L.getParent() == At.getParent() ? slotCone(*Slot, At) : all();
    if (isNoAliasCall(Object))
      return all();
    auto *Global = dyn_cast<GlobalVariable>(Object);
    if (Global && Global->isConstant())
      return coneOf(Address, At); /* a table: which of its elements */
    Cone C;
    C.add({Address,
           ConstantInt::get(Runtime.Word, DL.getTypeStoreSize(L.getType()).getFixedValue()), &L});
    return C;
  }

  Cone slotCone(AllocaInst &Slot, Instruction &At) { /* [slot] */
    Cone C;
    for (User *U : Slot.users()) {
      auto *I = cast<Instruction>(U);
      auto *S = dyn_cast<StoreInst>(U);
      if (isa<LoadInst>(I) || I->isLifetimeStartOrEnd())
        continue;
      if (!S || S->getPointerOperand() != &Slot)
        return all();
      Cone Stored = coneOf(S->getValueOperand(), *S);
      for (const Read &R : Stored.Reads)
        if (!R.Load || R.Load->getParent() != S->getParent() || !DT.dominates(R.Load, &At))
          return all();
      C.add(Stored);
      if (C.IsAll)
        return C;
    }
    return C;
  }

  bool isOfLoop(const PHINode &P) const {
    for (const BasicBlock *From : P.blocks())
      if (DT.dominates(P.getParent(), From))
        return true;
    return false;
  }

  Cone phiCone(PHINode &P) {
    auto It = Merged.find(&P);
    if (It != Merged.end())
      return It->second;
    SmallVector<Cone, 4> In;
    size_t Most = 0;
    unsigned LoopsBefore = Loops;
    for (unsigned i = 0; i < P.getNumIncomingValues(); i++) {
      In.push_back(coneOf(P.getIncomingValue(i), *P.getIncomingBlock(i)->getTerminator()));
      if (In.back().IsAll)
        return all();
      Most = std::max(Most, In.back().Reads.size());
    }
    if (Most == 0)
      return Cone();
    if (isOfLoop(P)) /* [loop] */
      return all();
    Cone C;
    for (size_t k = 0; k < Most; k++)
      C.add(merge(P, In, k));
    if (Loops == LoopsBefore) /* otherwise it is only a part */
      Merged[&P] = C;
    return C;
  }

  Read merge(PHINode &P, ArrayRef<Cone> In, size_t k) { /* [merge] */
    IRBuilder<> B(&P);
    PHINode *Address = B.CreatePHI(Runtime.Pointer, P.getNumIncomingValues());
    PHINode *Size = B.CreatePHI(Runtime.Word, P.getNumIncomingValues());
    DenseMap<BasicBlock *, Value *> Casts; /* ways from one block have one value */
    for (unsigned i = 0; i < P.getNumIncomingValues(); i++) {
      BasicBlock *From = P.getIncomingBlock(i);
      bool HasRead = k < In[i].Reads.size();
      Value *&Cast = Casts[From];
      if (!Cast) {
        IRBuilder<> End(From->getTerminator());
        Cast = HasRead ? Runtime.pointer(End, In[i].Reads[k].Address)
                       : ConstantPointerNull::get(Runtime.Pointer);
      }
      Address->addIncoming(Cast, From);
      Size->addIncoming(HasRead ? In[i].Reads[k].Size : ConstantInt::get(Runtime.Word, 0), From);
    }
    return {Address, Size, nullptr};
  }
};

void branchesAnnounce(Module &M) {
  Abi Runtime(M);
  auto *F = Function::Create(FunctionType::get(Runtime.Nothing, false), Function::InternalLinkage,
                             "snag.has_branches", M);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  Runtime.call(B, "__snag_has_branches", {});
  B.CreateRetVoid();
  appendToGlobalCtors(M, F, 0);
}

void branchesEmit(Function &F, const DominatorTree &DT, const Accesses &All) {
  Branches(F, DT).emit(All);
}

} // namespace snag
