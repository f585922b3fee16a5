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
  None, /* it has one */
};

constexpr unsigned Removals = static_cast<unsigned>(Removal::None);

const char *removalName(Removal R);

/* Whether this kind of removal is allowed: by the switches, and by what is compiled. */
bool mayRemove(Removal R);

/* The program's parallelism is that of tasks: what counts is which cells a step touches, not
 * in which order. */
bool isForTasks();

/* Branches are reported to the runtime, with the reads that they depend on. */
bool hasBranches();

/* Checks test in place whether there is anything to report. */
bool isInlining();

/* What is removed is counted when the program runs. */
bool hasCounts();

} // namespace snag

#endif
