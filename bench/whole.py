#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a user of snag waits for, beside ThreadSanitizer; writes docs/results/whole.{csv,md}.

    bench/whole.py SNAG REPETITIONS COMMIT CSV MD [TABLE]

Runs whole commands: a native program, the same program with -fsanitize=thread, and `snag run`,
`snag run --no-replay` and `snag record` with default options on a build by `snag cc`.  The five
variants of a program run one after the other, then again, so that all of them meet the same
machine.  Four parts:

  program   the programs of bench/programs, with gcc and clang at -O2
  micro     locks.c and memsets.c, in the same way
  package   programs that the user built outside the tree, listed in TABLE (see FORMAT below)
  analyze   `snag analyze` of a recorded trace of stencil, a program with barriers

Of each run it takes the wall time until the command ends, which is when the verdict has been
printed, the CPU time of all processes, and the peak memory of all processes together.
"""
import ctypes
import math
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import results

PROGRAMS = ("matmul", "mergesort", "stencil", "fft", "lu", "radix", "water")
MICRO = ("locks", "memsets")
COMPILERS = ("gcc", "clang")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
VARIANTS = {"native": "native", "tsan": "TSan", "run": "snag run", "no_replay": "--no-replay", "record": "snag record"}
SNAG_VARIANTS = ("run", "no_replay", "record")
EXIT_RACES = 66  # of ThreadSanitizer and of `snag run`
TRIES = 3  # of a command of a package: some programs fail in some schedules
SAMPLE_SECONDS = 0.01
TICK = os.sysconf("SC_CLK_TCK")
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
PR_SET_CHILD_SUBREAPER = 36

FORMAT = """\
The table is a CSV file with the columns `name`, `compiler`, `native`, `tsan` and `snag`. The last
three are commands: the unmodified program, the program built with `-fsanitize=thread`, and the
program built with `CC="snag cc"`. The script puts `snag run`, `snag run --no-replay` and
`snag record` before the last one. It splits commands into words as a shell does; no shell runs
them. Each command runs in a new folder that holds these inputs:

- `text`: 2 MB of random words;
- `random`: 2 MB of random bytes;
- `files/`: both, in 16 files of 256 KB.

An example: pigz, unpacked and built three times as a user does it, with `make`,
`make CC="gcc -fsanitize=thread"` and `make CC="snag cc"`:

