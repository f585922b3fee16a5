/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.h - client requests of Valgrind
 */
#ifndef SNAG_PASS_REQUESTS_H
#define SNAG_PASS_REQUESTS_H

#include "llvm/IR/Function.h"

namespace snag {

/* Puts calls of the runtime in place of the requests of a function
 * (src/runtime/interpose/valgrind.c). */
void requestsReplace(llvm::Function &F);

} // namespace snag

#endif
