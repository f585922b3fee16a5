/* SPDX-License-Identifier: Apache-2.0
 *
 * marker.h - the note that the pass leaves in a module: that it ran, and what it did
 *
 * Format. Section .snag.pass, which is not loaded: texts, each followed by a NUL,
 *
 *           <source file> TAB <checks> TAB <removal>=<n> ...
 *
 *         <source file> as the compiler was given it; n accesses have no check for that reason
 *         (removals.def).  Accesses are counted in the code, not as they are executed.
 */
#ifndef SNAG_PASS_MARKER_H
#define SNAG_PASS_MARKER_H

#include "access.h"

#include "llvm/IR/Module.h"

namespace snag {

struct Totals {
  uint64_t N[Removals + 1] = {}; /* by reason; the last one: the checks that stay */

  void add(const Accesses &All) {
    for (const Access &A : All)
      N[static_cast<unsigned>(A.Removed)]++;
  }
};

void markerEmit(llvm::Module &M, const Totals &T);

} // namespace snag

#endif
