# SPDX-License-Identifier: Apache-2.0
"""Random OpenMP programs.

What is tested are accesses; everything else is there to order them or not.  So a tree without accesses is made first, with
places for them, and then variables that are written in one place, mostly one that is executed once, and read or written
in one or two others, mostly near it: each variable asks one question.

Programs end, and are valid: blocks of locks have nothing but accesses in them, and are nested in the order of their
locks; what a variable of a block is for has been waited for when the block ends (truth.py tells); and nothing
asks for thread numbers or looks at what it reads.

What they avoid, because the tool takes it to mean more than the specification says (docs/openmp.md): a block of a lock that
reads, and does not write, what another such block writes, which counts as a flag; mostly, more blocks for one thread between two barriers
than the team has threads for (with_barriers); explicit tasks directly in a target region, which are those of the team that meets it; and variables of
a thread in iterations that any thread may have."""
from dataclasses import dataclass, replace

from language import CRITICALS, DEPENDS, ITEMS, LOCKS, OUTER, PRIVATE, Program, Statement, access, local, statements
from truth import Phase

THREADS = tuple((n, [f"num_threads({n})"]) for n in (2, 3, 4))
ONE_THREAD = ((1, ["num_threads(1)"]), (1, ["if(0)"]), (1, ["num_threads(2)", "if(0)"]))
SCHEDULES = (("", 0), ("static", 0), ("static", 1), ("static", 2), ("dynamic", 0), ("dynamic", 2), ("guided", 0))
CLOSED = {  # contexts where nothing else may be: directly in teams and target
    "league": ("distribute",) * 3 + ("parallel",) * 2 + ("local",),
    "device": ("parallel",) * 4 + ("local", "locked", "simd"),
}
KINDS = ("in", "out", "inout", "mutexinoutset")
WAITED = KINDS[:3]  # of taskwait


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

    def private(self, s):
        """Gives it a clause that makes a variable private."""
        if not self.chance(0.3):
            return s
        word, var = self.r.choice(PRIVATE[s.kind]), self.name("p")
        if word == "lastprivate" and "nowait" in s:
            s.a["nowait"] = False  # clang has a barrier there anyway
        outer = access(var, OUTER[word]) if word in OUTER else self.place()
        s.a["private"] = Statement("clause", [], {"word": word, "var": var, "outer": outer, "is_on_heap": self.chance(0.3)})
        return s

    def block(self, depth, contexts, least=1, most=3):
        """Statements, with places between them."""
        all_ = [self.place()]
        for _ in range(self.r.randint(least, most)):
            self.room -= 1
            if self.room > 0:
                made = self.statement(depth, contexts)
                all_ += [*(made if isinstance(made, list) else [made]), self.place()]
            if all_[-2:-1] and all_[-2].kind == "task" and self.chance(0.3):
                all_ += [Statement("taskwait"), self.place()]
        return all_

    def statement(self, depth, contexts):
        """Contexts: what the statement may be; its own block may be less."""
        inner = [c for c in contexts if c not in ("team", "loop")]
        for closed in set(contexts) & set(CLOSED):
            return getattr(self, "make_" + self.r.choice(CLOSED[closed]))(depth - 1, contexts, inner) if depth > 0 else []
        kinds = ["task"] * 5 + ["taskwait"] * 3 + ["locked"] * 2 + ["taskwait_depend"] + ["idiom"] * (1 if "team" in contexts else 6)
        if depth > 0:
            kinds += ["taskgroup"] * 2 + ["taskloop"] + ["simd"] * 2 + ["local"] * 2
            if "parallel" in contexts:
                kinds += ["parallel"] * 3
            if "target" in contexts:
                kinds += ["target"]
        if "target" in contexts:
            kinds += ["own"]
        if "team" in contexts:
            kinds += ["single"] * 6 + ["master"] * 3 + ["barrier"] * 3 + ["for"] * 6 + ["sections"] * 3 + ["loops"] * 4 + ["ones"] * 10
        if "loop" in contexts:
            kinds += ["only"] * 6
        kind = self.r.choice(kinds)
        if depth <= 0 and kind not in ("own", "taskwait", "taskwait_depend", "locked", "barrier", "idiom"):
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

    def make_idiom(self, depth, contexts, inner):
        """A few tasks and one way to wait for some of them, with places of their own."""
        name = self.name("idiom")

        def place():
            return Statement("place", [], {"idiom": name})

        def task(body, flags=(), p=0.0):
            return Statement("task", body, {"flags": list(flags), "depends": self.depends(p), "copied": self.place()})

        nested = task([place(), task([place()]), *([Statement("taskwait")] if self.chance(0.2) else []), place()],
                      self.r.choice([[], [], [], ["if(0)"], ["final(1)"]]))
        ways = [
            [nested, Statement("taskwait")],
            [Statement("taskgroup", [nested, place()])],
            [nested],
            [task([place()], p=1), task([place()], p=1), Statement("taskwait_depend", [], {"depends": self.depends(1, WAITED)})],
            [Statement("task", [place()], {"flags": [], "depends": [("mutexinoutset", k)], "copied": self.place()}) for k in (0, self.r.randint(0, 1))],
            [task([place()], p=1), place(), task([place()], self.r.choice([[], ["if(0)"]]), p=1), task([place()], p=1)],
        ]
        return Statement("block", [place(), *self.r.choice(ways), place()])

    def make_loops(self, depth, contexts, inner):
        """Two loops with accesses to the same elements, or two iterations of one."""
        name, count = self.name("loops"), self.r.choice((4, 4, 5))
        schedules = [("static", 0), ("static", 0), ("static", 1), ("static", 2), ("dynamic", 2), ("dynamic", 0)]
        schedule = self.r.choice(schedules)

        def loop(body, schedule):
            return Statement("for", body, {"i": self.name("i"), "j": "", "count": count, "schedule": schedule, "nowait": True, "ordered": False})

        def one(at):
            body = [Statement("place", [], {"idiom": name})]
            if self.chance(0.3):
                body = [Statement("task", body, {"flags": [], "depends": [("inout", 0)], "copied": self.place()}), Statement("taskwait")]
            return Statement("only", body, {"at": at})

        if self.chance(0.5):
            return [loop([one(at) for at in self.r.choice([(0, 1), (0, 2), (1, 2), (2, 3)])], schedule)]
        each = [Statement("place", [], {"idiom": name, "is_each": True}) for _ in range(2)]
        return [loop([each[0]], schedule), loop([each[1]], schedule if self.chance(0.8) else self.r.choice(schedules))]

    def make_ones(self, depth, contexts, inner):
        """Blocks for one thread, and what any may execute, with no barrier between."""
        name = self.name("ones")

        def body():
            return [Statement("place", [], {"idiom": name})]

        def one():
            if self.chance(0.5):
                return Statement("single", body(), {"nowait": True})
            return Statement("master", body(), {"word": "masked", "filter": int(self.chance(0.2))})

        def item():
            schedule, count = self.r.choice((*SCHEDULES, ("static", 1), ("static", 2))), self.r.choice((3, 4, 6))
            at = 0 if self.chance(0.4) else self.r.randrange(count)
            ways = [Statement("for", [Statement("only", body(), {"at": at})],
                              {"i": self.name("i"), "j": "", "count": count, "schedule": schedule, "nowait": self.chance(0.5), "ordered": False})] * 4
            ways += [Statement("sections", [Statement("section", body()) for _ in range(2)], {"nowait": self.chance(0.5)}), one()]
            return self.r.choice(ways)

        return [*(one() for _ in range(self.r.choice((1, 1, 2, 3)))), item()]

    def make_taskwait(self, depth, contexts, inner):
        return Statement("taskwait")

    def make_taskwait_depend(self, depth, contexts, inner):
        return Statement("taskwait_depend", [], {"depends": self.depends(1, WAITED)})

    def make_taskgroup(self, depth, contexts, inner):
        return Statement("taskgroup", self.block(depth, inner))

    def make_local(self, depth, contexts, inner):
        is_closed = bool(set(contexts) & set(CLOSED))
        return local(self.name("l"), self.block(depth, inner), "" if is_closed else self.r.choice(["taskwait", "taskgroup", ""]),
                     self.chance(0.4), not is_closed and self.chance(0.3))

    def make_locked(self, depth, contexts, inner):
        locks = sorted(self.r.sample(range(LOCKS + len(CRITICALS)), self.r.choice((1, 1, 1, 2))), reverse=True)
        body = [self.place(), self.place()]
        for lock in locks:
            body = [Statement("locked", body, {"lock": lock})]
        return body[0]

    def region(self, one):
        """How many threads, and the words for it; one: how likely that is."""
        n, words = self.r.choice(ONE_THREAD if self.chance(one) else THREADS)
        return {"n": n, "words": words}

    def make_parallel(self, depth, contexts, inner):
        nested = ["parallel"] if depth > 1 else []
        body = self.block(depth, ["team", *nested, *(c for c in contexts if c == "target")], 1, 4)
        region = self.region(0.4 if contexts != ["target"] else 0)
        s = Statement("parallel", body if self.chance(0.3) else with_barriers(body, region["n"]), region)
        if "target" in contexts and self.chance(0.15):
            s.a["words"] = [*s.words, "copyin(own)"]
        return self.private(s)

    def make_teams(self, depth, contexts, inner):
        body = self.block(depth, ["league"], 1, 3)
        return self.private(Statement("teams", body, {"n": self.r.choice((2, 2, 3)), "limit": self.r.choice((0, 0, 1, 2, 2, 3))}))

    def make_distribute(self, depth, contexts, inner):
        what = self.r.choice(("", "", "parallel for", "parallel for", "simd"))
        is_parallel = "parallel" in what
        body = [self.place(), self.place()] if what == "simd" else \
            self.block(depth - 1, ["loop", "parallel"], 0, 2)
        attributes = {"i": self.name("i"), "count": 6, "what": what, "chunk": 0 if is_parallel else self.r.choice((0, 1, 2))}
        if is_parallel:
            attributes |= {"schedule": self.r.choice(SCHEDULES), **self.region(0.2)}
        return self.private(Statement("distribute", body, attributes))

    def make_simd(self, depth, contexts, inner):
        return Statement("simd", [self.place() for _ in range(self.r.choice((2, 2, 3)))], {"i": self.name("i"), "count": self.r.choice((2, 3))})

    def make_target(self, depth, contexts, inner):
        is_league = self.chance(0.4)
        body = [self.make_teams(depth, [], [])] if is_league else self.block(depth, ["device"], 0, 2)
        return Statement("target", body, {"flags": ["nowait"] if self.chance(0.5) else [], "depends": self.depends(0.5, WAITED)})

    def make_single(self, depth, contexts, inner):
        return self.private(Statement("single", self.block(depth, inner, 0, 3), {"nowait": self.chance(0.6)}))

    def make_master(self, depth, contexts, inner):
        word = self.r.choice(["master", "masked"])
        return Statement("master", self.block(depth, inner, 0, 2), {"word": word, "filter": 1 if word == "masked" and self.chance(0.3) else 0})

    def make_barrier(self, depth, contexts, inner):
        return barrier(self.chance(0.2))

    def make_own(self, depth, contexts, inner):
        return Statement("own")

    def make_for(self, depth, contexts, inner):
        is_ordered = self.chance(0.25)
        body = self.block(depth, [*inner, "loop"], 0 if is_ordered else 1, 2)
        if is_ordered:
            body += [self.make_ordered(depth - 1, contexts, inner), self.place()]
        i, is_collapsed = self.name("i"), self.chance(0.15)
        return self.private(Statement("for", body, {"i": i, "j": self.name("j") if is_collapsed else "", "nowait": self.chance(0.6),
                                                    "count": 4 if is_collapsed else self.r.choice((3, 4, 4)),
                                                    "schedule": self.r.choice(SCHEDULES), "ordered": is_ordered}))

    def make_only(self, depth, contexts, inner):
        return Statement("only", self.block(depth, inner, 0, 2), {"at": self.r.randint(0, 2)})

    def make_ordered(self, depth, contexts, inner):
        return Statement("ordered", self.block(depth, inner, 0, 1))

    def make_sections(self, depth, contexts, inner):
        sections = [Statement("section", self.block(depth, inner, 0, 2)) for _ in range(self.r.randint(2, 3))]
        return self.private(Statement("sections", sections, {"nowait": self.chance(0.6)}))


