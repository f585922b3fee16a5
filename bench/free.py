#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures threads that run in parallel beside ThreadSanitizer; writes docs/results/parallel.md.

    bench/free.py SNAG REPETITIONS COMMIT MD [TABLE]

Runs the variants of a program in turn, so that they meet the same machine, and takes medians.  CPU
time is user and system time of all processes.  Memory is that of the largest process.  Four parts:

  programs  those of bench/programs with gcc and clang at -O2
  threads   the cost of an event, by the number of threads
  waits     bench/programs/waits.c: threads that only synchronise
  packages  programs and servers that the user built outside the tree, listed in TABLE: see FORMAT

Without TABLE, and behind the line HAND, the page remains as it is.
"""
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

import results
import servers
import whole

PROGRAMS = ("matmul", "mergesort", "stencil", "fft", "lu", "radix", "water", "locks")
VARIANTS = ("tsan", "record", "run", "turns")
SCALED = ("fft", "radix", "stencil")
THREADS = (1, 2, 4, 8, 16)
WAYS = {"cond": "20,000 items of each of two threads to a third one, through a queue with conditions",
        "sem": "300,000 times `sem_wait` and `sem_post` of its own semaphore",
        "rwlock": "300,000 times `rdlock` and `unlock` of one rwlock",
        "signal": "300,000 signals without a waiter, each under a lock",
        "atomic": "500,000 times `atomic_fetch_add` of one variable"}
HAND = "## To reach"
PACKAGES = "## Programs and servers"
FORMAT = """\
The table of programs is that of [whole.md](whole.md), with a column `client`, which is empty, or
`redis PORT` or `memcached PORT` for a server (`memcached -A` accepts the end). The inputs are the same."""


def build(snag, program, compiler, folder):
    """The executables for ThreadSanitizer and for snag."""
    paths = {}
    for variant, command in (("tsan", [compiler, "-fsanitize=thread"]), ("snag", [snag, "cc"])):
        paths[variant] = os.path.join(folder, f"{program}.{compiler}.{variant}")
        subprocess.run([*command, "-O2", "-g", "-pthread", os.path.join(whole.FOLDER, program + ".c"), "-lm",
                        "-o", paths[variant]], check=True, env=dict(os.environ, SNAG_CC=compiler))
    return paths


def timed(command, folder):
    """The words that run a command and note what it used."""
    return ["/usr/bin/time", "-f", "%U %S %e %M", "-o", os.path.join(folder, "usage"), *command]


def usage(folder):
    """CPU seconds, wall seconds, and MB of the command that was timed."""
    with open(os.path.join(folder, "usage"), encoding="utf-8") as f:
        user, system, wall, memory = (float(word) for word in f.read().split()[-4:])
    return user + system, wall, memory / 1024


def measure(command, folder, at=None):
    done = subprocess.run(timed(command, folder), cwd=at, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, whole.EXIT_RACES):
        raise whole.Failed(f"{shlex.join(command)}: status {done.returncode}")
    return usage(folder)


def commands(snag, tsan, program, trace):
    """The four variants, of the words that run TSan's program and snag's."""
    return {
        "tsan": tsan,
        "record": [snag, "record", "--free", "-o", trace, *program],
        "run": [snag, "run", "--free", *program],
        "turns": [snag, "record", "-o", trace, *program],
    }


def medians(variants, repetitions, folder, at=None):
    """What each variant took: CPU and wall seconds, MB."""
    runs = {name: [] for name in variants}
    for _ in range(repetitions):
        for name, command in variants.items():
            runs[name].append(measure(command, folder, at))
    return {name: [statistics.median(values) for values in zip(*of)] for name, of in runs.items()}


def line(cells):
    return "| " + " | ".join(cells) + " |"


def row(snag, program, compiler, repetitions, folder):
    """A line of the tables of programs."""
    print(f"bench: {program}, {compiler}", file=sys.stderr)
    paths = build(snag, program, compiler, folder)
    of = medians(commands(snag, [paths["tsan"]], [paths["snag"]], os.path.join(folder, "trace.snag")),
                 repetitions, folder)
    cells = [program]
    for which in (0, 1):
        cells += [f"{of['tsan'][which]:.2f}"]
        cells += [f"{of[v][which] / max(of['tsan'][which], 0.01):.2f}" for v in VARIANTS[1:]]
    return line(cells + [f"{of[v][2]:.0f}" for v in ("tsan", "record", "run")])


def scaling(snag, program, repetitions, folder):
    """A line of the table of threads: nanoseconds of CPU time for each event."""
    print(f"bench: {program}, by threads", file=sys.stderr)
    path, cost = build(snag, program, "gcc", folder)["snag"], {n: [] for n in THREADS}
    trace = os.path.join(folder, "trace.snag")
    for _ in range(repetitions):
        for n in THREADS:
            cpu, _, _ = measure([snag, "record", "--free", "-o", trace, path, "-t", str(n)], folder)
            info = subprocess.run([snag, "info", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
            cost[n].append(cpu * 1e9 / int(re.search(r"^events +(\d+)", info, re.M)[1]))
    each = [statistics.median(of) for of in cost.values()]
    return line([program, *(f"{ns:.1f}" for ns in each), f"{max(each) / min(each):.2f}",
                 f"{max(each[1:]) / min(each[1:]):.2f}"])


def waits(snag, repetitions, folder):
    """The lines of the table of threads that only synchronise."""
    paths = build(snag, "waits", "gcc", folder)
    for way, what in WAYS.items():
        print(f"bench: waits {way}", file=sys.stderr)
        of = medians({"tsan": [paths["tsan"], way], "run": [snag, "run", "--free", paths["snag"], way]},
                     repetitions, folder)
        yield line([what, f"{of['tsan'][0]:.2f}", f"{of['run'][0]:.2f}", f"{of['tsan'][2]:.0f}", f"{of['run'][2]:.0f}"])


def served(command, client, folder):
    """Requests per second, CPU seconds, MB of a server."""
    kind, port = client.split()
    with subprocess.Popen(timed(command, folder), cwd=folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        rate = servers.requests_per_second(kind, int(port))
        server.wait()
    cpu, _, memory = usage(folder)
    return rate, cpu, memory


def package(snag, entry, repetitions, inputs, folder):
    """A line for a program: CPU and wall, or for a server: requests and CPU; and whether it is a server."""
    tsan, program = shlex.split(entry["tsan"]), shlex.split(entry["snag"])
    run = [snag, "run", "--free", "--no-replay", *program]
    name = f"{entry['name']} ({entry['compiler']})"
    if entry.get("client"):
        runs = {"tsan": [], "run": []}
        for _ in range(repetitions):
            for variant, command in (("tsan", tsan), ("run", run)):
                runs[variant].append(served(command, entry["client"], folder))
        of = {v: [statistics.median(values) for values in zip(*r)] for v, r in runs.items()}
        return True, line([name, f"{of['tsan'][0]:,.0f}", f"{of['run'][0] / of['tsan'][0]:.2f}",
                           f"{of['tsan'][1]:.2f}", f"{of['run'][1] / of['tsan'][1]:.2f}",
                           f"{of['tsan'][2]:.0f}", f"{of['run'][2]:.0f}"])
    variants = commands(snag, tsan, program, os.path.join(folder, "trace.snag")) | {"run": run}
    of = medians({v: variants[v] for v in ("tsan", "record", "run")}, repetitions, folder, inputs)
    cells = [name]
    for which in (0, 1):
        cells += [f"{of['tsan'][which]:.2f}", f"{of['record'][which] / max(of['tsan'][which], 0.01):.2f}",
                  f"{of['run'][which] / max(of['tsan'][which], 0.01):.2f}"]
    return False, line(cells + [f"{of[v][2]:.0f}" for v in ("tsan", "record", "run")])


def packages(snag, table, repetitions, folder):
    """The part of the page about programs outside the tree."""
    lines = {False: [], True: []}
    notes = []
    with tempfile.TemporaryDirectory(dir=folder) as inputs:
        whole.make_inputs(inputs)
        for entry in results.read(table):
            print(f"bench: {entry['name']}", file=sys.stderr)
            try:
                is_server, text = package(snag, entry, repetitions, inputs, folder)
                lines[is_server].append(text)
            except (whole.Failed, OSError) as why:
                print(f"bench: {entry['name']}: {why}", file=sys.stderr)
                notes += [f"{entry['name']} was not measured: a command failed.", ""]
    out = [PACKAGES, "", "`run` is `snag run --free --no-replay`.", ""]
    if lines[False]:
        out += ["| program | CPU: TSan | record | run | wall: TSan | record | run | MB: TSan | record | run |",
                "|---" * 10 + "|", *lines[False], ""]
    if lines[True]:
        out += [f"Servers: {servers.CLIENTS} clients over loopback that each send {servers.PAIRS:,} pairs of set and get, "
                f"{servers.AT_ONCE} at a time.", "",
                "| server | requests/s: TSan | run | CPU: TSan | run | MB: TSan | run |", "|---" * 7 + "|",
                *lines[True], ""]
    return out + notes + FORMAT.split("\n") + [""]


def between(path, begin, end):
    """The lines of a page from one heading up to another."""
    rest = results.part(path, begin)[1]
    return rest[:rest.index(end)] if end in rest else rest


def main(snag, repetitions, commit, page, table=""):
    snag, repetitions = os.path.abspath(snag), int(repetitions)
    load = os.getloadavg()[0]
    out = [
        "# Threads that run in parallel: measurements", "",
        f"Made by `bench/free.py` (part of `make bench`; alone: `BENCH_PARTS=free make bench`) at commit {commit} on "
        f"{results.machine()}. Figures are the median of {repetitions} run{'s' if repetitions > 1 else ''}, with the variants in turn. "
        f"The load of the machine was {load:.1f} before the first run: wall times of a loaded machine say little. CPU "
        "time is user and system time of all processes, MB is the largest process.", "",
        "The programs are those of bench/programs at -O2 with 2 threads; `locks` has three, with a million pairs of lock and "
        "unlock each. TSan is that of the same compiler, in seconds; the other columns are multiples of it. "
        "`record` and `run` are with `--free`; `turns` is `snag record` without it.", ""]
    with tempfile.TemporaryDirectory() as folder:
        for compiler in filter(shutil.which, whole.COMPILERS):
            out += [f"## {compiler} to {compiler}", "",
                    "| program | CPU: TSan | record | run | turns | wall: TSan | record | run | turns "
                    "| MB: TSan | record | run |", "|---" * 12 + "|",
                    *(row(snag, p, compiler, repetitions, folder) for p in PROGRAMS), ""]
        out += ["## More threads", "",
                "Nanoseconds of CPU time for each event of the trace, `snag record --free`, gcc, by the number of "
                "threads; then the largest by the smallest, of all and of those from 2 threads on. These programs do the same work with "
                "any number of threads.", "",
                "| program | " + " | ".join(str(n) for n in THREADS) + " | all | from 2 |", "|---" * 8 + "|",
                *(scaling(snag, p, repetitions, folder) for p in SCALED), "",
                "## Threads that only synchronise", "",
                "CPU seconds and MB of `bench/programs/waits.c`, gcc, four threads.", "",
                "| what each thread does | TSan | run | MB: TSan | run |", "|---" * 5 + "|",
                *waits(snag, repetitions, folder), ""]
        if table:
            out += packages(snag, table, repetitions, folder)
        else:
            print("bench: packages skipped: BENCH_FREE_TABLE is not set", file=sys.stderr)
            out += between(page, PACKAGES, HAND)
    results.write(page, out + results.part(page, HAND)[1])


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except whole.Failed as why:
        sys.exit(f"free.py: {why}")
