/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.cpp - loops of programs of threads, reported as a whole
 *
 * Idea.   While a thread runs no other does, until it has made the events that its turn has left.
 *         Suppose a loop makes the same accesses in every iteration, at addresses that are known
 *         before it begins.  Then as many iterations as fit into the turn can run without checks.
 *         They are reported afterwards (src/runtime/access/loop.c), in the order in which they ran:
 *
 *             do {                                   do {
 *                 body(i);                                if (wait == 0)
 *             } while (++i < n);                              m = begin(left, k);
 *                                                         if (wait == 0 && m > 0) {
 *                                                             do body(i); while (++i, --m);
 *                                                             access(&a[i0], 8, ...); ... end(m0);
 *                                                         } else
 *                                                             checked body(i++);
 *                                                     } while (i < n);
 *
 *         The optimiser may transform the loop without checks, for example into vectors.
 *
 * Rules.  [inner]   The loop has no loop inside, and one exit, behind the body.
 *         [count]   If the number of iterations is known when the loop begins, the copy has that
 *                   number, and the optimiser all freedom; else the copy ends early where its own
 *                   condition says so.
 *         [every]   Every iteration makes each access, at an address that moves by the same
 *                   distance each time.  No access is larger than 16 bytes, volatile or atomic.
 *         [quiet]   Nothing else touches memory or synchronises, and there are no calls, which
 *                   could leave the loop early.
 *         [repeat]  A second access to the same cell in an iteration, of the same kind or a read
 *                   after a write, is neither reported nor checked.
 *         [pair]    Two words side by side, one after the other, are one access of 16 bytes.
 *         [checked] The pass inserts the checks of the other copy here, so that the optimiser keeps
 *                   their order; the accesses there are marked (marks.h).
 *         [unreported]  It inserts no check between begin and access, whatever the optimiser makes
 *                   there.
 *         Not with branches, which depend on single reads; nor in code that is not optimised.
 * Correct.  Both copies make the same events in the same order, so the runtime may choose between
 *         them at every iteration.
 */
#include "loops.h"

#include "abi.h"
#include "address.h"
#include "compat.h"
#include "marks.h"
#include "peeled.h"
#include "removals.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace snag {

enum { MaxAccesses = 16, MinIterations = 4 };

static const char Begin[] = "__snag_loop_begin", Tell[] = "__snag_loop_access",
                  End[] = "__snag_loop_end";

struct Reported {
  Access *A;
  Affine Moves;
  Value *Start = nullptr, *Step = nullptr; /* values from before the loop */
};

/* A loop, and the accesses that it reports. */
struct Plan {
  Loop *L;
  SmallVector<Reported, MaxAccesses> Accesses; /* the accesses in the order of execution */
  SmallVector<Access *, 4> Repeats;
  Value *Count = nullptr; /* iterations; all ones: not known before the loop */
  bool HasCount = false;
};

/* Finds the loops that can be reported as a whole. */
class Planner {
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SCEVExpander Expander;
  DenseMap<const Instruction *, SmallVector<Access *, 1>> At;

public:
  Planner(Function &F, Accesses &All, LoopInfo &Loops, DominatorTree &D, ScalarEvolution &S)
      : LI(Loops), DT(D), SE(S), Expander(S, F.getParent()->getDataLayout(), "snag") {
    for (Access &A : All)
      At[A.At].push_back(&A);
  }

  bool find(Loop &L, Plan &P) {
    P.L = &L;
    if (!isInner(L) || !accessesFind(L, P) || P.Accesses.empty())
      return false;
    Instruction *Before = L.getLoopPreheader()->getTerminator();
    for (const Reported &T : P.Accesses)
      if (!canExpandAt(T.Moves.Start, Before, SE, Expander) ||
          !canExpandAt(T.Moves.Step, Before, SE, Expander))
        return false;
    const SCEV *Back = SE.getBackedgeTakenCount(&L);
    P.HasCount = !isa<SCEVCouldNotCompute>(Back) && Back->getType()->isIntegerTy() &&
                 SE.getTypeSizeInBits(Back->getType()) <= 64 &&
                 canExpandAt(Back, Before, SE, Expander);
    const auto *Known = dyn_cast<SCEVConstant>(Back);
    return !Known || Known->getAPInt().uge(MinIterations - 1);
  }

