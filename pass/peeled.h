/* SPDX-License-Identifier: Apache-2.0
 *
 * peeled.h - the first iteration of a loop, by itself
 */
#ifndef SNAG_PASS_PEELED_H
#define SNAG_PASS_PEELED_H

#include "access.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

namespace snag {

/* Returns whether checks of later iterations are needless once the first check stands before the
 * loop. The loop must be an innermost one in simple form. */
bool isPeelable(const llvm::Loop &L, const Accesses &All, const llvm::DominatorTree &DT);

/* Copies the first iteration to the place before the loop.  The loop must be in LCSSA form.
 * Invalidates analyses. */
void peel(const llvm::Loop &L);

} // namespace snag

#endif
