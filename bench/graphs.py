#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV of build/bench/graphs into tables: graphs.py RESULTS.csv RESULTS.md"""

import math
import os
import sys

import results

# Storey et al., table 3: nodes, isolation, race, milliseconds of CG and of Zipper.
TABLE3 = """
ClumpedAcess 11 Y - 4 14
PrimitiveArrayNoRace 11 - - 1 12
PrimitiveArrayRace 11 - Y 1 8
SimpleSimple 11 - Y 1 14
SimpleSimpleSimple2 11 - Y 1 7
VectorAdd 11 - - 5 18
DataRaceIsolateSimple 13 Y Y 10 17
DoubleBranchExample 13 Y - 1 7
DataRaceIsolateSimple1 15 Y Y 5 22
ForallWithIterable 17 - - 4 11
IsolatedBlockNo 19 Y - 9 2
Add 23 - - 18 28
PrimeNumCounter 23 Y - 34 22
PrimeNumCounterForAll 27 Y - 39 44
ScalarMultiply 27 - - 37 41
TwoDimArrays 27 - - 22 40
ReciprocalArraySumFutures 37 - - 32 72
IntegerCounterIsolated 43 Y - 774 697
PrimeNumCounterForAsync 43 Y - 138 103
Antidep1VarYes 45 - Y 1271 54
Antidep2OrigYes 45 - Y 1234 58
ReciprocalArraySum 53 - - 1801 51
PipelineWithFutures 62 - - 61 53
DoAll1OrigNo 207 - - 650 372
DoAll2OrigNo 207 - - 47287 49534
Antidep1OrigYes 2005 - Y 247736 58215
Antidep2VarYes 2005 - Y 246561 7003
"""

DETECTORS = ["cg", "zipper", "isograph"]
CLOCKS = ["hb", "wcp", "plain"]


def seconds(text):
    value = float(text)
    return f"{value * 1000:.2f} ms" if value < 0.1 else f"{value:.2f} s"


def slope(first, last):
    """Of the time over the steps, on logarithmic scales."""
    return math.log(float(last["median"]) / float(first["median"])) / math.log(
        int(last["steps"]) / int(first["steps"]))


def by_size(rows):
    sizes = {}
    for row in rows:
        if row["program"] == "random":
            sizes.setdefault(int(row["steps"]), {})[row["detector"]] = row
    out = [
        "| steps | isolated | accesses | " + " | ".join(DETECTORS) + " |",
        "|---|---|---|---|---|---|",
    ]
    for steps, found in sorted(sizes.items()):
        row = found["isograph"]
        cells = [seconds(found[d]["median"]) if d in found else "-" for d in DETECTORS]
        out.append(f"| {steps:,} | {int(row['isolated']):,} | {int(row['accesses']):,} | " + " | ".join(cells) + " |")
    slopes, memory = [], []
    for detector in DETECTORS:
        measured = [found[detector] for _, found in sorted(sizes.items()) if detector in found]
        large = [row for row in measured if int(row["steps"]) >= 10000] or measured
        slopes.append(f"{slope(large[0], large[-1]):.2f}" if len(large) > 1 else "-")
        memory.append(f"{float(measured[-1]['peak_mb']):.0f} MB")
    out.append("| exponent from 10,000 on | | | " + " | ".join(slopes) + " |")
    out.append("| peak memory at its largest | | | " + " | ".join(memory) + " |")
    return out


def by_tasks(rows):
    sizes = {}
    for row in rows:
        if row["program"] == "tasks":
            sizes.setdefault(int(row["steps"]), {})[row["detector"]] = row
    names = [*DETECTORS[1:], *CLOCKS]
    out = ["| tasks | events | steps | isolated | " + " | ".join(names) + " |", "|---" * (4 + len(names)) + "|"]
    for steps, found in sorted(sizes.items()):
        row = found["isograph"]
        cells = [f"{seconds(found[d]['median'])}, {float(found[d]['peak_mb']):.0f} MB" if d in found else "-"
                 for d in names]
        out.append(f"| {int(row['tasks']):,} | {int(row['events']):,} | {steps:,} | {int(row['isolated']):,} | "
                   + " | ".join(cells) + " |")
    return out


