/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - how `snag cc` configures the pass: options of LLVM (-mllvm)
 */
#ifndef SNAG_PASS_OPTIONS_H
#define SNAG_PASS_OPTIONS_H

namespace snag {

/* Why an access has no check of its own. */
enum class Removal {
#define REMOVAL(Name, Text, InTraces, About) Name,
#include "removals.def"
#undef REMOVAL
  None, /* the access has a check */
};

constexpr unsigned Removals = static_cast<unsigned>(Removal::None);

const char *removalName(Removal R);

/* Returns whether the switches, and the kind of program, allow this kind of removal. */
bool mayRemove(Removal R);

/* Returns whether the program consists of tasks.  Then only the set of cells that a step touches
 * counts, not the order. */
bool isForTasks();

/* Returns whether the program reports its branches to the runtime, with the reads that they depend
 * on. */
bool hasBranches();

/* Returns whether inlined code tests if there is anything to report. */
bool isInlining();

/* Returns whether the program counts the removed checks when it runs. */
bool hasCounts();

} // namespace snag

#endif
