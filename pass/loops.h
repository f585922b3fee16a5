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

/* Doubles every loop that can be reported as a whole.  Runs before the vectoriser.  Returns false
 * if nothing has changed. */
bool loopsReport(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/* Removes from the list the accesses of loops without checks, which need no checks. */
void loopsSkip(const llvm::Function &F, Accesses &All);

} // namespace snag

#endif
