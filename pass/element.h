/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h - of what size the elements are that vectors and mem intrinsics access
 *
 * Idea.   The recorder knows memory as variables, and cuts them where accesses meet in part.  An
 *         array that is set or copied as a whole, and used by element, need not be cut if it is
 *         known to be made of elements.  What is said here is no more than a hint.
 * Rules.  [type]   of what is at the address: a pointer's, where it has one, that of an object, or
 * of the element that was asked for [alias]  what the stores were said to be of which the optimiser
 * made a memset [same]   all scalars in the type have the same size; bytes may be anything
 */
#ifndef SNAG_PASS_ELEMENT_H
#define SNAG_PASS_ELEMENT_H

#include "llvm/IR/IntrinsicInst.h"

namespace snag {

/* In bytes, 2 or 4; 0: not known, or not to be told. */
uint64_t elementOf(llvm::Type *T, const llvm::DataLayout &DL);
uint64_t elementAt(const llvm::MemIntrinsic &M, const llvm::Value *Address,
                   const llvm::DataLayout &DL);

} // namespace snag

#endif
