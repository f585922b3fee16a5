/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.h - loops of programs of threads, reported as a whole
 */
#ifndef SNAG_PASS_LOOPS_H
#define SNAG_PASS_LOOPS_H

#include "access.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace snag {

/* Makes two of every loop that can be reported as a whole, before the vectoriser; false: nothing
 * has changed. */
bool loopsTell(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* Skips the accesses of loops without checks: they need none. */
void loopsSkip(const llvm::Function &F, Accesses &All);

} // namespace snag

#endif
