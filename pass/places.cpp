/* SPDX-License-Identifier: Apache-2.0
 *
 * places.cpp - which checks are inlined, and which are calls
 *
 * Idea.   An inlined check saves a call: about 5 of 20 instructions.  It costs
 *         60 bytes of code more, and the time to compile them.  That pays in a
 *         small loop, which makes many accesses with little code.  All other
 *         checks are calls (src/runtime/access/check.c).
 * Rules.  [loop]   The check is in a loop that calls no function of the program.
 *                  Loops inside of this loop have no checks.
 *         [small]  The loop has at most MaxOfLoop checks.
 *         [bound]  A function has at most MaxInlined inlined checks.  If a loop
 *                  would exceed that, all of its checks are calls.
 *         [size]   Code that is optimised for size has only calls.
 *         [site]   In programs of tasks an inlined check has a site, which reports many accesses as
 *                  one range (src/runtime/access/sites.h).  There [loop] and [small] do not apply:
 *                  checks in all loops are inlined.
 *         [ways]   If the address of an access depends on the way that led to
 *                  it (merging takes from one array or from the other), the
 *                  access has a site for each way.
 * Cost.   Text of sqlite3.c, relative to the text without checks: 8.5 if all
 *         checks are inlined, 1.8 if none is, 2.3 by these rules.
 */
#include "abi.h"

#include "../src/runtime/access/sites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace snag {

enum { MaxOfLoop = 32, MaxWays = 4 };

/* [ways] The addresses that an access has, one for each way to it inside of a loop; or NULL. */
static PHINode *waysOf(const Access &A, const LoopInfo &LI) {
  auto *Ways = dyn_cast<PHINode>(A.Address->stripInBoundsConstantOffsets());
  if (!Ways || Ways->getNumIncomingValues() > MaxWays)
    return nullptr;
  const Loop *L = LI.getLoopFor(Ways->getParent());
  return L && L->getHeader() != Ways->getParent() ? Ways : nullptr;
}

/* Places in the table of sites. */
class Sites {
  Abi &Calls;
  size_t N;
  GlobalVariable *Table;
  size_t Used = 0;

public:
  Sites(Abi &C, size_t Count) : Calls(C), N(Count) {
    auto *Of = ArrayType::get(Calls.Word, RT_SITE_WORDS * N);
    Table = new GlobalVariable(Calls.M, Of, /*isConstant=*/false, GlobalValue::PrivateLinkage,
                               Constant::getNullValue(Of), "snag.sites");
  }

  Constant *next() {
    return ConstantExpr::getInBoundsGetElementPtr(
        Table->getValueType(), Table,
        ArrayRef<Constant *>{ConstantInt::get(Calls.Word, 0),
                             ConstantInt::get(Calls.Word, RT_SITE_WORDS * Used++)});
  }

  Value *next(PHINode *Ways) {
    const unsigned Count = Ways->getNumIncomingValues();
    PHINode *Site = nullptr;
    for (unsigned i = 0; i < Count; i++) {
      Constant *Here = next();
      BasicBlock *From = Ways->getIncomingBlock(i);
      if (!Site)
        Site = PHINode::Create(Here->getType(), Count, "", Ways);
      int Before = Site->getBasicBlockIndex(From);
      Site->addIncoming(Before < 0 ? Here : Site->getIncomingValue(unsigned(Before)), From);
    }
    return Site;
  }
};

/* [loop] */
static bool hasCalls(const Loop &L) {
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      const bool IsOurs = Callee && Callee->getName().take_front(7) == "__snag_";
      if (Call && !isa<IntrinsicInst>(I) && !IsOurs)
        return true;
    }
  return false;
}

using Numbers = SmallVector<size_t, 16>; /* numbers of accesses */

/* by loop: the checks in it, but not those in loops inside it */
using Checks = DenseMap<const Loop *, Numbers>;

/* [loop] [small] [site] */
static bool isHot(const Loop &L, const Checks &In) {
  if (isForTasks())
    return true;
  auto HasChecks = [&](const Loop *Inner) { return Inner != &L && In.count(Inner); };
  return In.find(&L)->second.size() <= MaxOfLoop && none_of(L.getLoopsInPreorder(), HasChecks) &&
         !hasCalls(L);
}

static Numbers inlinedOf(const LoopInfo &LI, const Accesses &All) {
  Checks In;
  Numbers Inlined;
  for (size_t i = 0; i < All.size(); i++) {
    const Loop *L = LI.getLoopFor(All[i].At->getParent());
    if (L && !All[i].isRemoved() && isFiltered(All[i]))
      In[L].push_back(i);
  }
  for (const Loop *L : LI.getLoopsInPreorder()) {
    const Numbers Here = In.lookup(L);
    if (!Here.empty() && Inlined.size() + Here.size() <= MaxInlined && isHot(*L, In))
      Inlined.append(Here.begin(), Here.end());
  }
  return Inlined;
}

std::vector<Place> placesOf(Function &F, Abi &Calls, const Accesses &All) {
  std::vector<Place> Of(All.size());
  if (F.hasOptSize() || All.empty())
    return Of;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  const Numbers Inlined = inlinedOf(LI, All);
  size_t Count = 0;
  for (size_t i : Inlined) {
    const PHINode *Ways = waysOf(All[i], LI);
    Of[i].IsInlined = true;
    Count += Ways ? Ways->getNumIncomingValues() : 1;
  }
  if (!isForTasks() || Inlined.empty())
    return Of;
  Sites Table(Calls, Count);
  for (size_t i : Inlined) {
    PHINode *Ways = waysOf(All[i], LI);
    Of[i].Site = Ways ? Table.next(Ways) : Table.next();
  }
  return Of;
}

} // namespace snag
