# SPDX-License-Identifier: Apache-2.0
"""Random programs of tasks, as text of the small task language, as C, and as C with OpenMP.

A program is a list of statements, nested lists of tuples:

    ("async", body) ("finish", body) ("isolated", body) ("set", p) ("get", p)
    ("write", x, expr) ("read", local, x) ("if", cond, body) ("update", op, x, n) ("count", x, n)
    ("take", local, x, n) ("put", x, n)

The last two are atomic: add n and use what was there; replace what was there.  Each orders the tasks as an
isolated block of its own does.  Conditions are about shared variables (read there) or locals.  Isolated blocks contain only
accesses, conditions and updates.  Counters are variables of their own: tasks add to them atomically
without using the result, and read them.  The last two are about counters, too.  Promises are set at most once: by a statement of its own that
occurs once in the text, and no statement repeats.
"""
import random

VARIABLES = 3
COUNTERS = 2  # the variables behind them
PROMISES = 2


class Generator:
    def __init__(self, seed, size, updates, promises, atomics):
        self.rng = random.Random(seed)
        self.left = size
        self.updates = updates  # blocks may be sums, minima and the like
        self.atomics = atomics  # tasks use the results of atomic updates
        self.locals = 0
        self.promises = promises
        self.unset = list(range(PROMISES)) if promises else []

    def expression(self, known):
        kind = self.rng.randrange(4)
        if kind == 0 and known:
            return ("local", self.rng.choice(known))
        if kind == 1:
            return ("shared", self.rng.randrange(VARIABLES))
        return ("number", self.rng.randrange(3))

    def condition(self, known):
        a = ("local", self.rng.choice(known)) if known and self.rng.random() < 0.5 \
            else ("shared", self.rng.randrange(VARIABLES))
        return (self.rng.choice(["==", "!="]), a, ("number", self.rng.randrange(2)))

    def accesses(self, known, depth):
        """The inside of an isolated block."""
        body = []
        for _ in range(self.rng.randint(1, 2)):
            if self.updates and self.rng.random() < 0.6:
                op = self.rng.choice(["+", "+", "min", "max", "|"])
                body.append(("update", op, self.rng.randrange(VARIABLES), self.rng.randint(1, 2)))
            elif depth < 2 and self.rng.random() < 0.35:
                body.append(("if", self.condition(known), self.accesses(known, depth + 1)))
            else:
                body.append(("write", self.rng.randrange(VARIABLES), self.expression(known)))
        return body

    def isolated(self, known):
        if self.rng.random() < 0.35:  # a value for later
            name = self.locals
            self.locals += 1
            x = self.rng.randrange(VARIABLES)
            more = self.accesses(known, 1) if self.rng.random() < 0.3 else []
            known.append(name)
            return ("peek", name, x, more)
        return ("isolated", self.accesses(known, 0))

    def counting(self, known):
        x = VARIABLES + self.rng.randrange(COUNTERS)
        if self.rng.random() < 0.9:
            return ("count", x, self.rng.choice([-1, 1, 1, 2]))
        self.locals += 1
        known.append(self.locals - 1)
        return ("read", self.locals - 1, x)

    def atomic(self, known):
        x = VARIABLES + self.rng.randrange(COUNTERS)
        if self.rng.random() < 0.3:
            return ("put", x, self.rng.randrange(3))
        self.locals += 1
        known.append(self.locals - 1)
        return ("take", self.locals - 1, x, self.rng.choice([-1, 0, 0, 1, 1]))

    def block(self, known, depth):
        known = list(known)
        body = []
        for _ in range(self.rng.randint(1, 4)):
            if self.left <= 0:
                break
            self.left -= 1
            what = self.rng.random()
            if self.updates and self.rng.random() < 0.2:
                body.append(self.counting(known))
            elif self.atomics and self.rng.random() < 0.35:
                body.append(self.atomic(known))
            elif what < 0.30 and depth < 4:
                body.append(("async", self.block(known, depth + 1)))
            elif what < 0.36 and depth < 4:
                body.append(("finish", self.block(known, depth + 1)))
            elif what < 0.62:
                body.append(self.isolated(known))
            elif what < 0.70 and depth < 4:
                body.append(("if", self.condition(known), self.block(known, depth + 1)))
            elif what < 0.75 and self.unset:
                body.append(("set", self.unset.pop(self.rng.randrange(len(self.unset)))))
            elif what < 0.80 and self.promises:
                body.append(("get", self.rng.randrange(PROMISES)))
            elif what < 0.88:
                self.locals += 1
                body.append(("read", self.locals - 1, self.rng.randrange(VARIABLES)))
                known.append(self.locals - 1)
            else:
                body.append(("write", self.rng.randrange(VARIABLES), self.expression(known)))
        return body

    def program(self):
        return [("async", self.block([], 1)) if self.rng.random() < 0.8 else ("finish", self.block([], 1))
                for _ in range(2)] + self.block([], 0)


def program(seed, size=9, updates=False, promises=True, atomics=False):
    return Generator(seed, size, updates, promises, atomics).program()


