#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV of build/bench/tasks into a table: tasks.py RESULTS.csv RESULTS.md"""

import csv
import math
import os
import sys


def machine():
    with open("/proc/cpuinfo") as f:
        models = [l.split(":", 1)[1].strip() for l in f if l.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} cores"


def main(source, target):
    with open(source, newline="") as f:
        rows = list(csv.DictReader(f))
    programs = {}
    for row in rows:
        programs.setdefault(row["program"], []).append(row)
    out = [
        "# Tasks on one worker, depth first: measurements",
        "",
        f"Made by `build/bench/tasks` (part of `make bench`) at commit {rows[0]['commit']} on {machine()}; the data is",
        f"in {os.path.basename(source)}. CPU time, median of {rows[0]['repetitions']} runs; spread is slowest minus fastest over the median, the largest",
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
    ]
    with open(target, "w") as f:
        f.write("\n".join(out) + "\n")


main(*sys.argv[1:])