  /* Computes, before the loop, what its accesses are. */
  void expand(Plan &P) {
    Instruction *Before = P.L->getLoopPreheader()->getTerminator();
    Type *Word = Type::getInt64Ty(Before->getContext());
    P.Count = Constant::getAllOnesValue(Word);
    if (P.HasCount) {
      const SCEV *Back = SE.getTruncateOrZeroExtend(SE.getBackedgeTakenCount(P.L), Word);
      P.Count = Expander.expandCodeFor(SE.getAddExpr(Back, SE.getOne(Word)), Word, Before);
    }
    for (Reported &T : P.Accesses) {
      T.Start = Expander.expandCodeFor(T.Moves.Start, T.A->Address->getType(), Before);
      T.Step = Expander.expandCodeFor(T.Moves.Step, Word, Before);
    }
  }

  void close(Loop &L) { formLCSSA(L, DT, &LI, &SE); }

private:
  static bool isInner(const Loop &L) {
    return L.isInnermost() && L.isLoopSimplifyForm() && L.getExitingBlock() == L.getLoopLatch() &&
           isa<BranchInst>(L.getLoopLatch()->getTerminator());
  }

  /* [quiet] Beside loads and stores. */
  static bool isQuiet(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
      return !Memory->isVolatile() && isInPlace(*Memory);
    if (!Call)
      return !I.isAtomic() && !I.isVolatile() &&
             (isa<LoadInst>(I) || isa<StoreInst>(I) || !I.mayReadOrWriteMemory());
    return isa<DbgInfoIntrinsic>(I) || (isa<IntrinsicInst>(I) && Call->doesNotAccessMemory() &&
                                        !Call->isConvergent() && Call->doesNotThrow());
  }

  bool accessesFind(Loop &L, Plan &P) {
    SmallVector<BasicBlock *, 8> Always;
    for (BasicBlock *B : L.blocks()) {
      bool IsAlways = DT.dominates(B, L.getLoopLatch());
      if (IsAlways)
        Always.push_back(B);
      for (Instruction &I : *B)
        if (!isQuiet(I) || (!IsAlways && isAccess(I))) /* [every] */
          return false;
    }
    sort(Always, [this](BasicBlock *A, BasicBlock *B) { return A != B && DT.dominates(A, B); });
    for (BasicBlock *B : Always)
      for (Instruction &I : *B)
        for (Access *A : At.lookup(&I))
          if (!A->isRemoved() && !add(L, P, *A))
            return false;
    return true;
  }

  bool isAccess(const Instruction &I) const {
    auto It = At.find(&I);
    return It != At.end() && any_of(It->second, [](const Access *A) { return !A->isRemoved(); });
  }

  bool add(Loop &L, Plan &P, Access &A) { /* [every] */
    Affine Moves;
    if (A.Mask || A.IsVptr || A.Size > 16 || !isPowerOf2_64(A.Size) ||
        !affineIn(SE, L, addressOf(SE, A.Address), Moves))
      return false;
    for (const Reported &T : P.Accesses)
      if (T.Moves.Start == Moves.Start && T.Moves.Step == Moves.Step && T.A->Size >= A.Size &&
          (T.A->IsWrite || !A.IsWrite)) { /* [repeat] */
        P.Repeats.push_back(&A);
        return true;
      }
    if (!P.Accesses.empty() && joins(P.Accesses.back(), A, Moves)) {
      P.Repeats.push_back(&A);
      return true;
    }
    P.Accesses.push_back({&A, Moves});
    return P.Accesses.size() <= MaxAccesses;
  }

