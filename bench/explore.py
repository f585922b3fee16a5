#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `snag task --explore`: explore.py SNAG TESTS/TASKS REPETITIONS COMMIT RESULTS.csv RESULTS.md

Isolated blocks that conflict, that commute, and that do both; then the programs of Zipper's table 3."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import results

SECONDS = 10

# Storey et al., Zipper, table 3: race, milliseconds of CG and of Zipper over all orders of isolated blocks.
PAPER = {
    "ClumpedAcess": ("no", 4, 14), "PrimitiveArrayNoRace": ("no", 1, 12), "PrimitiveArrayRace": ("yes", 1, 8),
    "SimpleSimple": ("yes", 1, 14), "SimpleSimpleSimple2": ("yes", 1, 7), "VectorAdd": ("no", 5, 18),
    "DataRaceIsolateSimple": ("yes", 10, 17), "DoubleBranchExample": ("no", 1, 7),
    "DataRaceIsolateSimple1": ("yes", 5, 22), "ForallWithIterable": ("no", 4, 11), "IsolatedBlockNo": ("no", 9, 2),
    "Add": ("no", 18, 28), "PrimeNumCounter": ("no", 34, 22), "PrimeNumCounterForAll": ("no", 39, 44),
    "ScalarMultiply": ("no", 37, 41), "TwoDimArrays": ("no", 22, 40), "ReciprocalArraySumFutures": ("no", 32, 72),
    "IntegerCounterIsolated": ("no", 774, 697), "PrimeNumCounterForAsync": ("no", 138, 103),
    "Antidep1VarYes": ("yes", 1271, 54), "Antidep2OrigYes": ("yes", 1234, 58), "ReciprocalArraySum": ("no", 1801, 51),
    "PipelineWithFutures": ("no", 61, 53), "DoAll1OrigNo": ("no", 650, 372), "DoAll2OrigNo": ("no", 47287, 49534),
    "Antidep1OrigYes": ("yes", 247736, 58215), "Antidep2VarYes": ("yes", 246561, 7003),
}


def blocks(n, statement):
    tasks = "".join(f"\tasync {{ isolated {{ {statement(i)} }} }}\n" for i in range(n))
    return f"var x, a[{n}];\nmain {{\n{tasks}}}\n"


def synthetic():
    for n in (4, 6, 8):
        yield f"{n} blocks, all conflict", blocks(n, lambda i: f"x = x * 10 + {i};")
    for n in (8, 100, 1000):
        yield f"{n} blocks, all commute", blocks(n, lambda i: f"a[{i}] = x;")
    yield "8 blocks in 4 conflicting pairs", blocks(8, lambda i: f"a[{i // 2}] = a[{i // 2}] * 10 + {i};")
    yield "8 blocks, 1 writes what 7 read", blocks(8, lambda i: "x = 1;" if i == 0 else f"a[{i}] = x;")


def explore(snag, path, repetitions):
    seconds = []
    for _ in range(repetitions):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = subprocess.run([snag, "task", "--explore", "--seconds", str(SECONDS), "--json", "-", path],
                             stdout=subprocess.PIPE, check=False)
        result = json.loads(run.stdout)["explore"]
        seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        if result["seconds"] >= SECONDS:
            break
    return result, statistics.median(seconds)


def measure(snag, tasks, repetitions, commit):
    with tempfile.TemporaryDirectory() as folder:
        programs = []
        for name, text in synthetic():
            path = os.path.join(folder, f"{len(programs)}.task")
            with open(path, "w") as f:
                f.write(text)
            programs.append((name, path))
        programs += [(name, os.path.join(tasks, f"table3_{name}.task")) for name in PAPER]
        for name, path in programs:
            result, seconds = explore(snag, path, repetitions)
            yield {"program": name, "verdict": result["verdict"], "schedules": result["schedules"],
                   "given_up": result["redundant"], "exhaustive": result["exhaustive"],
                   "final_states": result["final_states"], "graphs": result["graphs"],
                   "racy_variables": len(result["racy_variables"]), "ms": f"{seconds * 1000:.2f}",
                   "repetitions": repetitions, "commit": commit}


def row(r):
    covered = "all" if r["exhaustive"] else "not all"
    return f"{r['verdict']} | {r['schedules']:,} | {covered} | {r['final_states']:,} | {float(r['ms']):,.1f}"


def page(rows, csv_name):
    out = [
        "# Exploration of all schedules: measurements", "",
        f"Made by `bench/explore.py` (part of `make bench`) at commit {rows[0]['commit']} on {results.machine()}. The data is "
        f"in {csv_name}. Times are CPU milliseconds of the whole command, the median of {rows[0]['repetitions']} runs. A run "
        f"may take at most {SECONDS} s.", "",
        "| isolated blocks, one per task | verdict | schedules | covered | final states | ms |", "|---|---|---|---|---|---|",
    ]
    out += [f"| {r['program']} | {row(r)} |" for r in rows if r["program"] not in PAPER]
    out += [
        "", "Conflicting blocks run in every order, commuting blocks in one.", "",
        "The next table has the programs of Zipper's table 3, translated from their sources (tests/tasks/table3_*.task). The "
        "paper's milliseconds are for all orders of isolated blocks under Java Pathfinder on another machine. They show the "
        "order of magnitude, not a ratio.", "",
        "| program | race in the paper | verdict | schedules | covered | final states | ms | CG, paper | Zipper, paper |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    out += [f"| {r['program']} | {PAPER[r['program']][0]} | {row(r)} | {PAPER[r['program']][1]:,} | {PAPER[r['program']][2]:,} |"
            for r in rows if r["program"] in PAPER]
    out += [
        "", "Where a program races, every order of the racing accesses is a separate schedule; the paper permutes isolated "
        "blocks only. The racy variables of these programs are known after the first schedule. `not all` means that "
        "the explorer did not see all their final states. Where a program does not race, most of the time goes into the 100 "
        "random schedules that confirm it.",
    ]
    return out


def main(snag, tasks, repetitions, commit, csv_path, md_path):
    rows = list(measure(snag, tasks, int(repetitions), commit))
    results.write_csv(csv_path, rows)
    results.write(md_path, page(rows, os.path.basename(csv_path)))


main(*sys.argv[1:])
