# SPDX-License-Identifier: Apache-2.0
"""Small OpenMP programs: what they are made of, and their C text.

A program is a tree of statements; what is tested are its accesses, one to a line.  A statement has a kind, a block, and
attributes by kind:

place        where an access may come to be (generate.py)
access       var, how ("r", "w", "u": update), is_atomic, index (of an array: a number, or a variable of a loop, or that plus 1)
block, only  a block; one for the iteration `at` of the loop around it
local        a block with a variable, name, set to 0 by the access init; and what waits for its tasks, if anything does
locked       a block of a lock: the first are critical sections, by name
task         flags, depends (pairs of kind and object), copied: a place, or the read of a variable that becomes firstprivate
taskloop     i, count, grain, nogroup, flags;  taskwait;  taskwait_depend: depends;  taskgroup
parallel     n;  barrier;  single: nowait;  master: word;  sections: nowait, of section
for          i, j (collapse), count, schedule, nowait, ordered;  ordered"""
from dataclasses import dataclass, field

LOCKS, DEPENDS, ELEMENTS = 2, 3, 8
CRITICALS = ("", "(a)", "(b)")
ITEMS = ("for", "sections", "single")  # executed by some thread of the team


@dataclass(eq=False)
class Statement:
    kind: str
    body: list = field(default_factory=list)
    a: dict = field(default_factory=dict)

    def __getattr__(self, name):
        try:
            return self.__dict__["a"][name]
        except KeyError:
            raise AttributeError(name) from None

    def has_barrier(self):
        return self.kind == "barrier" or (self.kind in ITEMS and not self.nowait)


@dataclass(eq=False)
class Program:
    body: list
    variables: dict  # name: whether it is an array


def access(var, how, is_atomic=False, index=""):
    return Statement("access", [], {"var": var, "how": how, "is_atomic": is_atomic, "index": index})


def local(name, body, waits):
    return Statement("local", body, {"name": name, "init": access(name, "w"), "waits": waits})


