/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.h - accesses whose checks were moved before the vectoriser changed the loops
 *
 * Idea.   A mark must stay with an access that is widened, unrolled or cloned, and must go where
 *         the access is merged with one that has no mark.  LLVM treats access groups so; a group
 *         that no loop names means nothing to it.  There is one group for each reason.
 *         In programs of tasks, the optimiser assumes until it is done that the checks of these
 *         accesses touch nothing it knows, so that they do not hinder it.
 */
#ifndef SNAG_PASS_MARKS_H
#define SNAG_PASS_MARKS_H

#include "access.h"

#include "llvm/IR/Module.h"

namespace snag {

/* Marks the instructions of accesses that were removed so far, if the instruction makes no other
 * access. */
void marksSet(llvm::Module &M, const Accesses &All);

/* Makes the optimiser assume that the checks of these accesses touch no memory that it knows. */
void marksHide(llvm::Function &F);
void marksDone(llvm::Function &F);

/* Why the access of an instruction was removed; None: it was not. */
Removal markOf(const llvm::Instruction &I);

} // namespace snag

#endif