def by_program(rows):
    found = {}
    for row in rows:
        name = row["program"].removeprefix("table3_").removesuffix(".task")
        found.setdefault(name, {})[row["detector"]] = row
    out = [
        "| program | nodes, theirs | CG, theirs | Zipper, theirs | steps, here | cg | zipper | isograph |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in TABLE3.split("\n"):
        if not line:
            continue
        name, nodes, _, _, cg, zipper = line.split()
        if name not in found:
            continue
        here = found[name]
        cells = [seconds(here[d]["median"]) for d in DETECTORS]
        out.append(f"| {name} | {int(nodes):,} | {int(cg):,} ms | {int(zipper):,} ms | {int(here['cg']['steps']):,} | "
                   + " | ".join(cells) + " |")
    return out


def main(source, target):
    rows = results.read(source)
    random = next(row for row in rows if row["program"] == "random")  # the parts may be of two commits
    out = [
        "# Computation graphs: measurements",
        "",
        f"Made by `build/bench/graphs tests/tasks/table3_*.task` (part of `make bench`) at commit {random['commit']} on "
        f"{results.machine()}. The data is in {os.path.basename(source)}. Times are CPU time from the events to the races, "
        f"including building the graph: the median of {random['repetitions']} runs, or one run if it takes more than 2 s.",
        "",
        "## By size",
        "",
        "The programs are random nested `async` and `finish`, run depth first. About a tenth of the steps are isolated "
        "blocks. After a run of more than 10 s, a detector gets no larger program. The exponent is the slope of time over "
        "steps on logarithmic scales: 1 is linear.",
        "",
        *by_size(rows),
        "",
        "## Beside vector clocks, by number of tasks",
        "",
        "Section 4.3 of Storey et al. claims that vector clocks, O(N(L + T²)) for N events of T threads (Kini, Mathur, "
        "Viswanathan: *Dynamic race prediction in linear time*, which is `wcp`), lose to Zipper where tasks are many, and "
        "where a step repeats accesses. Here all programs have about as many accesses, in more and more tasks. `hb` and "
        "`wcp` get the same run as threads, forks, joins and one lock, and decide no pair. *plain* are vector clocks as in a "
        "textbook, with an entry for each task (bench/clocks.c). CPU time and peak memory, the events included: the machine "
        "was shared, so compare within a row.",
        "",
        *by_tasks(rows),
        "",
        "The cost of plain clocks grows with the square of the tasks, in time and memory, as the paper says; that of Zipper "
        "grows with the square of the steps, in time only. The clocks of `hb` and `wcp` are shared and have entries for live "
        "tasks only, so for them the claim does not hold.",
        "",
        "## The programs of Storey et al., table 3",
        "",
        "*Theirs*: Java, JPF, a Xeon Gold 5120, all schedules of the isolated blocks. *Here*: one schedule of the same "
        f"program in the small task language (`tests/tasks/table3_*.task`, at commit {rows[0]['commit']}), translated from the authors' Java sources "
        "(kylona/spicy-bench, commit 2ff1b9f1, `benchmarks/AllBenchmarks2018`). The sizes are theirs: a program that creates "
        "n tasks in one finish, without isolation or futures, has 2n + 7 nodes there. Three notes:",
        "",
        "- only the programs without isolation can be compared; below 100 steps, most of the time is the start of an "
        "analysis;",
        "- SimpleSimple is called SimpleSimpleSimple there, and DoubleBranchExample has no isolated block in its source;",
        "- in Antidep1VarYes and Antidep2OrigYes the loops of all tasks share the variable `j`, which races too, as well "
        "as the array. Their sources name the accesses to be checked, and do not name those of `j`.",
        "",
        *by_program(rows),
    ]
    results.write(target, out)


main(*sys.argv[1:])
