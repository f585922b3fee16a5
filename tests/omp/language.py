# SPDX-License-Identifier: Apache-2.0
"""Small OpenMP programs: what they are made of, random ones, and their C text.

A program is a tree of statements.  What is tested are its accesses, one to a line; everything else is there to order
them or not.  So a tree without accesses is made first, with places for them, and then variables that are
written in one place, mostly one that is executed once, and read or written in one or two others: each variable asks
one question.

Programs end, and are valid: blocks of locks have nothing but accesses in them, and are nested in the order of their
locks; what a variable of a block is for has been waited for when the block ends (truth.py tells); and nothing
asks for thread numbers or looks at what it reads.

What they avoid, because the tool takes it to mean more than the specification says (docs/openmp.md): a block of a lock that
reads, and does not write, what another such block writes, which counts as a flag; and blocks of single or master with others
behind them (with_barriers)."""
from dataclasses import dataclass, field

THREADS, LOCKS, DEPENDS, ELEMENTS = (2, 3, 4), 2, 3, 8
CRITICALS = ("", "(a)", "(b)")
ITEMS = ("for", "sections", "single")  # executed by some thread of the team
KINDS = ("in", "out", "inout", "mutexinoutset")
WAITED = KINDS[:3]  # of taskwait


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


# ---- random trees ----

class Maker:
    def __init__(self, r):
        self.r, self.names, self.room = r, 0, 26

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, p):
        return self.r.random() < p

    def place(self):
        return Statement("place")

    def block(self, depth, contexts, least=1, most=3):
        """Statements, with places between them."""
        all_ = [self.place()]
        for _ in range(self.r.randint(least, most)):
            self.room -= 1
            if self.room > 0:
                all_ += [self.statement(depth, contexts), self.place()]
        return all_

    def statement(self, depth, contexts):
        """Contexts: what the statement may be; its own block may be less."""
        inner = [c for c in contexts if c in ("explicit", "parallel")]
        kinds = ["task"] * 5 + ["taskwait"] * 3 + ["locked"] * 2 + ["taskwait_depend"]
        if depth > 0:
            kinds += ["taskgroup"] * 2 + ["taskloop", "local"]
            if "parallel" in contexts:
                kinds += ["parallel"]
        if "team" in contexts:
            kinds += ["single"] * 6 + ["master"] * 3 + ["barrier"] * 3 + ["for"] * 6 + ["sections"] * 3
        if "loop" in contexts:
            kinds += ["only"] * 6
        kind = self.r.choice(kinds)
        if depth <= 0 and kind not in ("taskwait", "taskwait_depend", "locked", "barrier"):
            kind = "task" if self.chance(0.5) else "taskwait"
        return getattr(self, "make_" + kind)(depth - 1, contexts, inner)

    def depends(self, p, kinds=KINDS):
        if not self.chance(p):
            return []
        at = self.r.sample(range(DEPENDS), self.r.choice((1, 1, 2)))
        return [(self.r.choice(kinds), k) for k in at]

    def make_task(self, depth, contexts, inner):
        flags = [f for f, p in (("if(0)", 0.12), ("final(1)", 0.08), ("untied", 0.08), ("mergeable", 0.08)) if self.chance(p)]
        body = self.block(depth, inner, 0, 2) if depth > 0 else [self.place()]
        return Statement("task", body, {"flags": flags, "depends": self.depends(0.5), "copied": self.place()})

    def make_taskloop(self, depth, contexts, inner):
        grain = self.r.choice([("", 0), ("grainsize", 2), ("grainsize", 3), ("num_tasks", 2), ("num_tasks", 1)])
        body = self.block(depth, [*inner, "loop"], 0, 2)
        return Statement("taskloop", body, {"i": self.name("i"), "count": self.r.randint(2, 5), "grain": grain,
                                            "nogroup": self.chance(0.4), "flags": ["if(0)"] if self.chance(0.1) else []})

    def make_taskwait(self, depth, contexts, inner):
        return Statement("taskwait")

    def make_taskwait_depend(self, depth, contexts, inner):
        return Statement("taskwait_depend", [], {"depends": self.depends(1, WAITED)})

    def make_taskgroup(self, depth, contexts, inner):
        return Statement("taskgroup", self.block(depth, inner))

    def make_local(self, depth, contexts, inner):
        return local(self.name("l"), self.block(depth, inner), self.r.choice(["taskwait", "taskgroup", ""]))

    def make_locked(self, depth, contexts, inner):
        locks = sorted(self.r.sample(range(LOCKS + len(CRITICALS)), self.r.choice((1, 1, 1, 2))), reverse=True)
        body = [self.place(), self.place()]
        for lock in locks:
            body = [Statement("locked", body, {"lock": lock})]
        return body[0]

    def make_parallel(self, depth, contexts, inner):
        body = self.block(depth, ["team", "explicit", *(["parallel"] if depth > 1 else [])], 1, 4)
        return Statement("parallel", with_barriers(body), {"n": self.r.choice(THREADS)})

    def make_single(self, depth, contexts, inner):
        return Statement("single", self.block(depth, inner, 0, 3), {"nowait": self.chance(0.6)})

    def make_master(self, depth, contexts, inner):
        return Statement("master", self.block(depth, inner, 0, 2), {"word": self.r.choice(["master", "masked"])})

    def make_barrier(self, depth, contexts, inner):
        return Statement("barrier")

    def make_for(self, depth, contexts, inner):
        is_ordered = self.chance(0.25)
        body = self.block(depth, [*inner, "loop"], 0 if is_ordered else 1, 2)
        if is_ordered:
            body += [self.make_ordered(depth - 1, contexts, inner), self.place()]
        i, is_collapsed = self.name("i"), self.chance(0.15)
        schedule = self.r.choice([("", 0), ("static", 0), ("static", 1), ("static", 2), ("dynamic", 0), ("dynamic", 2), ("guided", 0)])
        return Statement("for", body, {"i": i, "j": self.name("j") if is_collapsed else "", "count": 4 if is_collapsed else self.r.choice((3, 4, 4)),
                                       "schedule": schedule, "nowait": self.chance(0.6), "ordered": is_ordered})

    def make_only(self, depth, contexts, inner):
        return Statement("only", self.block(depth, inner, 0, 2), {"at": self.r.randint(0, 2)})

    def make_ordered(self, depth, contexts, inner):
        return Statement("ordered", self.block(depth, inner, 0, 1))

    def make_sections(self, depth, contexts, inner):
        sections = [Statement("section", self.block(depth, inner, 0, 2)) for _ in range(self.r.randint(2, 3))]
        return Statement("sections", sections, {"nowait": self.chance(0.6)})


