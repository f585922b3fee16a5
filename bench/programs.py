#!/usr/bin/env python3
"""Measures recording beside ThreadSanitizer; writes docs/results/programs.{csv,md}.

    bench/programs.py SNAG REPETITIONS COMMIT CSV MD [THREADS]

Builds each program of bench/programs with gcc and clang at -O2: as it is, with
-fsanitize=thread, and with `snag cc`.  Runs the three in turn, so that they meet the same
machine, and takes medians.  CPU time is user and system time of all processes; that of
`snag record` is also split into the program and the recorder beside it.
"""
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import results

PROGRAMS = ("matmul", "mergesort", "stencil", "fft", "lu", "radix", "water")
COMPILERS = ("gcc", "clang")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PROGRAM_USAGE = ("/usr/bin/time", "-f", "%U %S %M", "-o")  # the least that tells it of one process


def build(snag, program, compiler, folder):
    """The three executables."""
    source = os.path.join(FOLDER, program + ".c")
    how = {
        "native": [compiler],
        "tsan": [compiler, "-fsanitize=thread"],
        "snag": [snag, "cc"],
    }
    paths = {}
    for variant, command in how.items():
        paths[variant] = os.path.join(folder, f"{program}.{compiler}.{variant}")
        subprocess.run(command + ["-O2", "-g", source, "-o", paths[variant], "-lm", "-lpthread"],
                       check=True, env=os.environ | {"SNAG_CC": compiler})
    return paths


class Peak(threading.Thread):
    """The most memory that a running process had, in KB: the kernel forgets it at the end."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.kb, self.is_over = pid, 0, threading.Event()
        self.start()

    def run(self):
        while not self.is_over.wait(0.02):
            with open(f"/proc/{self.pid}/status") as f:
                found = re.search(r"VmHWM:\s*(\d+)", f.read())
            if found:
                self.kb = int(found[1])

    def end(self):
        self.is_over.set()
        self.join()
        return self.kb


def run(command, usage_path):
    """Runs a command of which the program's own usage goes to a file: cpu, wall, program's cpu, program's KB, own KB."""
    begin = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    peak = Peak(pid)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    wall = time.monotonic() - begin
    own_kb = peak.end()
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"programs.py: {' '.join(command)}: status {status}")
    with open(usage_path) as f:
        user, system, kb = f.read().split()
    return {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "program_cpu": float(user) + float(system),
            "program_kb": int(kb), "own_kb": own_kb}


def measure(snag, program, compiler, repetitions, threads, folder):
    paths = build(snag, program, compiler, folder)
    usage, trace = os.path.join(folder, "usage"), os.path.join(folder, "trace.snag")
    runs = {"native": [], "tsan": [], "snag": []}
    for _ in range(repetitions):
        for variant, path in paths.items():
            command = [*PROGRAM_USAGE, usage, path, "-t", str(threads)]
            if variant == "snag":
                command = [snag, "record", "-o", trace, *command]
            runs[variant].append(run(command, usage))

    def median(variant, what):
        return statistics.median(r[what] for r in runs[variant])

    info = subprocess.run([snag, "info", trace], stdout=subprocess.PIPE, check=True, text=True).stdout
    program_cpu = median("snag", "program_cpu")
    return {
        "program": program, "compiler": compiler, "threads": threads,
        "native_cpu": median("native", "cpu"), "tsan_cpu": median("tsan", "cpu"),
        "snag_cpu": median("snag", "cpu"), "snag_program_cpu": program_cpu,
        "snag_recorder_cpu": statistics.median(r["cpu"] - r["program_cpu"] for r in runs["snag"]),
        "cpu_ratio": statistics.median(s["cpu"] / t["cpu"] for s, t in zip(runs["snag"], runs["tsan"])),
        "native_wall": median("native", "wall"), "tsan_wall": median("tsan", "wall"),
        "snag_wall": median("snag", "wall"),
        "native_kb": median("native", "program_kb"), "tsan_kb": median("tsan", "program_kb"),
        "snag_program_kb": median("snag", "program_kb"), "snag_recorder_kb": median("snag", "own_kb"),
        "events": int(re.search(r"^events\s+(\d+)", info, re.M)[1]), "trace_bytes": os.path.getsize(trace),
    }


