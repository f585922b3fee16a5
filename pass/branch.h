/* SPDX-License-Identifier: Apache-2.0
 *
 * branch.h - conditional branches, and the reads they depend on
 */
#ifndef SNAG_PASS_BRANCH_H
#define SNAG_PASS_BRANCH_H

#include "access.h"

#include "llvm/IR/Dominators.h"

namespace snag {

/* Reports to the runtime the branches of a function that depend on reads, and the addresses of
 * its accesses that do. The checks of the accesses are not inserted yet. */
void branchesEmit(llvm::Function &F, const llvm::DominatorTree &DT, const Accesses &All);

/* Makes the module announce at the start of the program that it reports branches, even if it has
 * none. */
void branchesAnnounce(llvm::Module &M);

} // namespace snag

#endif
