#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV of build/bench/task_traces into a table: task_traces.py RESULTS.csv SEARCHES.csv RESULTS.md"""

import os
import sys

import results

PROGRAMS = {
    "one": "one task, 65,536 cells over and over",
    "forall": "a million tasks in ten finishes, a shared table",
    "divide": "divide and conquer with async and finish",
    "cilk": "the same with spawn and sync",
    "poisson": "a grid of tasks per round, each gets its neighbours",
    "futures": "futures, each gets two random earlier ones, a shared table",
}


# What the memory of a trace is for: the things there are many of, and how much one may take.
MEMORY = {
    "tasks": ("task, created by async, with one read", "tasks", 48),
    "spawns": ("task, spawned, two before each sync, with one read", "tasks", 48),
    "joins": ("promise that is set and got", "waits", 32),
    "cells": ("variable that is written and read", "accesses", 16),
}


# Jin et al., DRDP, table 3: its front of a list is the oldest wait.
PAPER = {
    "strassen-512-16": [("2", "1.43"), ("337", "11.04"), ("1", "1.00"), ("4", "1.13")],
    "sparselu-32-8": [("544", "8.85"), ("544", "65.72"), ("2", "1.07"), ("17", "6.08")],
    "poisson-2048-128-3": [("32", "9.54"), ("32", "9.54"), ("6", "2.84"), ("6", "2.84")],
}
ORDERS = [("dfs", "newest first"), ("dfs", "oldest first"), ("bfs", "newest first"), ("bfs", "oldest first")]


def memory(rows):
    """The table of bytes for each task, wait and variable."""
    out = [
        "",
        "## Memory",
        "",
        "Each trace has millions of one thing and little else. Bytes are the detector's resident memory, including the 1 to "
        "2 MB that it takes in any case, divided by the number of things. Of these, `drdp` spends 20 on a node of the tree of "
        "tasks, 4 on a step and 16 on a get. A parallel reader beyond the first takes 12 bytes more.",
        "",
        "| thing | how many | detector | bytes each | wanted: at most |",
        "|---|---|---|---|---|",
    ]
    for r in rows:
        name, column, most = MEMORY[r["pattern"]]
        n = int(r[column]) // (2 if column == "accesses" else 1)  # each is accessed twice
        out.append(f"| {name} | {n:,} | {r['detector']} | {float(r['mb']) * 1e6 / n:.1f} | {most} |")
    return out


def beside_paper(rows):
    """Table 3 of the paper, with ours."""
    out = [
        "",
        "Table 3 of the paper (Jin et al., DRDP) has three programs. They are in bench/programs/tasks, and `snag record` "
        "recorded them with the same input (`PROGRAM orders`). Figures are the visited tasks, maximum and mean; the minimum is "
        "1 everywhere.",
        "",
        "- *All waits* searches as the paper does; *new waits* leaves out waits that are older than the step, as `drdp` does.",
        "- Only searches that find something count. If nothing orders the two accesses, for example two readers, every order "
        "of searching visits all tasks.",
        "- Recorded accesses are those that a step makes for the first time.",
        "",
        "| program and input | | searches | " + " | ".join(f"{g}, {w}" for g, w in ORDERS) + " |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, paper in PAPER.items():
        out.append(f"| {name.replace('-', ' ')} | paper | | " + " | ".join(f"{most}, {mean}" for most, mean in paper) + " |")
        for which in "all", "new":
            ours = [next((r for r in rows if (r["program"], r["graph"], r["waits"], r["which"], r["kept"]) == (name, g, w, which, "no")), None)
                    for g, w in ORDERS]
            searched = max((int(r["searches"]) for r in ours if r), default=0)
            out.append(f"| | snag, {which} waits | {searched:,} | " + " | ".join(f"{r['max']}, {r['mean']}" if r else "-" for r in ours) + " |")
    out += [
        "",
        "As in the paper, breadth first with the newest wait first visits the fewest tasks, nearly always one, and depth first "
        "visits many. How many depends on what a program waits for, and ours are rewritten. Leaving out old waits helps depth "
        "first, but not in strassen.",
    ]
    return out


def searches(source):
    """The table of orders of searching, and the paper's."""
    rows = results.read(source)
    out = [
        "",
        "## Orders of searching",
        "",
        "Made by `build/bench/task_traces -s`. Each access must find out whether the last writer and the last reader of its "
        "variable come before it. If the tree of tasks does not answer this, the detector searches the waits.",
        "",
        "- *min*, *max* and *mean* count the lists of waits that one search visits, one list for each task.",
        "- *seconds* are CPU time for the whole trace, one run.",
        "- `drdp` searches breadth first, newest first, leaves out waits that are older than the step, and keeps answers. Its "
        "rows are those with `yes`.",
        "",
        "| program | graph | waits | answers kept | asked | searches | min | max | mean | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        if r["program"] in PAPER:
            continue
        out.append(f"| {r['program']} | {r['graph']} | {r['waits']} | {r['kept']} | {int(r['asked']):,} | {int(r['searches']):,} "
                   f"| {r['min']} | {r['max']} | {r['mean']} | {r['seconds']} |")
    return out + beside_paper(rows)


def main(source, searched, target):
    rows = results.read(source)
    measured = [r for r in rows if r["pattern"] in MEMORY]
    rows = [r for r in rows if r["pattern"] not in MEMORY]
    out = [
        "# Detectors of tasks: measurements",
        "",
        f"Made by `build/bench/task_traces` (part of `make bench`) at commit {rows[0]['commit']} on {results.machine()}. The "
        f"data is in {os.path.basename(source)}.",
        "",
        f"- Rates are million accesses per second of CPU time, the median of {rows[0]['repetitions']} runs.",
        "- *In memory*: the detector alone, on events in memory. *From a file*: `snag analyze` on a .snag file, which includes "
        "reading, names and the rules of traces.",
        "- *Spread* is slowest minus fastest, divided by the median, in memory.",
        "- *MB* is the growth of the detector's memory.",
        "",
        "| program | accesses | tasks | gets | detector | in memory | from a file | spread | MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        out.append(f"| {PROGRAMS.get(r['pattern'], r['pattern'])} | {int(r['accesses']):,} | {int(r['tasks']):,} | {int(r['waits']):,} "
                   f"| {r['detector']} | {r['memory_rate']} | {r['file_rate']} | {float(r['spread']) * 100:.0f} % | {r['mb']} |")
    out += memory(measured)
    out += searches(searched)
    results.write(target, out)


main(*sys.argv[1:])
