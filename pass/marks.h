/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.h - accesses whose checks were moved before the vectoriser took the loops apart
 *
 * Idea.   A mark has to stay with an access that is widened, unrolled or cloned, and to go where it
 *         is merged with one that has none.  Access groups are what LLVM treats so: a group that
 *         no loop names means nothing to it.  One group for each reason.
 *         Of tasks, the optimiser is told until it is done that the checks of these touch
 *         nothing it knows, so that they do not hinder it.
 */
#ifndef SNAG_PASS_MARKS_H
#define SNAG_PASS_MARKS_H

#include "access.h"

#include "llvm/IR/Module.h"

namespace snag {

/* Marks the instructions of accesses removed by now, if that is all they access. */
void marksSet(llvm::Module &M, const Accesses &All);

/* The optimiser does not have to look at the checks of these, until it is done. */
void marksHide(llvm::Function &F);
void marksDone(llvm::Function &F);

/* Why the access of an instruction was removed; None: it was not. */
Removal markOf(const llvm::Instruction &I);

} // namespace snag

#endif
