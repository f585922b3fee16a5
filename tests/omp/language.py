# SPDX-License-Identifier: Apache-2.0
"""Small OpenMP programs: what they are made of, and their C text.

A program is a tree of statements; what is tested are its accesses, one to a line.  A statement has a kind, a block, and
attributes by kind:

place        where an access may come to be (generate.py)
access       var, how ("r", "w", "u": update), is_atomic, index (of an array: a number, or a variable of a loop, or that plus 1)
block, only  a block; one for the iteration `at` of the loop around it
local        a block with a variable, name, set to 0 by the access init; and what waits for its tasks, if anything does.  With
             freed, an access, it is on the heap, and freed by that; is_freed_by_task: in a task
locked       a block of a lock: the first are critical sections, by name
task         flags, depends (pairs of kind and object), copied: a place, or the read of a variable that becomes firstprivate
taskloop     i, count, grain, nogroup, flags;  taskwait;  taskwait_depend: depends;  taskgroup
parallel     n threads, and words that say so;  barrier: is_copying (the one of a single block with copyprivate);  single: nowait;  master: word, filter (of masked);  sections: nowait, of section
for          i, j (collapse), count, schedule, nowait, ordered;  ordered;  simd: i, count
teams        n, limit (of threads; 0: none)
distribute   i, count, chunk, what: the words behind that one;  of those with parallel for: n, words, schedule
target       flags, depends
own          what a thread does to its threadprivate variable

Constructs of PRIVATE may have a clause of that kind: word, var, outer (what it does to the variable outside, an access or a
place), is_on_heap."""
from dataclasses import dataclass, field

LOCKS, DEPENDS, ELEMENTS = 2, 3, 8
CRITICALS = ("", "(a)", "(b)")
ITEMS = ("for", "sections", "single")  # executed by some thread of the team
PRIVATE = {  # construct: words of clauses
    "parallel": ("private", "firstprivate", "reduction"),
    "for": ("private", "firstprivate", "lastprivate", "reduction"),
    "sections": ("private", "firstprivate", "lastprivate", "reduction"),
    "single": ("private", "firstprivate"),
    "teams": ("private", "firstprivate", "reduction"),
    "distribute": ("private", "firstprivate"),
}
OUTER = {"firstprivate": "r", "lastprivate": "w", "reduction": "u"}  # what a clause does to the variable outside


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

    def __contains__(self, name):
        return name in self.a

    def has_barrier(self):
        return self.kind == "barrier" or (self.kind in ITEMS and not self.nowait)


@dataclass(eq=False)
class Program:
    body: list
    variables: dict  # name: whether it is an array
    levels: int = 0  # of nested regions with several threads; 0: any number


def access(var, how, is_atomic=False, index=""):
    return Statement("access", [], {"var": var, "how": how, "is_atomic": is_atomic, "index": index})


def local(name, body, waits, is_on_heap=False, is_freed_by_task=False):
    return Statement("local", body, {"name": name, "init": access(name, "w"), "waits": waits, "freed": access(name, "w") if is_on_heap else None,
                                     "is_freed_by_task": is_on_heap and is_freed_by_task})