def barrier(is_copying=False):
    return Statement("barrier", [], {"is_copying": is_copying})


def with_barriers(body, n):
    """Between two barriers every block for one thread has to have a thread of its own, and so has what any thread may execute:
    otherwise the tool says that there were too few."""
    apart, phase = [], Phase(n)
    for s in body:
        if phase.meets(s):
            apart.append(barrier())
            phase = Phase(n)
            phase.meets(s)
        apart.append(s)
        if s.has_barrier():
            phase = Phase(n)
    return apart


# ---- where accesses may be ----

@dataclass(eq=False)
class Place:
    """A place for an access, and what it is in."""
    to: list = None  # the statements it is to be put into
    at: Statement = None
    loops: tuple = ()  # names
    locals: tuple = ()  # likewise; those from `outer` on are of one thread
    outer: int = 0
    hidden: frozenset = frozenset()  # of the thread that meets a construct, which is not known
    tasks: tuple = ()
    lock: int = -1
    is_copied: bool = False
    is_bare: bool = False  # no construct may be there
    is_explicit: bool = False  # in a task


def inside(s, around):
    """What the places in a statement are in."""
    own = (s.private.var,) if "private" in s else (s.name,) if s.kind == "local" else ()
    p = replace(around, loops=(*around.loops, *(s.a[n] for n in "ij" if s.a.get(n))), locals=(*around.locals, *own))
    if s.kind in ITEMS:
        mine = around.locals[around.outer:]
        return replace(p, locals=(*around.locals[:around.outer], *own), hidden=around.hidden | set(mine))
    if s.kind in ("parallel", "teams", "target"):
        return replace(p, outer=len(around.locals), lock=-1, is_bare=s.kind == "teams")
    if s.kind in ("distribute", "simd"):
        return replace(p, is_bare=s.a.get("what", "simd") == "simd")
    if s.kind in ("task", "taskloop"):
        return replace(p, is_explicit=True, tasks=(*p.tasks, s) if s.kind == "task" else p.tasks, lock=-1)
    return replace(p, lock=s.lock) if s.kind == "locked" else p


