/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - what `snag cc` asks of the pass, as options of LLVM (-mllvm)
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

/* Branches are told to the runtime, with the reads they depend on. */
bool hasBranches();

/* Checks look in place whether there is anything to tell. */
bool isInlining();

/* What is removed is counted when the program runs. */
bool hasCounts();

} // namespace snag

#endif
