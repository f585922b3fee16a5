#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random C programs with threads: snag run reports the same with the scout and without it.

A program has two or three threads, variables of all sizes, arrays, blocks of the heap, locks, an
atomic and a barrier.  Its threads execute loops, memsets, single accesses, critical sections,
hand-overs and frees.  `snag run` makes events of needed records only; with --keep it makes events
of all.  Races, pairs, counts and kinds of both reports must be the same, under every seed.

usage: slice.py [--programs N] [--first N] [--seeds N] [--cc gcc,clang] [--seconds S] [--keep DIR] SNAG SEED
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
import time

LOCKS, BYTES = 2, 192
TYPES = ("char", "short", "int", "long")
HEAD = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static union { char as_char[%d]; short as_short[%d]; int as_int[%d]; long as_long[%d]; } u;
static pthread_mutex_t lock[%d];
static pthread_barrier_t barrier;
static atomic_int flag;
static char *volatile block;
static int counter, shared[4];
""" % (BYTES, BYTES // 2, BYTES // 4, BYTES // 8, LOCKS)


class Body:
    """The statements of a thread, one a line, so that reports tell them apart."""

    def __init__(self, rng):
        self.rng, self.lines = rng, []

    def place(self):
        """An element of the union, of some type."""
        i = self.rng.randrange(4)
        return TYPES[i], self.rng.randrange(BYTES >> i)

    def access(self):
        kind, at = self.place()
        self.lines.append(self.rng.choice((f"u.as_{kind}[{at}]++;", f"u.as_{kind}[{at}] = 1;", f"sum += u.as_{kind}[{at}];")))

    def loop(self):
        kind, at = self.place()
        n = BYTES >> TYPES.index(kind)
        step, end = self.rng.randrange(1, 4), self.rng.randrange(at, n) + 1
        body = self.rng.choice((f"u.as_{kind}[i]++;", f"u.as_{kind}[i] = 2;", f"sum += u.as_{kind}[i];"))
        self.lines.append(f"for (int i = {at}; i < {end}; i += {step})\n\t\t{body}")

    def fill(self):
        at = self.rng.randrange(BYTES)
        self.lines.append(f"memset(u.as_char + {at}, 3, {self.rng.randrange(1, BYTES - at + 1)});")

    def section(self):
        k = self.rng.randrange(LOCKS)
        self.lines.append(f"pthread_mutex_lock(&lock[{k}]);")
        for _ in range(self.rng.randrange(3)):
            self.rng.choice((self.access, self.count, self.fill))()
        self.lines.append(f"pthread_mutex_unlock(&lock[{k}]);")

    def count(self):
        self.lines.append(self.rng.choice(("counter++;", f"shared[{self.rng.randrange(4)}]++;")))

    def atomic(self):
        self.lines.append(self.rng.choice(("atomic_store(&flag, 1);", "sum += atomic_load(&flag);", "atomic_fetch_add(&flag, 1);")))

    def heap(self):
        self.lines.append(self.rng.choice((
            "{ char *p = malloc(40);\n\tmemset(p, 1, 40);\n\tblock = p; }",
            "{ char *p = block;\n\tif (p)\n\t\tp[5]++; }",
            "{ char *p = calloc(1, 24);\n\tp[3] = 1;\n\tfree(p); }")))

    def make(self):
        kinds = (self.access,) * 3 + (self.loop,) * 2 + (self.fill, self.section, self.section, self.count, self.atomic, self.heap)
        for _ in range(self.rng.randrange(2, 9)):
            self.rng.choice(kinds)()
        return self.lines


def source(seed):
    rng = random.Random(seed)
    threads, has_barrier = rng.choice((2, 2, 3)), rng.random() < 0.3
    out = [HEAD]
    for t in range(threads):
        lines = Body(rng).make()
        if has_barrier:
            lines.insert(rng.randrange(len(lines) + 1) if "lock" not in str(lines) else 0, "pthread_barrier_wait(&barrier);")
        out.append(f"static void *run{t}(void *arg)\n{{\n\tlong sum = 0;\n\t" + "\n\t".join(lines) + "\n\treturn (void *)sum;\n}\n")
    forks = "\n\t".join(f"pthread_create(&t[{t}], 0, run{t}, 0);" for t in range(threads))
    joins = "\n\t".join(f"pthread_join(t[{t}], 0);" for t in range(threads))
    main = Body(rng).make() if rng.random() < 0.5 else []
    out.append(f"int main(void)\n{{\n\tlong sum = 0;\n\tpthread_t t[{threads}];\n\t"
               f"for (int i = 0; i < {LOCKS}; i++)\n\t\tpthread_mutex_init(&lock[i], 0);\n\t"
               f"pthread_barrier_init(&barrier, 0, {threads});\n\t{forks}\n\t" + "\n\t".join(main) +
               f"\n\t{joins}\n\treturn sum == 4711;\n}}\n")
    return "".join(out)


def report(snag, folder, seed, more, argv=("./prog",)):
    """What a run reports, without numbers of events, which differ."""
    path = os.path.join(folder, "report.json")
    if os.path.exists(path):
        os.remove(path)
    run = subprocess.run([snag, "run", "--no-replay", "--seed", str(seed), "--json", path, *more, *argv], cwd=folder,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    if not os.path.exists(path):
        raise SystemExit(f"{run.args}: status {run.returncode}\n{run.stderr.decode()}")
    with open(path) as f:
        found = json.load(f)
    races = [(a["name"], a["pairs"], len(a["racy_events"]),
              sorted((r["locations"], r["verdict"], r["count"], r["threads"], r["operations"]) for r in a["races"]))
             for a in found["analyses"]]
    incidents = sorted((i["id"], i["kind"], i["verdict"], str(i["count"])) for i in found["incidents"])
    return run.returncode, races, incidents


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--programs", type=int, default=20)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--cc", default="gcc,clang")
    options.add_argument("--seconds", type=float, default=1e9, help="begin no program after that")
    options.add_argument("--keep", help="write the programs that fail to this folder")
    options.add_argument("snag")
    options.add_argument("seed", type=int)
    o = options.parse_args()
    o.snag = os.path.abspath(o.snag)
    tally = {"programs": 0, "runs": 0, "with races": 0, "different": 0}
    end = time.monotonic() + o.seconds
    for number in range(o.first, o.first + o.programs):
        if time.monotonic() > end:
            break
        tally["programs"] += 1
        with tempfile.TemporaryDirectory() as folder:
            text = source(o.seed * 1000003 + number)
            with open(os.path.join(folder, "prog.c"), "w") as f:
                f.write(text)
            for cc in o.cc.split(","):
                subprocess.run([o.snag, "cc", "-O1", "-g", "-w", "-pthread", "-o", "prog", "prog.c"], cwd=folder, check=True,
                               env=dict(os.environ, SNAG_CC=cc))
                for seed in range(1, o.seeds + 1):
                    sliced = report(o.snag, folder, seed, [])
                    whole = report(o.snag, folder, seed, ["--keep", "whole.snag"])
                    tally["runs"] += 1
                    tally["with races"] += bool(whole[2])
                    if sliced != whole:
                        tally["different"] += 1
                        print(f"program {number}, {cc}, seed {seed}:\n  scout {sliced}\n  whole {whole}", flush=True)
                        if o.keep:
                            os.makedirs(o.keep, exist_ok=True)
                            with open(os.path.join(o.keep, f"{number}.c"), "w") as f:
                                f.write(text)
    print(", ".join(f"{k} {v}" for k, v in tally.items()))
    return tally["different"] > 0


if __name__ == "__main__":
    raise SystemExit(main())
