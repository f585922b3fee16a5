#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random C programs of threads: `snag explore --exhaustive` against brute force.

A program has two to four threads with plain and atomic accesses to two variables, two locks,
trylocks and branches on what was read.  The model runs it in every interleaving.  Two interleavings
are equivalent if their dependent instructions come in the same order: accesses of one variable, one of
them a write, and sections of one lock.  Brute force counts the classes of complete interleavings,
and those that end in a deadlock.  Then
  - `snag explore --exhaustive --ignore race,deadlock --keep-going` must report as many classes,
  - it must find a deadlock iff brute force does, and an assertion (x0 + x1 has a value that some
    interleaving, and not all, ends with) iff brute force does.

usage: check.py [--programs N] [--first N] [--cc gcc,clang] [--levels=-O0,-O2] [--seconds S]
                [--most CLASSES] [--keep DIR] SNAG SEED
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "threads"))
import driver

VARIABLES, LOCKS = 2, 2


class Thread:
    """The instructions of a thread, and the lines of C that have them."""

    def __init__(self, rng):
        self.rng, self.code, self.lines = rng, [], []

    def emit(self, line, *instruction):
        self.lines.append(line)
        if instruction:
            self.code.append(list(instruction))

    def access(self):
        rng, x = self.rng, self.rng.randrange(VARIABLES)
        kind = rng.randrange(5)
        if kind == 0:
            self.emit(f"x{x} = {rng.randrange(1, 4)};", "write", x, None)
            self.code[-1][2] = int(self.lines[-1].split()[-1][:-1])
        elif kind == 1:
            self.emit(f"r = x{x};", "read", x)
        elif kind == 2:
            self.emit("atomic_fetch_add(&n, 1);", "add", VARIABLES)
        elif kind == 3:
            self.emit("r = atomic_load(&n);", "read", VARIABLES)
        else:
            self.emit(f"x{x} = r;", "store", x)

    def section(self):
        m = self.rng.randrange(LOCKS)
        self.emit(f"pthread_mutex_lock(&m{m});", "lock", m)
        for _ in range(self.rng.randrange(1, 3)):
            self.access()
        if self.rng.random() < 0.25:
            other = 1 - m
            self.emit(f"pthread_mutex_lock(&m{other});", "lock", other)
            self.access()
            self.emit(f"pthread_mutex_unlock(&m{other});", "unlock", other)
        self.emit(f"pthread_mutex_unlock(&m{m});", "unlock", m)

    def attempt(self):
        m = self.rng.randrange(LOCKS)
        self.emit(f"if (pthread_mutex_trylock(&m{m}) == 0) {{", "trylock", m, None)
        jump = self.code[-1]
        self.access()
        self.emit(f"pthread_mutex_unlock(&m{m});", "unlock", m)
        self.emit("}")
        jump[2] = len(self.code)

    def branch(self):
        self.emit("if (r == 1) {")
        self.code.append(["unless", 1, None])
        jump = self.code[-1]
        self.access()
        self.emit("}")
        jump[2] = len(self.code)

    def body(self, n):
        for _ in range(n):
            choice = self.rng.random()
            if choice < 0.35:
                self.section()
            elif choice < 0.45:
                self.attempt()
            elif choice < 0.6:
                self.branch()
            else:
                self.access()