class Text:
    """Lines of C; at[line] is the access that is there."""

    def __init__(self):
        self.lines, self.at = [], {}

    def put(self, line, s=None):
        self.lines.append(line)
        if s:
            self.at[len(self.lines)] = s

    def access(self, s):
        where = f"{s.var}[{s.index}]" if s.index else s.var
        if s.is_atomic:
            if s.how == "r":
                self.put("{ int r;")
            self.put("#pragma omp atomic " + {"r": "read", "w": "write", "u": "update"}[s.how], s)
        if s.is_atomic and s.how == "r":
            self.put(f"r = {where}; USE(r) }}", s)
        else:
            self.put({"r": f"USE({where})", "w": f"{where} = 1; DONE", "u": f"{where}++; DONE"}[s.how], s)

    def block(self, body, loops):
        self.put("{")
        for s in body:
            self.statement(s, loops)
        self.put("}")

    def task_clauses(self, s, loops):
        words = ["default(shared)", *s.flags]
        words += [f"depend({kind}: dep[{at}])" for kind, at in getattr(s, "depends", [])]
        words += [f"firstprivate({i})" for i in loops]
        return " ".join(words)

    def statement(self, s, loops):
        getattr(self, "put_" + s.kind)(s, loops)

    def put_access(self, s, loops):
        self.access(s)

    def put_task(self, s, loops):
        copied = s.copied if s.copied.kind == "access" else None
        clause = f" firstprivate({copied.var})" if copied else ""
        self.put(f"#pragma omp task {self.task_clauses(s, loops)}{clause}", copied)
        self.put("{", copied)
        if copied:
            self.put(f"USE({copied.var})")
        for inner in s.body:
            self.statement(inner, loops)
        self.put("}", copied)

    def put_taskloop(self, s, loops):
        grain = f"{s.grain[0]}({s.grain[1]})" if s.grain[0] else ""
        self.put(f"#pragma omp taskloop {self.task_clauses(s, loops)} {grain} {'nogroup' if s.nogroup else ''}")
        self.loop(s.i, s.count, s, loops)

    def loop(self, i, count, s, loops):
        self.put(f"for (int {i} = 0; {i} < {count}; {i}++)")
        self.block(s.body, [*loops, i])

    def put_block(self, s, loops):
        self.block(s.body, loops)

    def put_taskwait(self, s, loops):
        self.put("#pragma omp taskwait")

    def put_taskwait_depend(self, s, loops):
        self.put("#pragma omp taskwait " + " ".join(f"depend({kind}: dep[{at}])" for kind, at in s.depends))

    def put_taskgroup(self, s, loops):
        self.put("#pragma omp taskgroup")
        self.block(s.body, loops)

    def put_local(self, s, loops):
        self.put(f"{{ int {s.name} = 0; USE(&{s.name})", s.init)  # gcc does not pass it by value then
        if s.waits == "taskgroup":
            self.put("#pragma omp taskgroup")
        self.block(s.body, loops)
        if s.waits == "taskwait":
            self.put("#pragma omp taskwait")
        self.put("}")

    def put_locked(self, s, loops):
        if s.lock < len(CRITICALS):
            self.put("#pragma omp critical " + CRITICALS[s.lock])
            self.block(s.body, loops)
        else:
            self.put(f"omp_set_lock(&lock[{s.lock - len(CRITICALS)}]);")
            self.block(s.body, loops)
            self.put(f"omp_unset_lock(&lock[{s.lock - len(CRITICALS)}]);")

    def put_parallel(self, s, loops):
        self.put(f"#pragma omp parallel num_threads({s.n}) default(shared)")
        self.block(s.body, loops)

    def put_single(self, s, loops):
        self.put("#pragma omp single" + (" nowait" if s.nowait else ""))
        self.block(s.body, loops)

    def put_master(self, s, loops):
        self.put(f"#pragma omp {s.word}")
        self.block(s.body, loops)

    def put_barrier(self, s, loops):
        self.put("#pragma omp barrier")

    def put_for(self, s, loops):
        kind, chunk = s.schedule
        words = ["#pragma omp for"]
        if kind:
            words.append(f"schedule({kind}, {chunk})" if chunk else f"schedule({kind})")
        words += [w for w, is_there in (("ordered", s.ordered), ("nowait", s.nowait), ("collapse(2)", s.j)) if is_there]
        self.put(" ".join(words))
        if s.j:
            self.put(f"for (int {s.i} = 0; {s.i} < 2; {s.i}++)")
            self.loop(s.j, 2, s, [*loops, s.i])
        else:
            self.loop(s.i, s.count, s, loops)

    def put_only(self, s, loops):
        self.put(f"if ({loops[-1]} == {s.at})")
        self.block(s.body, loops)

    def put_ordered(self, s, loops):
        self.put("#pragma omp ordered")
        self.block(s.body, loops)

    def put_sections(self, s, loops):
        self.put("#pragma omp sections" + (" nowait" if s.nowait else ""))
        self.block(s.body, loops)

    def put_section(self, s, loops):
        self.put("#pragma omp section")
        self.block(s.body, loops)

    def program(self, p, k):
        used = {var: p.variables[var] for var in sorted(names(p.body)) if var in p.variables}
        for var, is_array in used.items():
            self.put(f"int {var}_{k}{f'[{ELEMENTS}]' if is_array else ''};")
            self.put(f"#define {var} {var}_{k}")
        self.put(f"static void run{k}(void)")
        self.block(p.body, [])
        for var in used:
            self.put(f"#undef {var}")


def names(block):
    """The variables that are accessed."""
    for s in accesses(block):
        yield s.var


def accesses(block):
    for s in block:
        if s.kind == "access":
            yield s
        elif s.kind == "task":
            yield from accesses([s.copied])
        yield from accesses(s.body)


def without(block, variables):
    """Removes their accesses."""
    block[:] = [s for s in block if s.kind != "access" or s.var not in variables]
    for s in block:
        if s.kind == "task" and s.copied.kind == "access" and s.copied.var in variables:
            s.a["copied"] = Statement("place")
        without(s.body, variables)


def text(programs):
    """A source whose program runs the one whose number it is given."""
    t = Text()
    for line in ("#include <omp.h>", "#include <stdlib.h>", "/* No two are the same: gcc has one function for several that are. */",
                 "#define DONE __asm__ volatile(\"\" : : \"i\"(__LINE__) : \"memory\");",
                 "#define USE(x) __asm__ volatile(\"\" : : \"r\"(x), \"i\"(__LINE__) : \"memory\");", f"static char dep[{DEPENDS}];", f"static omp_lock_t lock[{LOCKS}];"):
        t.put(line)
    for k, p in enumerate(programs):
        t.program(p, k)
    t.put("static void (*const run[])(void) = {" + ", ".join(f"run{k}" for k in range(len(programs))) + "};")
    t.put(f"int main(int n, char **v) {{ for (int k = 0; k < {LOCKS}; k++) omp_init_lock(&lock[k]); if (n > 1) run[atoi(v[1])](); return 0; }}")
    return t
