/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.cpp - client requests of Valgrind: inline assembly that annotates threads
 *
 * Rules.  [text]  Inline assembly that ends with the exchange of %rbx with itself.  Its operands
 *                 are the address of the request and the answer of a program that runs by itself.
 *                 Its result is the answer.
 */
#include "requests.h"

#include "abi.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace snag {

static bool isRequest(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Text = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
  return Text && Call->arg_size() == 2 && Call->getArgOperand(0)->getType()->isPointerTy() &&
         Call->getArgOperand(1)->getType()->isIntegerTy(64) && Call->getType()->isIntegerTy(64) &&
         StringRef(Text->getAsmString()).rtrim().endswith("xchgq %rbx,%rbx");
}

void requestsReplace(Function &F) {
  Abi Calls(*F.getParent());
  SmallVector<CallBase *, 8> Found;
  for (Instruction &I : instructions(F))
    if (isRequest(I))
      Found.push_back(cast<CallBase>(&I));
  for (CallBase *Call : Found) {
    IRBuilder<> B(Call);
    Calls.call(B, "__snag_request", {Call->getArgOperand(0)});
    Call->replaceAllUsesWith(Call->getArgOperand(1));
    Call->eraseFromParent();
  }
}

} // namespace snag