# ---- the task language ----

def term(e):
    return {"local": "l%d", "shared": "x%d", "number": "%d"}[e[0]] % e[1]


def task_block(body, at):
    return "".join(task_statement(s, at) for s in body)


def task_update(op, x, n):
    if op == "+":
        return f"x{x} = x{x} + {n};"
    if op == "|":  # a flag
        return f"x{x} = 7;"
    return f"if (x{x} {'>' if op == 'min' else '<'} {n}) {{ x{x} = {n}; }}"


def task_statement(s, at):
    pad = "\t" * at
    kind = s[0]
    if kind in ("async", "finish", "isolated"):
        return f"{pad}{kind} {{\n{task_block(s[1], at + 1)}{pad}}}\n"
    if kind == "peek":  # a local that outlives its block is no local of the language: a cell
        return (f"{pad}let c{s[1]} = alloc;\n{pad}isolated {{\n{task_block(s[3], at + 1)}"
                f"{pad}\t*c{s[1]} = x{s[2]};\n{pad}}}\n{pad}let l{s[1]} = *c{s[1]};\n")
    if kind == "if":
        op, a, b = s[1]
        return f"{pad}if ({term(a)} {op} {term(b)}) {{\n{task_block(s[2], at + 1)}{pad}}}\n"
    if kind in ("set", "get"):
        return f"{pad}{kind} p{s[1]};\n"
    if kind == "read":
        return f"{pad}let l{s[1]} = x{s[2]};\n"
    if kind == "update":
        return pad + task_update(*s[1:]) + "\n"
    if kind == "count":
        return f"{pad}isolated {{ x{s[1]} = x{s[1]} {'-' if s[2] < 0 else '+'} {abs(s[2])}; }}\n"
    if kind == "put":
        return f"{pad}isolated {{ x{s[1]} = {s[2]}; }}\n"
    if kind == "take":
        return (f"{pad}let c{s[1]} = alloc;\n{pad}isolated {{\n{pad}\t*c{s[1]} = x{s[2]};\n"
                f"{pad}\tx{s[2]} = *c{s[1]} + {s[3]};\n{pad}}}\n{pad}let l{s[1]} = *c{s[1]};\n")
    return f"{pad}x{s[1]} = {term(s[2])};\n"


def task_text(body):
    names = ", ".join(f"x{i}" for i in range(VARIABLES + COUNTERS))
    promises = ", ".join(f"p{i}" for i in range(PROMISES))
    return f"var {names};\npromise {promises};\nmain {{\n{task_block(body, 1)}}}\n"


# ---- C ----

class C:
    """One program as functions with a prefix of their own; tasks get copies of the locals.  With
    `locks`, isolated blocks are in every other program what a task does while it holds a mutex."""

    def __init__(self, number, body, locks=False):
        self.number = number
        self.locks = locks and number % 2
        self.functions = []
        self.tasks = 0
        main = self.block(body, 1, [])
        self.functions.append(f"static void main{number}(void *arg)\n{{\n\t(void)arg;\n{main}}}\n")

    def value(self, e):
        return {"local": "l%d", "shared": "rd(&x%d)", "number": "%d"}[e[0]] % e[1]

    def task(self, body, known):
        name = f"task{self.number}_{self.tasks}"
        self.tasks += 1
        inside = self.block(body, 1, known)
        own = "".join(f"\tint l{n} = ((int *)arg)[{i}];\n\t(void)l{n};\n" for i, n in enumerate(known))
        self.functions.append(f"static void {name}(void *arg)\n{{\n\t(void)arg;\n{own}{inside}}}\n")
        return name

    def block(self, body, at, known):
        known = list(known)
        return "".join(self.statement(s, at, known) for s in body)

    def update(self, op, x, n):
        """As people write them: `snag cc` has to recognise them."""
        if op == "+":
            return [f"x{x} += {n};", f"x{x} = x{x} + {n};", f"x{x} = {n} + x{x};"][(self.number + x) % 3]
        if op == "|":
            return f"x{x} = 7;"
        return f"if (x{x} {'>' if op == 'min' else '<'} {n}) x{x} = {n};"

    def count(self, x, n, pad):
        name = ["__atomic_fetch_", "__sync_fetch_and_"][(self.number + x) % 2]
        order = ", __ATOMIC_SEQ_CST" if name[2] == "a" else ""
        return f"{pad}{name}{'sub' if n < 0 else 'add'}(&x{x}, {abs(n)}{order});\n"

    def exclusive(self, inside, at):
        pad = "\t" * at
        if self.locks:
            return f"{pad}pthread_mutex_lock(&mutex);\n{inside}{pad}pthread_mutex_unlock(&mutex);\n"
        return f"{pad}snag_isolated {{\n{inside}{pad}}}\n"

    def statement(self, s, at, known):
        pad = "\t" * at
        kind = s[0]
        if kind == "async":
            name = self.task(s[1], known)
            if not known:
                return f"{pad}snag_async({name}, 0);\n"
            values = ", ".join(f"l{n}" for n in known)
            return f"{pad}{{\n{pad}\tint copy[] = {{{values}}};\n" \
                   f"{pad}\tsnag_async_copy({name}, copy, sizeof(copy));\n{pad}}}\n"
        if kind == "finish":
            return f"{pad}snag_finish {{\n{self.block(s[1], at + 1, known)}{pad}}}\n"
        if kind == "isolated":
            return self.exclusive(self.block(s[1], at + 1, known), at)
        if kind == "peek":
            known.append(s[1])
            inside = self.block(s[3], at + 1, known)
            return (f"{pad}int l{s[1]} = 0;\n{pad}(void)l{s[1]};\n" +
                    self.exclusive(f"{inside}{pad}\tl{s[1]} = rd(&x{s[2]});\n", at))
        if kind == "if":
            op, a, b = s[1]
            return f"{pad}if ({self.value(a)} {op} {self.value(b)}) {{\n" \
                   f"{self.block(s[2], at + 1, known)}{pad}}}\n"
        if kind in ("set", "get"):
            return f"{pad}snag_promise_{kind}(p{s[1]}{', 0' if kind == 'set' else ''});\n"
        if kind == "read":
            known.append(s[1])
            return f"{pad}int l{s[1]} = rd(&x{s[2]});\n{pad}(void)l{s[1]};\n"
        if kind == "update":
            return pad + self.update(*s[1:]) + "\n"
        if kind == "count":
            return self.count(s[1], s[2], pad)
        if kind == "put":
            return f"{pad}__atomic_exchange_n(&x{s[1]}, {s[2]}, __ATOMIC_ACQ_REL);\n"
        if kind == "take":
            known.append(s[1])
            return (f"{pad}int l{s[1]} = __atomic_fetch_add(&x{s[2]}, {s[3]}, __ATOMIC_ACQ_REL);\n"
                    f"{pad}(void)l{s[1]};\n")
        return f"{pad}wr(&x{s[1]}, {self.value(s[2])});\n"


