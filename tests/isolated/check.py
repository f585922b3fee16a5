#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of tasks in C: do `snag run` and `snag explore` say what every schedule says?

The truth is `snag task --explore` of the same program in the small task language, which the oracle
checks against all interleavings (tests/oracle/explore_brute.c).

    check.py SNAG [--programs N] [--seed S] [--compilers gcc,clang] [--levels O0,O2] [--updates]
             [--atomics] [--openmp]

With --atomics tasks also use the results of atomic updates, and half of the programs have a mutex
instead of isolated blocks.  With --openmp the programs have OpenMP's tasks, critical sections and locks, and no promises.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import generate

PER_FILE = 40


def truth(snag, text, folder):
    path = os.path.join(folder, "p.task")
    with open(path, "w") as f:
        f.write(text)
    done = subprocess.run([snag, "task", "--explore", "--seconds", "5", "--json", "-", path],
                          capture_output=True, text=True)
    if done.returncode not in (0, 66):
        return None
    e = json.loads(done.stdout)["explore"]
    if not e["exhaustive"] or e.get("errors") or e["schedules"] > 400:
        return None
    return e


def said(snag, command, options, program, number, folder):
    path = os.path.join(folder, "r.json")
    if os.path.exists(path):
        os.unlink(path)
    done = subprocess.run([snag, command, *options, "--json", path, program, str(number)],
                          capture_output=True, text=True)
    verdict = None
    if os.path.exists(path):
        with open(path) as f:
            report = json.load(f)
        part = report.get("certificate") if command == "run" else report.get("explore")
        verdict = part and part["verdict"]
    return done.returncode, verdict, done.stderr


def expected(e):
    """The exit status, and the verdict of every command.  The first deadlock ends an exploration, as the
    first race does: then either may be reported."""
    if e["deadlock"]:
        return 66, "race or deadlock" if e["racy_variables"] else "deadlock"
    return (66, "race") if e["racy_variables"] else (0, "race-free")


def agrees(got, want):
    if got[0] != want[0]:
        return False
    if want[1] == "deadlock":  # "race-free" up to it, if that is known
        return got[1] in ("race-free", "no-race-found", "deadlock")
    return want[1] == "race or deadlock" or got[1] == want[1]


def compare(snag, e, program, number, folder, tally):
    wrong = []
    want = expected(e)
    for command, options in (("run", ["--replay-seconds", "20"]), ("run", ["--replay-seconds", "20", "text"]),
                             ("explore", ["--seconds", "20"])):
        if options[-1] == "text":  # judged from inside first: has no JSON
            done = subprocess.run([snag, "run", *options[:-1], program, str(number)],
                                  capture_output=True, text=True)
            got = (done.returncode, want[1])
            errors = done.stderr
        else:
            *got, errors = said(snag, command, options, program, number, folder)
            got = tuple(got)
        if not agrees(got, want):
            wrong.append((command, options, got, want, errors))
    tally[want[1]] = tally.get(want[1], 0) + 1
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("snag")
    p.add_argument("--programs", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--size", type=int, default=9)
    p.add_argument("--compilers", default="gcc,clang")
    p.add_argument("--levels", default="O0,O2")
    p.add_argument("--updates", action="store_true")
    p.add_argument("--atomics", action="store_true")
    p.add_argument("--openmp", action="store_true")
    a = p.parse_args()
    builds = [(c, l) for c in a.compilers.split(",") for l in a.levels.split(",")]
    failures, tally, seed, done = 0, {}, a.seed, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < a.programs:
            batch = []
            while len(batch) < min(PER_FILE, a.programs - done):
                body = generate.program(seed, a.size, a.updates, promises=not a.openmp, atomics=a.atomics)
                e = truth(a.snag, generate.task_text(body), folder)
                if e and (a.updates or e["schedules"] > 1 or seed % 4 == 0):
                    batch.append((seed, body, e))
                seed += 1
            source = os.path.join(folder, "p.c")
            with open(source, "w") as f:
                bodies = [b for _, b, _ in batch]
                f.write(generate.openmp_text(bodies) if a.openmp else generate.c_text(bodies, a.atomics))
            programs = []
            for compiler, level in builds:
                program = os.path.join(folder, f"p-{compiler}-{level}")
                subprocess.run([a.snag, "cc", "-g", f"-{level}", "-fopenmp" if a.openmp else "-fsnag-task", source, "-o", program],
                               check=True, env={**os.environ, "SNAG_CC": compiler})
                programs.append(program)
            for i, (s, body, e) in enumerate(batch):
                # each program with one build, builds in turn
                program = programs[i % len(programs)]
                for command, options, got, want, errors in compare(a.snag, e, program, i, folder, tally):
                    failures += 1
                    print(f"seed {s}, {os.path.basename(program)}, snag {command} {' '.join(options)}: "
                          f"{got}, expected {want}\n{generate.task_text(body)}\n{errors}")
                    if failures >= 3:
                        sys.exit(1)
            done += len(batch)
    print(f"{done} programs, seeds {a.seed}..{seed - 1}: " +
          ", ".join(f"{n} {v}" for v, n in sorted(tally.items())) + f"; {failures} wrong")
    sys.exit(failures > 0)


main()
