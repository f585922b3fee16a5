/* SPDX-License-Identifier: Apache-2.0
 *
 * marker.h - what a module tells about itself: that the pass was here, and what it did
 *
 * Format. Section .snag.pass, which is not loaded: texts, each with a NUL behind it,
 *
 *           <source file> TAB <checks> TAB <removal>=<n> ...
 *
 *         <source file> as the compiler was given it; n accesses have no check for
 *         that reason (removals.def); counted are places in the code.
 */
#ifndef SNAG_PASS_MARKER_H
#define SNAG_PASS_MARKER_H

#include "access.h"

#include "llvm/IR/Module.h"

namespace snag {

struct Totals {
  uint64_t N[Removals + 1] = {}; /* by reason; the last: checks there are */

  void add(const Accesses &All) {
    for (const Access &A : All)
      N[static_cast<unsigned>(A.Removed)]++;
  }
};

void markerEmit(llvm::Module &M, const Totals &T);

} // namespace snag

#endif
