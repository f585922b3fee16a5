/* SPDX-License-Identifier: Apache-2.0
 *
 * address.h - addresses as scalar evolution sees them
 */
#ifndef SNAG_PASS_ADDRESS_H
#define SNAG_PASS_ADDRESS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace snag {

/* Returns the address, with subscripts computed in 64 bits.  A subscript that overflows its own
 * type would make the access undefined. */
const llvm::SCEV *addressOf(llvm::ScalarEvolution &SE, llvm::Value *Address);

/* The address in the first iteration of a loop, and the constant distance to the next one, in 64
 * bits. */
struct Affine {
  const llvm::SCEV *Start, *Step;
};

/* Returns false if the distance between iterations is not constant. */
bool affineIn(llvm::ScalarEvolution &SE, const llvm::Loop &L, const llvm::SCEV *Address,
              Affine &Ret);

} // namespace snag

#endif
