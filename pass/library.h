/* SPDX-License-Identifier: Apache-2.0
 *
 * library.h - loops that call functions of the C library which compute
 *
 * Idea.   For all the optimiser knows, log() may write any memory, as it may set errno: a loop
 *         that calls it reads its pointers again in each round, which costs checks, and hides that
 *         its accesses are affine.  But a file that never asks for errno does not see that write.
 *         Loads that do not change in such a loop are moved before it, where they are executed iff
 *         they were, in the same step.
 * Rules.  Functions of the library that compute a real number of numbers touch only memory which
 *         this file cannot name, unless it refers to errno; not lgamma(), which sets a variable.
 *         The optimiser is told so for this only: it would otherwise find more variables that
 *         nobody needs, among them those that a race is about.
 */
#ifndef SNAG_PASS_LIBRARY_H
#define SNAG_PASS_LIBRARY_H

#include "llvm/IR/PassManager.h"

namespace snag {

void loadsHoist(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace snag

#endif
