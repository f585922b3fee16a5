#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random OpenMP programs (generate.py), what races in them (truth.py) and what snag says.

    check.py [--cc gcc|clang] [--level=-O1] [--first N] [--programs N] [--count] SNAG SEED

Each program is judged twice, from inside and from its recording (--json), and
  - of each variable that races a pair is reported, and no pair that does not race,
  - the verdict is "race-free" if nothing races and nothing but order keeps accesses apart,
  - but where a team has too few threads (truth.py: is_short), all that counts is that the verdict is not wrong.
The first program that differs is made smaller while it differs in the same way, and printed with both answers; exit status 1.  With --count it
is only said how many differ, of recordings.  Programs that the compiler by itself cannot compile are left out (clang 14 fails on some untied tasks)."""
import argparse
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

import generate
import language
from truth import Truth

BATCH, NODES = 50, 500
INSIDE = "judged from inside"


def program(seed, number):
    """The program of that number, and its truth."""
    for attempt in range(1000):
        r = random.Random(f"{seed}/{number}/{attempt}")
        p = generate.skeleton(r)
        truth = Truth(p)
        if len(truth.before) > NODES:
            continue
        generate.fill(r, p, truth.times)
        p.body = generate.without_places(p.body)
        truth = Truth(p)
        if r.random() < 0.6:
            kept_apart = truth.apart if r.random() < 0.5 else set()
            language.without(p.body, {s.var for pair in truth.racy | kept_apart for s in pair})
            truth = Truth(p)
        if truth.accesses and truth.is_valid:
            return p, truth
    raise RuntimeError("no valid program")


def is_right(verdict, truth):
    if truth.is_short:
        return verdict != ("race-free" if truth.racy or truth.apart else "race")
    return verdict == truth.verdict()


class Judge:
    def __init__(self, snag, cc, level, folder):
        self.snag, self.cc, self.level, self.folder = snag, cc, level, folder

    def build(self, programs, *tool):
        """Returns what went wrong."""
        self.text = language.text(programs)
        with open(os.path.join(self.folder, "x.c"), "w", encoding="utf-8") as f:
            f.write("\n".join(self.text.lines) + "\n")
        built = subprocess.run([*(tool or (self.snag, "cc")), "-g", "-w", self.level, "-fopenmp", "x.c", "-o", "x"], cwd=self.folder,
                               env=os.environ | {"SNAG_CC": self.cc}, stderr=subprocess.PIPE, text=True, check=False)
        return built.stderr if built.returncode else ""

    def buildable(self, made):
        """Of programs with their truths those that can be compiled; and compiles them."""
        if self.build([p for p, _ in made]):
            made = [(p, truth) for p, truth in made if not self.build([p], self.cc, "-c")]
            errors = self.build([p for p, _ in made])
            if errors:
                sys.exit(f"not built with {self.cc} {self.level}:\n{errors}")
        return made

    def run(self, *words):
        try:
            return subprocess.run([self.snag, "run", *words], cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return None

    def differences(self, k, truth, only=""):
        """How the answers for program k differ from the truth: words, and what each is about."""
        recorded = self.run("--json", "x.json", "./x", str(k))
        if recorded is None or recorded.returncode not in (0, 66):
            return [("fails", recorded and recorded.stderr)]
        with open(os.path.join(self.folder, "x.json"), encoding="utf-8") as f:
            report = json.load(f)
        found = self.compare(report, truth)
        if only not in ("", INSIDE):
            return found
        inside = self.run("./x", str(k))
        says = inside and ("race" if inside.returncode == 66 else
                           "race-free" if "race-free for this input on every schedule" in inside.stderr else "no-race-found")
        if not is_right(says, truth):
            found.append((INSIDE, f"{says}, not {truth.verdict()}"))
        return found

    def compare(self, report, truth):
        found, seen = [], set()
        for incident in report["incidents"]:
            lines = [a["stack"][0]["line"] if a["stack"] else 0 for a in incident["accesses"]]
            pair = frozenset(self.text.at.get(line) for line in lines)
            if None in pair:
                found.append(("strange", f"lines {lines}"))
            elif pair not in truth.racy:
                found.append(("false", self.about(pair)))
            seen |= {s.var for s in pair if s}
        for pair in truth.racy:
            if not truth.is_short and {s.var for s in pair}.isdisjoint(seen):
                found.append(("missed", self.about(pair)))
        if "certificate" not in report:
            return [("no tasks", "")]
        verdict = report["certificate"]["verdict"]
        if not found and not is_right(verdict, truth):
            found.append(("verdict", f"{verdict} {[o['text'] for o in report['certificate']['obstacles']]}, not {truth.verdict()}"))
        return found

    def about(self, pair):
        lines = {s: max(n for n, at in self.text.at.items() if at is s) for s in pair if s}
        return " and ".join(f"line {n}: {self.text.lines[n - 1]}" for s, n in lines.items())


# ---- smaller programs ----

def smaller(p):
    """Copies of a program with one thing less."""
    def blocks(block):
        yield block
        for s in block:
            yield from blocks(s.body)

    for at, block in enumerate(blocks(p.body)):
        for k, s in enumerate(block):
            for how in ["drop", "unwrap"] + [key for key in ("flags", "depends") if s.a.get(key)] + [key for key in ("copied", "private") if key in s]:
                q = copy.deepcopy(p)
                to = list(blocks(q.body))[at]
                if how == "drop":
                    del to[k]
                elif how == "copied":
                    if to[k].copied.kind != "access":
                        continue
                    to[k].a["copied"] = language.Statement("place")
                elif how == "private":
                    del to[k].a["private"]
                elif how == "unwrap":
                    if s.kind not in ("block", "task", "taskgroup", "locked", "only", "ordered", "master") or not s.body:
                        continue
                    to[k:k + 1] = to[k].body
                else:
                    to[k].a[how] = to[k].a[how][1:]
                yield q


def shrink(judge, p, word):
    truth = Truth(p)
    done = False
    while not done:
        done = True
        for q in smaller(p):
            try:
                smaller_truth = Truth(q)
            except (KeyError, AttributeError, TypeError, NameError):
                continue  # no longer a program
            if not smaller_truth.is_valid:
                continue
            if not judge.build([q]) and any(w == word for w, _ in judge.differences(0, smaller_truth, word)):
                p, truth, done = q, smaller_truth, False
                break
    return p, truth


def show(judge, p, word):
    p, truth = shrink(judge, p, word)
    judge.build([p])
    print(f"{judge.cc} {judge.level}: {word}")
    depth = 0
    for n, line in enumerate(judge.text.lines[:-2], 1):
        depth -= line.startswith("}")
        print(f"{n:4}  {'  ' * depth}{line}")
        depth += line.startswith("{") and not line.endswith("}")
    print("races, by the specification:", "; ".join(map(judge.about, truth.racy)) or "none", "->", truth.verdict())
    for word_, what in judge.differences(0, truth):
        print(f"{word_}: {what}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--count", action="store_true")
    parser.add_argument("snag")
    parser.add_argument("seed")
    args = parser.parse_args()
    counts = {"programs": 0, "race": 0, "race-free": 0, "no-race-found": 0}
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(os.path.abspath(args.snag), args.cc, args.level, folder)
        for first in range(args.first, args.first + args.programs, BATCH):
            numbers = range(first, min(first + BATCH, args.first + args.programs))
            made = judge.buildable([program(args.seed, n) for n in numbers])
            for k, (p, truth) in enumerate(made):
                counts["programs"] += 1
                counts[truth.verdict()] += 1
                differences = judge.differences(k, truth, "any" if args.count else "")
                differ += bool(differences)
                if differences and not args.count:
                    show(judge, p, differences[0][0])
                    sys.exit(1)
    print(", ".join(f"{word}: {n}" for word, n in counts.items()) + (f", differ: {differ}" if args.count else ""))
    sys.exit(1 if differ else 0)


main()
