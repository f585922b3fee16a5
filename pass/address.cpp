/* SPDX-License-Identifier: Apache-2.0
 *
 * address.cpp - addresses as scalar evolution sees them
 */
#include "address.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace snag {

static IntegerType *wordOf(ScalarEvolution &SE) { return Type::getInt64Ty(SE.getContext()); }

/* The value, sign-extended. */
static const SCEV *wide(ScalarEvolution &SE, Value *V) {
  auto *Op = dyn_cast<OverflowingBinaryOperator>(V);
  if (Op && Op->hasNoSignedWrap()) {
    auto Both = [&](auto Make) {
      return Make(wide(SE, Op->getOperand(0)), wide(SE, Op->getOperand(1)));
    };
    switch (Op->getOpcode()) {
    case Instruction::Add:
      return Both([&](auto *A, auto *B) { return SE.getAddExpr(A, B); });
    case Instruction::Sub:
      return Both([&](auto *A, auto *B) { return SE.getMinusSCEV(A, B); });
    case Instruction::Mul:
      return Both([&](auto *A, auto *B) { return SE.getMulExpr(A, B); });
    default:
      break;
    }
  }
  return SE.getTruncateOrSignExtend(SE.getSCEV(V), wordOf(SE));
}

const SCEV *addressOf(ScalarEvolution &SE, Value *V) {
  auto *G = dyn_cast<GEPOperator>(V);
  if (!G || G->getType()->isVectorTy() ||
      wordOf(SE)->getBitWidth() != SE.getTypeSizeInBits(G->getType()))
    return SE.getSCEV(V);
  SmallVector<const SCEV *, 4> Indices;
  for (Value *Index : G->indices()) {
    auto *Extended = dyn_cast<SExtInst>(Index);
    Indices.push_back(Extended ? wide(SE, Extended->getOperand(0)) : SE.getSCEV(Index));
  }
  Value *Base = G->getPointerOperand();
  const SCEV *Offset = SE.getMinusSCEV(SE.getGEPExpr(G, Indices), SE.getSCEV(Base));
  return isa<SCEVCouldNotCompute>(Offset) ? SE.getSCEV(V)
                                          : SE.getAddExpr(addressOf(SE, Base), Offset);
}

bool affineIn(ScalarEvolution &SE, const Loop &L, const SCEV *Address, Affine &Ret) {
  Ret = {Address, SE.getZero(wordOf(SE))};
  if (SE.isLoopInvariant(Address, &L))
    return true;
  const auto *Moves = dyn_cast<SCEVAddRecExpr>(Address);
  if (!Moves || Moves->getLoop() != &L || !Moves->isAffine())
    return false;
  Ret.Start = Moves->getStart();
  Ret.Step = SE.getTruncateOrSignExtend(Moves->getStepRecurrence(SE), wordOf(SE));
  return SE.isLoopInvariant(Ret.Start, &L) && SE.isLoopInvariant(Ret.Step, &L);
}

} // namespace snag
