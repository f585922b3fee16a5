/* SPDX-License-Identifier: Apache-2.0
 *
 * library.cpp - loops that call functions of the C library which compute
 */
#include "library.h"
#include "compat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace snag {

/* How far the optimiser looks, as it does by default. Also how many accesses a loop may have
 * whose variables the optimiser keeps in registers; it then loads them before the loop. */
enum { Steps = 100, Kept = 0 };

static bool isNumber(const Type *T) { return T->isFloatingPointTy() || T->isIntegerTy(); }

static bool computes(const Function &F, const TargetLibraryInfo &TLI) {
  LibFunc Known;
  if (!F.isDeclaration() || F.isIntrinsic() || F.doesNotAccessMemory() ||
      !F.getReturnType()->isFloatingPointTy() || !all_of(F.getFunctionType()->params(), isNumber))
    return false;
  return TLI.getLibFunc(F, Known) && TLI.has(Known) && !F.getName().contains("gamma");
}

/* Returns whether the function has such a call. */
static bool callsHide(Function &F, const TargetLibraryInfo &TLI, bool Hides) {
  bool HasAny = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !computes(*Callee, TLI))
      continue;
    hidesMemory(*Call, Hides);
    HasAny = true;
  }
  return HasAny;
}

void loadsHoist(Function &F, FunctionAnalysisManager &FAM) {
  const TargetLibraryInfo &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  if (F.getParent()->getFunction("__errno_location") || !callsHide(F, TLI, true))
    return;
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(LICMPass(Steps, Kept, false), true));
  FAM.invalidate(F, FPM.run(F, FAM));
  callsHide(F, FAM.getResult<TargetLibraryAnalysis>(F), false);
}

} // namespace snag