def with_barriers(body):
    """The tool gives blocks that one thread executes to the threads in turn, and takes what a thread did in a single or
    master block to be before what it does next.  So none of those follow, between two barriers, but master after master, and
    one single after another: these are on two threads."""
    apart, before = [], []
    for s in body:
        kinds = [b.kind for b in before]
        if (s.kind in ("for", "sections") and ("single" in kinds or "master" in kinds)) or \
                (s.kind == "single" and ("master" in kinds or kinds.count("single") == 2)) or \
                (s.kind == "master" and "single" in kinds):
            apart.append(Statement("barrier"))
            before = []
        apart.append(s)
        before = [] if s.has_barrier() else [*before, s]
    return apart


# ---- where accesses may be ----

@dataclass
class Place:
    """A place for an access, and what it is in."""
    to: list  # the statements it is to be put into
    at: Statement
    loops: list  # names
    locals: list
    tasks: list
    lock: int = -1
    is_copied: bool = False


def places(program):
    found = []

    def walk(block, loops, locals_, outer, tasks, lock):
        # locals_[:outer] are those of more than one thread: of whoever met the region
        for s in block:
            if s.kind == "place":
                found.append(Place(block, s, loops, locals_, tasks, lock))
            elif s.kind == "task":
                found.append(Place([s], s.copied, [], locals_, [*tasks, s], lock, True))
                walk(s.body, loops, locals_, outer, [*tasks, s], -1)
            elif s.kind == "parallel":
                walk(s.body, loops, locals_, len(locals_), tasks, -1)
            elif s.kind in ITEMS:
                inner = [n for n in (getattr(s, "i", ""), getattr(s, "j", "")) if n]
                walk(s.body, loops + inner, locals_[:outer], outer, tasks, lock)
            elif s.kind == "taskloop":
                walk(s.body, [*loops, s.i], locals_, outer, tasks, -1)
            elif s.kind == "local":
                walk(s.body, loops, [*locals_, s.name], outer, tasks, lock)
            else:
                walk(s.body, loops, locals_, outer, tasks, s.lock if s.kind == "locked" else lock)

    walk(program.body, [], [], 0, [], -1)
    return found


