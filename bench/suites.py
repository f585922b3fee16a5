#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the task programs of the papers' tables; writes suites.csv and suites-counts.csv.

    bench/suites.py [--repetitions N] [--parts PART,...] [--only PROGRAM,...] SNAG FOLDER

Builds each program of bench/programs/tasks with clang -O2, as it is and in the variants of PARTS,
and runs these in turn, so that a busy machine is busy for all of them.  FOLDER is where the files
are written, after each program: what they hold of it in this part is replaced, unless it is of
this commit; then it is not measured again.  Each part takes less than ten minutes.

    paper         drdp on the programs of Jin et al., at the size of their paper
    raman         espbags on the programs of Raman et al., at the size of their paper; sequential code is left out in all
    eliminations  all programs, at a size that takes less than a second: with the checks of the compiler's
                  own pass, and with those that are left by none, one or all eliminations
    tools         all programs as OpenMP tasks (bench/programs/openmp) with ThreadSanitizer
    others        the same under Archer and Helgrind
    mistakes      all programs, small, each with a mistake: who finds it

What takes longer than LONG seconds is run once.  A program alone, the base of a slowdown, is run once
before: its first run can take twice as long as the next.  Seconds are of CPU (user and system time of all
processes) and elapsed; memory is that of the largest process.  All run on one core, OpenMP with 4
threads, but for "all cores".  What has not ended after its limit is run once, small.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import results

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "programs", "tasks")
INCLUDE = os.path.join(HERE, "..", "include")
OPENMP = os.path.join(HERE, "programs", "openmp")

ESPBAGS = ("crypt", "lufact", "moldyn", "montecarlo", "raytracer", "series", "sor", "sparse",
           "fannkuch", "fasta", "mandelbrot", "matmul_rows")
DRDP = ("health", "knapsack", "matmul", "sort", "strassen", "sparselu", "poisson")
# Sequential code is left out in each of them, as in the paper.
KINDS = ("local", "dominated", "readonly", "invariant", "footprint", "joined")
THREADS = "4"
LIMIT, TOOL_LIMIT = 600, 20  # seconds of a run, and of one of other tools
LONG = 5  # seconds of a run that is not repeated

TSAN = "report_bugs={}:ignore_noninstrumented_modules=1:exitcode=0"
ARCHER = "/usr/lib/llvm-14/lib/libarcher.so"
VALGRIND = "/usr/bin/valgrind"  # not run where it is not installed

RUN_FIELDS = ("part", "program", "size", "variant", "repetition", "cpu s", "elapsed s", "MB", "end", "said",
              "commit")
COUNT_FIELDS = ("part", "program", "size", "name", "value", "commit")


class Variant:
    """How a program is built, and run; once, or as often as asked."""

    def __init__(self, name, compiler, flags=(), run=(), once=False, judged=False, all_cores=False, **environment):
        self.name, self.compiler, self.flags, self.all_cores = name, compiler, flags, all_cores
        self.run, self.once, self.judged, self.environment = run, once, judged, environment
        self.limit = LIMIT if compiler in ("snag", "native") else TOOL_LIMIT

    def build(self, snag, program, flags, folder):
        source = os.path.join(SOURCES, program + ".c")
        compiler = {"snag": [snag, "cc", "-fsnag-task"],
                    "native": ["clang", "-I" + INCLUDE],
                    "clang": ["clang", "-fopenmp", "-I" + OPENMP],
                    "gcc": ["gcc", "-fopenmp", "-I" + OPENMP]}[self.compiler]
        path = os.path.join(folder, re.sub(r"\W+", "_", f"{program}_{self.name}"))
        last = [os.path.join(os.path.dirname(snag), "libsnag_task.a")] if self.compiler == "native" else []
        subprocess.run([*compiler, *self.flags, *flags, "-w", "-O2", "-g", source, *last, "-lm", "-lpthread",
                        "-o", path], check=True, env=os.environ | {"SNAG_CC": "clang"})
        return path


def judged(name, detector, flags=(), more=()):
    return Variant(name, "snag", flags, ("run", "--with", detector, *more), judged=True)


def alone(kind):
    return [f"-fsnag-pass-no-{k}" for k in KINDS if k != kind]


def openmp(name, compiler, flags=(), **more):
    return Variant(name, compiler, flags, OMP_NUM_THREADS=THREADS, OMP_STACKSIZE="64M",
                   OMP_WAIT_POLICY="passive", **more)


def tsan(compiler):
    """On one core and on all."""
    for name in (f"tsan {compiler}", f"tsan {compiler}, all cores"):
        yield openmp(name, compiler, ["-fsanitize=thread"], all_cores="all" in name, OMP_TOOL="disabled",
                     TSAN_OPTIONS=TSAN.format(0))


NATIVE = Variant("native", "native")


def variants_of(part, program):
    detector = "espbags" if program in ESPBAGS else "drdp"
    if part == "paper":
        return "paper", [NATIVE, judged("all", detector)]
    if part == "raman":
        return "paper", [NATIVE, judged("none", detector, alone("")), judged("all", detector)]
    if part == "eliminations":
        kinds = KINDS if program in ESPBAGS else ()
        return "middle", [NATIVE, judged("stock", detector, ["-fno-snag-pass"]),
                          judged("none", detector, ["-fsnag-pass-no-all"]),
                          *(judged(k, detector, alone(k)) for k in kinds), judged("all", detector)]
    if part == "tools":
        return "middle", [NATIVE, judged("all", detector), openmp("openmp", "clang"), *tsan("clang"), *tsan("gcc")]
    archer = openmp("archer", "clang", ["-fsanitize=thread"], OMP_TOOL_LIBRARIES=ARCHER, TSAN_OPTIONS=TSAN.format(1))
    if part == "others":
        helgrind = openmp("helgrind", "gcc", run=(VALGRIND, "--tool=helgrind"), once=True)
        return "middle", [archer, *([helgrind] if os.path.exists(VALGRIND) else [])]
    return "small", [judged("all", "drdp"), archer]