  /* [pair] */
  bool joins(Reported &T, const Access &A, const Affine &Moves) {
    const auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Moves.Start, T.Moves.Start));
    if (T.A->Size != 8 || A.Size != 8 || T.A->IsWrite != A.IsWrite || Moves.Step != T.Moves.Step ||
        !Apart || Apart->getAPInt() != 8)
      return false;
    T.A->Size = 16;
    return true;
  }
};

/* Makes two loops of one. */
class Versions {
  Plan &P;
  Abi Runtime;
  BasicBlock *Before, *Header, *Latch, *Exit;
  BasicBlock *Fast = nullptr, *FastLatch = nullptr; /* the header of the copy, and its latch */
  BasicBlock *Ask = nullptr, *Enter = nullptr, *Over = nullptr, *Back = nullptr;
  Value *Asked = nullptr;                                     /* the runtime's answer */
  Value *Made = nullptr;                                      /* iterations of the copy */
  PHINode *Done = nullptr, *Wait = nullptr, *After = nullptr; /* iterations */
  ValueToValueMapTy Copy;

public:
  explicit Versions(Plan &Of)
      : P(Of), Runtime(*Of.L->getHeader()->getModule()), Before(Of.L->getLoopPreheader()),
        Header(Of.L->getHeader()), Latch(Of.L->getLoopLatch()), Exit(Of.L->getExitBlock()) {}

  void make() {
    copy();
    latchesJoin();
    ask();
    fastCount();
    count();
    tell();
  }

private:
  Value *copyOf(Value *V) const {
    auto It = Copy.find(V);
    return It == Copy.end() ? V : static_cast<Value *>(It->second);
  }

  BasicBlock *block(const Twine &Name) {
    return BasicBlock::Create(Header->getContext(), Name, Header->getParent(), Exit);
  }

  void copy() {
    SmallVector<BasicBlock *, 8> Blocks;
    for (BasicBlock *B : P.L->blocks()) {
      BasicBlock *New = CloneBasicBlock(B, Copy, ".snag", Header->getParent());
      Copy[B] = New;
      Blocks.push_back(New);
    }
    remapInstructionsInBlocks(Blocks, Copy);
    Fast = cast<BasicBlock>(Copy[Header]);
    FastLatch = cast<BasicBlock>(Copy[Latch]);
    Ask = block("snag.ask");
    Enter = block("snag.fast");
    Over = block("snag.report");
    Back = block("snag.next");
    for (PHINode &Old : Header->phis()) {
      auto *New = cast<PHINode>(Copy[&Old]);
      int From = New->getBasicBlockIndex(Before);
      New->setIncomingBlock(unsigned(From), Enter);
      New->setIncomingValue(unsigned(From), &Old);
    }
  }

  /* Both ways back go through one block, and both ways out to the exit. */
  void latchesJoin() {
    for (PHINode &Phi : Header->phis()) {
      Value *Next = Phi.getIncomingValueForBlock(Latch);
      PHINode *Joined = PHINode::Create(Phi.getType(), 2, Phi.getName() + ".snag", Back);
      Joined->addIncoming(Next, Latch);
      Joined->addIncoming(copyOf(Next), Over);
      int From = Phi.getBasicBlockIndex(Latch);
      Phi.setIncomingBlock(unsigned(From), Back);
      Phi.setIncomingValue(unsigned(From), Joined);
    }
    for (PHINode &Phi : Exit->phis())
      Phi.addIncoming(copyOf(Phi.getIncomingValueForBlock(Latch)), Over);
    auto *Branch = cast<BranchInst>(Latch->getTerminator());
    for (unsigned i = 0; i < Branch->getNumSuccessors(); i++)
      if (Branch->getSuccessor(i) == Header)
        Branch->setSuccessor(i, Back);
  }

