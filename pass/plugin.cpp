/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin.cpp - the pass of `snag cc`: inserts checks, and removes the needless ones
 *
 * Idea.   The pass runs last, after the optimiser and right before the compiler's own pass of
 *         -fsanitize=thread.  It checks the plain accesses in place of that pass, and removes the
 *         attribute that asks for them.  The other pass still does what needs no attribute:
 *         atomics, function entry and exit, the constructor that calls __tsan_init.  Until here the
 *         attribute has kept the optimiser from inventing accesses.
 *         Checks of whole loop nests are inserted earlier, while the nests have the shape that the
 *         program gave them: before the vectoriser, which makes several loops of one.
 * Rules.  The pass knows no analysis.  It says which cells are read and written, or shows that
 *         saying so adds nothing (removals.def).
 * Self-check.  Each module says in the section .snag.pass that the pass ran (marker.h).
 */
#include "access.h"
#include "branch.h"
#include "library.h"
#include "loops.h"
#include "marker.h"
#include "marks.h"
#include "options.h"
#include "pause.h"
#include "removals.h"
#include "requests.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

namespace snag {

struct Pass : PassInfoMixin<Pass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    Totals T;
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    Calls Sync(M, FAM);
    Sequential Seq(M);
    for (Function &F : M) {
      if (F.isDeclaration() || !F.hasFnAttribute(Attribute::SanitizeThread) ||
          F.hasFnAttribute(Attribute::Naked))
        continue;
      Accesses All = accessesOf(F);
      marksDone(F);
      loopsSkip(F, All);
      remove(F, All, Sync, Seq, FAM);
      T.add(All);
      if (hasBranches())
        branchesEmit(F, FAM.getResult<DominatorTreeAnalysis>(F), All);
      checksEmit(F, All);
      functionsCall(F);
      if (!isForTasks())
        pausesEmit(F);
      requestsReplace(F);
      F.removeFnAttr(Attribute::SanitizeThread);
    }
    for (Function &F : M)
      if (mayRemove(Removal::Local))
        copyLocal(F);
    if (hasBranches())
      branchesAnnounce(M);
    markerEmit(M, T);
    return PreservedAnalyses::none();
  }

  static bool isRequired() { return true; }

private:
  static void remove(Function &F, Accesses &All, const Calls &Sync, const Sequential &Seq,
                     FunctionAnalysisManager &FAM) {
    if (mayRemove(Removal::Local))
      removeLocal(All);
    Seq.remove(F, All);
    if (mayRemove(Removal::Dominated))
      removeDominated(F, All, Sync);
    if (mayRemove(Removal::Invariant) || mayRemove(Removal::Footprint))
      removeInLoops(F, All, Sync, FAM);
    if (mayRemove(Removal::Joined))
      removeJoined(F, All, Sync);
  }
};

/* Runs before the vectoriser. */
class LoopPass : public PassInfoMixin<LoopPass> {
  struct Facts {
    const Module *Of;
    Calls Sync;
    Sequential Seq;

    Facts(Module &M, FunctionAnalysisManager &FAM) : Of(&M), Sync(M, FAM), Seq(M) {}
  };
  /* facts of the module, computed once: what the passes change does not invalidate them */
  std::unique_ptr<Facts> Known;

public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    if (!F.hasFnAttribute(Attribute::SanitizeThread))
      return PreservedAnalyses::all();
    if (!isForTasks())
      return loopsReport(F, FAM) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    if (!(mayRemove(Removal::Invariant) || mayRemove(Removal::Footprint)))
      return PreservedAnalyses::all();
    loadsHoist(F, FAM);
    Module &M = *F.getParent();
    if (!Known || Known->Of != &M)
      Known = std::make_unique<Facts>(M, FAM);
    Accesses All = accessesOf(F);
    if (mayRemove(Removal::Local))
      removeLocal(All);
    Known->Seq.remove(F, All);
    removeInLoops(F, All, Known->Sync, FAM);
    marksSet(M, All);
    marksHide(F);
    return PreservedAnalyses::none();
  }
};

static void registerCallbacks(PassBuilder &PB) {
  PB.registerVectorizerStartEPCallback(
      [](FunctionPassManager &FPM, auto...) { FPM.addPass(LoopPass()); });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, auto...) { MPM.addPass(Pass()); });
}

} // namespace snag

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "snag", LLVM_VERSION_STRING, snag::registerCallbacks};
}