PARTS = {"paper": DRDP, "raman": ESPBAGS, **{part: ESPBAGS + DRDP for part in ("eliminations", "tools", "others", "mistakes")}}


def run_once(command, environment, one_core, limit=LIMIT):
    """Seconds of CPU, elapsed, MB, how it ended, what it said on standard error."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        begin = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.dup2(said.fileno(), 2)
            if one_core:
                os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            os.execve(command[0], command, os.environ | {"SNAG_WORKERS": "1"} | environment)
        timer = threading.Timer(limit, os.killpg, (pid, 9))
        timer.start()
        _, status, usage = os.wait4(pid, 0)
        timer.cancel()
        elapsed = time.perf_counter() - begin
        said.seek(0)
        text = said.read()
    code = os.waitstatus_to_exitcode(status)
    end = "limit" if code == -9 and elapsed >= limit else str(code)
    return usage.ru_utime + usage.ru_stime, elapsed, usage.ru_maxrss / 1024, end, text


def summary(variant, end, text):
    """Of what it said: a verdict, or the number of reports."""
    if variant.judged:
        return "races" if end == "66" else \
            "race-free" if "race-free for this input on every schedule" in text else "no race found"
    if variant.name == "helgrind":
        found = re.search(r"ERROR SUMMARY: \d+ errors from (\d+) contexts", text)
        return f"{found.group(1)} reports" if found else ""
    if variant.name == "archer":
        return f"{text.count('WARNING: ThreadSanitizer: data race')} reports"
    return ""


def counts_of(snag, program, size, folder):
    """Accesses by what became of their checks, reads and writes, and what the detector counts."""
    detector = "espbags" if program in ESPBAGS else "drdp"
    v = judged("counts", detector, ["-fsnag-pass-count"], ["--stats"])
    path = v.build(snag, program, [], folder)
    text = run_once([snag, *v.run, path, size], {}, True)[4]
    counts = {}
    for line in re.findall(r"^snag:   (.*)$", text, re.M):
        words = re.split(r"\s{2,}|\s+(?=\d+$)", line.strip())
        if len(words) > 2:
            counts[words[0] + ": reads"], counts[words[0] + ": writes"] = words[-2], words[-1]
        else:
            counts[words[0]] = words[-1]
    return counts


class Data:
    """The two files, written after each program."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.paths = [os.path.join(folder, name) for name in ("suites.csv", "suites-counts.csv")]
        self.commit = results.commit()
        self.rows = [results.read(p) if os.path.exists(p) else [] for p in self.paths]

    def has(self, part, program):
        return any((r["part"], r["program"], r["commit"]) == (part, program, self.commit) for r in self.rows[0])

    def replace(self, part, program, runs, counts):
        for i, (fields, new) in enumerate(((RUN_FIELDS, runs), (COUNT_FIELDS, counts))):
            self.rows[i] = [r for r in self.rows[i] if (r["part"], r["program"]) != (part, program)]
            self.rows[i] += [dict(zip(fields, (part, program, *row, self.commit))) for row in new]
            self.rows[i].sort(key=lambda r: list(PARTS).index(r["part"]))
            if self.rows[i]:
                results.write_csv(self.paths[i], self.rows[i])


def run_variant(snag, variant, path, size):
    command = ([snag] if variant.judged else []) + [*variant.run, path, size]
    cpu, elapsed, mb, end, text = run_once(command, variant.environment, not variant.all_cores, variant.limit)
    return elapsed, end, (f"{cpu:.3f}", f"{elapsed:.3f}", f"{mb:.0f}", end, summary(variant, end, text))


def measure(part, program, snag, repetitions, folder):
    """Rows of the runs, and of what was counted."""
    size, variants = variants_of(part, program)
    flags = ["-DMISTAKE=1"] if part == "mistakes" else []
    paths = {v.name: v.build(snag, program, flags, folder) for v in variants}
    rows, done = [], set()
    if NATIVE in variants:
        run_once([paths[NATIVE.name], size], {}, True)
    for repetition in range(1 if part == "mistakes" else repetitions):
        for v in variants:
            if v.name in done:
                continue
            elapsed, end, row = run_variant(snag, v, paths[v.name], size)
            rows.append((size, v.name, repetition, *row))
            if end == "limit":
                rows.append(("small", v.name, 0, *run_variant(snag, v, paths[v.name], "small")[2]))
            if elapsed > LONG or v.once:
                done.add(v.name)
    counted = counts_of(snag, program, size, folder) if part in ("paper", "raman", "eliminations") else {}
    return rows, [(size, *c) for c in counted.items()]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repetitions", type=int, default=3)
    options.add_argument("--parts", default=",".join(PARTS))
    options.add_argument("--only", default=",".join(ESPBAGS + DRDP))
    options.add_argument("snag")
    options.add_argument("folder")
    args = options.parse_args()
    snag, data, begin = os.path.abspath(args.snag), Data(args.folder), time.monotonic()
    todo = [(part, program) for part in args.parts.split(",") for program in PARTS[part]
            if program in args.only.split(",") and not data.has(part, program)]
    for i, (part, program) in enumerate(todo):
        print(f"suites: {i + 1} of {len(todo)}: {part}: {program} ({time.monotonic() - begin:.0f} s)",
              file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            data.replace(part, program, *measure(part, program, snag, args.repetitions, folder))


main()
