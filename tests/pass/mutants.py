#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants errors in the eliminations of pass/, one at a time, and says which the tests find.

    tests/pass/mutants.py BUILD [NAME...]

BUILD is a build directory with the plugin for clang 14.  Each mutant is the plugin with one piece of
its source replaced; tests/cli/pass.bats runs with it.  One that passes all oracles shows
what they do not look at: exit status 1."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import planted

# The oracles; which of them is asked first depends on the file: what it finds the other need not.
CELLS, RACES = "footprints stay the same", "race on stays the same"
RACES_FIRST = ("local", "sequential")

MUTANTS = {
    # name: (file, what, instead)
    "local-given-away": ("local", "return !K.IsKept;", "return true;"),
    "local-argument": ("local", "!(Passed && (Passed->hasByValAttr() || isOwnCopy(*Passed, Seen)))", "!Passed"),
    "local-own-called": ("local", ": isGivenCopied(U, TheFunction);", ": true;"),
    "local-own-passed": ("local", "? isLocal(getUnderlyingObject(Call->getArgOperand(0)), Seen)", "? true"),
    "local-copy-all": ("local", "isCopying(Call) && isLocal(", "isCopying(Call) && !isLocal("),
    "dominated-read-for-write": ("dominated", "&& (IsWrite || !P.IsWrite)", ""),
    "dominated-size": ("dominated", "Offset + int64_t(Size) >= P.Offset + int64_t(P.Size)", "true"),
    "dominated-offset": ("dominated", "Base == P.Base && Offset <= P.Offset", "Base == P.Base"),
    "dominated-step": ("dominated", "if (Sync.maySynchronise(I))\n        State.reset();", ""),
    "dominated-one-way": ("dominated", "State &= It->second;\n    }\n    return State;\n  }\n\n  void defined",
                          "State = It->second;\n    }\n    return State;\n  }\n\n  void defined"),
    "after-round": ("dominated", "else\n        State.reset();\n    }", "}"),
    "after-one-way": ("dominated", "State &= It->second;\n      else", "State |= It->second;\n      else"),
    "after-step": ("dominated", "if (!Sync.isHarmless(I))\n        State.reset();", ""),
    "after-end": ("dominated", "!Sync.isHarmless(I)", "Sync.maySynchronise(I)"),
    "after-removed": ("dominated", "if (A.isRemoved())\n          continue;", ""),
    "calls-all-quiet": ("calls", "if (Quiet.count(&F) && !isQuiet(F))", "if (false)"),
    "sequential-called": ("sequential", "|| !Set.count(Call->getFunction())", ""),
    "sequential-given-away": ("sequential", "if (!Call || !Call->isCallee(&U) ||", "if (Call && Call->isCallee(&U) &&"),
    "readonly-written": ("sequential", "} else if (isa<LoadInst>(At)) {", "} else if (isa<LoadInst>(At) || isa<StoreInst>(At)) {"),
    "readonly-copied-to": ("sequential", "if (&U == &T->getRawSourceUse())\n        return true;", "return true;"),
    "readonly-escapes": ("sequential", "(S && U.getOperandNo() == S->getPointerOperandIndex())", "S"),
    "readonly-not-asked": ("sequential", "isa<SelectInst>(At)) &&\n           isReadOnly(*At, Seen);", "isa<SelectInst>(At));"),
    "readonly-passed": ("sequential", "return isReadOnly(*Parameter, Seen);", "return true;"),
    "readonly-one-caller": ("sequential", "all_of(F->uses(), [&]", "any_of(F->uses(), [&]"),
    "loop-every": ("footprint", "while (!DT.dominates(R.At, Latch)) /* [every] */\n      if (!outOfCondition(L, R))\n        return false;", ""),
    "loop-guard-sense": ("footprint", "if (Branch->getSuccessor(1) == R.At)", "if (false)"),
    "loop-guard-count": ("footprint", "R.Dims.back().Count = SE.getMulExpr(R.Dims.back().Count, Times);", ""),
    "loop-not-nsw": ("address", "return Both([&](auto *A, auto *B) { return SE.getMinusSCEV(A, B); });",
                     "return Both([&](auto *A, auto *B) { return SE.getAddExpr(A, B); });"),
    "loop-quiet": ("footprint", "!Before || !isQuiet(L))", "!Before)"),
    "loop-one-fewer": ("footprint", "return IsPositive ? SE.getAddExpr(Back, SE.getOne(Word)) : Back;", "return Back;"),
    "loop-one-more": ("footprint", "return IsPositive ? SE.getAddExpr(Back, SE.getOne(Word)) : Back;",
                      "return SE.getAddExpr(Back, SE.getOne(Word));"),
    "loop-exits": ("footprint", "if (DT.dominates(B, E) != IsPositive || (!IsPositive && !DT.dominates(E, B)))", "if (false)"),
    "loop-never": ("footprint", "!Step->isZero() || !IsPositive;", "!Step->isZero();"),
    "loop-triangle": ("footprint", "if (!canExpand(D.Step, Before) || !canExpand(D.Count, Before))", "if (false)"),
    "loop-dims": ("footprint", "R.Dims.push_back({Step, Count});", "R.Dims.assign(1, {Step, Count});"),
    "join-kinds": ("footprint", "if (!SameKind || !Step ||", "if (!Step ||"),
    "join-cover-kinds": ("footprint", "|| !(SameKind || IsWrite))", ")"),
    "join-cover-size": ("footprint", "if (End <= A.Size) /* [cover] */", "if (Offset < A.Size)"),
    "join-gap": ("footprint", "|| Offset > A.Size ||", "||"),
    "join-shapes": ("footprint", "A.Dims != B.Dims ||", "A.Dims.size() != B.Dims.size() ||"),
    "joined-hole": ("joined", "Count < 2 || Bytes != (1u << Size) - 1", "Count < 2"),
    "joined-step": ("joined", "if (!Sync.isHarmless(I)) /* [block] */\n        J.end();", ""),
    "joined-block": ("joined", "J.add(i);\n    }\n    J.end();", "J.add(i);\n    }"),
    "joined-kinds": ("joined", "&& A.IsWrite == All[Low.Number].IsWrite", ""),
    "joined-base": ("joined", "&& P.Base == Low.Base", ""),
    "joined-first": ("joined", "Low.Offset - First->Offset, Size", "0, Size"),
    "marks-merged": ("marks", "if (Groups == One)\n    return true;", "return true;"),
}


