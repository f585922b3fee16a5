#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random C programs with threads: what wdp reports in them, and what every interleaving shows.

A program has two or three threads, plain variables, an array, a pointer, locks and an atomic
counter.  Its threads are lists of instructions with one access each.  The model runs them in every
interleaving: two accesses race if a state is reached in which both are next.  The C program is
compiled with -fsnag-branches, and then
  - every predicted race that `snag run --with wdp` reports must be confirmed by its replay,
  - every reported variable must be one that races in the model.
With --free threads run in parallel, and the trace that the recorder has merged must be right, too:
  - `snag check` accepts the witness of every predicted race,
  - the program can follow its schedule with turns; then every thread makes as many events, the
    synchronisation has the same order, and happens-before finds races of the same variables.

usage: check.py [--programs N] [--first N] [--cc gcc,clang] [--levels=-O0,-O2] [--seconds S]
                [--free] [--keep DIR] SNAG SEED
"""
import json
import os
import random
import shutil
import subprocess
import sys

import driver

VARIABLES, ELEMENTS, LOCKS, REGISTERS, VALUES = 3, 3, 2, 2, 3
MAX_STATES = 60000
NO_POINTER = -1


def cell_names():
    return ([f"x{i}" for i in range(VARIABLES)] + [f"a[{i}]" for i in range(ELEMENTS)] +
            ["idx", "p", "n"])


CELLS = cell_names()
INDEX, POINTER, COUNTER = CELLS.index("idx"), CELLS.index("p"), CELLS.index("n")
ARRAY = VARIABLES


class Thread:
    """The instructions of a thread, and the lines of C that have them."""

    def __init__(self, rng):
        self.rng, self.code, self.lines = rng, [], []

    def emit(self, line, *instruction):
        self.lines.append(line)
        if instruction:
            self.code.append(instruction)

    def plain(self):
        rng, r = self.rng, self.rng.randrange(REGISTERS)
        x, value = rng.randrange(VARIABLES), 1 + rng.randrange(VALUES)
        kind = rng.randrange(8)
        if kind < 2:
            self.emit(f"x{x} = {value};", "write", x, value)
        elif kind < 4:
            self.emit(f"r{r} = x{x};", "read", x, r)
        elif kind == 4:
            e = rng.randrange(ELEMENTS)
            self.emit(f"a[{e}] = {value};", "write", ARRAY + e, value)
        elif kind == 5:
            e = rng.randrange(ELEMENTS)
            self.emit(f"idx = {e};", "write", INDEX, e)
        elif kind == 6:
            self.emit(f"r{r} = idx;", "read", INDEX, r)
            self.emit(f"sink = a[r{r}];", "read_at", ARRAY, r)
        else:
            self.emit(f"p = &x{x};", "write", POINTER, x)

    def deref(self):
        self.emit("q = p;", "read", POINTER, REGISTERS)
        self.emit("if (q) {")
        self.code.append(["unless", REGISTERS, NO_POINTER, None])
        jump = self.code[-1]
        self.emit("*q = 2;", "write_through", REGISTERS, 2)
        self.emit("}")
        jump[3] = len(self.code)

    def branch(self, depth):
        r, value = self.rng.randrange(REGISTERS), self.rng.randrange(VALUES)
        self.emit(f"if (r{r} != {value}) {{")
        self.code.append(["unless", r, value, None])
        jump = self.code[-1]
        self.block(depth + 1)
        self.emit("}")
        jump[3] = len(self.code)

    def locked(self, depth):
        m = self.rng.randrange(LOCKS)
        self.emit(f"pthread_mutex_lock(&m{m});", "lock", m)
        for _ in range(1 + self.rng.randrange(2)):
            self.plain()
        if depth == 0 and self.rng.random() < 0.2:
            self.branch_plain()
        self.emit(f"pthread_mutex_unlock(&m{m});", "unlock", m)

    def branch_plain(self):
        r = self.rng.randrange(REGISTERS)
        self.emit(f"if (r{r} != 0) {{")
        self.code.append(["unless", r, 0, None])
        jump = self.code[-1]
        self.plain()
        self.emit("}")
        jump[3] = len(self.code)

    def atomic(self):
        r = self.rng.randrange(REGISTERS)
        if self.rng.random() < 0.6:
            self.emit("n++;", "add", COUNTER)
        else:
            self.emit(f"r{r} = n;", "load", COUNTER, r)

    def block(self, depth):
        for _ in range(1 + self.rng.randrange(3 if depth == 0 else 2)):
            choice = self.rng.random()
            if choice < 0.35:
                self.locked(depth)
            elif choice < 0.55:
                self.atomic()
            elif choice < 0.65 and depth < 2:
                self.branch(depth)
            elif choice < 0.72:
                self.deref()
            else:
                self.plain()


def program(seed):
    rng = random.Random(seed)
    threads = []
    for _ in range(2 if rng.random() < 0.8 else 3):
        t = Thread(rng)
        t.block(0)
        if len(t.code) < 3:
            t.block(0)
        threads.append(t)
    return threads


def source(threads):
    out = ["#include <pthread.h>", "#include <stdatomic.h>",
           "static int " + ", ".join(f"x{i}" for i in range(VARIABLES)) +
           f", a[{ELEMENTS}], idx, *p;", "static atomic_int n;", "static __thread int sink;"]
    out += [f"static pthread_mutex_t m{i} = PTHREAD_MUTEX_INITIALIZER;" for i in range(LOCKS)]
    for i, t in enumerate(threads):
        out += [f"static void *t{i}(void *arg)", "{", "int r0 = 0, r1 = 0, *q = 0;"]
        out += t.lines + ["sink = r0 + r1 + (q != 0);", "return arg;", "}"]
    out += driver.main_of(threads)
    return "\n".join(out + ["return 0;", "}"]) + "\n"


def settle(code, pc, registers):
    """Takes the jumps that follow: they are no accesses."""
    while pc < len(code) and code[pc][0] == "unless":
        pc = code[pc][3] if registers[code[pc][1]] == code[pc][2] else pc + 1
    return pc


def access(code, pc, registers):
    """The cell that a thread accesses next, and whether it writes; None: no plain access."""
    if pc == len(code):
        return None
    op = code[pc]
    if op[0] in ("read", "write"):
        return op[1], op[0] == "write"
    if op[0] == "read_at":
        return op[1] + registers[op[2]], False
    if op[0] == "write_through":
        return registers[op[1]], True
    return None


def step(op, memory, registers, held, thread):
    """Executes an instruction; None: it must wait."""
    memory, registers, held = list(memory), list(registers), list(held)
    if op[0] in ("read", "load"):
        registers[op[2]] = memory[op[1]]
    elif op[0] == "write":
        memory[op[1]] = op[2]
    elif op[0] == "write_through":
        memory[registers[op[1]]] = op[2]
    elif op[0] == "add":
        memory[op[1]] += 1
    elif op[0] == "lock":
        if held[op[1]] is not None:
            return None
        held[op[1]] = thread
    elif op[0] == "unlock":
        held[op[1]] = None
    return tuple(memory), tuple(registers), tuple(held)


def racy_cells(threads):
    """The cells that race in some interleaving; None: there are too many states."""
    codes = [t.code for t in threads]
    memory = [0] * len(CELLS)
    memory[POINTER] = NO_POINTER
    registers = (0,) * REGISTERS + (NO_POINTER,)
    start = (tuple(settle(c, 0, registers) for c in codes), (registers,) * len(codes),
             tuple(memory), (None,) * LOCKS)
    seen, todo, racy = {start}, [start], set()
    while todo:
        pcs, regs, memory, held = todo.pop()
        following = [access(c, pc, r) for c, pc, r in zip(codes, pcs, regs)]
        for i, one in enumerate(following):
            for other in following[:i]:
                if one and other and one[0] == other[0] and (one[1] or other[1]):
                    racy.add(CELLS[one[0]])
        for i, code in enumerate(codes):
            if pcs[i] == len(code):
                continue
            after = step(code[pcs[i]], memory, regs[i], held, i)
            if after is None:
                continue
            pc = settle(code, pcs[i] + 1, after[1])
            state = (pcs[:i] + (pc,) + pcs[i + 1:], regs[:i] + (after[1],) + regs[i + 1:],
                     after[0], after[2])
            if state not in seen:
                seen.add(state)
                todo.append(state)
        if len(seen) > MAX_STATES:
            return None
    return racy


def cell_of(variable):
    """The cell that a report names: elements as a[1], or by their offset."""
    name = variable.split("#")[0]
    if name in CELLS:
        return name
    if name.startswith("a+"):
        return f"a[{int(name[2:], 0) // 4}]"
    return "a[0]" if name == "a" else name


def command(folder, *words):
    """Runs a command in the folder; returns its status and output."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def witnesses_wrong(snag, folder):
    """The witnesses that do not fit the merged trace."""
    races, wrong = os.path.join(folder, "races"), []
    for name in os.listdir(races) if os.path.isdir(races) else []:
        if not name.endswith(".json"):
            continue
        status, said = command(folder, snag, "check", "kept.snag", os.path.join("races", name))
        if status != 0:
            wrong.append(f"{name}: the checker refuses it: {said}")
    return wrong