def fill(r, program, times):
    """Puts accesses where there are places; times[statement]: how often it is executed."""
    def put(place, s):
        target = place.to[0].a if place.is_copied else place.to
        if place.is_copied:
            target["copied"] = s
        else:
            target[target.index(place.at)] = s

    free = places(program)
    r.shuffle(free)
    names = [None] * 10 + sorted({n for p in free for n in p.locals})
    for k, local in enumerate(names):
        here = [p for p in free if local is None or local in p.locals]
        once = [p for p in here if times.get(p.at, 0) == 1 and not p.is_copied]
        first = [p for p in once if r.random() < 0.85][:1] or [p for p in here if not p.is_copied][:1]
        others = [p for p in here if p not in first][:r.choice((1, 1, 2, 3))]
        if not first or not others:
            continue
        is_array = local is None and r.random() < 0.3 and not any(p.is_copied for p in others)
        var = local or f"x{k}"
        if local is None:
            program.variables[var] = is_array
        style = r.choice(["plain", "plain", "plain", "atomic", "mixed"])
        hidden = [p.tasks[-1] for p in others if p.is_copied]  # they have copies
        is_update = any(p.lock >= 0 for p in first + others)
        for p in first + others:
            if not p.is_copied and any(t in hidden for t in p.tasks):
                continue
            how = "r" if p.is_copied else r.choice("wwu") if p in first else r.choice("rrwu")
            if p.lock >= 0 and is_update:
                how = r.choice("wu")
            is_atomic = not p.is_copied and (style == "atomic" or (style == "mixed" and r.random() < 0.6))
            if is_array:
                index = r.choice([*p.loops, *(f"{i} + 1" for i in p.loops), "1", "2"] if p.loops else ["0", "1", "2", "3"])
            put(p, access(var, how, is_atomic, index if is_array else ""))
            free.remove(p)


def without_places(block):
    kept = [s for s in block if s.kind != "place"]
    for s in kept:
        s.body = without_places(s.body)
    return kept


def skeleton(r):
    make = Maker(r)
    body = [make.place()]
    for _ in range(r.choice((1, 1, 2))):
        body += [make.make_parallel(r.choice((2, 3, 3)), [], []), make.place()]
    if r.random() < 0.2:
        body = [local(make.name("l"), body, "")]
    return Program(body, {})


