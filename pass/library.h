/* SPDX-License-Identifier: Apache-2.0
 *
 * library.h - loops that call functions of the C library which compute
 *
 * Idea.   As far as the optimiser knows, log() may write any memory, because it may set errno.  So
 *         a loop that calls it loads its pointers again in each round.  This costs checks, and
 *         hides that its accesses are affine.  But a file that never refers to errno cannot see
 *         that write.  The pass moves loads that do not change in such a loop before it, where they
 *         are executed iff they were in the loop, in the same step.
 * Rules.  Functions of the library that compute a real number from numbers touch only memory that
 *         this file cannot name, unless the file refers to errno.  Not lgamma(), which sets a
 *         variable.
 *         The optimiser learns this for these loads only.  Otherwise it would remove variables that
 *         the program does not need, among them those that race.
 */
#ifndef SNAG_PASS_LIBRARY_H
#define SNAG_PASS_LIBRARY_H

#include "llvm/IR/PassManager.h"

namespace snag {

void loadsHoist(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace snag

#endif