def events_of(schedule):
    """How many events each thread made, but for the last turn of main, which is in no schedule."""
    events = {}
    for line in schedule.splitlines():
        if line[:1].isdigit() and not line.startswith("0 "):
            thread, n = line.split()
            events[thread] = events.get(thread, 0) + int(n)
    return events


def sync_of(snag, folder, trace):
    """The synchronisation of a trace in its order, and the variables that happens-before reports."""
    command(folder, snag, "convert", trace, "trace.std")
    with open(os.path.join(folder, "trace.std")) as f:
        lines = [line.rpartition("|")[0] for line in f
                 if line.partition("|")[2].startswith(("acq", "rel", "fork", "join", "a"))]
    command(folder, snag, "analyze", "--with", "hb", "--json", "hb.json", trace)
    with open(os.path.join(folder, "hb.json")) as f:
        return lines, {cell_of(race["variable"]) for race in json.load(f)["analyses"][0]["races"]}


def merged_wrong(snag, folder, racy):
    """Records a parallel run, and one with turns that follows its schedule; returns what differs,
    whether they could be compared, and how many variables happens-before reports.  After a race threads may read something else, and make other events: then there is no second
    run to compare with."""
    status, _ = command(folder, snag, "record", "--free", "--schedule", "free", "-o", "free.snag", "./prog")
    if status != 0:
        return [f"record --free: status {status}"], False, 0
    command(folder, snag, "record", "--follow", "free", "--schedule", "turns", "-o", "turns.snag", "./prog")
    with open(os.path.join(folder, "free")) as free, open(os.path.join(folder, "turns")) as turns:
        is_same = events_of(free.read()) == events_of(turns.read())
    (free_sync, free_races), (turns_sync, turns_races) = (
        sync_of(snag, folder, trace) for trace in ("free.snag", "turns.snag"))
    wrong = [f"{name} does not race" for name in free_races if not racy]
    if not racy and not is_same:
        wrong.append("the threads made other events with turns")
    if is_same and free_sync != turns_sync:
        wrong.append("the synchronisation of the merged trace has another order")
    if is_same and free_sync == turns_sync and free_races != turns_races:
        wrong.append(f"happens-before reports {sorted(free_races)}, with turns {sorted(turns_races)}")
    return wrong, is_same, len(free_races)


