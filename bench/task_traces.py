#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV of build/bench/task_traces into a table: task_traces.py RESULTS.csv RESULTS.md"""

import csv
import os
import sys

PROGRAMS = {
    "one": "one task, 65,536 cells over and over",
    "forall": "a million tasks in ten finishes, a shared table",
    "divide": "divide and conquer with async and finish",
    "cilk": "the same with spawn and sync",
    "poisson": "a grid of tasks per round, each gets its neighbours",
    "futures": "futures, each gets two random earlier ones, a shared table",
}


def machine():
    with open("/proc/cpuinfo") as f:
        models = [l.split(":", 1)[1].strip() for l in f if l.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} cores"


def main(source, target):
    with open(source, newline="") as f:
        rows = list(csv.DictReader(f))
    out = [
        "# Detectors of tasks: measurements",
        "",
        f"Made by `build/bench/task_traces` (part of `make bench`) at commit {rows[0]['commit']} on {machine()}; the data is in",
        f"{os.path.basename(source)}. Million accesses per second of CPU time, median of {rows[0]['repetitions']} runs: of the detector alone on events in",
        "memory, and of `snag analyze` on a .snag file, which includes reading, names and the rules of traces. Spread is slowest",
        "minus fastest over the median, in memory. MB is what the detector's memory grew by.",
        "",
        "| program | accesses | tasks | gets | detector | in memory | from a file | spread | MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        out.append(f"| {PROGRAMS.get(r['pattern'], r['pattern'])} | {int(r['accesses']):,} | {int(r['tasks']):,} | {int(r['waits']):,} "
                   f"| {r['detector']} | {r['memory_rate']} | {r['file_rate']} | {float(r['spread']) * 100:.0f} % | {r['mb']} |")
    out += [
        "",
        "From a file, names cost most where there are many: `divide` and `cilk` touch 4 million cells three times each, and",
        "every one of them has a name of its own.",
    ]
    with open(target, "w") as f:
        f.write("\n".join(out) + "\n")


main(*sys.argv[1:])