class Text:
    """Lines of C; at[line] is the access that is there."""

    def __init__(self):
        self.lines, self.at = [], {}
        self.heap = set()  # names
        self.words, self.clauses = [], []  # of the directive that the next one is to be combined with
        self.in_memory = []  # variables that are to be so in the next block, whatever compilers think

    def put(self, line, s=None):
        self.lines.append(line)
        if s:
            self.at[len(self.lines)] = s

    def pragma(self, s, words, *clauses):
        """Returns the access of its clause, if it has one."""
        outer = None
        if "private" in s:
            c = s.private
            self.in_memory.append(c.var)
            outer = c.outer if c.outer.kind == "access" else None
            clauses += (f"{c.word}({'+: ' if c.word == 'reduction' else ''}{c.var})", f"allocate({c.var})" if c.is_on_heap else "")
        self.put(" ".join(w for w in ("#pragma omp", *self.words, words, *self.clauses, *clauses) if w), outer)
        self.words, self.clauses = [], []
        return outer

    def access(self, s):
        where = f"{s.var}[{s.index}]" if s.index else f"(*{s.var})" if s.var in self.heap else s.var
        if s.is_atomic:
            if s.how == "r":
                self.put("{ int r;")
            self.put("#pragma omp atomic " + {"r": "read", "w": "write", "u": "update"}[s.how], s)
        if s.is_atomic and s.how == "r":
            self.put(f"r = {where}; USE(r) }}", s)
        else:
            self.put({"r": f"USE({where})", "w": f"{where} = 1; DONE", "u": f"{where}++; DONE"}[s.how], s)

    def block(self, body, loops, outer=None):
        self.put("{", outer)
        if not any(s.kind == "section" for s in body):
            for var in self.in_memory:
                self.put(f"USE(&{var})")
            self.in_memory = []
        for s in body:
            self.statement(s, loops)
        self.put("}", outer)

    def task_clauses(self, s, loops):
        return [*s.flags, *depends(s), *(f"firstprivate({i})" for i in loops)]

    def statement(self, s, loops):
        getattr(self, "put_" + s.kind)(s, loops)

    def put_access(self, s, loops):
        self.access(s)

    def put_task(self, s, loops):
        copied = s.copied if s.copied.kind == "access" else None
        clause = f"firstprivate({copied.var})" if copied else ""
        self.put(" ".join(["#pragma omp task default(shared)", *self.task_clauses(s, loops), clause]), copied)
        self.put("{", copied)
        if copied:
            self.put(f"USE({copied.var})")
        for inner in s.body:
            self.statement(inner, loops)
        self.put("}", copied)

    def put_taskloop(self, s, loops):
        grain = f"{s.grain[0]}({s.grain[1]})" if s.grain[0] else ""
        self.pragma(s, "taskloop", "default(shared)", *self.task_clauses(s, loops), grain, "nogroup" if s.nogroup else "")
        self.loop(s.i, s.count, s, loops)

    def loop(self, i, count, s, loops, outer=None):
        self.put(f"for (int {i} = 0; {i} < {count}; {i}++)", outer)
        self.block(s.body, [*loops, i], outer)

    def put_block(self, s, loops):
        self.block(s.body, loops)

    def put_taskwait(self, s, loops):
        self.put("#pragma omp taskwait")

    def put_taskwait_depend(self, s, loops):
        self.pragma(s, "taskwait", *depends(s))

    def put_taskgroup(self, s, loops):
        self.put("#pragma omp taskgroup")
        self.block(s.body, loops)

    def put_local(self, s, loops):
        if s.freed:
            self.heap.add(s.name)
        self.put(f"{{ int *{s.name} = malloc(sizeof(int)); *{s.name} = 0; DONE" if s.freed else
                 f"{{ int {s.name} = 0; USE(&{s.name})", s.init)  # gcc does not pass it by value then
        if s.waits == "taskgroup":
            self.put("#pragma omp taskgroup")
        self.block(s.body, loops)
        if s.waits == "taskwait":
            self.put("#pragma omp taskwait")
        if s.is_freed_by_task:
            self.put("#pragma omp task default(shared)")
        if s.freed:
            self.put(f"{{ free({s.name}); DONE }}", s.freed)
        if s.is_freed_by_task:
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
        outer = self.pragma(s, "parallel", *s.words, "default(shared)")
        first = [var for var, region in self.allocated.items() if region is s]
        if first:
            self.put("{", outer)
            self.put("#pragma omp single")
            self.put("{ " + " ".join(f"{var}_{self.number} = calloc({ELEMENTS}, sizeof(int));" for var in first) + " DONE }")
        self.block(s.body, loops, outer)
        if first:
            self.put("}", outer)

    def put_teams(self, s, loops):
        self.combined(s, loops, "teams", f"num_teams({s.n})", f"thread_limit({s.limit})" if s.limit else "")

    def put_target(self, s, loops):
        self.in_memory += sorted(set(names(s.body)) - {inner.name for inner in statements(s.body) if inner.kind == "local"})
        self.combined(s, loops, "target", *self.task_clauses(s, loops), "defaultmap(tofrom: scalar)")

    def combined(self, s, loops, words, *clauses):
        """One directive with that of its block, if there is nothing else."""
        if [inner.kind for inner in s.body] in (["teams"], ["distribute"]) and "private" not in s:
            self.words.append(words)
            self.clauses += clauses
            self.statement(s.body[0], loops)
        else:
            self.block(s.body, loops, self.pragma(s, words, *clauses))

    def put_distribute(self, s, loops):
        of_parallel = [*s.words, schedule(s)] if "parallel" in s.what else []
        outer = self.pragma(s, "distribute " + s.what, f"dist_schedule(static, {s.chunk})" if s.chunk else "", *of_parallel)
        self.loop(s.i, s.count, s, loops, outer)

    def put_simd(self, s, loops):
        self.pragma(s, "simd")
        self.loop(s.i, s.count, s, loops)

    def put_single(self, s, loops):
        self.block(s.body, loops, self.pragma(s, "single", nowait(s)))

    def put_master(self, s, loops):
        self.put(f"#pragma omp {s.word} filter({s.filter})" if s.filter else f"#pragma omp {s.word}")
        self.block(s.body, loops)

    def put_barrier(self, s, loops):
        if not s.is_copying:
            self.put("#pragma omp barrier")
            return
        self.put("{ int copied = 0; USE(&copied)")
        self.put("#pragma omp single copyprivate(copied)")
        self.put("{ copied = 1; DONE }")
        self.put("USE(copied) }")

    def put_own(self, s, loops):
        self.put("own++; DONE")

    def put_for(self, s, loops):
        outer = self.pragma(s, "for", schedule(s), "ordered" if s.ordered else "", nowait(s), "collapse(2)" if s.j else "")
        if s.j:
            self.put(f"for (int {s.i} = 0; {s.i} < 2; {s.i}++)", outer)
            self.loop(s.j, 2, s, [*loops, s.i], outer)
        else:
            self.loop(s.i, s.count, s, loops, outer)

    def put_only(self, s, loops):
        self.put(f"if ({loops[-1]} == {s.at})")
        self.put("{ DONE")  # what follows is not done before
        self.block(s.body, loops)
        self.put("}")

    def put_ordered(self, s, loops):
        self.put("#pragma omp ordered")
        self.block(s.body, loops)

    def put_sections(self, s, loops):
        self.block(s.body, loops, self.pragma(s, "sections", nowait(s)))

    def put_section(self, s, loops):
        self.put("#pragma omp section")
        self.block(s.body, loops)

    def program(self, p, k):
        self.number = k
        used = {var: p.variables[var] for var in sorted(names(p.body)) if var in p.variables}
        self.allocated = {var: region for var in used if (region := allocates(p, var))}
        for var, is_array in used.items():
            if var in self.allocated:
                self.put(f"int *{var}_{k};")
                self.put(f"#define {var} {var}_{k}" if is_array else f"#define {var} (*{var}_{k})")
                continue
            self.put(f"int {var}_{k}{f'[{ELEMENTS}]' if is_array else ''};")
            self.put(f"#define {var} {var}_{k}")
        self.heap = set()
        self.put(f"static void run{k}(void)")
        self.put(f"{{ omp_set_max_active_levels({p.levels or 9});")
        self.block(p.body, [])
        self.put("}")
        for var in used:
            self.put(f"#undef {var}")


