#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures threads that run in parallel beside ThreadSanitizer; writes docs/results/parallel.md.

    bench/free.py SNAG REPETITIONS COMMIT MD

Builds each program of bench/programs with gcc and clang at -O2, with -fsanitize=thread and with
`snag cc`.  Runs the variants in turn, so that they meet the same machine, and takes medians.  CPU
time is user and system time of all processes.  Memory is that of the largest process.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

import results

PROGRAMS = ("matmul", "mergesort", "stencil", "fft", "lu", "radix", "water", "locks")
COMPILERS = ("gcc", "clang")
VARIANTS = ("tsan", "record", "run", "turns")
SCALED = ("matmul", "fft", "water")
THREADS = (1, 2, 4, 8, 16)
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")


def build(snag, program, compiler, folder):
    """The executables for ThreadSanitizer and for snag."""
    paths = {}
    for variant, command in (("tsan", [compiler, "-fsanitize=thread"]), ("snag", [snag, "cc"])):
        paths[variant] = os.path.join(folder, f"{program}.{compiler}.{variant}")
        subprocess.run([*command, "-O2", "-g", "-pthread", os.path.join(FOLDER, program + ".c"), "-lm",
                        "-o", paths[variant]], check=True, env=dict(os.environ, SNAG_CC=compiler))
    return paths


def measure(command, folder):
    """CPU seconds, wall seconds, and MB."""
    usage = os.path.join(folder, "usage")
    subprocess.run(["/usr/bin/time", "-f", "%U %S %e %M", "-o", usage, *command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(usage, encoding="utf-8") as f:
        user, system, wall, memory = (float(word) for word in f.read().split()[-4:])
    return user + system, wall, memory / 1024


def commands(snag, paths, trace, *arguments):
    return {
        "tsan": [paths["tsan"], *arguments],
        "record": [snag, "record", "--free", "-o", trace, paths["snag"], *arguments],
        "run": [snag, "run", "--free", paths["snag"], *arguments],
        "turns": [snag, "record", "-o", trace, paths["snag"], *arguments],
    }


def median(runs, which):
    return statistics.median(run[which] for run in runs)


def row(snag, program, compiler, repetitions, folder):
    """A line of the first table."""
    paths = build(snag, program, compiler, folder)
    all_runs = {variant: [] for variant in VARIANTS}
    for _ in range(repetitions):
        for variant, command in commands(snag, paths, os.path.join(folder, "trace.snag")).items():
            all_runs[variant].append(measure(command, folder))
    cells = [program, compiler]
    for which in (0, 1):
        cells += [f"{median(all_runs['tsan'], which):.2f}"]
        cells += [f"{median(all_runs[v], which) / max(median(all_runs['tsan'], which), 0.01):.2f}"
                  for v in VARIANTS[1:]]
    cells += [f"{median(all_runs[v], 2):.0f}" for v in ("tsan", "record", "run")]
    return "| " + " | ".join(cells) + " |"


def scaling(snag, program, repetitions, folder):
    """A line of the second table: nanoseconds of CPU time for each event."""
    paths, cells = build(snag, program, "gcc", folder), [program]
    trace = os.path.join(folder, "trace.snag")
    for threads in THREADS:
        command = commands(snag, paths, trace, "-t", str(threads))["record"]
        cpu = median([measure(command, folder) for _ in range(repetitions)], 0)
        info = subprocess.run([snag, "info", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
        events = int(re.search(r"^events +(\d+)", info, re.M)[1])
        cells.append(f"{cpu * 1e9 / events:.0f}")
    return "| " + " | ".join(cells) + " |"


def main(snag, repetitions, commit, page):
    snag, repetitions = os.path.abspath(snag), int(repetitions)
    with tempfile.TemporaryDirectory() as folder:
        lines = [row(snag, p, c, repetitions, folder) for c in COMPILERS for p in PROGRAMS]
        scaled = [scaling(snag, p, repetitions, folder) for p in SCALED]
    results.write(page, [
        "# Threads that run in parallel: measurements", "",
        f"Made by `bench/free.py build/snag {repetitions} {commit} docs/results/parallel.md` on "
        f"{results.machine()}. The load of the machine was {os.getloadavg()[1]:.1f} at the end: wall times "
        "of a loaded machine say little. Two threads; `locks` has three, with a million pairs of lock and "
        "unlock each. TSan is in seconds, the other columns are multiples of it. "
        "`record` and `run` are with `--free`; `turns` is `snag record` without it.", "",
        "| program | compiler | CPU: TSan | record | run | turns | wall: TSan | record | run | turns "
        "| MB: TSan | record | run |", "|---" * 13 + "|", *lines, "",
        "## More threads", "",
        "Nanoseconds of CPU time for each event of the trace, `snag record --free`, gcc, by the number of "
        "threads.", "",
        "| program | " + " | ".join(str(n) for n in THREADS) + " |", "|---" * 6 + "|", *scaled])


if __name__ == "__main__":
    main(*sys.argv[1:])
