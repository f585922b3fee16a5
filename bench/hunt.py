#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which programs of SCTBench and ConVul fail under `snag explore`, and after how many schedules.

usage: bench/hunt.py [--snag PATH] [--seconds S] [--trials N] [--only REGEX] [--work DIR] EVALUATION

EVALUATION is the folder `evaluation` of github.com/wcventure/PERIOD, which has the programs.  They
are built in DIR, never there.  A program is found if a schedule fails; data races count only for
programs whose failure is nothing but a data race (RACES).  A trial is `snag explore --jobs 1
--seconds S --seed TRIAL`.  Every trial is a line of JSON.  The programs of Splash2 need m4, and
pbzip2 needs libbz2.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

FOLDERS = ["CS", "Chess", "ConVul-CVE-Benchmarks", "Inspect_benchmarks", "CB", "Splash2", "SafeStack"]
ARGUMENTS = {  # as the programs' own README files and the paper have them
    "Inspect_benchmarks/qsort_mt": ["-n", "32", "-f", "4", "-h", "4", "-v"],
    "Inspect_benchmarks/ctrace-test": ["2"],
    "Splash2/lu": ["-p2", "-n2", "-b1"],
    "Splash2/fft": ["-p2", "-m2"],
    "CB/pbzip2-0.9.4": ["-k", "-f", "-p4", "-1", "-b1", "test.tar"],
}
SOURCES = {"CB/pbzip2-0.9.4": ["pbzip2-0.9.4-src/pbzip2.cpp"]}
LEFT_OUT = {"CB/aget-bug2"}  # needs a server in the network
RACES = {"Inspect_benchmarks/ctrace-test"}
INPUT = {"Splash2/barnes": "input"}


def programs(root):
    for folder in FOLDERS:
        path = os.path.join(root, folder)
        names = [""] if folder == "SafeStack" else sorted(os.listdir(path))
        for name in names:
            full = f"{folder}/{name}".rstrip("/")
            if os.path.isdir(os.path.join(path, name)) and full not in LEFT_OUT:
                yield full


def sources(folder):
    files = sorted(os.listdir(folder))
    bad = [f for f in files if f.endswith("_bad.c")]
    if bad:
        return bad
    if "SafeStack.cpp" in files:
        return ["SafeStack.cpp"]
    return [f for f in files if re.search(r"\.(c|cpp|C)$", f)]


def build(snag, root, name, work):
    target = os.path.join(work, name.replace("/", "_"))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(os.path.join(root, name), target)
    if name.startswith("Splash2"):  # the macros of the Makefile, by m4
        for f in os.listdir(target):
            if f.endswith((".C", ".H")):
                to = os.path.join(target, f[:-1] + f[-1].lower())
                macros = os.path.join(target, "null_macros", "c.m4.null")
                with open(to, "w") as out:
                    subprocess.run(["m4", macros, os.path.join(target, f)], stdout=out, check=True)
                os.remove(os.path.join(target, f))
    files = SOURCES.get(name) or sources(target)
    is_cxx = any(f.endswith(".cpp") for f in files)
    compiler = ["cc", "-x", "c++"] if is_cxx else ["cc"]
    run = subprocess.run([snag, *compiler, "-g", "-O0", "-w", "-pthread", "-fno-strict-aliasing",
                          "-std=gnu++14" if is_cxx else "-std=gnu99",
                          "-Wno-implicit-int", "-Wno-return-type", "-Wno-implicit-function-declaration", "-Wno-int-conversion",
                          *files, "-o", "prog", *(["-lstdc++"] if is_cxx else []), "-lm", "-ldl", "-lbz2"],
                         cwd=target, env={**os.environ, "SNAG_CC": "clang"},
                         capture_output=True, text=True)
    if run.returncode:
        print(f"{name}: not built: {run.stderr.strip().splitlines()[:1]}", file=sys.stderr)
        return None
    return target


def child_begin():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def trial(snag, target, name, seconds, seed):
    command = [snag, "explore", "--jobs", "1", "--seconds", str(seconds), "--seed", str(seed)]
    if name not in RACES:
        command += ["--ignore", "race"]
    command += ["./prog", *ARGUMENTS.get(name, [])]
    given = open(os.path.join(target, INPUT[name])) if name in INPUT else subprocess.DEVNULL
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.time()
    run = subprocess.run(command, cwd=target, stdin=given, capture_output=True, text=True,
                         errors="replace", preexec_fn=child_begin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = run.stdout + run.stderr
    what = re.search(r"snag: explore: (.*?),? in schedule (\d+) \((\w+)\)", text)
    total = re.search(r"([\d,]+) schedules", text)
    return {"program": name, "seed": seed, "status": run.returncode,
            "found": what.group(1) if what else "",
            "schedule": int(what.group(2)) if what else "",
            "policy": what.group(3) if what else "",
            "schedules": total.group(1).replace(",", "") if total else "",
            "cpu": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
            "wall": round(time.time() - began, 1),
            "last": text.strip().splitlines()[-1:] if not what else ""}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--snag", default="build/snag")
    p.add_argument("--seconds", type=int, default=300)
    p.add_argument("--trials", type=int, default=1)
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--work", default="/tmp/snag-hunt")
    p.add_argument("--built", action="store_true", help="the programs are built already")
    p.add_argument("evaluation")
    a = p.parse_args()
    snag = os.path.abspath(a.snag)
    for name in programs(a.evaluation):
        if not re.search(a.only, name):
            continue
        target = os.path.join(a.work, name.replace("/", "_"))
        if not a.built:
            target = build(snag, a.evaluation, name, a.work)
        for seed in range(a.first, a.first + a.trials):
            if target and os.path.exists(os.path.join(target, "prog")):
                print(json.dumps(trial(snag, target, name, a.seconds, seed)), flush=True)


if __name__ == "__main__":
    main()
