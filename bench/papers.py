#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Table 2 of Pavlogiannis (POPL 2020) on traces of our own with the shape of its Table 1.

    bench/papers.py [MAX_EVENTS]        writes docs/results/papers.md and .csv

The traces of the paper are not available; those measured here only have as many events, threads,
variables and locks.  So the times can be compared in their order of magnitude, the numbers of races
cannot: they are printed to show what each detector finds in one and the same trace.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

K, M = 1000, 1000000
TARGET = "docs/results/papers.md"
MARK = "<!-- below: bench/dependence.py -->"  # which wrote what follows
DETECTORS = ["hb", "wcp", "dc", "shb", "m2"]
# name, events, threads, variables, locks; (races, seconds) of HB, WCP, DC, SHB, M2 as printed
BENCHMARKS = [
    ("array", 44, 2, 30, 2, [(0, 0.30), (0, 0.28), (0, 2.12), (0, 0.29), (0, 0.12)]),
    ("critical", 49, 3, 30, 0, [(3, 0.29), (3, 0.30), (3, 2.11), (8, 0.28), (8, 0.10)]),
    ("airtickets", 116, 2, 46, 0, [(3, 0.32), (3, 0.31), (3, 2.10), (4, 0.31), (4, 0.12)]),
    ("account", 125, 3, 41, 3, [(1, 0.31), (1, 0.32), (1, 2.12), (1, 0.30), (1, 0.12)]),
    ("pingpong", 126, 4, 54, 0, [(2, 0.30), (2, 0.31), (2, 2.04), (2, 0.31), (2, 0.09)]),
    ("bbuffer", 322, 2, 73, 2, [(2, 0.30), (2, 0.31), (2, 2.12), (2, 0.31), (2, 0.09)]),
    ("mergesort", 3 * K, 4, 621, 3, [(1, 0.36), (1, 0.41), (1, 2.16), (1, 0.37), (2, 0.18)]),
    ("bubblesort", 4 * K, 10, 196, 3, [(4, 0.46), (4, 0.54), (5, 2.28), (6, 0.62), (6, 0.71)]),
    ("raytracer", 16 * K, 2, 3 * K, 8, [(3, 0.51), (3, 0.56), (3, 2.57), (3, 0.51), (3, 0.23)]),
    ("ftpserver", 48 * K, 10, 5 * K, 304, [(23, 0.79), (23, 1.28), (24, 2.75), (23, 0.73), (26, 0.88)]),
    ("moldyn", 164 * K, 2, 1 * K, 2, [(2, 1.50), (2, 1.81), (2, 3.88), (2, 1.52), (2, 1.08)]),
    ("derby", 1 * M, 3, 185 * K, 1 * K, [(12, 8.53), (12, 14.54), (12, 15.29), (12, 8.32), (12, 7.84)]),
    ("jigsaw", 3 * M, 13, 103 * K, 280, [(8, 17.51), (10, 21.80), (10, 40.89), (9, 17.93), (11, 14.65)]),
    ("bufwriter", 11 * M, 5, 56, 1, [(2, 48.64), (2, 120), (2, 179), (2, 47.71), (2, 57.37)]),
    ("hsqldb", 18 * M, 43, 946 * K, 412, [(4, 233), (4, 185), (5, 263), (9, 233), (9, 421)]),
    ("cryptorsa", 57 * M, 7, 1 * M, 8 * K, [(5, 222), (5, 180), (7, 418), (5, 209), (7, 366)]),
    ("eclipse", 86 * M, 14, 10 * M, 8 * K, [(33, 481), (34, 420), (39, 884), (54, 431), (67, 2723)]),
    ("xalan", 122 * M, 6, 4 * M, 2 * K, [(7, 538), (7, 505), (9, 1212), (11, 548), (15, 435)]),
    ("lusearch", 216 * M, 7, 5 * M, 118, [(30, 964), (30, 599), (30, 10146), (52, 928), (52, 489)]),
]