# ---- C ----

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

    def block(self, body, k, loops):
        self.put("{")
        for s in body:
            self.statement(s, k, loops)
        self.put("}")

    def task_clauses(self, s, k, loops):
        words = ["default(shared)", *s.flags]
        words += [f"depend({kind}: dep[{at}])" for kind, at in getattr(s, "depends", [])]
        words += [f"firstprivate({i})" for i in loops]
        return " ".join(words)

    def statement(self, s, k, loops):
        getattr(self, "put_" + s.kind)(s, k, loops)

    def put_access(self, s, k, loops):
        self.access(s)

    def put_task(self, s, k, loops):
        copied = s.copied if s.copied.kind == "access" else None
        clause = f" firstprivate({copied.var})" if copied else ""
        self.put(f"#pragma omp task {self.task_clauses(s, k, loops)}{clause}", copied)
        self.put("{", copied)
        if copied:
            self.put(f"USE({copied.var})")
        for inner in s.body:
            self.statement(inner, k, loops)
        self.put("}", copied)

    def put_taskloop(self, s, k, loops):
        grain = f"{s.grain[0]}({s.grain[1]})" if s.grain[0] else ""
        self.put(f"#pragma omp taskloop {self.task_clauses(s, k, loops)} {grain} {'nogroup' if s.nogroup else ''}")
        self.loop(s.i, s.count, s, k, loops)

    def loop(self, i, count, s, k, loops):
        self.put(f"for (int {i} = 0; {i} < {count}; {i}++)")
        self.block(s.body, k, [*loops, i])

    def put_taskwait(self, s, k, loops):
        self.put("#pragma omp taskwait")

    def put_taskwait_depend(self, s, k, loops):
        self.put("#pragma omp taskwait " + " ".join(f"depend({kind}: dep[{at}])" for kind, at in s.depends))

    def put_taskgroup(self, s, k, loops):
        self.put("#pragma omp taskgroup")
        self.block(s.body, k, loops)

    def put_local(self, s, k, loops):
        self.put(f"{{ int {s.name} = 0; USE(&{s.name})", s.init)  # gcc does not pass it by value then
        if s.waits == "taskgroup":
            self.put("#pragma omp taskgroup")
        self.block(s.body, k, loops)
        if s.waits == "taskwait":
            self.put("#pragma omp taskwait")
        self.put("}")

    def put_locked(self, s, k, loops):
        if s.lock < len(CRITICALS):
            self.put("#pragma omp critical " + CRITICALS[s.lock])
            self.block(s.body, k, loops)
        else:
            self.put(f"omp_set_lock(&lock[{s.lock - len(CRITICALS)}]);")
            self.block(s.body, k, loops)
            self.put(f"omp_unset_lock(&lock[{s.lock - len(CRITICALS)}]);")

    def put_parallel(self, s, k, loops):
        self.put(f"#pragma omp parallel num_threads({s.n}) default(shared)")
        self.block(s.body, k, loops)

    def put_single(self, s, k, loops):
        self.put("#pragma omp single" + (" nowait" if s.nowait else ""))
        self.block(s.body, k, loops)

    def put_master(self, s, k, loops):
        self.put(f"#pragma omp {s.word}")
        self.block(s.body, k, loops)

    def put_barrier(self, s, k, loops):
        self.put("#pragma omp barrier")

    def put_for(self, s, k, loops):
        kind, chunk = s.schedule
        words = ["#pragma omp for"]
        if kind:
            words.append(f"schedule({kind}, {chunk})" if chunk else f"schedule({kind})")
        words += [w for w, is_there in (("ordered", s.ordered), ("nowait", s.nowait), ("collapse(2)", s.j)) if is_there]
        self.put(" ".join(words))
        if s.j:
            self.put(f"for (int {s.i} = 0; {s.i} < 2; {s.i}++)")
            self.loop(s.j, 2, s, k, [*loops, s.i])
        else:
            self.loop(s.i, s.count, s, k, loops)

    def put_only(self, s, k, loops):
        self.put(f"if ({loops[-1]} == {s.at})")
        self.block(s.body, k, loops)

    def put_ordered(self, s, k, loops):
        self.put("#pragma omp ordered")
        self.block(s.body, k, loops)

    def put_sections(self, s, k, loops):
        self.put("#pragma omp sections" + (" nowait" if s.nowait else ""))
        self.block(s.body, k, loops)

    def put_section(self, s, k, loops):
        self.put("#pragma omp section")
        self.block(s.body, k, loops)

    def program(self, p, k):
        used = {var: p.variables[var] for var in sorted(names(p.body)) if var in p.variables}
        for var, is_array in used.items():
            self.put(f"int {var}_{k}{f'[{ELEMENTS}]' if is_array else ''};")
            self.put(f"#define {var} {var}_{k}")
        self.put(f"static void run{k}(void)")
        self.block(p.body, k, [])
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
    for line in ("#include <omp.h>", "#include <stdlib.h>", "#define DONE __asm__ volatile(\"\" : : : \"memory\");",
                 "#define USE(x) __asm__ volatile(\"\" : : \"r\"(x) : \"memory\");", f"static char dep[{DEPENDS}];", f"static omp_lock_t lock[{LOCKS}];"):
        t.put(line)
    for k, p in enumerate(programs):
        t.program(p, k)
    t.put("static void (*const run[])(void) = {" + ", ".join(f"run{k}" for k in range(len(programs))) + "};")
    t.put(f"int main(int n, char **v) {{ for (int k = 0; k < {LOCKS}; k++) omp_init_lock(&lock[k]); if (n > 1) run[atoi(v[1])](); return 0; }}")
    return t
