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
        f"Made by `bench/tasks.sh` (part of `make bench`) at commit {rows[0]['commit']} on {results.machine()}; the data is in",
        f"{os.path.basename(source)} and {os.path.basename(runtimes_source)}.",
        "",
        "## Depth first on one worker",
        "",
        f"`build/bench/tasks`: CPU time, median of {rows[0]['repetitions']} runs; spread is slowest minus fastest over the median, the largest",
        "of the three sizes. Nobody listens to the events. The exponent is the slope of the whole time over n on logarithmic",
        "scales: 1 is linear. Bytes are the peak of resident memory over n, for the largest n.",
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
        "A task that has ended costs no memory. One that waits costs its record (about 200 bytes) and the pages of its",
        "stack that it touched: 4096 bytes at least. Where all tasks are alive at once, most of the time is the system's: it",
        "clears a page for each of them.",
        "",
        "## In parallel, beside OpenMP",
        "",
        "The same kernels with tasks of `<snag/task.h>` (bench/parallel.c) and of OpenMP (bench/openmp.c), both compiled by",
        "clang, the latter with its libomp. fib: 2.7 M tasks that do nothing; nqueens: a task per board of 11 queens, each",
        "with a copy of its own; sort: merge sort of 4 M numbers, tasks of at least 1024. Medians of three rounds in turns;",
        "in parentheses the lowest and highest ratio of a round.",
        "",
        "| kernel | workers | snag, s | OpenMP, s | OpenMP : snag | snag, CPU s | OpenMP, CPU s |",
        "|---|---|---|---|---|---|---|",
        *runtimes(runtimes_source),
    ]
    results.write(target, out)


main(*sys.argv[1:])