def run(snag, folder, racy, seed, free):
    """Runs one build; returns what is wrong, and numbers for the tally."""
    path = os.path.join(folder, "run.json")
    shutil.rmtree(os.path.join(folder, "races"), ignore_errors=True)
    more = ["--free", "--keep", "kept.snag", "--witness", "races"] if free else []
    done = subprocess.run([snag, "run", "--with", "wdp", "--replay-seconds", "30", "--seed", str(seed),
                           *more, "--json", path, os.path.join(folder, "prog")],
                          capture_output=True, text=True, timeout=120, cwd=folder)
    if done.returncode not in (0, 66):
        return [f"status {done.returncode}: {done.stderr[-300:]}"], {}
    with open(path) as f:
        report = json.load(f)
    wrong, predicted = [], 0
    for race in report["incidents"]:
        if cell_of(race["variable"]) not in racy:
            wrong.append(f"{race['variable']} does not race: {race['verdict']}")
        predicted += race["verdict"] == "predicted"
        if race["verdict"] == "predicted" and race["replay"] != "confirmed":
            wrong.append(f"{race['variable']}: {race.get('replay_note', race['replay'])}")
    tally = {"predicted": predicted, "unconfirmed": len(report.get("unconfirmed", []))}
    if free:
        more, tally["compared"], tally["observed"] = merged_wrong(snag, folder, racy)
        wrong += witnesses_wrong(snag, folder) + more
    return wrong, tally


def main():
    options = driver.options("gcc,clang", "-O0,-O2")
    options.add_argument("--free", action="store_true", help="threads in parallel")
    o = options.parse_args()

    def make(_, seed):
        threads = program(seed)
        racy = racy_cells(threads)
        return None if racy is None else (source(threads), racy)

    numbers = ("predicted", "unconfirmed", *(("compared", "observed") if o.free else ()))

    def check(prog, racy):
        tally = {"race-free": not racy, "runs": 0, **dict.fromkeys(numbers, 0)}
        for cc in o.cc.split(","):
            for level in o.levels.split(","):
                prog.build(cc, level, "-fsnag-branches")
                wrong, counts = run(o.snag, prog.folder, racy, 1 + (prog.number + 1) % 7, o.free)
                tally["runs"] += 1
                for name, n in counts.items():
                    tally[name] += n
                prog.report(cc, level, wrong)
        return tally

    return driver.drive(o, {"race-free": 0, "runs": 0, **dict.fromkeys(numbers, 0)}, make, check)


if __name__ == "__main__":
    sys.exit(main())