  /* At the beginning of an iteration: asks the runtime whether the iteration needs checks. */
  void ask() {
    Type *Word = Runtime.Word;
    BasicBlock *Body = Header->splitBasicBlock(Header->getFirstNonPHI(), "snag.checked");
    Latch = Latch == Header ? Body : Latch;
    Constant *Zero = ConstantInt::get(Word, 0), *One = ConstantInt::get(Word, 1);
    IRBuilder<> B(&Header->front());
    Done = B.CreatePHI(Word, 2, "snag.done");
    Wait = B.CreatePHI(Word, 2, "snag.wait");
    Header->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Header);
    Value *Less = B.CreateSub(Wait, One);
    B.CreateCondBr(B.CreateICmpEQ(Wait, Zero), Ask, Body);

    B.SetInsertPoint(Ask);
    B.SetCurrentDebugLocation(P.Accesses[0].A->At->getDebugLoc());
    Value *Left = B.CreateSub(P.Count, Done);
    FunctionCallee Callee = Runtime.M.getOrInsertFunction(Begin, Word, Word, Word);
    CallInst *Call = B.CreateCall(Callee, {Left, B.getInt64(P.Accesses.size())});
    Call->setDoesNotThrow();
    Asked = Call;
    B.CreateCondBr(B.CreateICmpSGT(Asked, Zero), Enter, Body);
    Value *More = BinaryOperator::CreateNeg(Asked, "", Ask->getTerminator());
    B.SetInsertPoint(Enter);
    B.CreateBr(Fast);

    B.SetInsertPoint(&Body->front());
    After = B.CreatePHI(Word, 2);
    After->addIncoming(Less, Header);
    After->addIncoming(More, Ask);
  }

  /* Counts the iterations that were made, and those that follow before the next call of the
   * runtime. */
  void count() {
    Constant *Zero = ConstantInt::get(Runtime.Word, 0);
    IRBuilder<> B(Latch->getTerminator());
    Value *Next = B.CreateAdd(Done, ConstantInt::get(Runtime.Word, 1));
    B.SetInsertPoint(&Over->front());
    Value *Far = B.CreateAdd(Done, Made);
    B.SetInsertPoint(Back);
    PHINode *DoneNext = B.CreatePHI(Runtime.Word, 2), *WaitNext = B.CreatePHI(Runtime.Word, 2);
    DoneNext->addIncoming(Next, Latch);
    DoneNext->addIncoming(Far, Over);
    WaitNext->addIncoming(After, Latch);
    WaitNext->addIncoming(Zero, Over);
    B.CreateBr(Header);
    Done->addIncoming(Zero, Before);
    Done->addIncoming(DoneNext, Back);
    Wait->addIncoming(Zero, Before);
    Wait->addIncoming(WaitNext, Back);
  }

  /* Ends the loop without checks after as many iterations as the runtime allowed. The loop's own
   * condition decides whether the whole loop ends then. */
  void fastCount() {
    auto *Branch = cast<BranchInst>(FastLatch->getTerminator());
    IRBuilder<> B(&Fast->front());
    PHINode *Count = B.CreatePHI(Runtime.Word, 2, "snag.count");
    B.SetInsertPoint(Branch);
    Value *Next = B.CreateAdd(Count, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
    Count->addIncoming(B.getInt64(0), Enter);
    Count->addIncoming(Next, FastLatch);
    Made = P.HasCount ? Asked : Next;
    Value *Ends = B.CreateICmpEQ(Next, Asked);
    if (!P.HasCount) {
      Value *Condition = Branch->getCondition();
      Ends = B.CreateOr(Ends, Branch->getSuccessor(0) == Fast ? B.CreateNot(Condition) : Condition);
    }
    BranchInst *Again = B.CreateCondBr(Ends, Over, Fast);
    Again->setMetadata(LLVMContext::MD_loop, Branch->getMetadata(LLVMContext::MD_loop));
    Branch->setMetadata(LLVMContext::MD_loop, nullptr);
    Latch->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    Branch->removeFromParent();
    B.SetInsertPoint(Over);
    B.Insert(Branch);
    for (unsigned i = 0; i < 2; i++)
      if (Branch->getSuccessor(i) == Fast)
        Branch->setSuccessor(i, Back);
  }

  void tell() {
    IRBuilder<> B(Over->getTerminator());
    for (const Reported &T : P.Accesses) {
      B.SetCurrentDebugLocation(T.A->At->getDebugLoc());
      Value *Address =
          B.CreateAdd(B.CreatePtrToInt(T.Start, Runtime.Word), B.CreateMul(Done, T.Step));
      Runtime.call(B, Tell, {Address, T.Step, B.getInt64(T.A->Size), B.getInt64(T.A->IsWrite)});
    }
    Runtime.call(B, End, {Made});
  }
};

