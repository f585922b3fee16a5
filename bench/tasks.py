#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV files of bench/tasks.sh into tables: tasks.py TASKS.csv RUNTIMES.csv RESULTS.md"""

import math
import os
import statistics
import sys

import results


def runtimes(path):
    """Of the rounds of each measurement the median, and the lowest and highest ratio."""
    rounds = {}
    for row in results.read(path):
        key = row["kernel"], int(row["workers"])
        rounds.setdefault(key, {}).setdefault(row["runtime"], []).append(row)
    for (kernel, workers), by in rounds.items():
        mid = {(r, k): statistics.median(float(row[k]) for row in by[r]) for r in by for k in ("median", "cpu")}
        ratios = [float(o["median"]) / float(s["median"]) for o, s in zip(by["openmp"], by["snag"])]
        yield (f"| {kernel} | {workers} | {mid['snag', 'median']:.3f} | {mid['openmp', 'median']:.3f} | "
               f"{statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) | "
               f"{mid['snag', 'cpu']:.3f} | {mid['openmp', 'cpu']:.3f} |")


def main(source, runtimes_source, target):
    rows = results.read(source)
    programs = {}
    for row in rows:
        programs.setdefault(row["program"], []).append(row)
    out = [
        "# Tasks: measurements",
        "",
        f"Made by `bench/tasks.sh` (part of `make bench`) at commit {rows[0]['commit']} on {results.machine()}. The data is in "
        f"{os.path.basename(source)} and {os.path.basename(runtimes_source)}.",
        "",
        "## Depth first on one worker",
        "",
        f"`build/bench/tasks` measures CPU time, the median of {rows[0]['repetitions']} runs, with no consumer of the events.",
        "",
        "- *Spread* is slowest minus fastest, divided by the median: the largest of the three sizes.",
        "- The exponent is the slope of the whole time over n on logarithmic scales: 1 is linear.",
        "- Bytes are the peak of resident memory divided by n, for the largest n.",
        "",
        "| what is done, n times | n | ns each at n/100, n/10, n | spread | exponent | bytes each |",
        "|---|---|---|---|---|---|",
    ]
    for name, sizes in programs.items():
        first, last = sizes[0], sizes[-1]
        slope = 1 + math.log(float(last["median"]) / float(first["median"])) / math.log(
            int(last["n"]) / int(first["n"]))
        times = ", ".join(r["median"] for r in sizes)
        spread = max(float(r["spread"]) for r in sizes)
        out.append(f"| {name} | {int(last['n']):,} | {times} | {spread * 100:.0f} % | {slope:.2f} | {last['bytes']} |")
    out += [
        "",
        "A task that has ended costs no memory. A task that waits costs its record (about 200 bytes) and the pages of its "
        "stack that it touched: at least 4096 bytes. Where all tasks are alive at once, the system takes most of the time: it "
        "clears a page for each of them.",
        "",
        "## In parallel, beside OpenMP",
        "",
        "The same kernels run with tasks of `<snag/task.h>` (bench/parallel.c) and of OpenMP (bench/openmp.c). Clang compiled "
        "both, the latter with its libomp. Figures are medians of three rounds in turns; in parentheses are the lowest and the "
        "highest ratio of a round.",
        "",
        "- fib: 2.7 M tasks that do nothing.",
        "- nqueens: a task per board of 11 queens, each with its own copy.",
        "- sort: merge sort of 4 M numbers, in tasks of at least 1024.",
        "",
        "| kernel | workers | snag, s | OpenMP, s | OpenMP : snag | snag, CPU s | OpenMP, CPU s |",
        "|---|---|---|---|---|---|---|",
        *runtimes(runtimes_source),
    ]
    results.write(target, out)


main(*sys.argv[1:])
