#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the task programs of the papers' tables; writes suites.csv and suites-counts.csv.

    bench/suites.py [--repetitions N] [--parts PART,...] [--only PROGRAM,...] SNAG FOLDER

Builds each program of bench/programs/tasks with clang -O2, as it is and in the variants of PARTS,
and runs these in turn, so that a busy machine is busy for all of them.  FOLDER is where the files
are written, after each program: what they hold of this commit is not measured again.

    paper         drdp on the programs of Jin et al., at the size of their paper
    eliminations  all programs, at a size that takes less than a second: with the checks of the compiler's
                  own pass, and with those that are left by none, one or all eliminations
    tools         all programs as OpenMP tasks (bench/programs/openmp) under other detectors
    mistakes      all programs, small, each with a mistake: who finds it

What takes longer than LONG seconds is run once.  A program alone, the base of a slowdown, is run once
before: its first run can take twice as long as the next.  Seconds are of CPU (user and system time of all
processes) and elapsed; memory is that of the largest process.  What is judged by snag and what it is
compared with runs on one core, OpenMP with 4 threads on all cores.
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
LIMIT, TOOL_LIMIT = 120, 25  # seconds of a run, and of one of other tools
LONG = 5  # seconds of a run that is not repeated

TSAN = "report_bugs={}:ignore_noninstrumented_modules=1:exitcode=0"
ARCHER = "/usr/lib/llvm-14/lib/libarcher.so"
VALGRIND = "/usr/bin/valgrind"  # not run where it is not installed

RUN_FIELDS = ("part", "program", "size", "variant", "repetition", "cpu s", "elapsed s", "MB", "end", "said",
              "commit")
COUNT_FIELDS = ("part", "program", "size", "name", "value", "commit")


class Variant:
    """How a program is built, and run; once, or as often as asked."""

    def __init__(self, name, compiler, flags=(), run=(), once=False, judged=False, **environment):
        self.name, self.compiler, self.flags = name, compiler, flags
        self.run, self.once, self.judged, self.environment = run, once, judged, environment

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


def openmp(name, compiler, flags=(), run=(), once=False, **environment):
    return Variant(name, compiler, flags, run, once, OMP_NUM_THREADS=THREADS, OMP_STACKSIZE="64M",
                   OMP_WAIT_POLICY="passive", **environment)


NATIVE = Variant("native", "native")


def variants_of(part, program):
    detector = "espbags" if program in ESPBAGS else "drdp"
    if part == "paper":
        return "paper", [NATIVE, judged("all", detector)]
    if part == "eliminations":
        kinds = KINDS if program in ESPBAGS else ()
        return "middle", [NATIVE, judged("stock", detector, ["-fno-snag-pass"]),
                          judged("none", detector, ["-fsnag-pass-no-all"]),
                          *(judged(k, detector, alone(k)) for k in kinds), judged("all", detector)]
    thread = ["-fsanitize=thread"]
    archer = openmp("archer", "clang", thread, OMP_TOOL_LIBRARIES=ARCHER, TSAN_OPTIONS=TSAN.format(1))
    if part == "tools":
        helgrind = openmp("helgrind", "gcc", run=(VALGRIND, "--tool=helgrind"), once=True)
        return "middle", [
            NATIVE, judged("all", detector), openmp("openmp", "clang"),
            openmp("tsan clang", "clang", thread, OMP_TOOL="disabled", TSAN_OPTIONS=TSAN.format(0)),
            openmp("tsan gcc", "gcc", thread, TSAN_OPTIONS=TSAN.format(0)),
            archer, *([helgrind] if os.path.exists(VALGRIND) else [])]
    return "small", [judged("all", "drdp"), archer]


PARTS = {"paper": DRDP, "eliminations": ESPBAGS + DRDP, "tools": ESPBAGS + DRDP, "mistakes": ESPBAGS + DRDP}


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
    """The two files: rows of this commit, written after each program."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.paths = [os.path.join(folder, name) for name in ("suites.csv", "suites-counts.csv")]
        self.commit = results.commit()
        self.rows, self.counts = ([r for r in results.read(p) if r.get("commit") == self.commit]
                                  if os.path.exists(p) else [] for p in self.paths)

    def has(self, part, program):
        return any(r["part"] == part and r["program"] == program for r in self.rows)

    def add(self, rows, counts):
        self.rows += [dict(zip(RUN_FIELDS, (*r, self.commit))) for r in rows]
        self.counts += [dict(zip(COUNT_FIELDS, (*c, self.commit))) for c in counts]
        for path, rows_of in zip(self.paths, (self.rows, self.counts)):
            if rows_of:
                results.write_csv(path, rows_of)


def measure(part, program, snag, repetitions, folder):
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
            command = ([snag] if v.judged else []) + [*v.run, paths[v.name], size]
            is_ours = v.compiler in ("snag", "native")
            cpu, elapsed, mb, end, text = run_once(command, v.environment, is_ours, LIMIT if is_ours else TOOL_LIMIT)
            if elapsed > LONG or v.once:
                done.add(v.name)
            rows.append((part, program, size, v.name, repetition, f"{cpu:.3f}", f"{elapsed:.3f}", f"{mb:.0f}",
                         end, summary(v, end, text)))
    counted = counts_of(snag, program, size, folder) if part in ("paper", "eliminations") else {}
    for path in paths.values():
        os.unlink(path)
    return rows, [(part, program, size, *c) for c in counted.items()]


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
            data.add(*measure(part, program, snag, args.repetitions, folder))


main()
