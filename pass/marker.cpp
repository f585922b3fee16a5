/* SPDX-License-Identifier: Apache-2.0
 *
 * marker.cpp - the note that the pass leaves in a module
 *
 * It is in assembler, because LLVM's IR cannot express a section that is not loaded.
 */
#include "marker.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace snag {

static std::string quoted(StringRef Text) {
  std::string Out;
  for (unsigned char C : Text) {
    const char Octal[] = {'\\', char('0' + (C >> 6)), char('0' + (C >> 3 & 7)), char('0' + (C & 7)),
                          0};
    if (isPrint(C) && C != '"' && C != '\\' && C != '$')
      Out += char(C);
    else
      Out += Octal;
  }
  return Out;
}

void markerEmit(Module &M, const Totals &T) {
  std::string Text = quoted(M.getSourceFileName()) + "\\t" + utostr(T.N[Removals]);
  for (unsigned i = 0; i < Removals; i++)
    if (T.N[i])
      Text += std::string("\\t") + removalName(static_cast<Removal>(i)) + "=" + utostr(T.N[i]);
  M.appendModuleInlineAsm(".pushsection .snag.pass,\"\",@progbits\n.asciz \"" + Text +
                          "\"\n.popsection");
}

} // namespace snag
