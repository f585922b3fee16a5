/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h - the size of the elements that vectors and mem intrinsics access
 *
 * Idea.   The recorder divides memory into variables, and splits a variable where accesses overlap
 *         in part.  An array that is set or copied as a whole, and used by element, need not be
 *         split if the recorder knows that it consists of elements.  The size is only a hint.
 * Rules.  [type]   The element has the type of the pointer, where pointers have types; that of the
 *                  object; or that of the element whose address was computed.
 *         [alias]  For a memset that the optimiser made of stores, it has the type of these stores.
 *         [same]   All scalars in the type have the same size; bytes may be anything.
 */
#ifndef SNAG_PASS_ELEMENT_H
#define SNAG_PASS_ELEMENT_H

#include "llvm/IR/IntrinsicInst.h"

namespace snag {

/* Returns the size in bytes, 2 or 4; 0: unknown, or not reported. */
uint64_t elementOf(llvm::Type *T, const llvm::DataLayout &DL);
uint64_t elementAt(const llvm::MemIntrinsic &M, const llvm::Value *Address,
                   const llvm::DataLayout &DL);

} // namespace snag

#endif