class OpenMP(C):
    """The same with the tasks of OpenMP, which have copies of the locals around them.  Isolated blocks
    are critical sections, or in every other program what a task does while it holds a lock."""

    def exclusive(self, inside, at):
        pad = "\t" * at
        if self.number % 2:
            return f"{pad}omp_set_lock(&lock);\n{inside}{pad}omp_unset_lock(&lock);\n"
        return f"#pragma omp critical\n{pad}{{\n{inside}{pad}}}\n"

    def count(self, x, n, pad):
        if self.number % 4 < 2:
            return super().count(x, n, pad)
        return f"#pragma omp atomic\n{pad}x{x} {'-' if n < 0 else '+'}= {abs(n)};\n"

    def statement(self, s, at, known):
        pad = "\t" * at
        if s[0] in ("async", "finish"):
            pragma = {"async": "task", "finish": "taskgroup"}[s[0]]
            return f"#pragma omp {pragma}\n{pad}{{\n{self.block(s[1], at + 1, known)}{pad}}}\n"
        return super().statement(s, at, known)


HEAD = """#include <%s>
#include <stdlib.h>
%s
/* Not merged, moved or left out by any compiler. */
__attribute__((noinline)) static int rd(int *p) { int v = *p; __asm__ volatile("" ::: "memory"); return v; }
__attribute__((noinline)) static void wr(int *p, int v) { *p = v; __asm__ volatile("" ::: "memory"); }
"""


def mains(bodies):
    return ("static void (*const mains[])(void *) = {" +
            ", ".join(f"main{n}" for n in range(len(bodies))) + "};\n")


def variables():
    return "int " + ", ".join(f"x{i}" for i in range(VARIABLES + COUNTERS)) + ";\n"


def openmp_text(bodies):
    """As c_text(), with OpenMP."""
    out = [HEAD % ("omp.h", variables() + "static omp_lock_t lock;")]
    for number, body in enumerate(bodies):
        out += OpenMP(number, body).functions
    out += [mains(bodies), "int main(int argc, char **argv)\n{\n\t(void)argc;\n\tomp_init_lock(&lock);\n"
            "#pragma omp parallel num_threads(4)\n#pragma omp single\n\tmains[atoi(argv[1])](0);\n"
            "\treturn 0;\n}\n"]
    return "".join(out)


def c_text(bodies, locks=False):
    """A program that runs the one whose number is its argument."""
    out = [HEAD % ("snag/task.h", "#include <pthread.h>\nstatic pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n" +
                   variables() + "static struct snag_promise " + ", ".join(f"*p{i}" for i in range(PROMISES)) + ";")]
    for number, body in enumerate(bodies):
        out += C(number, body, locks).functions
    out.append(mains(bodies))
    news = "".join(f"\tp{i} = snag_promise_new();\n" for i in range(PROMISES))
    out.append(f"int main(int argc, char **argv)\n{{\n\t(void)argc;\n{news}"
               "\treturn snag_launch(mains[atoi(argv[1])], 0) != 0;\n}\n")
    return "".join(out)
