/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.cpp - the instruction `pause`, by which code says that it spins
 *
 * Rules.  [builtin]  _mm_pause() and __builtin_ia32_pause(), which are one intrinsic
 *         [inline]   inline assembly that consists of `pause`, or of `rep; nop`, its older name
 */
#include "pause.h"

#include "abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace snag {

/* [inline] The words of the text, with one space between them. */
static bool saysPause(StringRef Text) {
  std::string Words;
  SmallVector<StringRef, 4> Parts;
  SplitString(Text, Parts, " \t\n\r;");
  for (StringRef Part : Parts)
    Words += (Words.empty() ? "" : " ") + Part.str();
  return Words == "pause" || Words == "rep nop";
}

static bool isPause(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Text = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return saysPause(std::string(Text->getAsmString()));
  const auto *Builtin = dyn_cast<IntrinsicInst>(Call);
  return Builtin && Builtin->getIntrinsicID() == Intrinsic::x86_sse2_pause;
}

void pausesEmit(Function &F) {
  Abi Calls(*F.getParent());
  for (Instruction &I : instructions(F)) {
    if (!isPause(I))
      continue;
    IRBuilder<> B(&I);
    Calls.call(B, "__snag_pause", {});
  }
}

} // namespace snag