```
name,compiler,native,tsan,snag
pigz,gcc,/tmp/native/pigz -p 3 -c text,/tmp/tsan/pigz -p 3 -c text,/tmp/snag/pigz -p 3 -c text
```"""


class Failed(Exception):
    """A command ended with a status that is neither 0 nor EXIT_RACES."""


class Tree(threading.Thread):
    """Samples all processes below this one while a command runs.

    kb is the greatest sum of their proportional set sizes (PSS: a page that k processes share
    counts 1/k in each).  Reading the PSS walks the page tables, so it is read only when the sum
    of the resident sizes has grown by 2% since the last reading.  cpu() is a lower bound of the
    CPU time of all processes, to check that of wait4().
    """

    def __init__(self):
        super().__init__()
        self.strangers = {int(p) for p in os.listdir("/proc") if p.isdigit()}
        self.members = {}  # pid: CPU seconds when last seen
        self.kb, self.rss_kb = 0, 0
        self.is_over = threading.Event()

    def run(self):
        while not self.is_over.wait(SAMPLE_SECONDS):
            self.sample()

    def stat(self, pid):
        """Parent, CPU seconds and resident KB of a process; None if it has ended."""
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:
            return None
        return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICK, int(fields[21]) * PAGE_KB

    def sample(self):
        rss_kb, living = 0, []
        for pid in sorted(int(p) for p in os.listdir("/proc") if p.isdigit()):
            if pid in self.strangers:
                continue
            found = self.stat(pid)
            if not found:
                continue
            parent, cpu, kb = found
            if parent != os.getpid() and parent not in self.members:
                self.strangers.add(pid)
                continue
            self.members[pid] = max(cpu, self.members.get(pid, 0))
            rss_kb += kb
            living.append(pid)
        if rss_kb > 1.02 * self.rss_kb:
            self.rss_kb = rss_kb
            self.kb = max(self.kb, sum(map(self.pss_kb, living)))

    def pss_kb(self, pid):
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
                return int(re.search(r"^Pss:\s*(\d+)", f.read(), re.M)[1])
        except (OSError, TypeError):
            return 0

    def cpu(self):
        return sum(self.members.values())

    def end(self):
        self.is_over.set()
        self.join()


def run(command, folder, scratch):
    """Runs a command in a folder: seconds, CPU seconds, peak KB, reported races."""
    usage, errors = os.path.join(scratch, "usage"), os.path.join(scratch, "stderr")
    # /usr/bin/time is small: a child of this process would inherit its peak memory.
    words = ["/usr/bin/time", "-f", "%M", "-o", usage, "/usr/bin/env", "-C", folder, *command]
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
               (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    tree = Tree()
    begin = time.monotonic()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    tree.start()
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    tree.end()
    cpu = used.ru_utime + used.ru_stime
    cpu += orphans_cpu()
    with open(errors, encoding="utf-8", errors="replace") as f:
        said = f.read()
    if os.waitstatus_to_exitcode(status) not in (0, EXIT_RACES):
        raise Failed(f"{shlex.join(command)}: status {os.waitstatus_to_exitcode(status)}\n{said[-500:]}")
    if tree.cpu() > 1.05 * cpu + 0.1:
        raise Failed(f"{shlex.join(command)}: processes took {tree.cpu():.2f} s of CPU, wait4() says {cpu:.2f}")
    with open(usage, encoding="utf-8") as f:
        max_kb = int(f.read().split()[-1])
    return {"wall": wall, "cpu": cpu, "peak_kb": max(tree.kb, max_kb), "process_kb": max_kb,
            "races": len(re.findall(r"^WARNING: .*data race", said, re.M))}


def orphans_cpu():
    """CPU seconds of processes that the command left behind: they became children of this one."""
    cpu = 0
    while True:
        try:
            pid, _, used = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return cpu
        if pid == 0:
            return cpu
        cpu += used.ru_utime + used.ru_stime


def variants(snag, commands, scratch):
    """The five commands, of those of the native program, of TSan's and of snag's."""
    trace = os.path.join(scratch, "trace.snag")
    return {"native": commands["native"], "tsan": commands["tsan"], "run": [snag, "run", *commands["snag"]],
            "no_replay": [snag, "run", "--no-replay", *commands["snag"]],
            "record": [snag, "record", "-o", trace, *commands["snag"]]}


def run_in_new_folder(command, inputs, scratch):
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        if inputs:
            shutil.copytree(inputs, folder, dirs_exist_ok=True)
        return run(command, folder, scratch)


def run_package(command, inputs, scratch):
    """As run(), but tries a command that fails again; the number of failures is in the result."""
    for failures in range(TRIES):
        try:
            return run_in_new_folder(command, inputs, scratch) | {"failures": failures}
        except Failed as why:
            print(f"bench: {why}", file=sys.stderr)
    raise Failed(f"{shlex.join(command)}: failed {TRIES} times")


def measure(snag, group, program, compiler, commands, repetitions, scratch, inputs=None):
    """One row for each variant."""
    print(f"bench: {program}, {compiler}", file=sys.stderr)
    runs = {variant: [] for variant in VARIANTS}
    for _ in range(repetitions):
        for variant, command in variants(snag, commands, scratch).items():
            of = run_package if group == "package" else run_in_new_folder
            runs[variant].append(of(command, inputs, scratch))
    rows = []
    for variant, of in runs.items():
        row = {"group": group, "program": program, "compiler": compiler, "variant": variant}
        for what in ("wall", "cpu", "peak_kb"):
            row[what] = statistics.median(r[what] for r in of)
            row[what + "_ratio"] = statistics.median(r[what] / t[what] for r, t in zip(of, runs["tsan"]))
        row["process_kb"] = statistics.median(r["process_kb"] for r in of)
        row["races"] = max(r["races"] for r in of)
        row["failures"] = sum(r.get("failures", 0) for r in of)
        rows.append(row)
    return rows


def build(snag, program, compiler, folder):
    """The commands of the three executables, without arguments."""
    how = {"native": [compiler], "tsan": [compiler, "-fsanitize=thread"], "snag": [snag, "cc"]}
    commands = {}
    for variant, command in how.items():
        path = os.path.join(folder, f"{program}.{compiler}.{variant}")
        subprocess.run(command + ["-O2", "-g", os.path.join(FOLDER, program + ".c"), "-o", path, "-lm", "-lpthread"],
                       check=True, env=os.environ | {"SNAG_CC": compiler})
        commands[variant] = [path]
    return commands


def make_inputs(folder):
    """What FORMAT says, the same in every run."""
    numbers = random.Random(1)
    words = ["".join(numbers.choices("etaoinshrdlu", k=numbers.randint(2, 9))) for _ in range(2000)]
    size, part = 2 << 20, 256 << 10
    text = " ".join(numbers.choices(words, k=size // 4)).encode()[:size]
    os.mkdir(os.path.join(folder, "files"))
    for name, data in (("text", text), ("random", numbers.randbytes(size))):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        for i in range(size // part):
            with open(os.path.join(folder, "files", f"{name}-{i}"), "wb") as f:
                f.write(data[i * part:(i + 1) * part])


def measure_packages(snag, table, repetitions, scratch):
    """Rows of the packages, and a line for each that could not be measured."""
    rows, notes = [], []
    with tempfile.TemporaryDirectory(dir=scratch) as inputs:
        make_inputs(inputs)
        for line in results.read(table):
            commands = {variant: shlex.split(line[variant]) for variant in ("native", "tsan", "snag")}
            try:
                rows += measure(snag, "package", line["name"], line["compiler"], commands, repetitions, scratch, inputs)
            except Failed as why:
                print(f"bench: {line['name']}: {why}", file=sys.stderr)
                notes.append(f"{line['name']} ({line['compiler']}) was not measured: a command failed {TRIES} times.")
    return rows, notes


def measure_analyze(snag, compiler, repetitions, scratch):
    """One row: `snag analyze` of a trace of stencil."""
    trace = os.path.join(scratch, "stencil.snag")
    program = build(snag, "stencil", compiler, scratch)["snag"]
    subprocess.run([snag, "record", "-o", trace, *program], check=True, stdout=subprocess.DEVNULL)
    info = subprocess.run([snag, "info", trace], stdout=subprocess.PIPE, check=True, text=True).stdout
    runs = [run([snag, "analyze", trace], scratch, scratch) for _ in range(repetitions)]
    row = {"group": "analyze", "program": "stencil", "compiler": compiler, "variant": "analyze"}
    row |= {what: statistics.median(r[what] for r in runs) for what in ("wall", "cpu", "peak_kb", "process_kb")}
    return row | {"races": max(r["races"] for r in runs), "events": int(re.search(r"^events\s+(\d+)", info, re.M)[1])}


def geometric_mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def table(rows, what, shown):
    """Rows of one compiler: what each variant took, and what snag took divided by what TSan took."""
    yield "| program | " + " | ".join(VARIANTS.values()) + " | run / TSan | --no-replay / TSan | record / TSan |"
    yield "|---" * (len(VARIANTS) + 4) + "|"
    ratios = {variant: [] for variant in SNAG_VARIANTS}
    for program in dict.fromkeys(r["program"] for r in rows):
        of = {r["variant"]: r for r in rows if r["program"] == program}
        for variant in SNAG_VARIANTS:
            ratios[variant].append(of[variant][what + "_ratio"])
        yield (f"| {program} | " + " | ".join(shown(of[v][what]) for v in VARIANTS) + " | "
               + " | ".join(f"{ratios[v][-1]:.2f}" for v in SNAG_VARIANTS) + " |")
    if len(ratios["run"]) > 2:
        yield ("| geometric mean |" + " |" * len(VARIANTS) + " "
               + " | ".join(f"{geometric_mean(ratios[v]):.2f}" for v in SNAG_VARIANTS) + " |")


def seconds(value):
    return f"{value:.2f}"


def megabytes(kb):
    return f"{kb / 1024:.0f}"


def tables(rows):
    out = []
    for compiler in dict.fromkeys(r["compiler"] for r in rows):
        of = [r for r in rows if r["compiler"] == compiler]
        for title, what, shown in (("seconds to the verdict", "wall", seconds), ("CPU seconds of all processes", "cpu", seconds),
                                   ("peak MB of all processes", "peak_kb", megabytes)):
            out += [f"### {compiler}: {title}", "", *table(of, what, shown), ""]
    for title, what in (("Races reported", "races"), ("Runs that failed and were repeated", "failures")):
        found = [f"{r['program']} ({r['compiler']}), {VARIANTS[r['variant']]}: {r[what]}" for r in rows if r[what]]
        if found:
            out += [f"{title}: " + "; ".join(found) + ".", ""]
    return out


def page(rows, notes, load, repetitions, commit, csv_name):
    def part(group):
        return [r for r in rows if r["group"] == group]

    out = [
        "# What the user waits for: measurements", "",
        f"Made by `bench/whole.py` (part of `make bench`; alone: `BENCH_PARTS=whole make bench`) at commit {commit} on "
        f"{results.machine()}. The data is in {csv_name}. Figures are the median of {repetitions} run{'s' if repetitions > 1 else ''}, "
        f"with the variants in turn. The load of the machine (processes that ran or waited to run, mean of a minute) was {load} "
        "before the first run.", "",
        "- The commands are `snag run` with default options and with `--no-replay`, and `snag record`. They are compared with the "
        "unmodified program and with `-fsanitize=thread` of the same compiler.",
        "- Ratios are the median of the ratios of each repetition.",
        "- *Seconds to the verdict*: wall time until the command ends.",
        "- *CPU*: user and system time of all processes, including replays. The script compares it with a sum over `/proc`.",
        "- *Peak*: the greatest sum of the proportional set sizes of all processes, sampled every 10 ms, and at least the "
        "greatest resident size of one process. The trace of a run is a temporary file and does not count.", "",
        "## Programs", "", "The seven programs of bench/programs at -O2 with 2 threads.", "", *tables(part("program")),
        "## Micro programs", "",
        "*locks*: three threads, a million lock and unlock pairs each, around one counter. *memsets*: two threads, three memsets "
        "of 8 MB each.", "", *tables(part("micro")),
        "## Packages", "",
    ]
    packages = part("package")
    if packages:
        out += ["Programs built outside the tree, each with the build system of its package.", "", *tables(packages)]
    else:
        notes = notes or ["Not measured: `BENCH_PACKAGES_TABLE` was not set."]
    if notes:
        out += [*notes, ""]
    out += ["To measure packages, build them and set `BENCH_PACKAGES_TABLE` to the path of a table.", FORMAT, "",
            "## Analysing a trace", "", "`snag analyze` of a trace of stencil, a program with barriers, with default options.", "",
            "| compiler | events | seconds | CPU seconds | peak MB |", "|---|---|---|---|---|"]
    out += [f"| {r['compiler']} | {r['events']:,} | {r['wall']:.2f} | {r['cpu']:.2f} | {megabytes(r['peak_kb'])} |" for r in part("analyze")]
    return out


def main(snag, repetitions, commit, csv_path, md_path, packages=""):
    snag, repetitions = os.path.abspath(snag), int(repetitions)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    rows, notes, load = [], [], f"{os.getloadavg()[0]:.1f}"
    with tempfile.TemporaryDirectory() as scratch:
        compilers = list(filter(shutil.which, COMPILERS))
        for group, programs in (("program", PROGRAMS), ("micro", MICRO)):
            for compiler in compilers:
                for program in programs:
                    commands = build(snag, program, compiler, scratch)
                    rows += measure(snag, group, program, compiler, commands, repetitions, scratch)
        if packages:
            more, notes = measure_packages(snag, packages, repetitions, scratch)
            rows += more
        else:
            print("bench: packages skipped: BENCH_PACKAGES_TABLE is not set", file=sys.stderr)
        rows += [measure_analyze(snag, compiler, repetitions, scratch) for compiler in compilers]
    columns = dict.fromkeys(key for row in rows for key in row)
    shown = [{k: f"{row[k]:.3f}" if isinstance(row.get(k), float) else row.get(k, "") for k in columns} for row in rows]
    results.write_csv(csv_path, [r | {"repetitions": repetitions, "commit": commit} for r in shown])
    results.write(md_path, page(rows, notes, load, repetitions, commit, os.path.basename(csv_path)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failed as why:
        sys.exit(f"whole.py: {why}")