def generate(path, events, threads, variables, locks):
    command = ["build/bench/gen", "--seed", "1", "-o", path]
    options = {"events": events, "threads": threads, "variables": variables, "locks": locks}
    options["hot-locks"] = min(2, locks)
    if locks == 0:
        options["unprotected"] = 1
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    subprocess.run(command, check=True)


def measure(path, detector):
    command = ["build/snag", "analyze", "--jobs", "1", "--with", detector, "--json", "-", path]
    before = os.times()
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = os.times()
    if run.returncode not in (0, 66):
        sys.exit(f"papers: {' '.join(command)}: status {run.returncode}")
    findings = json.loads(run.stdout)["analyses"][0]
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return len(findings["races"]), cpu, findings["complete"]


def row_of(benchmark, directory):
    name, events, threads, variables, locks, paper = benchmark
    path = os.path.join(directory, "trace.snag")
    generate(path, events, threads, variables, locks)
    ours = []
    for detector in DETECTORS:
        print(f"papers: {name}: {detector}", file=sys.stderr)
        ours.append(measure(path, detector))
    os.remove(path)
    return name, events, threads, variables, locks, paper, ours


def short(n):
    for unit, name in ((M, "M"), (K, "K")):
        if n >= unit:
            return f"{n // unit}{name}"
    return str(n)


def markdown(rows, commit):
    lines = [
        "# The benchmark table of M2, on traces of the same shape",
        "",
        f"Made by `bench/papers.py` at commit {commit}. Table 2 of Pavlogiannis, *Fast, Sound, and Effectively Complete",
        "Dynamic Race Prediction* (POPL 2020), prints races (pairs of source locations) and time of HB, WCP, DC, SHB and M2",
        "on 19 traces. **Those traces are not ours**: we generate random ones with as many events, threads, variables and",
        "locks (its Table 1), 0.2 % of the accesses unprotected. Compare times by their order of magnitude, races only",
        "between our columns: *paper* is what the paper printed for its trace, *snag* what we measured on ours (CPU seconds",
        "of the whole process on one thread, from a .snag file; dc with every pair decided).",
        "",
        "| trace | n | k | variables | locks | | "
        + " | ".join(f"{d} races | {d} s" for d in DETECTORS) + " | m2 complete |",
        "|---" * (7 + 2 * len(DETECTORS)) + "|",
    ]
    for name, events, threads, variables, locks, paper, ours in rows:
        shape = f"| {name} | {short(events)} | {threads} | {short(variables)} | {short(locks)} "
        lines.append(shape + "| paper | " + " | ".join(f"{r} | {s:g}" for r, s in paper) + " | yes |")
        lines.append("| | | | | | snag | " + " | ".join(f"{r} | {s:.2f}" for r, s, _ in ours)
                     + f" | {'yes' if ours[-1][2] else 'no'} |")
    return "\n".join(lines) + "\n"


def main():
    most = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20 * M
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=10"], stdout=subprocess.PIPE,
                            text=True, check=False).stdout.strip() or "unknown"
    with tempfile.TemporaryDirectory() as directory:
        rows = [row_of(b, directory) for b in BENCHMARKS if b[1] <= most]
    with open(TARGET, encoding="utf-8") as f:
        rest = f.read().partition(MARK)
    with open(TARGET, "w", encoding="utf-8") as f:
        f.write(markdown(rows, commit) + ("\n" + rest[1] + rest[2] if rest[1] else ""))
    with open("docs/results/papers.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["trace", "events", "threads", "variables", "locks", "detector", "races", "seconds", "complete",
                         "paper_races", "paper_seconds"])
        for name, events, threads, variables, locks, paper, ours in rows:
            for detector, mine, theirs in zip(DETECTORS, ours, paper):
                writer.writerow([name, events, threads, variables, locks, detector, *mine, *theirs])


if __name__ == "__main__":
    main()
