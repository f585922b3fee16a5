/* SPDX-License-Identifier: Apache-2.0
 *
 * options.cpp - how `snag cc` configures the pass
 */
#include "options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

#include <string>

using namespace llvm;

static cl::opt<bool> ForTasks("snag-pass-tasks", cl::desc("snag: a program of tasks"), cl::Hidden);
static cl::opt<bool> Branches("snag-pass-branches", cl::desc("snag: tell branches"), cl::Hidden);
static cl::opt<bool> Counts("snag-pass-count", cl::desc("snag: count what is removed"), cl::Hidden);
static cl::list<std::string>
    Without("snag-pass-no", cl::CommaSeparated, cl::Hidden,
            cl::desc("snag: checks not to remove; inlined: none in place"));

namespace snag {

struct Kind {
  const char *Name;
  bool InTraces;
};

static const Kind Kinds[] = {
#define REMOVAL(Name, Text, InTraces, About) {Text, InTraces},
#include "removals.def"
#undef REMOVAL
};

const char *removalName(Removal R) { return Kinds[static_cast<unsigned>(R)].Name; }

static bool isWithout(StringRef What) {
  return any_of(Without, [What](const std::string &Name) { return Name == What; });
}

bool mayRemove(Removal R) {
  const Kind &K = Kinds[static_cast<unsigned>(R)];
  return !isWithout(K.Name) && !isWithout("all") && (ForTasks || K.InTraces);
}

bool isInlining() { return !isWithout("inlined"); }
bool isForTasks() { return ForTasks; }
bool hasBranches() { return Branches; }
bool hasCounts() { return Counts; }

} // namespace snag
