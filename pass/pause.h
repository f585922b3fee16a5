/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.h - the instruction `pause`, by which code says that it spins
 */
#ifndef SNAG_PASS_PAUSE_H
#define SNAG_PASS_PAUSE_H

#include "llvm/IR/Function.h"

namespace snag {

/* Puts a call of the runtime before each `pause` of a function (src/runtime/sched/pause.c). */
void pausesEmit(llvm::Function &F);

} // namespace snag

#endif
