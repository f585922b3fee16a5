/* SPDX-License-Identifier: Apache-2.0
 *
 * removals.h - one function for each way to find needless checks; each marks accesses
 *
 * Two accesses are in one step if nothing between them may synchronise (calls.h).  Within a step
 * a check says: this cell is read, or written.  Saying so twice adds nothing, and that of a write
 * says more than that of a read, to every detector.
 */
#ifndef SNAG_PASS_REMOVALS_H
#define SNAG_PASS_REMOVALS_H

#include "access.h"
#include "calls.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace snag {

/* [local] of objects whose address never leaves the function.  (Raman et al., section 6.3) */
void removeLocal(Accesses &All);

/* [dominated] what was checked on all ways here, or will be on all ways from here, in the same
 * step, by a check that says as much.  (Raman et al., section 6.5) */
void removeDominated(llvm::Function &F, Accesses &All, const Calls &Sync);

} // namespace snag

#endif
