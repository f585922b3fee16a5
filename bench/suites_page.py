#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns what bench/suites.py measured into tables and plots, beside those of the papers.

    bench/suites_page.py FOLDER      suites.csv, suites-counts.csv -> suites.md, suites-*.svg
"""
import math
import os
import statistics
import sys

import plot
import results

# Jin et al., DRDP, Table 2: seconds, GB, height of the tree, checks, joins, tasks.
TABLE2 = {
    "health": (1.51, 31.99, 0.45, 11.64, 5, 49554260, 84975199, 2253510, 0, 2253511),
    "knapsack": (1.61, 8.00, 0.38, 4.40, 37, 3939935, 19699117, 1969965, 0, 1969966),
    "matmul": (2.52, 51.84, 0.06, 13.44, 7, 134231771, 268477586, 28086, 0, 28087),
    "sort": (0.99, 40.95, 0.18, 4.91, 15, 207671935, 261760850, 118205, 0, 118206),
    "strassen": (1.37, 39.97, 0.20, 26.12, 12, 123772570, 243307611, 29182, 16380, 45563),
    "sparselu": (2.46, 69.01, 0.04, 16.70, 4, 187379732, 362287128, 12416, 357760, 195521),
    "poisson": (1.56, 71.92, 0.80, 20.09, 4, 251658242, 654802935, 0, 122870, 106497),
}
FIGURE11 = {"health": 21.13, "knapsack": 4.96, "matmul": 20.53, "sort": 42.13, "strassen": 29.13,
            "sparselu": 28.07, "poisson": 46.10}
# Table 4: input; seconds, GB, reachability, write and read checks, without and with elimination.
TABLE4 = {
    "matmul": ("1024", (118.95, 74.77, 1.57e7, 1.68e7, 2.15e9), (10.45, 1.91, 1.57e7, 1.68e7, 3.36e7)),
    "strassen": ("512 16", (19.73, 12.88, 1.94e8, 4.10e6, 7.74e7), (5.93, 1.88, 3.26e7, 7.77e6, 1.52e7)),
    "poisson": ("7424 128 3", (214.85, 37.87, 1.93e9, 2.07e8, 1.36e9), (91.49, 16.56, 1.05e9, 2.07e8, 5.38e8)),
    "sparselu": ("128 32", (1137.68, 382.37, 9.94e8, 5.86e9, 1.20e10), (111.74, 16.70, 5.41e8, 1.87e8, 3.62e8)),
}
# Raman et al., ESP-bags, Table 3: tasks, seconds, slowdown without and with eliminations.
TABLE3 = {
    "crypt": (13000000, 15.24, 7.63, 7.29), "lufact": (1600000, 15.19, 12.45, 10.08),
    "moldyn": (510000, 45.88, 10.57, 3.93), "montecarlo": (300000, 19.55, 1.99, 1.57),
    "raytracer": (500, 38.85, 11.89, 9.48), "series": (1000000, 1395.81, 1.01, 1.00),
    "sor": (200000, 3.03, 14.99, 9.05), "sparse": (64, 13.59, 12.79, 2.73),
    "fannkuch": (1000000, 7.71, 1.49, 1.38), "fasta": (4, 1.39, 3.88, 3.73),
    "mandelbrot": (16, 11.89, 1.02, 1.02), "matmul_rows": (1000, 19.59, 6.43, 1.16),
}
KINDS = ("local", "dominated", "readonly", "invariant", "footprint", "joined")
TSANS = ("tsan clang", "tsan gcc")


class Runs:
    """What was measured, by part, program and variant."""

    def __init__(self, folder):
        self.by, self.counts, self.commits = {}, {}, {}
        for row in results.read(os.path.join(folder, "suites.csv")):
            self.by.setdefault((row["part"], row["program"], row["variant"]), []).append(row)
            self.commits.setdefault(row["part"], set()).add(row["commit"])
        for row in results.read(os.path.join(folder, "suites-counts.csv")):
            self.counts[row["part"], row["program"], row["name"]] = int(row["value"])

    def programs(self, part, names):
        return [n for n in names if any(key[:2] == (part, n) for key in self.by)]

    def done(self, part, program, variant):
        """Of its first size: another is run only where that did not end."""
        rows = self.by.get((part, program, variant), [])
        return [r for r in rows if r["end"] in ("0", "66") and r["size"] == rows[0]["size"]]

    def measured(self, *parts):
        found = sorted(set().union(*(self.commits.get(p, set()) for p in parts)))
        return f"Measured at commit {', '.join(found)}."

    def median(self, part, program, variant, field):
        found = [float(r[field]) for r in self.done(part, program, variant)]
        return max(statistics.median(found), 0.001) if found else None

    def memory(self, part, program, variant):
        return max((float(r["MB"]) for r in self.done(part, program, variant)), default=None)

    def spread(self, part, program, variant, field="cpu s"):
        found = [float(r[field]) for r in self.done(part, program, variant)]
        return (max(found) - min(found)) / max(statistics.median(found), 0.001) if found else None

    def slowdown(self, part, program, variant, field="cpu s", base="native"):
        one, other = self.median(part, program, base, field), self.median(part, program, variant, field)
        return other / one if one and other else None

    def said(self, part, program, variant):
        return next((r["said"] for r in self.by.get((part, program, variant), [])), "")

    def end(self, part, program, variant):
        """Of what was not done."""
        rows = self.by.get((part, program, variant), [])
        if not rows or rows[0]["end"] != "limit":
            return f"status {rows[0]['end']}" if rows else "not run"
        less = [f"; {r['size']}: {float(r['elapsed s']):.2f} s, {r['MB']} MB" for r in rows[1:] if r["end"] == "0"]
        return f"more than {float(rows[0]['elapsed s']):.0f} s" + "".join(less)

    def count(self, part, program, *names):
        return sum(self.counts.get((part, program, n), 0) for n in names)


def show(value, form="{:.2f}"):
    return "" if value is None else form.format(value)


def beside(ours, paper, form="{:,}"):
    return f"{show(ours, form)} ({show(paper, form)})"


def percent(value):
    return show(value, "{:.0%}")


def mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(map(str, r)) + " |" for r in rows), ""]


def tree_joins(r, part, p):
    return r.count(part, p, "async", "spawn")


def table2(r, folder):
    rows, programs = [], r.programs("paper", TABLE2)
    for p in programs:
        base, rd, base_gb, rd_gb, height, write, read, tree, non_tree, tasks = TABLE2[p]
        kinds = ("left", "of loops")
        rows.append((p, beside(r.median("paper", p, "native", "cpu s"), base, "{:.2f}"),
                     beside(r.median("paper", p, "all", "cpu s"), rd, "{:.2f}"),
                     beside(r.slowdown("paper", p, "all"), FIGURE11[p], "{:.1f}"),
                     percent(r.spread("paper", p, "all")),
                     beside(r.memory("paper", p, "native") / 1024, base_gb, "{:.2f}"),
                     beside((r.memory("paper", p, "all") or 0) / 1024, rd_gb, "{:.2f}"),
                     beside(r.count("paper", p, "tree height"), height),
                     beside(r.count("paper", p, *(k + ": writes" for k in kinds)), write),
                     beside(r.count("paper", p, *(k + ": reads" for k in kinds)), read),
                     beside(tree_joins(r, "paper", p), tree), beside(r.count("paper", p, "get"), non_tree),
                     beside(tree_joins(r, "paper", p) + 1, tasks), r.said("paper", p, "all")))
    slow = [r.slowdown("paper", p, "all") for p in programs]
    rows.append(("geometric mean", "", "", beside(mean(slow), mean(FIGURE11[p] for p in programs), "{:.1f}"),
                 *[""] * 10))
    plot.bars(os.path.join(folder, "suites-drdp.svg"), "drdp: slowdown at the paper's sizes (Figure 11 of Jin et al.)",
              programs, {"snag": slow, "paper": [FIGURE11[p] for p in programs]}, "x")
    return ["## drdp: Table 2 and Figure 11 of Jin et al.", "",
            r.measured("paper") + " The sizes are those of the paper. Figures in parentheses are those that the paper printed.", "",
            "- *Checks* are those executed with all eliminations. A range of a loop counts as one; the paper counts each of its "
            "elements.",
            "- A *tree join* is a task that a finish or sync waits for, a *non-tree join* a get. The paper counts a task "
            "whose result is got only as a non-tree join.",
            "", *table(("program", "base s", "drdp s", "slowdown", "spread", "base GB", "drdp GB", "height", "checks: writes",
                        "checks: reads", "tree joins", "non-tree joins", "tasks", "verdict"), rows),
            "![slowdown](suites-drdp.svg)", ""]


def table4(r):
    rows, part = [], "eliminations"
    for p in r.programs(part, TABLE4):
        kinds = [k for k in (*KINDS, "sequential", "left")]
        ours = [(r.median(part, p, "none", "cpu s"), r.memory(part, p, "none"),
                 *(r.count(part, p, *(f"{k}: {what}" for k in kinds)) for what in ("writes", "reads"))),
                (r.median(part, p, "all", "cpu s"), r.memory(part, p, "all"),
                 *(r.count(part, p, f"left: {what}", f"of loops: {what}") for what in ("writes", "reads")))]
        for name, (s, mb, write, read), (ps, pgb, _, pwrite, pread) in zip(("no", "yes"), ours, TABLE4[p][1:]):
            rows.append((p, name, show(s), show(mb, "{:.0f}"), f"{write:.2e}", f"{read:.2e}", TABLE4[p][0], ps, pgb,
                         f"{pwrite:.2e}", f"{pread:.2e}"))
        (s0, mb0, w0, r0), (s1, mb1, w1, r1) = ours
        (a0, b0, _, c0, d0), (a1, b1, _, c1, d1) = TABLE4[p][1:]
        rows.append((p, "no : yes", *(show(a / b if a and b else None, "{:.1f}") for a, b in
                                      ((s0, s1), (mb0, mb1), (w0, w1), (r0, r1))), "",
                     *(f"{a / b:.1f}" for a, b in ((a0, a1), (b0, b1), (c0, c1), (d0, d1)))))
    return ["## drdp: Table 4 of Jin et al., checks left out or not", "",
            r.measured(part) + " Ours have size `middle`. They run with all of the plugin's checks, or with those that its "
            "eliminations leave. Reachability is in suites-counts.csv.", "",
            *table(("program", "left out", "s", "MB", "writes", "reads", "paper: input", "s", "GB", "writes", "reads"), rows)]


def table3_paper(r):
    rows, part = [], "raman"
    programs = r.programs(part, TABLE3)
    for p in programs:
        tasks, seconds, without, with_all = TABLE3[p]
        rows.append((p, beside(r.count(part, p, "async", "spawn"), tasks),
                     beside(r.median(part, p, "native", "cpu s"), seconds, "{:.2f}"),
                     beside(r.slowdown(part, p, "none"), without, "{:.2f}"),
                     beside(r.slowdown(part, p, "all"), with_all, "{:.2f}"),
                     show(r.memory(part, p, "all"), "{:.0f}"), r.said(part, p, "all")))
    rows.append(("geometric mean", "", "",
                 *(beside(mean(r.slowdown(part, p, v) for p in programs), mean(TABLE3[p][i] for p in programs), "{:.2f}")
                   for v, i in (("none", 2), ("all", 3))), "", ""))
    return ["## espbags: Table 3 of Raman et al., at the sizes of the paper", "",
            r.measured(part) + " Sequential code is left out in both columns, as in the paper. In parentheses are the paper's "
            "figures (Java).", "",
            *table(("program", "tasks", "base s", "without eliminations", "with all", "MB", "verdict"), rows)]


def table3(r, folder):
    rows, part = [], "eliminations"
    programs = r.programs(part, TABLE3)
    for p in programs:
        tasks, seconds, without, with_all = TABLE3[p]
        rows.append((p, beside(r.count(part, p, "async", "spawn"), tasks),
                     beside(r.median(part, p, "native", "cpu s"), seconds, "{:.2f}"),
                     show(r.slowdown(part, p, "stock")), show(r.slowdown(part, p, "none")), show(without),
                     show(r.slowdown(part, p, "all")), show(with_all),
                     percent(max(r.spread(part, p, v) or 0 for v in ("native", "all"))),
                     show(r.memory(part, p, "all"), "{:.0f}"), r.said(part, p, "all")))
    means = [mean(r.slowdown(part, p, v) for p in programs) for v in ("stock", "none", "all")]
    papers = [mean(TABLE3[p][i] for p in programs) for i in (2, 3)]
    rows.append(("geometric mean", "", "", show(means[0]), show(means[1]), show(papers[0]), show(means[2]),
                 show(papers[1]), "", "", ""))
    series = {"none": [r.slowdown(part, p, "none") for p in programs]}
    series |= {k: [r.slowdown(part, p, k) for p in programs] for k in KINDS}
    series |= {"all": [r.slowdown(part, p, "all") for p in programs]}
    plot.bars(os.path.join(folder, "suites-espbags.svg"), "espbags: slowdown (Table 3 of Raman et al.)", programs,
              {"none": series["none"], "paper: none": [TABLE3[p][2] for p in programs],
               "all": series["all"], "paper: all": [TABLE3[p][3] for p in programs]}, "x")
    plot.bars(os.path.join(folder, "suites-eliminations.svg"),
              "espbags: each elimination alone (Figure 14 of Raman et al.)", programs, series, "x")
    lines = ["## espbags: Table 3 of Raman et al.", "",
             r.measured(part) + " Ours have size `middle`. In parentheses are the paper's tasks and seconds (Java, its sizes). "
             "*Compiler's checks* are those of clang's own pass (`-fno-snag-pass`). *None* and *all* are the plugin's checks "
             "with no elimination and with all.", "",
             *table(("program", "tasks", "base s", "compiler's checks", "none", "paper: none", "all", "paper: all", "spread",
                     "MB", "verdict"), rows), "![slowdown](suites-espbags.svg)", "",
             "## espbags: Figure 14 of Raman et al., each elimination alone", "",
             "Figures are slowdowns. All columns except *none* leave out sequential code, as the paper does. The paper has only a "
             "plot.", ""]
    lines += table(("program", *series), [(p, *(show(s[i]) for s in series.values())) for i, p in enumerate(programs)]
                   + [("geometric mean", *(show(mean(s)) for s in series.values()))])
    lines += ["![slowdown](suites-eliminations.svg)", "", "What happened to the checks, by number executed:", ""]
    kinds = ("left", "of loops", "local", "dominated", "sequential", "readonly", "invariant", "footprint", "joined")
    lines += table(("program", *kinds),
                   [(p, *(f"{r.count(part, p, k + ': reads', k + ': writes'):,}" for k in kinds))
                    for p in r.programs(part, (*TABLE3, *TABLE2))])
    return lines


def table5(r, folder):
    part, rows = "tools", []
    programs = r.programs(part, (*TABLE3, *TABLE2))

    def cell(p, variant, of=part):
        s, mb = r.median(of, p, variant, "elapsed s"), r.memory(of, p, variant)
        said = r.said(of, p, variant)
        if s is None:
            return r.end(of, p, variant)
        return f"{s:.2f} s, {mb:.0f} MB" + (f", {said}" if said.endswith("reports") else "")

    def is_better(p):
        words = []
        for word, of in (("slower", lambda v: r.median(part, p, v, "elapsed s")),
                         ("more CPU", lambda v: r.median(part, p, v, "cpu s")), ("larger", lambda v: r.memory(part, p, v))):
            others = [of(v) for v in TSANS if of(v)]
            if others and of("all") > min(others):
                words.append(f"{word}: {of('all') / min(others):.2f}")
        return ", ".join(words) or "yes"

    for p in programs:
        spread = max(r.spread(part, p, v, "elapsed s") or 0 for v in ("all", *TSANS))
        cpu = " / ".join(show(r.median(part, p, v, "cpu s")) or "-" for v in ("all", *TSANS))
        everywhere = " / ".join(show(r.median(part, p, v, "elapsed s")) or "-"
                                for v in ("openmp", *(f"{t}, all cores" for t in TSANS)))
        rows.append((p, *(cell(p, v) for v in ("native", "openmp", "all", *TSANS)), cpu, everywhere, is_better(p), percent(spread),
                     *(cell(p, v, "others") for v in ("archer", "helgrind"))))
    for field, name, unit in (("elapsed s", "time", " s"), ("MB", "memory", " MB")):
        values = {label: [r.median(of, p, v, field) if field != "MB" else r.memory(of, p, v) for p in programs]
                  for label, v, of in (("snag", "all", part), *((v, v, part) for v in TSANS),
                                       *((v, v, "others") for v in ("archer", "helgrind")))}
        plot.bars(os.path.join(folder, f"suites-tools-{name}.svg"), f"{name} of snag and of other tools, 4 threads, one core",
                  programs, values, unit)
    return ["## Beside other tools: Table 5 of Jin et al. and beyond", "", r.measured(part, "others") + " "
            "Size `middle`. Figures are elapsed seconds on one core, and memory. The programs have no races, so reports are "
            "false alarms.", "",
            "- The programs for the other tools are OpenMP tasks (bench/programs/openmp) with 4 threads: libomp for clang and "
            "Archer, libgomp for gcc and Helgrind.",
            "- ThreadSanitizer runs as in the paper (`report_bugs=0:ignore_noninstrumented_modules=1`). Archer is the same "
            "with libarcher.so and reports.",
            "- A program that takes longer than its limit runs at size `small`.",
            "- *CPU*: seconds of snag and of the two ThreadSanitizers.",
            "- *All cores*: elapsed seconds of the OpenMP program alone and under the two, with threads on all cores.",
            "- *Better*: whether snag is faster than both, by elapsed and by CPU time, and smaller, all on one core; otherwise by "
            "how much it is not.", "",
            *table(("program", "base, 1", "base, 4", "snag", *TSANS, "CPU", "all cores", "better", "spread", "archer", "helgrind"), rows),
            "![time](suites-tools-time.svg)", "", "![memory](suites-tools-memory.svg)", "",
            "The paper has only matmul of 128 x 128; on larger ones ThreadSanitizer did not end. With 4 threads, ThreadSanitizer "
            "took 45.8 ms (20.26 x) and 180 MB (34.91 x), and DRDP 17.6 ms (6.10 x) and 166 MB (33.65 x).", ""]


def mistakes(r):
    part, rows = "mistakes", []
    for p in r.programs(part, (*TABLE3, *TABLE2)):
        archer = r.said(part, p, "archer")
        rows.append((p, "found" if r.said(part, p, "all") == "races" else "**missed**",
                     "missed" if archer.startswith("0 ") else f"found ({archer.split()[0]})"))
    return ["## Mistakes", "", r.measured(part) + " Each program has size `small` and a mistake in its synchronisation (`-DMISTAKE=1`), and "
            "ran once. In parentheses is the number of reports.", "",
            *table(("program", "drdp", "Archer"), rows)]


def main(folder):
    r = Runs(folder)
    lines = ["# The task programs of the papers' tables: measurements", "",
             f"Made by `bench/suites.py build/snag docs/results` and `bench/suites_page.py docs/results` (part of `make bench`) "
             f"on {results.machine()}. Parts were made at other times (`--parts`); each names its commit. The data is in suites.csv "
             "and suites-counts.csv.", "",
             "- The programs are those of bench/programs/tasks, built with clang 14 -O2.",
             "- Figures are medians; a program that takes longer than 5 s runs once. *Spread* is slowest minus fastest, divided by "
             "the median.",
             "- A *slowdown* is the CPU time of `snag run`, which judges inside the process, divided by that of the program alone on "
             "one worker.",
             "- *Memory* is that of the largest process.",
             "- The papers measured on other machines. Table 3 of Jin et al. (order of searching) is in "
             "[task_traces.md](task_traces.md).", ""]
    for part, maker in (("paper", lambda: table2(r, folder)), ("eliminations", lambda: table4(r)),
                        ("raman", lambda: table3_paper(r)),
                        ("eliminations", lambda: table3(r, folder)), ("tools", lambda: table5(r, folder)),
                        ("mistakes", lambda: mistakes(r))):
        if any(key[0] == part for key in r.by):
            lines += maker()
    results.write(os.path.join(folder, "suites.md"), lines[:-1])


main(*sys.argv[1:])