def plugin(build, name, folder):
    """The mutant, beside everything else a build has."""
    source, what, instead = MUTANTS[name]
    target = f"pass/CMakeFiles/snag_pass_14.dir/{source}.cpp.o"
    made = planted.compiled(build, name, (f"pass/{source}.cpp", what, instead), target, folder)
    objects = os.path.dirname(os.path.join(build, target))
    others = [os.path.join(objects, o) for o in os.listdir(objects) if o.endswith(".o") and o != source + ".cpp.o"]
    subprocess.run(["c++", "-shared", "-o", planted.beside(build, folder, "snag-pass-14.so"), made, *others], check=True)


def is_found(build, name):
    with tempfile.TemporaryDirectory() as folder:
        plugin(build, name, folder)
        oracles = (RACES, CELLS) if MUTANTS[name][0] in RACES_FIRST else (CELLS, RACES)
        return any(fails(oracle, name, folder) for oracle in oracles)


def fails(oracle, name, folder):
    tests = subprocess.run(["bats", "-f", oracle, os.path.join(planted.ROOT, "tests", "cli", "pass.bats")],
                           env=os.environ | {"SNAG": os.path.join(folder, "snag")}, stdout=subprocess.PIPE, text=True, check=False)
    if "ok" not in tests.stdout or "skip" in tests.stdout:
        sys.exit(f"{name}: the tests did not run:\n{tests.stdout}")
    return tests.returncode != 0


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or MUTANTS
    planted.report(names, lambda name: (is_found(build, name), ""))


main()