static bool isCallOf(const Instruction &I, const char *Name) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == Name;
}

static const Instruction *callIn(const BasicBlock &B, const char *Name) {
  for (const Instruction &I : B)
    if (isCallOf(I, Name))
      return &I;
  return nullptr;
}

void loopsSkip(const Function &F, Accesses &All) {
  SmallPtrSet<const BasicBlock *, 16> Unreported; /* blocks on the paths from begin to end */
  SmallVector<const BasicBlock *, 16> Open;
  for (const BasicBlock &B : F)
    if (callIn(B, End))
      Open.push_back(&B);
  while (!Open.empty()) {
    const BasicBlock *B = Open.pop_back_val();
    if (Unreported.insert(B).second && !callIn(*B, Begin))
      Open.append(pred_begin(B), pred_end(B));
  }
  for (Access &A : All) {
    const BasicBlock *B = A.At->getParent();
    if (A.isRemoved() || !Unreported.count(B))
      continue;
    const Instruction *From = callIn(*B, Begin), *To = callIn(*B, End);
    if ((!From || From->comesBefore(A.At)) && (!To || A.At->comesBefore(To)))
      A.Removed = Removal::Loop;
  }
}

static bool isWanted(const Function &F) {
  return mayRemove(Removal::Loop) && !isForTasks() && !hasBranches() && !F.hasOptNone() &&
         !F.hasOptSize();
}

bool loopsReport(Function &F, FunctionAnalysisManager &FAM) {
  if (!isWanted(F))
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  Accesses All = accessesOf(F);
  if (mayRemove(Removal::Local))
    removeLocal(All);
  std::vector<Plan> Plans;
  std::vector<Loop *> Others;
  Planner Finder(F, All, LI, DT, SE);
  bool HasChanged = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    Plan P;
    if (L->isInnermost())
      HasChanged |= simplifyLoop(L, &DT, &LI, &SE, nullptr, nullptr, /*PreserveLCSSA=*/false);
    if (Finder.find(*L, P))
      Plans.push_back(P);
    else if (mayRemove(Removal::Dominated) && isPeelable(*L, All, DT))
      Others.push_back(L);
  }
  for (Plan &P : Plans)
    Finder.expand(P);
  for (Plan &P : Plans)
    Finder.close(*P.L);
  for (Loop *L : Others)
    Finder.close(*L);
  Abi Runtime(*F.getParent());
  unsigned Inlined = 0;
  for (Plan &P : Plans) {
    Versions(P).make();
    for (const Reported &T : P.Accesses) { /* [checked] */
      T.A->Removed = Removal::Loop;
      T.A->ElementSize = 0; /* the loop reports it as a whole */
      if (!isFiltered(*T.A))
        checkEmit(Runtime, *T.A, T.A->At->getDebugLoc());
      else if (Inlined++ < MaxInlined)
        inlinedEmit(Runtime, *T.A);
      else
        calledEmit(Runtime, *T.A);
    }
    for (Access *A : P.Repeats)
      A->Removed = Removal::Loop;
  }
  for (Loop *L : Others)
    peel(*L);
  marksSet(*F.getParent(), All);
  return HasChanged || !Plans.empty() || !Others.empty();
}

} // namespace snag
