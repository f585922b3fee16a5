#!/usr/bin/env python3
"""Measures the task programs of the papers' tables; writes docs/results/suites.{csv,md}.

    bench/suites.py SNAG REPETITIONS COMMIT CSV MD [SIZE]

Builds each program of bench/programs/tasks with clang -O2: as it is, with the checks of the
compiler's own pass, and with those that snag's pass leaves.  Runs the three in turn, on one core,
judged from inside, and takes medians.  CPU time is user and system time of all processes, memory
the largest of theirs.
"""
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "tasks")
INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include")

# program, and the slowdown of the paper's table: without and with eliminations; with promises.
ESPBAGS = (("crypt", 7.63, 7.29), ("lufact", 12.45, 10.08), ("moldyn", 10.57, 3.93),
           ("montecarlo", 1.99, 1.57), ("raytracer", 11.89, 9.48), ("series", 1.01, 1.00),
           ("sor", 14.99, 9.05), ("sparse", 12.79, 2.73), ("fannkuch", 1.49, 1.38),
           ("fasta", 3.88, 3.73), ("mandelbrot", 1.02, 1.02), ("matmul_rows", 6.43, 1.16))
DRDP = (("health", None, 21.13), ("knapsack", None, 4.96), ("matmul", None, 20.53),
        ("sort", None, 42.13), ("strassen", None, 29.13), ("sparselu", None, 28.07),
        ("poisson", None, 46.10))
VARIANTS = ("native", "all checks", "with eliminations")


def build(snag, program, folder):
    """The three executables."""
    source = os.path.join(FOLDER, program + ".c")
    library = os.path.join(os.path.dirname(snag), "libsnag_task.a")
    how = {
        "native": ["clang", "-I" + INCLUDE, source, library],
        "all checks": [snag, "cc", "-fsnag-task", "-fno-snag-pass", source],
        "with eliminations": [snag, "cc", "-fsnag-task", source],
    }
    paths = {}
    for variant, command in how.items():
        paths[variant] = os.path.join(folder, program + "." + variant.replace(" ", "_"))
        subprocess.run(command + ["-O2", "-g", "-o", paths[variant], "-lm", "-lpthread"],
                       check=True, env=os.environ | {"SNAG_CC": "clang"})
    return paths


def run_once(command):
    """Seconds of CPU, MB of memory, and what it said."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(write, 2)
        os.environ["SNAG_WORKERS"] = "1"
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.execv(command[0], command)
    os.close(write)
    with os.fdopen(read) as f:
        said = f.read().strip()
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: status {status}: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said


def measure(snag, suite, detector, repetitions, size, folder):
    rows = []
    for program, paper_all, paper_some in suite:
        paths = build(snag, program, folder)
        seconds, memory, verdict = {v: [] for v in VARIANTS}, {}, ""
        for _ in range(repetitions):
            for variant in VARIANTS:
                judge = [] if variant == "native" else [snag, "run", "--with", detector]
                cpu, mb, said = run_once(judge + [paths[variant], size])
                seconds[variant].append(cpu)
                memory[variant] = max(mb, memory.get(variant, 0))
                verdict = said or verdict
        median = {v: statistics.median(s) for v, s in seconds.items()}
        rows.append({
            "suite": detector, "program": program, "size": size,
            **{v + " s": f"{median[v]:.3f}" for v in VARIANTS},
            **{v + " MB": f"{memory[v]:.0f}" for v in VARIANTS},
            "spread": f"{max((max(s) - min(s)) / max(statistics.median(s), 0.001) for s in seconds.values()):.2f}",
            "slowdown, all checks": f"{median['all checks'] / max(median['native'], 0.001):.2f}",
            "slowdown": f"{median['with eliminations'] / max(median['native'], 0.001):.2f}",
            "paper, all checks": paper_all or "", "paper": paper_some,
            "race-free": "yes" if "race-free for this input on every schedule" in verdict else "no claim",
        })
        print(program, rows[-1]["slowdown, all checks"], rows[-1]["slowdown"], flush=True)
    return rows


def mean(values):
    values = [float(v) for v in values if v != ""]
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""


def table(rows):
    lines = ["| program | native s | all checks | with eliminations | paper: all | paper: eliminated | "
             "native MB | MB | verdict |", "|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['program']} | {r['native s']} | {r['slowdown, all checks']} | {r['slowdown']} | "
                     f"{r['paper, all checks']} | {r['paper']} | {r['native MB']} | "
                     f"{r['with eliminations MB']} | {r['race-free']} |")
    lines.append(f"| geometric mean | | {mean(r['slowdown, all checks'] for r in rows)} | "
                 f"{mean(r['slowdown'] for r in rows)} | {mean(r['paper, all checks'] for r in rows)} | "
                 f"{mean(r['paper'] for r in rows)} | | | |")
    return "\n".join(lines)


def main():
    snag, repetitions, commit, csv_path, md_path = sys.argv[1:6]
    size = sys.argv[6] if len(sys.argv) > 6 else "middle"
    snag = os.path.abspath(snag)
    with tempfile.TemporaryDirectory() as folder:
        esp = measure(snag, ESPBAGS, "espbags", int(repetitions), size, folder)
        drdp = measure(snag, DRDP, "drdp", int(repetitions), size, folder)
    with open(csv_path, "w", newline="") as f:
        writer = csv.DictWriter(f, esp[0].keys())
        writer.writeheader()
        writer.writerows(esp + drdp)
    with open(md_path, "w") as f:
        f.write(f"""# The task programs of the papers' tables: measurements

Made by `bench/suites.py` (part of `make bench`) at commit {commit}; the data is in suites.csv. Programs of bench/programs/tasks,
clang -O2, one core, size `{size}`, median of {repetitions} runs, the variants in turn. A slowdown is the CPU time of `snag run`, judging from
inside, over that of the program alone on one worker. "All checks": those of the compiler's own pass (`-fno-snag-pass`); "with
eliminations": what snag's pass leaves. The papers measured other machines, sizes and (ESP-bags) Java; the sizes of theirs are `paper`.
Memory is that of the largest process, at least the 11 MB of the script that starts it.

## espbags: the programs of Raman et al., FMSD 2012, Table 3

{table(esp)}

## drdp: the programs of Jin et al., Table 2 and Figure 11

Theirs is with their eliminations where these had an effect.

{table(drdp)}
""")


main()
