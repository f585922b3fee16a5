#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 5 to 7 of Genç, Roemer, Xu and Bond (OOPSLA 2019) on traces of our own with the shape of its Table 4.

    bench/dependence.py [SCALE]         rewrites the second part of docs/results/papers.md

The paper ran Java programs; here are random traces with as many threads, one SCALE-th (500) of the
analysed events, and the same shares of lock operations, writes, reads and branches.  Its handling of
races (ordering is added after each, so that later ones are real) is not ours: our relations are as
defined, so more accesses race.
"""

import json
import math
import subprocess
import sys
import tempfile

import results

MARK = "<!-- below: bench/dependence.py -->"
TARGET = "docs/results/papers.md"
# name, threads, million analysed events; percent acq/rel, wr, rd, br; table 5: static (dynamic) HB, WCP,
# SDP; DC, WDP; table 6: SDP, WDP; WDP-only, verified; table 7: distance
PROGRAMS = [
    ("avrora", 7, 260, (1.2, 17.7, 42.2, 38.4),
     ["5 (205K)", "5 (206K)", "5 (206K)", "5 (203K)", "5 (406K)"], ["5 (202K)", "5 (407K)"], "0", ""),
    ("batik", 7, 17, (0.6, 26.3, 38.4, 34.0),
     ["0 (0)", "0 (0)", "0 (0)", "0 (0)", "0 (0)"], ["0 (0)", "0 (0)"], "0", ""),
    ("h2", 34, 768, (0.5, 17.1, 43.1, 39.1),
     ["9 (52K)", "9 (52K)", "9 (53K)", "11 (54K)", "12 (63K)"], ["12 (53K)", "13 (63K)"], "1 → 0", ""),
    ("luindex", 3, 72, (0.6, 20.1, 42.4, 36.9),
     ["1 (1)", "1 (1)", "1 (1)", "1 (1)", "1 (1)"], ["1 (1)", "1 (1)"], "0", ""),
    ("lusearch", 34, 301, (0.9, 19.5, 43.6, 35.6),
     ["0 (0)", "0 (0)", "0 (0)", "0 (0)", "1 (30)"], ["0 (0)", "1 (30)"], "1 → 0", ""),
    ("pmd", 33, 41, (0.1, 28.5, 37.3, 34.2),
     ["6 (351)", "6 (354)", "8 (562)", "9 (2K)", "10 (3K)"], ["9 (456)", "10 (3K)"], "1 → 1", "24,200 ± 14,100, 40,294"),
    ("sunflow", 65, 887, (0.1, 44.7, 41.4, 13.8),
     ["2 (19)", "2 (25)", "2 (25)", "2 (49)", "2 (100)"], ["2 (32)", "2 (100)"], "0", ""),
    ("tomcat", 106, 29, (2.8, 18.7, 42.1, 36.1),
     ["85 (34K)", "86 (34K)", "91 (38K)", "94 (36K)", "284 (125K)"], ["98 (37K)", "334 (128K)"], "236 → 60", "4,830,000 ± 5,540,000, 28,734,020"),
    ("xalan", 33, 436, (2.1, 12.0, 48.8, 37.1),
     ["6 (203)", "21 (520K)", "52 (2.2M)", "17 (649K)", "170 (15M)"], ["31 (1.7M)", "170 (15M)"], "139 → 137", "52,100 ± 90,500, 751,701"),
]
RELATIONS = ["hb", "wcp", "sdp", "dc", "wdp"]


def generate(path, threads, events, shares):
    sync, write, read, branch = (s / 100 for s in shares)
    options = {
        "events": events,
        "threads": threads,
        "nesting": 1,
        "section": max(1, round(2 / sync - 2)),
        "reads": read / (read + write),
        "branches": branch / (read + write + branch),
        "unprotected": 0.002,
    }
    command = ["build/bench/gen", "--seed", "1", "-o", path]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    subprocess.run(command, check=True)


def analyze(path, *arguments):
    command = ["build/snag", "analyze", "--jobs", "1", *arguments, "--json", "-", path]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 66):
        sys.exit(f"dependence: {' '.join(command)}: status {run.returncode}")
    return {a["name"]: a for a in json.loads(run.stdout)["analyses"]}


def places(analysis):
    return {tuple(sorted(r["locations"])) for r in analysis["races"]}


def figures(path):
    undecided = analyze(path, "--undecided", "--with", ",".join(RELATIONS))
    decided = analyze(path, "--with", "wdp")["wdp"]
    counts = [f"{len(places(undecided[d]))} ({len(undecided[d]['racy_events'])})" for d in RELATIONS]
    only = places(undecided["wdp"]) - places(undecided["sdp"])
    verified = [r for r in decided["races"] if r["verdict"] == "predicted" and tuple(sorted(r["locations"])) in only]
    distances = [r["second"] - r["first"] for r in verified]
    spread = ""
    if distances:
        mean = sum(distances) / len(distances)
        deviation = math.sqrt(sum((d - mean) ** 2 for d in distances) / len(distances))
        spread = f"{mean:,.0f} ± {deviation:,.0f}, {max(distances):,}"
    return counts, f"{len(only)} → {len(verified)}", spread, decided["complete"]


def main():
    scale = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    lines = [
        MARK,
        "# The race tables of SDP and WDP, on traces of the same shape",
        "",
        f"Made by `bench/dependence.py` at commit {results.commit()}. Tables 5 to 7 of Genç, Roemer, Xu and Bond, "
        "*Dependence-Aware, Unbounded Sound Predictive Race Detection* (OOPSLA 2019), print for Java programs:",
        "",
        "- races as pairs of source locations (in parentheses racy accesses) by HB, WCP, SDP and, in another run, DC and WDP;",
        "- how many pairs of locations are races of WDP only, and how many of those were verified;",
        "- the distance in events of the verified ones: mean ± standard deviation, greatest.",
        "",
        f"**Those traces are not ours.** We generate random traces with as many threads, one in {scale} of the events, and the "
        "same shares of lock operations, writes, reads and branches (its Table 4). 0.2 % of the accesses are unprotected.",
        "",
        "- The counts differ in meaning. The paper orders two accesses once they have raced, so it counts fewer later races. Our "
        "relations are as defined.",
        "- Our verified races are exact: each of the others has no witness.",
        "- The paper's tables 5(a), 5(b) and 6 are from different runs of the programs, so their figures of one relation differ. "
        "Ours are of one trace. Compare how the columns of one row grow.",
        "",
        "| program | events | threads | | HB | WCP | SDP | DC | WDP | SDP, table 6 | WDP, table 6 | WDP only → verified | distance | complete |",
        "|---" * 14 + "|",
    ]
    with tempfile.TemporaryDirectory() as directory:
        for name, threads, millions, shares, five, six, only, distance in PROGRAMS:
            print(f"dependence: {name}", file=sys.stderr)
            events = millions * 1000000 // scale
            path = f"{directory}/trace.snag"
            generate(path, threads, events, shares)
            counts, ours, spread, complete = figures(path)
            lines.append(f"| {name} | {millions}M | {threads} | paper | " + " | ".join(five + six) + f" | {only} | {distance} | |")
            lines.append(f"| | {events:,} | {threads} | snag | " + " | ".join(counts + [counts[2], counts[4]])
                         + f" | {ours} | {spread} | {'yes' if complete else 'no'} |")
    results.write(TARGET, results.part(TARGET, MARK)[0] + lines)


if __name__ == "__main__":
    main()
