# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a program of language.py race on some schedule, by the OpenMP specification.

Every access of every thread, iteration and task is a node of a graph, in which A comes before B on every schedule if
a path leads there; two of one location race if one writes, no path leads from either to the other, nothing
excludes them, and not both are atomic.  The edges, and where OpenMP 5.1 says so:

parallel     to the first node of each thread; from the last of each, and of each task of the team, to its end (2.6)
barrier      from each thread of the team and all its tasks to what its threads do next (2.19.2); at the end of single, for
             and sections, unless nowait
single, for, sections    who executes a block, an iteration or a section is not said (2.10, 2.11.4), so each is a thread of its
             own between two barriers: for two of them, or one of them and code of all threads, there is a schedule
             with two threads.  Of schedule(dynamic, n) and (static, n) each n iterations are one chunk, in order.  Static loops
             with as many iterations and the same chunk, or none, have their iterations on the same threads: chunk k of
             the second comes after chunk k of the first (2.11.4).  Chunk 0 of schedule(static, n) is thread 0's, and comes after what
             that one did, if the loop is not ordered.  More is not taken from static schedules (to which thread a chunk
             goes), as the tool's documentation says
             Of private variables each has its own; what a clause does to the original: firstprivate reads it, in parallel and teams before
             all else, otherwise in each thread; lastprivate writes it behind the last iteration; reduction updates it, at the end of parallel
             and teams, otherwise beside everything up to the barrier (2.21)
master, masked           thread 0, or that of filter (2.8)
parallel of one thread   by num_threads(1), if(0), the number of active levels (2.6.1), or a thread_limit that counts the threads of regions
             around: everything is on that thread, explicit tasks included, and does not race
simd         some iterations are executed in lockstep, then the next (2.11.5; OpenMP Examples, SIMD.8): statement k of iteration i comes
             before statement m of iteration j if k < m and i <= j; inside of a statement, what is read before what is written.  No
             other order is certain
teams        each team is parallel to the others until the end (2.7).  Locks are those of a contention group: a team with the regions in it; the
             first team is in that of the program outside
distribute   iteration i is of team i / chunk mod teams, without a chunk they have parts of the same size, in order (2.11.6); with simd the
             iterations of a chunk are parallel, with parallel for a region of a team's threads has it
target       a task with its own team of one thread, undeferred without nowait (2.14.5), but as the tool's documentation says:
             active levels and contention groups go on
ordered      from the ordered region of an iteration to that of the next (2.19.9)
task         from its creation to its first node; from its last to the taskwait of its creator (2.19.5), to the end
             of each taskgroup that it was created in, or its creator in (2.19.6), and to the barrier.  With if(0), and below a
             final task, to what its creator does next (2.12.1).  untied and mergeable change nothing
depend       from the end of each sibling created before that names the same object, unless both say in, or both
             mutexinoutset, which excludes (2.19.11); siblings are tasks of one thread (see above) or task.  taskwait with depend: to
             what follows
taskloop     tasks and, without nogroup, a taskgroup around them (2.12.2).  How iterations are grouped: those that are in one task
             in every way that the clause allows are in order.  grainsize(g): at least g, if there are as many, and fewer than 2g each;
             num_tasks(n): n tasks, at least one iteration each
