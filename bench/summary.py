#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the CSV of bench/run.sh into tables: summary.py RESULTS.csv RESULTS.md

Whatever RESULTS.md holds from the line KEEP on was written by hand and is kept.
"""

import math
import os
import sys

import results

TITLES = {"foundation.md": "Reading and analysing traces", "prediction.md": "Predicting races"}
KEEP = "<!-- below: kept by summary.py -->"


def read(path):
    rows = results.read(path)
    for row in rows:
        for key in ("median", "spread", "wall", "bytes", "peak_mb", "calibration"):
            row[key] = float(row[key])
        row["events"] = int(row["events"])
        row["ns"] = row["median"] / row["events"] * 1e9
        row["loops"] = row["ns"] / row["calibration"]
        row["options"] = dict(w.split("=") for w in row["configuration"].split() if "=" in w)
        row["is_plain"] = " --" not in row["configuration"]
    return rows


def table(rows):
    lines = [
        "| program | CPU s | spread | M events/s | ns/event | x bare loop | peak MB | bytes/event on disk |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        spread = f"{100 * r['spread']:.0f} %" if int(r["repetitions"]) > 1 else "one run"
        lines.append(
            f"| {r['program']} | {r['median']:.3f} | {spread} | {1e3 / r['ns']:.1f} | "
            f"{r['ns']:.1f} | {r['loops']:.1f} | {r['peak_mb']:.0f} | {r['bytes']:.2f} |"
        )
    return lines


def exponent(rows, measure):
    """The slope of log time over log events, by least squares."""
    xs = [math.log(r["events"]) for r in rows]
    ys = [math.log(r[measure] * r["events"]) for r in rows]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def both(values):
    return "{:.2f} ({:.2f})".format(*values)


def scaling(rows):
    plain = [r for r in rows if r["is_plain"]]
    counts = sorted({r["options"]["threads"] for r in plain}, key=int)
    most = counts[-1]
    lines = [
        f"| program | exponent of time over events | events | ns/event at {', '.join(counts)} threads | {most} : 8 threads |",
        "|---|---|---|---|---|",
    ]
    for program in dict.fromkeys(r["program"] for r in plain):
        mine = [r for r in plain if r["program"] == program]
        by_events = sorted((r for r in mine if r["options"]["threads"] == "8"), key=lambda r: r["events"])
        length = {r["events"] for r in mine if r["options"]["threads"] == "128"}
        by_threads = {int(r["options"]["threads"]): r for r in mine if r["events"] in length}
        slope, span, ratio = "-", "-", "-"
        if len({r["events"] for r in by_events}) > 1:
            slope = both(exponent(by_events, measure) for measure in ("ns", "loops"))
            span = f"{by_events[0]['events']:.0e}-{by_events[-1]['events']:.0e}".replace("e+0", "e")
        if 8 in by_threads and 128 in by_threads:
            ratio = both(by_threads[128][measure] / by_threads[8][measure] for measure in ("ns", "loops"))
        each = ", ".join(f"{by_threads[t]['ns']:.1f}" for t in sorted(by_threads)) or "-"
        if 128 not in by_threads:  # the predictive ones are compared at 8 and 32
            length = {r["events"] for r in mine if r["options"]["threads"] == "32"}
            by_threads = {int(r["options"]["threads"]): r for r in mine if r["events"] in length}
            each = ", ".join(f"{by_threads[t]['ns']:.1f}" for t in sorted(by_threads)) or "-"
            if 8 in by_threads and 32 in by_threads:
                ratio = both(by_threads[32][measure] / by_threads[8][measure] for measure in ("ns", "loops"))
        lines.append(f"| {program} | {slope} | {span} | {each} | {ratio} |")
    return lines


def main():
    source, target = sys.argv[1:]
    rows = read(source)
    loops = sorted(r["calibration"] for r in rows)
    lines = [
        f"# {TITLES[os.path.basename(target)]}: measurements",
        "",
        f"Made by `make bench` (bench/run.sh) at commit {rows[0]['commit']} on {results.machine()}. "
        f"The data is in {os.path.basename(source)}.",
        "",
        "- `build/bench/gen --events N --threads T` makes the traces. Unless said otherwise they have its defaults: "
        "10,000 variables, 50 locks (2 hot), nesting 2 and 0.2 % unprotected accesses.",
        f"- CPU seconds are the median of {rows[0]['repetitions']} runs, fewer for the longest traces. "
        "*Spread* is slowest minus fastest, divided by the median.",
        "- `read` turns a file in the page cache into events. `check` also checks the rules of traces. "
        "The row of a detector covers everything from the file to the races, on one thread.",
        f"- Before every run, a bare loop over events in memory was measured. It took {loops[0]:.2f} to {loops[-1]:.2f} ns "
        f"per event (median {loops[len(loops) // 2]:.2f}). To compare machines, use the column \"x bare loop\".",
        "",
        "## Scaling",
        "",
        "Figures in parentheses are in units of the bare loop, as measured beside each run. Where the two disagree, "
        "the machine was not quiet.",
        "",
        *scaling(rows),
    ]
    for configuration in dict.fromkeys(r["configuration"] for r in rows):
        lines += ["", f"## {configuration}", ""]
        lines += table([r for r in rows if r["configuration"] == configuration])
    by_hand = results.part(target, KEEP)[1]
    results.write(target, lines + ([""] + by_hand if by_hand else []))


if __name__ == "__main__":
    main()