def depends(s):
    return [f"depend({kind}: dep[{at}])" for kind, at in getattr(s, "depends", [])]


def schedule(s):
    kind, chunk = s.schedule
    return f"schedule({kind}, {chunk})" if chunk else f"schedule({kind})" if kind else ""


def nowait(s):
    return "nowait" if s.nowait else ""


def names(block):
    """The variables that are accessed, or named by clauses."""
    for s in statements(block):
        if s.kind == "access":
            yield s.var
        if "private" in s:
            yield s.private.var


def clauses(s):
    """What is done to variables that become private."""
    return [s.copied] if s.kind == "task" else [s.private.outer] if "private" in s else []


def statements(block):
    for s in block:
        yield s
        yield from statements([*clauses(s), *s.body])


def allocates(program, var):
    """The region of several threads whose first one allocates the variable, if it is one on the heap: some that are
    accessed nowhere else, and never copied."""
    if var[0] != "x" or int(var[1:]) % 3:
        return None
    regions = [s for s in program.body if var in names([s])]
    if len(regions) != 1 or regions[0].kind != "parallel" or "private" in regions[0]:
        return None
    copied = any(c.kind == "access" and c.var == var for s in statements(regions) for c in clauses(s))
    return None if copied else regions[0]


def without(block, variables):
    """Removes their accesses."""
    block[:] = [s for s in block if s.kind != "access" or s.var not in variables]
    for s in block:
        if s.kind == "task" and s.copied.kind == "access" and s.copied.var in variables:
            s.a["copied"] = Statement("place")
        if "private" in s and s.private.var in variables:
            del s.a["private"]
        without(s.body, variables)


def text(programs):
    """A source whose program runs the one whose number it is given."""
    t = Text()
    for line in ("#include <omp.h>", "#include <stdlib.h>", "/* No two are the same: gcc has one function for several that are. */",
                 "#define DONE __asm__ volatile(\"\" : : \"i\"(__LINE__) : \"memory\");",
                 "#define USE(x) __asm__ volatile(\"\" : : \"r\"(x), \"i\"(__LINE__) : \"memory\");", f"static char dep[{DEPENDS}];", "static int own;", "#pragma omp threadprivate(own)", f"static omp_lock_t lock[{LOCKS}];"):
        t.put(line)
    for k, p in enumerate(programs):
        t.program(p, k)
    t.put("static void (*const run[])(void) = {" + ", ".join(f"run{k}" for k in range(len(programs))) + "};")
    t.put(f"int main(int n, char **v) {{ for (int k = 0; k < {LOCKS}; k++) omp_init_lock(&lock[k]); if (n > 1) run[atoi(v[1])](); return 0; }}")
    return t