critical, omp_set_lock   a block is what comes after it was entered and before it is left, on every schedule: two accesses
             in two blocks of one lock exclude each other (2.19.1).  Nothing else follows from locks, nor from atomics (relaxed)"""

from language import ITEMS, Statement


class Team:
    """ends: of its tasks; active: how many regions with several threads it is in; at: its number in a league, of how many;
    limit: of the threads of regions inside; group: whose locks are its own."""

    def __init__(self, n=1, active=0, at=(0, 1), limit=0, group=None):
        self.n, self.active, self.at, self.limit, self.group, self.ends = n, active, at, limit, group or self, []

    def inner(self, n):
        return Team(n, self.active + (n > 1), limit=self.limit and self.limit - n + 1, group=self.group)


class Phase:
    """Which blocks for one thread there were since the barrier: the tool needs another thread for each, and for what any may
    execute.  Single blocks are not given to thread 0 if there are others, but before a masked block is met they may be to its thread."""

    def __init__(self, n):
        self.n, self.singles, self.filters = n, 0, set()

    def meets(self, s):
        """Returns whether there are too few."""
        is_late = s.kind == "master" and s.filter and self.singles and s.filter < self.n
        self.singles += s.kind == "single"
        if s.kind == "master" and s.filter < self.n:
            self.filters.add(s.filter)
        is_item = s.kind in (*ITEMS, "master")
        return self.n > 1 and is_item and (bool(is_late) or self.singles + len(self.filters) + (s.kind in ("for", "sections")) > self.n)


class Region:
    """What an implicit or explicit task is about to do, and what it has done so far."""

    def __init__(self, now, team, env, groups=(), is_final=False):
        self.now, self.team, self.env, self.groups, self.is_final = now, team, env, list(groups), is_final
        self.children, self.siblings = [], []
        self.ordered = None  # of the loop it is in: the last ordered region
        self.lane = None  # of a simd loop


class Truth:
    """racy: pairs of access statements that race; apart: pairs that would, but something keeps them apart.  times: how
    often each place and access is executed.  is_valid: no variable of a block is accessed after its end.  is_short: a team has
    too few threads for the tool to see everything, which it has to say."""

    def __init__(self, program):
        self.before, self.accesses, self.blocks, self.times, self.ends, self.ninstances = [], [], [], {}, {}, 0
        self.levels, self.alone, self.is_short = program.levels, set(), False
        self.run(program.body, Region(self.node(), Team(), {}))
        self.judge()

    # ---- the graph ----

    def node(self, *after):
        bits = 0
        for a in after:
            bits |= self.before[a] | 1 << a
        self.before.append(bits)
        return len(self.before) - 1

    def is_before(self, a, b):
        return self.before[b] >> a & 1

    def run(self, block, region):
        for s in block:
            getattr(self, "run_" + s.kind)(s, region)

    def run_place(self, s, region):
        self.times[s] = self.times.get(s, 0) + 1

    def run_access(self, s, region):
        self.run_place(s, region)
        at = s.index and eval(s.index, {}, region.env)  # a number, a variable of a loop, or that plus 1
        for how in "rw" if region.lane and s.how == "u" else s.how:
            if region.lane and how == "w":
                region.lane.write(s.var, region)
            region.now = self.node(region.now)
            self.accesses.append((region.now, s, (s.var, region.env.get(s.var), at), how))

    def run_own(self, s, region):
        """Each thread has its own."""

    def run_block(self, s, region):
        self.run(s.body, region)

    def run_only(self, s, region):
        if region.env[region.env["innermost"]] == s.at:
            self.run(s.body, region)

    def run_local(self, s, region):
        outer = region.env
        region.env = self.instance(s.name, outer)
        self.run_access(s.init, region)
        if s.waits == "taskgroup":
            self.run_taskgroup(s, region)
        else:
            self.run(s.body, region)
        if s.waits == "taskwait":
            self.run_taskwait(s, region)
        if s.freed:
            self.run_access(s.freed, region)
        self.leave(s.name, region)
        region.env = outer

    def run_locked(self, s, region):
        first = region.now = self.node(region.now)
        self.run(s.body, region)
        region.now = self.node(region.now)
        self.blocks.append(((region.team.group, s.lock), first, region.now))

    # ---- variables that come and go ----

    def instance(self, name, env):
        self.ninstances += 1
        return {**env, name: self.ninstances}

    def leave(self, name, region):
        region.now = self.node(region.now)
        self.ends[name, region.env[name]] = region.now

    def inside(self, s, env):
        """What a construct's block sees."""
        return self.instance(s.private.var, env) if "private" in s else env

    def outside(self, s, region, *words):
        """What its clause does to the variable outside, if it is one of these."""
        if "private" in s and s.private.word in words:
            self.run_access(s.private.outer, region)

    # ---- tasks ----

    def task(self, region, body, depends, is_undeferred, is_final, team=None):
        created = region.now = self.node(region.now)
        before = self.predecessors(region, depends)
        child = Region(self.node(created, *before), team or region.team, region.env, [] if team else region.groups, is_final)
        first = child.now
        self.run(body, child)
        end = self.node(child.now, *(team.ends if team else []))
        self.blocks += [((region, at), first, end) for kind, at in depends if kind == "mutexinoutset"]
        region.siblings.append((depends, end))
        region.children.append(end)
        for waiting in (region.team.ends, *region.groups):
            waiting.append(end)
        if is_undeferred or (region.team.n == 1 and not team):
            region.now = self.node(created, end)

    @staticmethod
    def predecessors(region, depends):
        together = (("in", "in"), ("mutexinoutset", "mutexinoutset"))
        return [end for others, end in region.siblings
                if any(at == other and (kind, how) not in together for kind, at in depends for how, other in others)]

    def run_task(self, s, region):
        if s.copied.kind == "access":
            self.run_access(s.copied, region)
        else:
            self.run_place(s.copied, region)
        is_final = region.is_final or "final(1)" in s.flags
        self.task(region, s.body, s.depends, region.is_final or "if(0)" in s.flags, is_final)

    def run_target(self, s, region):
        self.task(region, s.body, s.depends, region.is_final or "nowait" not in s.flags, False, Team(1, region.team.active, group=region.team.group))

    def run_taskwait(self, s, region):
        region.now = self.node(region.now, *region.children)

    def run_taskwait_depend(self, s, region):
        region.now = self.node(region.now, *self.predecessors(region, s.depends))

    def run_taskgroup(self, s, region):
        group = []
        region.groups.append(group)
        self.run(s.body, region)
        region.groups.pop()
        region.now = self.node(region.now, *group)

    def run_taskloop(self, s, region):
        group = []
        region.groups.append(group)
        for part in together(s.count, *s.grain):
            bodies = [Iteration(s.body, {**region.env, s.i: i, "innermost": s.i}) for i in part]
            self.task(region, bodies, [], region.is_final or "if(0)" in s.flags, region.is_final)
        region.groups.pop()
        if not s.nogroup:
            region.now = self.node(region.now, *group)

    def run_iteration(self, s, region):
        outer, region.env = region.env, s.env
        self.run(s.body, region)
        region.env = outer

    # ---- teams ----

    def run_parallel(self, s, region):
        """A team of one thread has no order but that of its text: its tasks are on that thread too."""
        n = 1 if self.levels and region.team.active >= self.levels else min(s.n, region.team.limit or s.n)
        self.outside(s, region, "firstprivate")
        begin, team = self.node(region.now), region.team.inner(n)
        threads = [Region(begin, team, self.inside(s, region.env)) for _ in range(n)]
        items, static, phase = [], {}, Phase(n)
        for inner in s.body:
            self.is_short |= phase.meets(inner)
            if inner.kind in ("for", "sections", "single"):
                self.item(inner, threads, items, static, lambda: Region(begin, team, region.env) if n > 1 else threads[0])
            elif inner.kind == "master":
                self.run(inner.body if inner.filter < n else [], threads[inner.filter % n])
            elif inner.kind != "barrier":
                for t in threads:
                    self.run([inner], t)
            if inner.has_barrier():
                begin = self.node(*(t.now for t in threads + items), *team.ends)
                items, static, phase = [], {}, Phase(n)
                for t in threads:
                    t.now = begin
        if "private" in s:
            for t in threads:
                self.leave(s.private.var, t)
        region.now = self.node(*(t.now for t in threads + items), *team.ends)
        self.combine(s, team, region)

    def combine(self, s, team, region):
        """With gcc a thread that is alone in its team takes a lock, which looks like an atomic update (docs/openmp.md)."""
        if "private" in s and s.private.word == "reduction":
            self.run_access(s.private.outer, region)
            if team.n == 1:
                self.alone.add(s.private.outer)

    def item(self, s, threads, items, static, new):
        """Each block that one thread executes."""
        if s.kind != "single":
            for t in threads:
                self.outside(s, t, "firstprivate")
        if s.kind == "for":
            last = self.loop(s, items, static, new, threads[0].now)
        else:
            for body in [b.body for b in s.body] if s.kind == "sections" else [s.body]:
                items.append(last := new())
                if s.kind == "single":
                    self.outside(s, last, "firstprivate")
                self.run_private(s, body, {}, last)
        self.outside(s, last, "lastprivate")
        items.append(new())
        self.combine(s, items[-1].team, items[-1])

    def run_private(self, s, body, env, region):
        """A block of a construct in an environment of its own."""
        outer = region.env
        region.env = {**self.inside(s, outer), **env}
        self.run(body, region)
        if "private" in s:
            self.leave(s.private.var, region)
        region.env = outer

    def loop(self, s, items, static, new, zero):
        """Returns who has the last iteration; zero: what thread 0 did before."""
        kind, chunk = s.schedule
        is_static, last = kind in ("static", ""), [None]
        iterations = s.a.get("iterations", range(s.count))
        for k in range(0, len(iterations), chunk or 1):
            key = (len(iterations), chunk, k)
            thread = static.get(key) if is_static else None
            if not thread:
                items.append(thread := new())
            if is_static:
                static[key] = thread
            if is_static and chunk and k == 0 and not s.a.get("ordered"):
                thread.now = self.node(thread.now, zero)
            thread.ordered = last
            for i in iterations[k:k + (chunk or 1)]:
                env = {s.i: i // 2, s.j: i % 2, "innermost": s.j} if s.j else {s.i: i, "innermost": s.i}
                self.run_private(s, s.body, env, thread)
        return thread

    def run_ordered(self, s, region):
        region.now = self.node(region.now, *(n for n in region.ordered if n is not None))
        self.run(s.body, region)
        region.now = self.node(region.now)
        region.ordered[0] = region.now

    def run_simd(self, s, region):
        self.run_lanes(s, range(s.count), region)

    def run_lanes(self, s, iterations, region):
        begin, ends, last = region.now, [], {}
        for i in iterations:
            lane = Region(begin, region.team, region.env)
            lane.lane = Lane(self, last, region.env)
            body = [part for k, inner in enumerate(s.body) for part in (inner, StatementEnd(k))]
            self.run_private(s, body, {s.i: i, "innermost": s.i}, lane)
            ends.append(lane.now)
        region.now = self.node(*ends)

    def run_statement_end(self, s, region):
        region.lane.end(s.number, region)

    # ---- leagues ----

    def run_teams(self, s, region):
        self.outside(s, region, "firstprivate")
        begin, ends = self.node(region.now), []
        for k in range(s.n):
            first = Region(begin, Team(1, region.team.active, (k, s.n), s.limit, None if k else region.team.group), region.env)
            self.run_private(s, s.body, {}, first)
            ends += [first.now, *first.team.ends]
        region.now = self.node(*ends)
        self.outside(s, region, "reduction")

    def run_distribute(self, s, region):
        at, n = region.team.at
        size = s.chunk or s.count // n
        mine = [i for i in range(s.count) if i // size % n == at]
        if "parallel" in s.what:
            loop = Statement("for", s.body, {**s.a, "iterations": mine, "j": "", "nowait": False})
            self.run_parallel(Statement("parallel", [loop], {"n": s.n}), region)
            return
        self.outside(s, region, "firstprivate")
        if "simd" in s.what:
            for k in range(0, len(mine), size):
                self.run_lanes(s, mine[k:k + size], region)
            return
        for i in mine:
            self.run_private(s, s.body, {s.i: i, "innermost": s.i}, region)

    # ---- races ----

    def is_excluded(self, a, b):
        def blocks(of):
            return [(lock, first) for lock, first, end in self.blocks if self.is_before(first, of) and self.is_before(of, end)]
        return any(x == y and first != second for x, first in blocks(a) for y, second in blocks(b))

    @staticmethod
    def commute(s, t):
        """Two updates, or two stores of the same constant: `snag cc` marks them, except atomic stores."""
        return s.how == t.how == "u" or (s.how == t.how == "w" and not s.is_atomic and not t.is_atomic)

    def judge(self):
        self.racy, self.apart = set(), set()
        for k, (a, s, where, how) in enumerate(self.accesses):
            for b, t, other, also in self.accesses[:k]:
                if where != other or how == also == "r" or self.is_before(a, b) or self.is_before(b, a):
                    continue
                is_apart = (s.is_atomic and t.is_atomic) or self.is_excluded(a, b)
                (self.apart if is_apart else self.racy).add(frozenset((s, t)))
        self.is_valid = self.alone.isdisjoint(s for pair in self.racy | self.apart for s in pair) and \
            all(self.is_before(a, self.ends[where[:2]]) for a, _, where, _ in self.accesses if where[:2] in self.ends)

    def verdict(self):
        depends = any(not self.commute(min(p, key=id), max(p, key=id)) for p in self.apart)
        return "race" if self.racy else "no-race-found" if depends else "race-free"


class Lane:
    """An iteration of a simd loop.  last: by boundary between parts of its statements, which are two each, the node of the
    iteration before that stands for all before it."""

    def __init__(self, truth, last, env):
        self.truth, self.last, self.env, self.now, self.number = truth, last, env, 0, 0

    def passes(self, end, region):
        while self.now < end:
            before = [self.last[self.now]] if self.now in self.last else []
            region.now = self.last[self.now] = self.truth.node(region.now, *before)
            self.now += 1

    def write(self, var, region):
        if region.env.get(var) == self.env.get(var):  # else it is the iteration's own
            self.passes(2 * self.number + 1, region)

    def end(self, number, region):
        self.passes(2 * number + 2, region)
        self.number = number + 1


class StatementEnd:
    kind = "statement_end"

    def __init__(self, number):
        self.number = number


class Iteration:
    """One of a loop: its variables have these values."""
    kind = "iteration"

    def __init__(self, body, env):
        self.body, self.env = body, env


def partitions(count, sizes):
    if count == 0:
        yield []
    for n in sizes:
        if n <= count:
            for rest in partitions(count - n, sizes):
                yield [n, *rest]


def together(count, kind, n):
    """The iterations that are in one task however a taskloop may group them."""
    if kind == "grainsize":
        ways = list(partitions(count, range(min(n, count), 2 * n)))
    elif kind == "num_tasks":
        ways = [w for w in partitions(count, range(1, count + 1)) if len(w) == min(n, count)]
    else:
        ways = list(partitions(count, range(1, count + 1)))
    cuts = {sum(w[:k]) for w in ways for k in range(1, len(w))}
    edges = [0, *sorted(cuts), count]
    return [range(a, b) for a, b in zip(edges, edges[1:])]
