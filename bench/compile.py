#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures compiling beside ThreadSanitizer; writes docs/results/compile.{csv,md}.

    bench/compile.py SNAG REPETITIONS COMMIT CSV MD [SOURCE...]

Compiles a file of many small functions (bench/functions.py), and each SOURCE, with gcc and clang at -O2:
without checks, with -fsanitize=thread, and with `snag cc`.  Does the three in turn, so that they meet the same
machine, and takes medians.  CPU time is user and system time, memory the peak of the largest process,
text the bytes of code in the object.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import functions
import results

COMPILERS = ("gcc", "clang")
FUNCTIONS = 4000
CPU_LIMIT, TEXT_LIMIT = 1.3, 2.5  # times TSan's, times native


def ways(snag, compiler):
    return {"native": [compiler], "tsan": [compiler, "-fsanitize=thread"], "snag": [snag, "cc"]}


def compiled(command, source, compiler, to):
    """Compiles once: CPU seconds, MB."""
    words = [*command, "-w", "-O2", "-c", source, "-o", to]
    pid = os.posix_spawnp(words[0], words, os.environ | {"SNAG_CC": compiler})
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"compile.py: {' '.join(words)}: status {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def text(path):
    """Bytes of code, whatever the names of its sections."""
    lines = subprocess.run(["size", "-A", path], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(".text"))


def measure(snag, source, compiler, repetitions, folder):
    runs = {}
    row = {"source": os.path.basename(source), "compiler": compiler}
    to = os.path.join(folder, "x.o")
    for _ in range(repetitions):
        for name, command in ways(snag, compiler).items():
            runs.setdefault(name, []).append(compiled(command, source, compiler, to))
            row[name + "_text"] = text(to)
    for name, of in runs.items():
        row[name + "_cpu"], row[name + "_mb"] = (statistics.median(values) for values in zip(*of))
    row["cpu_ratio"] = row["snag_cpu"] / row["tsan_cpu"]
    row["text_ratio"] = row["snag_text"] / row["native_text"]
    return row


def table(rows):
    yield ("| file | compiler | CPU s: native | TSan | snag | snag / TSan | text KB: native | TSan | snag | snag / native | "
           "MB: native | TSan | snag |")
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for r in rows:
        yield (f"| {r['source']} | {r['compiler']} | {r['native_cpu']:.1f} | {r['tsan_cpu']:.1f} | {r['snag_cpu']:.1f} | "
               f"{r['cpu_ratio']:.2f} | {r['native_text'] / 1000:.0f} | {r['tsan_text'] / 1000:.0f} | {r['snag_text'] / 1000:.0f} | "
               f"{r['text_ratio']:.2f} | {r['native_mb']:.0f} | {r['tsan_mb']:.0f} | {r['snag_mb']:.0f} |")


def page(rows, repetitions, commit, csv_name):
    return [
        "# Compiling beside ThreadSanitizer: measurements", "",
        f"Made by `bench/compile.py` (part of `make bench`) at commit {commit} on {results.machine()}. The data is in {csv_name}. "
        f"One file, `-O2 -c`, {'one run each' if int(repetitions) == 1 else f'median of {repetitions} runs'}, with the variants in turn. "
        f"`functions.c` has {FUNCTIONS} small functions, written by `bench/functions.py`. The script compiles other files if they "
        f"are named. The aim for large programs is at most {CPU_LIMIT} times the CPU time of TSan, and at most {TEXT_LIMIT} times "
        "the native text.", "",
        *table(rows),
    ]


def main(snag, repetitions, commit, csv_path, md_path, *sources):
    rows = []
    snag = os.path.abspath(snag)
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "functions.c")
        with open(small, "w", encoding="utf-8") as f:
            f.write(functions.source(FUNCTIONS))
        for source in (small, *sources):
            for compiler in filter(shutil.which, COMPILERS):
                print(f"bench: {os.path.basename(source)}, {compiler}", file=sys.stderr)
                rows.append(measure(snag, source, compiler, int(repetitions), folder))
    shown = [{k: f"{v:.3f}" if isinstance(v, float) else v for k, v in r.items()} for r in rows]
    results.write_csv(csv_path, [r | {"repetitions": repetitions, "commit": commit} for r in shown])
    results.write(md_path, page(rows, repetitions, commit, os.path.basename(csv_path)))


main(*sys.argv[1:])