def program(seed):
    rng = random.Random(seed)
    threads = []
    n = rng.choice([2, 2, 3, 3, 4])
    for _ in range(n):
        t = Thread(rng)
        t.body(rng.randrange(1, 5 - n // 2 + 1))
        threads.append(t)
    return threads


def source(threads, bad):
    out = ["#include <pthread.h>", "#include <stdatomic.h>", "#include <stdlib.h>",
           "static volatile int " + ", ".join(f"x{i}" for i in range(VARIABLES)) + ";",
           "static atomic_int n;"]
    out += [f"static pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;" for i in range(LOCKS)]
    for i, t in enumerate(threads):
        out += [f"static void *t{i}(void *arg)", "{", "int r = 0;"] + t.lines
        out += ["(void)r;", "return arg;", "}"]
    out += driver.main_of(threads)
    return "\n".join(out + [f"if (x0 * 10 + x1 == {bad})", "abort();", "return 0;", "}"]) + "\n"


class Order:
    """The partial order of an interleaving, built move by move; its value is the same for
    equivalent interleavings."""

    def __init__(self):
        self.seen = []  # the value of every move
        self.last = {}  # by thread, variable, lock

    def copy(self):
        other = Order()
        other.seen, other.last = list(self.seen), dict(self.last)
        return other

    def add(self, thread, op, failed):
        before = [self.last.get(("thread", thread), 0)]
        name, x = op[0], op[1]
        if name in ("read",):
            before.append(self.last.get(("write", x), 0))
        elif name in ("write", "store", "add"):
            before.append(self.last.get(("write", x), 0))
            before.append(frozenset(self.last.get(("reads", x), ())))
        elif failed:  # a trylock that fails looks at the lock
            before.append(self.last.get(("state", x), 0))
        else:  # lock, unlock, trylock
            before.append(self.last.get(("state", x), 0))
            before.append(frozenset(self.last.get(("looks", x), ())))
        value = hash((thread, tuple(before)))
        if name == "read":
            self.last["reads", x] = self.last.get(("reads", x), frozenset()) | {value}
        elif name in ("write", "store", "add"):
            self.last["write", x], self.last["reads", x] = value, frozenset()
        elif failed:
            self.last["looks", x] = self.last.get(("looks", x), frozenset()) | {value}
        else:
            self.last["state", x], self.last["looks", x] = value, frozenset()
        self.last["thread", thread] = value
        self.seen.append(value)

    def key(self):
        return frozenset(self.last.items())

    def value(self):
        return frozenset(self.seen)


def settle(code, pc, r):
    while pc < len(code) and code[pc][0] == "unless":
        pc = pc + 1 if r == code[pc][1] else code[pc][2]
    return pc


def brute_force(threads, most):
    """All interleavings, those with the same state and partial order once.  Returns the classes, whether
    one is a deadlock, and the final values; None: there are too many."""
    codes = [t.code for t in threads]
    start = (tuple(settle(c, 0, 0) for c in codes), (0,) * len(codes), (0,) * (VARIABLES + 1),
             (None,) * LOCKS, Order())
    todo, known, classes, finals, deadlock = [start], set(), set(), {}, False
    while todo:
        pcs, regs, memory, held, order = todo.pop()
        moves = 0
        for i, code in enumerate(codes):
            if pcs[i] == len(code):
                continue
            op = code[pcs[i]]
            r, mem, locks, failed, pc = regs[i], list(memory), list(held), False, pcs[i] + 1
            if op[0] == "lock":
                if locks[op[1]] is not None:
                    continue
                locks[op[1]] = i
            elif op[0] == "trylock":
                failed = locks[op[1]] is not None
                if failed:
                    pc = op[2]
                else:
                    locks[op[1]] = i
            elif op[0] == "unlock":
                locks[op[1]] = None
            elif op[0] == "read":
                r = mem[op[1]]
            elif op[0] == "write":
                mem[op[1]] = op[2]
            elif op[0] == "store":
                mem[op[1]] = r
            else:
                mem[op[1]] += 1
            moves += 1
            after = order.copy()
            after.add(i, op, failed)
            state = (pcs[:i] + (settle(code, pc, r),) + pcs[i + 1:], regs[:i] + (r,) + regs[i + 1:],
                     tuple(mem), tuple(locks))
            key = (state, after.value())
            if key not in known:
                known.add(key)
                todo.append(state + (after,))
        if moves == 0:
            classes.add(order.value())
            if all(pc == len(c) for pc, c in zip(pcs, codes)):
                total = memory[0] * 10 + memory[1]
                finals[total] = finals.get(total, 0) + 1
            else:
                deadlock = True
        if len(known) > 40 * most or len(classes) > most:
            return None
    return len(classes), deadlock, finals


def explore(snag, folder, *options):
    path = os.path.join(folder, "out.json")
    done = subprocess.run([snag, "explore", "--exhaustive", "--jobs", "1", "--json", path, "-o",
                           os.path.join(folder, "schedule.json"), *options,
                           os.path.join(folder, "prog")], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 66):
        raise RuntimeError(done.stderr[-300:])
    with open(path) as f:
        return json.load(f)["explore"], done.stderr


def check(snag, folder, expected, bad):
    classes, deadlock, finals = expected
    wrong = []
    got, text = explore(snag, folder, "--keep-going", "--ignore", "race")
    if not got["exhaustive"]:
        return [f"not exhaustive: {text}"], got
    if got["classes"] != classes:
        wrong.append(f"{got['classes']} classes, brute force {classes}")
    kinds = {f["kind"] for f in got["failures"]}
    if ("deadlock" in kinds) != deadlock:
        wrong.append(f"deadlock: {kinds}, brute force {deadlock}")
    if ("assertion" in kinds) != (bad in finals):
        wrong.append(f"assertion: {kinds}, brute force {finals}")
    for f in got["failures"]:
        if not f["repeats"]:
            wrong.append(f"{f['kind']} does not repeat")
    return wrong, got


def main():
    options = driver.options("gcc", "-O1")
    options.add_argument("--most", type=int, default=500, help="leave out programs with more classes")
    o = options.parse_args()

    def make(_, seed):
        threads = program(seed)
        expected = brute_force(threads, o.most)
        if expected is None or expected[0] < 2:
            return None
        finals = sorted(expected[2])
        bad = random.Random(seed).choice(finals[1:] + [99]) if finals else 99
        return source(threads, bad), (expected, bad)

    def check_one(prog, made):
        expected, bad = made
        one = [words.split(",") for words in (o.cc, o.levels)]
        cc, level = (words[(prog.number + 1) % len(words)] for words in one)
        prog.build(cc, level)
        wrong, got = check(o.snag, prog.folder, expected, bad)
        prog.report(cc, level, wrong)
        return {"classes": expected[0], "runs": got["schedules"], "deadlocks": expected[1]}

    return driver.drive(o, {"classes": 0, "runs": 0, "deadlocks": 0}, make, check_one)


if __name__ == "__main__":
    sys.exit(main())
