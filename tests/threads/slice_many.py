#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Very many random programs with threads: the same races with the slice and the scout, and without.

programs.c is compiled once for each compiler and level; its arguments say which programs it runs,
one after the other.  For each process
  - `snag run` reports the same with the scout, and with --keep, which makes events of all records:
    races, pairs, counts, verdicts, incidents;
  - `snag analyze` finds the same pairs in the kept trace on its slice, and when it reads the whole
    trace, because a detector that takes no slice (lockset) is asked for as well.
If something differs, the programs and their steps are left out as long as it still does.

usage: slice_many.py [--programs N] [--first N] [--sizes N,...] [--cc gcc,clang] [--levels=-O0,-O2]
                     [--seconds S] SNAG SEED
"""
import argparse
import collections
import json
import os
import subprocess
import tempfile
import time

import slice

HERE = os.path.dirname(os.path.abspath(__file__))
DETECTORS = ("hb,mixed,m2,deadlock", "m2", "hb", "hb,shb,mixed,syncp,osr,m2,deadlock", "shb,m2", "syncp,osr", "mixed,deadlock")
POLICIES = ("random", "rr", "pct")
NO_SLICE = "lockset"
# The allocator of the C library frees something when a thread ends, whoever has a turn then.  So in rare
# cases a run has another use of freed memory, or a block another size.  Then the runs are repeated,
# until one with the scout and one without report the same.
TRIES = 8
THREADS, CHILD, STEPS = 5, 8, 12  # of programs.c


def parts(found, path=()):
    """The leaves of lists in lists, each with the lists it is in."""
    for i, x in enumerate(found):
        if isinstance(x, (list, tuple)) and any(isinstance(y, (list, tuple)) for y in x):
            yield from parts(x, path + ((i,) if not isinstance(x[0], str) else (x[0],)))
        else:
            yield f"{path} {x}"


def compare(one_name, one, other_name, other):
    """Text that says what only one of two answers has; None: they are the same."""
    if one == other:
        return None
    a, b = collections.Counter(parts(one)), collections.Counter(parts(other))
    return "".join(f"  only {one_name}: {x}\n" for x in a - b) + "".join(f"  only {other_name}: {x}\n" for x in b - a)


class Case:
    """Programs that one process runs, and how snag observes them."""

    def __init__(self, options, folder, number, first, count):
        self.snag, self.folder, self.first, self.count = options.snag, folder, first, count
        self.prog = options.progs[number % len(options.progs)]
        self.detectors = DETECTORS[number % len(DETECTORS)]
        self.policy = POLICIES[number % len(POLICIES)]
        self.seed, self.schedule, self.without = options.seed, 1 + number % 1000, []
        self.is_unsteady = False

    def argv(self):
        return [f"./{self.prog}", str(self.seed), str(self.first), str(self.count), *self.without]

    def command(self):
        return f"snag run --no-replay --seed {self.schedule} --policy {self.policy} --with {self.detectors} " + " ".join(self.argv())

    def run(self, more):
        how = ["--policy", self.policy, "--with", self.detectors, *more]
        return slice.report(self.snag, self.folder, self.schedule, how, self.argv())

    def analyze(self, more):
        path = os.path.join(self.folder, "pairs.json")
        subprocess.run([self.snag, "analyze", "--pairs", "--json", path, "--with", self.detectors + more, "whole.snag"],
                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        with open(path) as f:
            found = json.load(f)
        os.remove(path)
        return [(a["name"], a["complete"], a["racy_events"],
                 sorted((r["first"], r["second"], r["variable"], r["verdict"], r["count"]) for r in a["races"]))
                for a in found["analyses"] if a["name"] != NO_SLICE], found.get("deadlocks")

    def difference(self, tries=TRIES):
        """Text that says what differs, or None; and the verdicts of the incidents."""
        with_scout, with_all, text = [], [], None
        for _ in range(tries):
            with_scout.append(self.run([]))
            with_all.append(self.run(["--keep", "whole.snag"]))
            if with_scout[-1] in with_all or with_all[-1] in with_scout:
                break
        else:
            text = compare("scout", with_scout[-1], "all", with_all[-1])
        self.is_unsteady = len(with_all) > 1
        if not text:
            text = compare("slice", self.analyze(""), "whole", self.analyze("," + NO_SLICE))
        return text, {incident[2] for incident in with_scout[0][2]}

    def shrink(self):
        """Leaves out what is not needed for a difference."""
        step = self.count // 2
        while step:
            for first in (self.first, self.first + step):  # without the last programs, and without the first
                before = self.first, self.count
                self.first, self.count = first, self.count - step
                if self.count and self.difference(2)[0]:
                    break
                self.first, self.count = before
            else:
                step //= 2
            step = min(step, self.count // 2)
        ids = list(range(THREADS)) + list(range(CHILD, CHILD * (THREADS + 1)))
        groups = [[f"{t}.{i}" for i in range(STEPS)] for t in ids] + [[f"{t}.{i}"] for t in ids[:THREADS] for i in range(STEPS)]
        for group in groups if self.count == 1 else []:
            before = self.without
            self.without = before + [step for step in group if step not in before]
            if self.without != before and not self.difference(2)[0]:
                self.without = before


def compile_all(o, folder):
    o.progs = []
    for cc in o.cc.split(","):
        for level in o.levels.split(","):
            prog = f"prog-{cc}{level}"
            sources = [os.path.join(HERE, name) for name in ("programs.c", "steps.c", "access.c")]
            subprocess.run([o.snag, "cc", level, "-g", "-w", "-pthread", "-o", prog, *sources], cwd=folder,
                           check=True, env=dict(os.environ, SNAG_CC=cc))
            o.progs.append(prog)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--programs", type=int, default=100)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--sizes", default="1,16,128", help="programs in a process, in turn")
    options.add_argument("--cc", default="gcc,clang")
    options.add_argument("--levels", default="-O0,-O2")
    options.add_argument("--seconds", type=float, default=1e9, help="start no process after that")
    options.add_argument("snag")
    options.add_argument("seed", type=int)
    o = options.parse_args()
    o.snag = os.path.abspath(o.snag)
    # With this, addresses seldom depend on when threads end.
    os.environ.update(MALLOC_ARENA_MAX="1", GLIBC_TUNABLES="glibc.malloc.tcache_count=0:glibc.pthread.stack_cache_size=0")
    sizes = [int(n) for n in o.sizes.split(",")]
    tally = {"programs": 0, "processes": 0, "with reports": 0, "with predictions": 0, "repeated": 0, "different": 0}
    end, told = time.monotonic() + o.seconds, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        compile_all(o, folder)
        number, at, last = 0, o.first, o.first + o.programs
        while at < last and time.monotonic() < end:
            case = Case(o, folder, number, at, min(sizes[number % len(sizes)], last - at))
            different, verdicts = case.difference()
            tally["programs"] += case.count
            tally["processes"] += 1
            tally["with reports"] += bool(verdicts)
            tally["with predictions"] += "predicted" in verdicts
            tally["repeated"] += case.is_unsteady
            tally["different"] += bool(different)
            number, at = number + 1, at + case.count
            if different:
                case.shrink()
                print(f"{case.command()}\n{case.difference()[0] or different}", flush=True)
            if time.monotonic() > told + 60:
                told = time.monotonic()
                print(", ".join(f"{k} {v}" for k, v in tally.items()), flush=True)
    print(", ".join(f"{k} {v}" for k, v in tally.items()))
    return tally["different"] > 0


if __name__ == "__main__":
    raise SystemExit(main())