def places(program):
    found = []

    def walk(block, around):
        for s in block:
            inner = inside(s, around)
            if s.kind == "place":
                found.append(replace(around, to=block, at=s))
            elif s.kind == "task":
                found.append(replace(around, to=[s], at=s.copied, loops=(), tasks=inner.tasks, is_copied=True))
            walk(s.body, inner)

    walk(program.body, Place())
    return found


def fill(r, program, times):
    """Puts accesses where there are places; times[statement]: how often it is executed."""
    def put(place, s):
        if place.is_copied:
            place.to[0].a["copied"] = s
        else:
            place.to[place.to.index(place.at)] = s

    free = places(program)
    number = {p.at: k for k, p in enumerate(free)}  # in the order of the text
    r.shuffle(free)
    names = [None] * 14 + sorted({n for p in free for n in p.locals})
    outside = {s.private.var for s in statements(program.body) if "private" in s}
    on_heap = {s.name for s in statements(program.body) if s.kind == "local" and s.freed}
    reduced = {s.private.var for s in statements(program.body) if s.kind in ITEMS and "private" in s and s.private.word == "reduction"}
    for var in outside:
        program.variables[var] = False
    for k, local in enumerate(names):
        is_outside = local in outside and r.random() < 0.4
        here = [p for p in free if local is None or local in p.locals or (is_outside and local not in p.hidden)]
        here = [p for p in here if not (p.is_copied and local in on_heap)]  # the pointer would be
        here = [p for p in here if not ((p.is_copied or p.is_explicit) and local in reduced)]  # which is not allowed
        once = [p for p in here if (times.get(p.at, 0) == 1 or "is_each" in p.at.a) and not p.is_copied]
        once.sort(key=lambda p: "idiom" not in p.at.a or r.random() < 0.5)
        first = [p for p in once if r.random() < 0.85][:1] or [p for p in here if not p.is_copied][:1]
        others = [p for p in here if p not in first]
        if first and "idiom" in first[0].at.a:
            others = [p for p in others if p.at.a.get("idiom") == first[0].at.idiom] or others
        if not first or not others:
            continue
        if r.random() < 0.75:  # what orders two places is near them
            others.sort(key=lambda p: abs(number[p.at] - number[first[0].at]) + 4 * r.random())
        others = others[:r.choice((1, 1, 1, 2, 3))]
        is_each = local is None and all("is_each" in p.at.a for p in first + others)
        is_array = is_each or local is None and r.random() < 0.3 and not any(p.is_copied for p in others)
        var = local or f"x{k}"
        if local is None:
            program.variables[var] = is_array
        style = r.choice(["plain", "plain", "plain", "atomic", "mixed"])
        hidden = [p.tasks[-1] for p in others if p.is_copied]  # they have copies, and no more to do with it
        is_update = any(p.lock >= 0 for p in first + others)
        for p in first + others:
            if any(t in hidden for t in (p.tasks[:-1] if p.is_copied else p.tasks)):
                continue
            how = "r" if p.is_copied else r.choice("wwu") if p in first else r.choice("rrwu")
            if p.lock >= 0 and is_update:
                how = r.choice("wu")
            is_atomic = not p.is_copied and not p.is_bare and (style == "atomic" or (style == "mixed" and r.random() < 0.6))
            if is_each:
                index = p.loops[-1]
            elif is_array:
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
    for kinds in (("parallel",) * 3 + ("teams",), ("", "", "parallel", "teams", "target")):
        kind = r.choice(kinds)
        if not kind:
            break
        body += [getattr(make, "make_" + kind)(r.choice((3, 4, 5)), ["target"], []), make.place()]
    if r.random() < 0.2:
        body = [local(make.name("l"), body, "", r.random() < 0.3)]
    return Program(body, {}, r.choice((0, 0, 0, 0, 1, 2)))
