#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 2 to 4 of Pavlogiannis (POPL 2020) on traces of our own with the shape of its Table 1.

    bench/papers.py [TRACE...]          writes docs/results/papers.csv and .md

Measures the traces named, or all of up to 20 million events; what papers.csv says of the others stays.
A detector that would need more than half of the free memory, at 64 bytes an event, is not run.

The traces of the paper are not available; those measured here only have as many events, threads,
variables and locks.  So the times can be compared in their order of magnitude, the numbers of races
cannot: they are printed to show what each detector finds in one and the same trace.
"""

import json
import os
import subprocess
import sys
import tempfile

import results

K, M = 1000, 1000000
TARGET, DATA = "docs/results/papers.md", "docs/results/papers.csv"
MARK = "<!-- below: bench/dependence.py -->"  # which wrote what follows
DETECTORS = ["hb", "wcp", "dc", "shb", "m2"]
NEWER = ["syncp", "osr"]  # published after M2
KEEP_TRACE = ["dc", "m2", "syncp", "osr"]
COMPLETE = {"True": "yes", "False": "no", "": "-"}
FIELDS = ["trace", "detector", "races", "seconds", "complete", "load", "commit", "mean_distance", "max_distance", "missed",
          "filtered", "missed_races", "variable_mean", "variable_max"]
# Table 3, mean and greatest distance of the races of M2; table 4, racy variables that HB, WCP, DC, SHB, M2 miss
DISTANCES = {"ftpserver": (939, 12 * K), "jigsaw": (1 * K, 4 * K), "hsqldb": (92 * K, 1 * M), "cryptorsa": (1 * M, 8 * M),
             "eclipse": (11 * M, 53 * M), "xalan": (2 * K, 43 * K), "lusearch": (44 * M, 125 * M)}
VARIABLE_DISTANCES = {"eclipse": (3 * M, 38 * M), "lusearch": (33 * M, 125 * M)}  # in the text, mean and greatest
MISSED = {"ftpserver": (3, 3, 3, 3, 0), "jigsaw": (2, 0, 0, 2, 0), "cryptorsa": (1, 1, 0, 1, 0),
          "eclipse": (16, 11, 8, 10, 0), "xalan": (3, 2, 2, 2, 0), "lusearch": (11, 11, 11, 0, 0)}
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


def measure(path, detector, *options):
    command = ["build/snag", "analyze", "--jobs", "1", "--with", detector, *options, "--json", "-", path]
    before = os.times()
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = os.times()
    if run.returncode not in (0, 66):
        sys.exit(f"papers: {' '.join(command)}: status {run.returncode}")
    findings = json.loads(run.stdout)["analyses"][0]
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return findings, cpu


def fits(events):
    with open("/proc/meminfo", encoding="utf-8") as f:
        free = next(int(line.split()[1]) for line in f if line.startswith("MemAvailable"))
    return events * 64 < free * 1024 / 2


def places(races):
    return {tuple(sorted(r["locations"])) for r in races}


def distances_of(path):
    """Of all pairs of m2 that race: mean and greatest distance; the same of the nearest pair of each variable."""
    nearest, every = {}, []
    for r in measure(path, "m2", "--pairs")[0]["races"]:
        distance = r["second"] - r["first"] - 1  # events in between
        every.append(distance)
        nearest[r["variable"]] = min(distance, nearest.get(r["variable"], distance))
    if not every:
        return {}
    of_variables = list(nearest.values())
    return {"mean_distance": round(sum(every) / len(every)), "max_distance": max(every),
            "variable_mean": round(sum(of_variables) / len(of_variables)), "variable_max": max(of_variables)}


def rows_of(benchmark, commit):
    name, events, threads, variables, locks, _ = benchmark
    rows, racy, pairs = [], {}, {}
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "trace.snag")
        generate(path, events, threads, variables, locks)
        for detector in DETECTORS + NEWER:
            print(f"papers: {name}: {detector}", file=sys.stderr)
            row = dict.fromkeys(FIELDS, "") | {"trace": name, "detector": detector, "commit": commit,
                                               "load": f"{os.getloadavg()[0]:.0f}"}
            rows.append(row)
            if detector in KEEP_TRACE and not fits(events):
                continue
            findings, cpu = measure(path, detector)
            races = findings["races"]
            row |= {"races": len(races), "seconds": f"{cpu:.2f}", "complete": findings["complete"]}
            if detector == "m2":
                row |= distances_of(path)
            racy[detector], pairs[detector] = {r["variable"] for r in races}, places(races)
    for row in rows:
        if "m2" in racy and row["detector"] in racy:
            row["missed"] = len(racy["m2"] - racy[row["detector"]])
            row["filtered"] = len(pairs["m2"] & pairs[row["detector"]])
            row["missed_races"] = len(pairs["m2"] - pairs[row["detector"]])
    return rows


def short(n):
    for unit, name in ((M, "M"), (K, "K")):
        if n >= unit:
            return f"{n // unit}{name}"
    return str(n)


def markdown(by):
    """by[name][detector]: a row of the data."""
    commits = ", ".join(dict.fromkeys(r["commit"] for rows in by.values() for r in rows.values()))
    missing = [b[0] for b in BENCHMARKS if b[0] not in by]
    lines = [
        "# The benchmark table of M2, on traces of the same shape",
        "",
        f"Made by `bench/papers.py` at commit {commits} on {results.machine()}. The data is in {os.path.basename(DATA)}.",
        "",
        "Table 2 of Pavlogiannis, *Fast, Sound, and Effectively Complete Dynamic Race Prediction* (POPL 2020), prints races "
        "(pairs of source locations) and times of HB, WCP, DC, SHB and M2 on 19 traces. **Those traces are not ours.** We "
        "generate random traces with as many events, threads, variables and locks (its Table 1), and 0.2 % unprotected accesses.",
        "",
        "- *paper* is what the paper printed for its trace.",
        "- *snag* is what we measured on ours: CPU seconds of the whole process on one thread, from a .snag file; dc with every "
        "pair decided.",
        "- Compare times by their order of magnitude, and races only between our columns.",
        f"- Not measured: {', '.join(missing) or 'none'}. A dash means not run, because deciding would have taken more than half "
        "of the free memory. It holds the trace and its index, at most 64 bytes per event.",
        "- The traces of more than 50 million events were measured earlier, at commit 30ad01f286 on AMD EPYC.",
        "- Where a load is given, that many programs ran on the machine at once. The times are then up to twice those on a quiet "
        "machine.",
        "",
        "| trace | n | k | variables | locks | | "
        + " | ".join(f"{d} races | {d} s" for d in DETECTORS) + " | m2 complete |",
        "|---" * (7 + 2 * len(DETECTORS)) + "|",
    ]
    for name, events, threads, variables, locks, paper in BENCHMARKS:
        if name not in by:
            continue
        ours = [by[name][d] for d in DETECTORS]
        shape = f"| {name} | {short(events)} | {threads} | {short(variables)} | {short(locks)} "
        lines.append(shape + "| paper | " + " | ".join(f"{r} | {s:g}" for r, s in paper) + " | yes |")
        load = max(int(r["load"] or 0) for r in ours)
        lines.append(f"| {f'load {load}' if load > os.cpu_count() else ''} | | | | | snag | " + " | ".join(f"{r['races'] or '-'} | {r['seconds'] or '-'}" for r in ours)
                     + f" | {COMPLETE[ours[-1]['complete']]} |")
    return lines + markdown_further(by)


def markdown_further(by):
    return markdown_distances(by) + markdown_newer(by)


def has_races(by, name):
    return name in by and by[name]["m2"].get("variable_mean")


def markdown_distances(by):
    """Tables 3 and 4, of the traces that m2 has races in."""
    lines = [
        "",
        "## Distances, and what each detector misses",
        "",
        "Tables 3 and 4 of the same paper print how many events lie between the accesses of a race of M2, mean and greatest, "
        "and how many of M2's racy variables each detector misses. The paper prints them for some of its traces, and in the "
        "text the distances per variable: of each racy variable only the nearest race counts.",
        "",
        "The paper counts a race of HB, WCP or DC only if M2 has it too. *In M2* is the number of pairs of locations that are "
        "left then. Traces without a race of m2 are left out, and those that were measured before this table existed.",
        "",
        "| trace | | mean distance | greatest | per variable: mean | greatest | hb in M2 | wcp in M2 | dc in M2 | "
        + " | ".join(f"{d} misses" for d in DETECTORS) + " |",
        "|---" * (9 + len(DETECTORS)) + "|",
    ]
    for name in (b[0] for b in BENCHMARKS):
        if name in DISTANCES:
            missed = MISSED.get(name, [""] * len(DETECTORS))
            per_variable = VARIABLE_DISTANCES.get(name, ("", ""))
            lines.append(f"| {name} | paper | " + " | ".join(short(d) for d in DISTANCES[name]) + " | "
                         + " | ".join(short(d) if d else "" for d in per_variable) + " | | | | "
                         + " | ".join(str(m) for m in missed) + " |")
        if not has_races(by, name):
            continue
        m2 = by[name]["m2"]
        lines.append(f"| {name} | snag | " + " | ".join(
            short(int(m2[f])) for f in ("mean_distance", "max_distance", "variable_mean", "variable_max")) + " | "
            + " | ".join(by[name][d]["filtered"] for d in ("hb", "wcp", "dc")) + " | "
            + " | ".join(by[name][d]["missed"] for d in DETECTORS) + " |")
    return lines


def markdown_newer(by):
    """All predictors on the same traces."""
    detectors = ["hb", "shb", "wcp", "dc", "syncp", "osr", "m2"]
    lines = [
        "",
        "## All predictors on the same traces",
        "",
        "*syncp* and *osr* were published after M2. For each detector: the pairs of locations that race, how many races of m2 "
        "it misses (pairs of locations), and CPU seconds. m2 is exact here, so it misses none. hb and wcp also report pairs "
        "that are no race (see *in M2* above); hb, shb and wcp need no index of the trace.",
        "",
        "| trace | " + " | ".join(f"{d}: races, missed, s" for d in detectors) + " |",
        "|---" * (1 + len(detectors)) + "|",
    ]
    for name in (b[0] for b in BENCHMARKS):
        if has_races(by, name) and "osr" in by[name]:
            lines.append(f"| {name} | " + " | ".join(
                f"{r['races']}, {r['missed_races']}, {r['seconds']}" for r in (by[name][d] for d in detectors)) + " |")
    return lines


def main(names):
    chosen = [b for b in BENCHMARKS if b[0] in names] if names else [b for b in BENCHMARKS if b[1] <= 20 * M]
    if len(chosen) < len(names):
        sys.exit(f"papers: the traces are {' '.join(b[0] for b in BENCHMARKS)}")
    commit = results.commit()
    for benchmark in chosen:  # the data is whole after each: a long run may be broken off
        new = rows_of(benchmark, commit)
        old = [dict.fromkeys(FIELDS, "") | r for r in results.read(DATA) if r["trace"] != benchmark[0]] if os.path.exists(DATA) else []
        results.write_csv(DATA, old + new)
    by = {}
    for r in results.read(DATA):
        by.setdefault(r["trace"], {})[r["detector"]] = r
    results.write(TARGET, markdown(by) + [""] + results.part(TARGET, MARK)[1])


if __name__ == "__main__":
    main(sys.argv[1:])