def geometric_mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def table(rows):
    yield "| program | native | TSan | snag: program | + recorder | = CPU | snag / TSan | wall: native | TSan | snag |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for r in rows:
        yield (f"| {r['program']} | {r['native_cpu']:.2f} | {r['tsan_cpu']:.2f} | {r['snag_program_cpu']:.2f} | "
               f"{r['snag_recorder_cpu']:.2f} | {r['snag_cpu']:.2f} | {r['cpu_ratio']:.2f} | {r['native_wall']:.2f} | "
               f"{r['tsan_wall']:.2f} | {r['snag_wall']:.2f} |")
    mean = geometric_mean([r["cpu_ratio"] for r in rows])
    alone = geometric_mean([r["snag_program_cpu"] / r["tsan_cpu"] for r in rows])
    wall = geometric_mean([r["snag_wall"] / r["tsan_wall"] for r in rows])
    yield (f"\nGeometric mean of snag / TSan: CPU {mean:.2f} (at most 1.00 wanted), of which the program alone "
           f"{alone:.2f}; wall time {wall:.2f}.")


def space_table(rows):
    yield "| program | compiler | native MB | TSan MB | snag: program MB | recorder MB | 2 native + 64 | events | bytes/event |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for r in rows:
        bound, both = 2 * r["native_kb"] + 65536, r["snag_program_kb"] + r["snag_recorder_kb"]
        yield (f"| {r['program']} | {r['compiler']} | {r['native_kb'] / 1024:.0f} | {r['tsan_kb'] / 1024:.0f} | "
               f"{r['snag_program_kb'] / 1024:.0f} | {r['snag_recorder_kb'] / 1024:.0f} | {bound / 1024:.0f}"
               f"{'' if both <= bound else ' (exceeded)'} | {r['events']:,} | {r['trace_bytes'] / r['events']:.2f} |")


def page(rows, repetitions, commit, csv_name):
    out = [
        "# Recording beside ThreadSanitizer: measurements", "",
        f"Made by `bench/programs.py` (part of `make bench`) at commit {commit} on {results.machine()}. The data is in "
        f"{csv_name}. The programs are those of bench/programs at -O2 with {rows[0]['threads']} threads. Times are seconds, the "
        f"median of {repetitions} runs, with the variants in turn. CPU time is user and system time of all processes. "
        "`snag record` has two processes: the program, whose threads take turns, and the recorder, which turns the program's "
        "records into a trace.", "",
    ]
    for compiler in COMPILERS:
        out += [f"## {compiler} to {compiler}", "", *table([r for r in rows if r["compiler"] == compiler]), ""]
    out += [
        "## Memory and traces", "",
        "Figures are peak resident memory. The 4 MB of the channel between the two processes count in both. The aim is at most "
        "2 times native plus 64 MB for program and recorder together, and at most 2.5 bytes per event.", "", *space_table(rows),
    ]
    return out


def main(snag, repetitions, commit, csv_path, md_path, threads="2"):
    rows = []
    snag = os.path.abspath(snag)
    with tempfile.TemporaryDirectory() as folder:
        for compiler in filter(shutil.which, COMPILERS):
            for program in PROGRAMS:
                print(f"bench: {program}, {compiler}", file=sys.stderr)
                rows.append(measure(snag, program, compiler, int(repetitions), int(threads), folder))
    shown = [{k: f"{v:.3f}" if isinstance(v, float) else v for k, v in r.items()} for r in rows]
    results.write_csv(csv_path, [r | {"repetitions": repetitions, "commit": commit} for r in shown])
    results.write(md_path, page(rows, repetitions, commit, os.path.basename(csv_path)))


main(*sys.argv[1:])
