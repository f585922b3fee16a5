/* SPDX-License-Identifier: Apache-2.0
 *
 * removals.h - one function for each way to find needless checks; each marks accesses
 *
 * Two accesses are in one step if nothing between them may synchronise (calls.h).  Within a step a
 * check says: this cell is read, or written.  A second check of the cell adds nothing for any
 * detector; the check of a write covers a read, too.
 */
#ifndef SNAG_PASS_REMOVALS_H
#define SNAG_PASS_REMOVALS_H

#include "access.h"
#include "calls.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace snag {

/* [local] Accesses to objects whose address never leaves the function. (Raman et al., section
 * 6.3) */
void removeLocal(Accesses &All);
/* The tasks that the function creates get copies of such objects; this makes the copies
 * unreported, too. Call it last: it replaces calls that other parts find by name. */
void copyLocal(llvm::Function &F);

/* [dominated] Accesses that a check of the same step covers: a check on all paths to them, or on
 * all paths from them. (Raman et al., section 6.5) */
void removeDominated(llvm::Function &F, Accesses &All, const Calls &Sync);

/* [joined] Accesses to the parts of a word, one after the other. */
void removeJoined(llvm::Function &F, Accesses &All, const Calls &Sync);

/* [sequential] [readonly] (Raman et al., sections 6.1 and 6.2) */
class Sequential {
  llvm::SmallPtrSet<const llvm::Function *, 16> Functions;     /* functions that no task executes */
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 16> Globals; /* variables that no task writes */

public:
  explicit Sequential(llvm::Module &M);
  void remove(llvm::Function &F, Accesses &All) const;

private:
  bool isReadOnly(const llvm::Value &Address,
                  llvm::SmallPtrSetImpl<const llvm::Value *> &Seen) const;
  bool isOfReadOnly(const llvm::Value *Address,
                    llvm::SmallPtrSetImpl<const llvm::Value *> &Seen) const;
};

/* [invariant] [footprint] Accesses of loops: inserts other checks in their place. (Raman et al.,
 * section 6.4; Jin et al., DRDP, section 4.4.2) */
void removeInLoops(llvm::Function &F, Accesses &All, const Calls &Sync,
                   llvm::FunctionAnalysisManager &FAM);

} // namespace snag

#endif
