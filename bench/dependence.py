#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables 5 to 8 of Genç, Roemer, Xu and Bond (OOPSLA 2019) on traces of our own with the shape of its Table 4.

    bench/dependence.py [SCALE]         rewrites the second part of docs/results/papers.md
    bench/dependence.py --programs [N]  rewrites the third part: programs of bench/programs, N runs of each (3)

The paper ran Java programs; here are random traces with as many threads, one SCALE-th (500) of the
analysed events, and the same shares of lock operations, writes, reads and branches.  The paper orders
the accesses of each race, so that fewer later ones race; so does --order-races.  By default our
relations are as defined.
"""

import json
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile

import results

MARK = "<!-- below: bench/dependence.py -->"
MARK_PROGRAMS = "<!-- below: bench/dependence.py --programs -->"
TARGET = "docs/results/papers.md"
# name, threads, million analysed events; percent acq/rel, wr, rd, br; table 5: static (dynamic) HB, WCP,
# SDP; DC, WDP; table 6: SDP, WDP; WDP-only, verified; table 7: distance
# Table 8: slowdown of instrumentation without and with branches; seconds per decision that failed, that verified
TIMES = {"avrora": ("2.7", "3.4", "-", "-"), "batik": ("3.2", "4.4", "-", "-"), "h2": ("6.7", "9.4", "386", "-"),
         "luindex": ("5.0", "9.5", "-", "-"), "lusearch": ("3.8", "4.5", "< 0.1", "-"), "pmd": ("6.4", "8.7", "-", "0.9"),
         "sunflow": ("8.6", "12", "-", "-"), "tomcat": ("5.1", "5.4", "1.8", "49"), "xalan": ("2.4", "3.0", "29", "0.2")}
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


def decision_times(path):
    """Microseconds per decision that failed, and that verified, of all candidates; how many of either."""
    out = subprocess.run(["build/bench/decide", "dep", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    row = next(csv.DictReader(out.splitlines()))
    verified, undecided = int(row["verified"]), int(row["undecided"])
    failed = int(row["pairs"]) - verified
    note = f", {undecided} undecided" if undecided else ""
    return [f"{float(row['us_failed']):,.0f} ({failed:,}{note})" if failed else "-",
            f"{float(row['us_verified']):,.0f} ({verified:,})" if verified else "-"]


def places(analysis):
    return {tuple(sorted(r["locations"])) for r in analysis["races"]}


def figures(path, *how):
    undecided = analyze(path, *how, "--undecided", "--with", ",".join(RELATIONS))
    decided = analyze(path, *how, "--with", "wdp")["wdp"]
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
        "- *snag*: our relations as defined. The paper orders two accesses once they have raced, so it counts fewer later races. "
        "*ordered*: so do we, with `--order-races`. This is the row to compare.",
        "- Our verified races are exact: each of the others has no witness.",
        "- An *ordered* row is never complete: a true race may be among those that an earlier race orders.",
        "- The paper's tables 5(a), 5(b) and 6 are from different runs of the programs, so their figures of one relation differ. "
        "Ours are of one trace. Compare how the columns of one row grow.",
        "",
        "| program | events | threads | | HB | WCP | SDP | DC | WDP | SDP, table 6 | WDP, table 6 | WDP only → verified | distance | complete |",
        "|---" * 14 + "|",
    ]
    times = []
    with tempfile.TemporaryDirectory() as directory:
        for name, threads, millions, shares, five, six, only, distance in PROGRAMS:
            print(f"dependence: {name}", file=sys.stderr)
            events = millions * 1000000 // scale
            path = f"{directory}/trace.snag"
            generate(path, threads, events, shares)
            times.append((name, events, *decision_times(path)))
            lines.append(f"| {name} | {millions}M | {threads} | paper | " + " | ".join(five + six) + f" | {only} | {distance} | |")
            for row, how in (("snag", []), ("ordered", ["--order-races"])):
                counts, ours, spread, complete = figures(path, *how)
                lines.append(f"| | {events:,} | {threads} | {row} | " + " | ".join(counts + [counts[2], counts[4]])
                             + f" | {ours} | {spread} | {'yes' if complete else 'no'} |")
    lines += markdown_times(times) + markdown_write_write()
    before, programs = results.part(TARGET, MARK)[0], results.part(TARGET, MARK_PROGRAMS)[1]
    results.write(TARGET, before + lines + ([""] + programs if programs else []))


def markdown_times(times):
    lines = [
        "",
        "## Time per decision",
        "",
        "Table 8 of the paper prints the average time to decide one dynamic race of WDP only, failed and verified. Ours is the "
        "CPU time per candidate of the exact engine by the rules of dependence (`build/bench/decide dep`), with the number of "
        "candidates. Failed means refuted, or undecided where that is said: then it needs a larger window than the "
        "4 million entries that `witness/decide/decide.c` allows. Sunflow's pair is refuted with a window of 472,806 events of 65 "
        "threads, in 30 s and 530 MB. Another pair of the same locations races, so the table above "
        "misses nothing.",
        "",
        "| program | paper: failed | verified | events | snag: failed, us | verified, us |",
        "|---" * 6 + "|",
    ]
    for name, events, failed, verified in times:
        paper = [f"{t} s" if t != "-" else t for t in TIMES[name][2:]]
        lines.append(f"| {name} | " + " | ".join(paper) + f" | {events:,} | {failed} | {verified} |")
    return lines


def markdown_write_write():
    """Traces that mostly write: SDP does not order sections that only write the same variable."""
    lines = [
        "",
        "## Where SDP finds what WCP misses",
        "",
        "SDP leaves conflicts of two writes unordered until a read. In the traces above most accesses are reads, so SDP and WCP "
        "find the same. These are traces of 200,000 events, 8 threads and 200 variables (`build/bench/gen --events 200k "
        "--variables 200 --seed 3`) with fewer reads: logs, statistics, flags. SDP finds more the fewer reads there are. "
        "*SDP only* are pairs of locations that WCP does not have; a race is verified if every read keeps its writer.",
        "",
        "| share of reads | unprotected | HB | WCP | SDP | DC | SDP only → verified |",
        "|---" * 7 + "|",
    ]
    with tempfile.TemporaryDirectory() as directory:
        for reads in ("0.5", "0.1", "0.02"):
            for unprotected in ("0.002", "0.02"):
                path = f"{directory}/trace.snag"
                subprocess.run(["build/bench/gen", "--events", "200k", "--variables", "200", "--seed", "3", "--reads", reads,
                                "--unprotected", unprotected, "-o", path], check=True)
                all_of = analyze(path, "--undecided", "--with", "hb,wcp,sdp,dc")
                decided = analyze(path, "--with", "m2")["m2"]
                only = places(all_of["sdp"]) - places(all_of["wcp"])
                lines.append(f"| {reads} | {unprotected} | " + " | ".join(
                    f"{len(places(all_of[d]))} ({len(all_of[d]['racy_events'])})" for d in ("hb", "wcp", "sdp", "dc"))
                    + f" | {len(only)} → {len(only & places(decided))} |")
    return lines


def cpu_of(command):
    before = os.times()
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    if run.returncode not in (0, 66):
        sys.exit(f"dependence: {' '.join(command)}: status {run.returncode}")
    return after.children_user - before.children_user + after.children_system - before.children_system


# Sizes at which the trace with branches has a few million events.
SIZES = {"matmul": "200", "mergesort": "262144", "stencil": "256", "fft": "128", "lu": "256", "radix": "131072", "water": "800"}
WITH = "hb,mixed,m2,hybrid,deadlock"


def variants(directory, program, compiler):
    source = f"bench/programs/{program}.c"
    paths = {name: os.path.join(directory, f"{program}.{compiler}.{name}") for name in ("native", "plain", "branches")}
    how = {"native": [compiler], "plain": ["build/snag", "cc"], "branches": ["build/snag", "cc", "-fsnag-branches"]}
    for name, command in how.items():
        subprocess.run(command + ["-O2", "-g", source, "-o", paths[name], "-lm", "-lpthread"], check=True,
                       env=os.environ | {"SNAG_CC": compiler})
    size, run = SIZES[program], ["build/snag", "run", "--no-replay"]
    return {
        "native": [paths["native"], size],
        "run": run + [paths["plain"], size],
        "branches": run + [paths["branches"], size],
        "whole": run + ["--with", WITH, paths["branches"], size],
        "wdp": run + ["--with", WITH + ",wdp", paths["branches"], size],
    }


def programs(runs):
    names = ("native", "run", "branches", "whole", "wdp")
    lines = [
        MARK_PROGRAMS,
        "# What branches and wdp cost on programs",
        "",
        f"Made by `bench/dependence.py --programs {runs}` at commit {results.commit()} on {results.machine()}: CPU seconds of all "
        f"processes, median of {runs} runs in turn, while other work ran on the machine. The programs are those of "
        "bench/programs with 2 threads, smaller than usual; Table 8 of the paper has slowdowns of 2.4 to 8.6 without and 3.0 "
        "to 12 with branches, for instrumentation alone. [real-software](real-software.md#real-programs-without-and-with-branches) "
        "has mksquashfs, xz and sqlite.",
        "",
        "- *native*: as it is. *run*: `snag cc`, `snag run --no-replay`. *branches*: the same with `-fsnag-branches`.",
        f"- *whole*: with branches and `--with {WITH}`: hybrid asked for by name reads the whole trace. *wdp*: with wdp too.",
        "- wdp always reads the whole trace, so the cost of wdp by default would be about *wdp* / *branches*.",
        "",
        "| program | compiler | " + " | ".join(names) + " | branches / run | wdp / whole | wdp / branches |",
        "|---" * (5 + len(names)) + "|",
    ]
    with tempfile.TemporaryDirectory() as directory:
        for program in SIZES:
            for compiler in ("gcc", "clang"):
                print(f"dependence: {program} {compiler}", file=sys.stderr)
                commands = variants(directory, program, compiler)
                took = {name: [] for name in names}
                for _ in range(runs):
                    for name in names:
                        took[name].append(cpu_of(commands[name]))
                t = {name: statistics.median(took[name]) for name in names}
                lines.append(f"| {program} | {compiler} | " + " | ".join(f"{t[name]:.2f}" for name in names)
                             + f" | {t['branches'] / t['run']:.1f} | {t['wdp'] / t['whole']:.2f} | {t['wdp'] / t['branches']:.1f} |")
    before = results.part(TARGET, MARK_PROGRAMS)[0]
    results.write(TARGET, before + ([""] if before and before[-1] else []) + lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--programs"]:
        programs(int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    else:
        main()
