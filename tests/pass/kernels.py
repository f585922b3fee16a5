#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels for the footprint oracle (footprint.c): kernels.py SEED COUNT > kernels.c

Loop nests with affine and other subscripts, of all element sizes, upward and downward, with
conditions, early ends, triangular and empty loops, calls with and without synchronisation.
Some places come again and again; the last kernel ends the program in the middle of a step.
Every subscript stays inside its array: what is computed does not matter, which bytes are
touched does."""
import random
import sys

TYPES = ["char", "short", "int", "float", "double", "long", "struct pair"]
PART = {"struct pair": [".a", ".b"]}
ELEMENTS = 512  # of an array; its middle is subscript 0

# What random kernels seldom are, called with n < m, n > m, and 0.
FIXED = [
    "for (int i = 0; i < n; i++) { x2[i + 100] = i; if (i == m) break; x2[i + 300] = i; }",  # between two ends
    "for (int i = 0; i < n; i++) x3[m + 50] = i;",  # one place, or none
    "for (int i = 0; i < n; i++) x2[2 * i + 100] = x2[2 * i + 101];",  # a write, a read behind it
    "for (int i = 0; i < n; i++) { x2[i + 100] = i; x2[2 * i + 100] = n; }",  # other steps
    "for (int i = 0; i < n; i++) { x6[i + 50].a = i; x6[i + 50].b = i; }",  # a gap
    "long s = 0; for (int i = 0; i < n; i++) s += *(char *)&x5[i + 50] + x5[i + 50]; x5[0] = s;",  # a part first
    "x0[200] = n; step(); x0[201] = m;",  # parts of a word: in two steps, in two blocks, the second first
    "x0[202] = n; if (m > 4) x0[203] = m; step();",
    "x0[205] = n; x0[204] = m; x0[206] = n + x0[207];",
    # an access group of the program's own
    "_Pragma(\"clang loop vectorize(assume_safety)\") for (int i = 0; i < n; i++) x2[x2[i] + i + 100] = m;",
]


def subscript(r, loops):
    if r.random() < 0.2:  # the same each time
        return r.choice([str(ELEMENTS // 2 + r.randint(0, 1)), "9 - n"])
    text = str(ELEMENTS // 2 + r.randint(-40, 40))
    long = r.choice(["L", ""])  # of int: what overflows is undefined
    for v in loops:
        c = r.choice([0, 1, 1, 1, 2, 3, -1, -2, 5])
        if c:
            text += f" {'+' if c > 0 else '-'} {abs(c)}{long} * {v}"
    if loops and r.random() < 0.1:
        text = f"({text} + {r.choice(loops)} * {r.choice(loops)}) % {ELEMENTS}"
    return text


def element(r, loops):
    k = r.randrange(len(TYPES))
    return f"x{k}[{subscript(r, loops)}]" + r.choice(PART.get(TYPES[k], [""]))


def bound(r, loops):
    return r.choice([str(r.randint(0, 9)), "n", "m", "n - 2"] + loops)


def statement(r, loops, depth, indent):
    pad = "\t" * indent
    what = r.random()
    if what < 0.45 or depth == 0:
        op = r.choice(["=", "=", "+="])
        return f"{pad}{element(r, loops)} {op} {element(r, loops)} + 1;\n"
    if what < 0.75:
        v = f"i{len(loops)}"
        head = r.choice([f"int {v} = 0; {v} < {bound(r, loops)}; {v}++",
                         f"int {v} = {bound(r, loops)}; {v} > 0; {v}--",
                         f"int {v} = 1; {v} <= {bound(r, loops)}; {v} += {r.choice([1, 2, 3])}",
                         f"unsigned {v} = 0; {v} < {r.randint(0, 9)}; {v}++",
                         f"long {v} = 0; {v} < n; {v}++"])
        return (f"{pad}for ({head}) {{\n" + block(r, loops + [v], depth - 1, indent + 1) + f"{pad}}}\n")
    if what < 0.85:
        what = r.choice([element(r, loops), element(r, loops), "n", "m"])
        return (f"{pad}if ({what} {r.choice('><')} {r.randint(-1, 2) if 'x' in what else r.randint(1, 8)}) {{\n" +
                block(r, loops, depth - 1, indent + 1) + f"{pad}}}\n")
    if what < 0.90 and loops:
        return f"{pad}if ({element(r, loops)} == 77) break;\n"
    if what < 0.94:
        return f"{pad}{r.choice(['quiet', 'quiet', 'loud'])}({r.randint(0, 9)}{''.join(' + ' + v for v in loops)});\n"
    if what < 0.96:
        return f"{pad}step();\n"
    if what < 0.98:
        return f"{pad}{{ double t = sqrt(x4[{subscript(r, loops)}]); x4[{subscript(r, loops)}] = t; }}\n"
    return f"{pad}x6[{subscript(r, loops)}] = x6[{subscript(r, loops)}];\n"


def block(r, loops, depth, indent):
    return "".join(statement(r, loops, depth, indent) for _ in range(r.randint(1, 3)))


def main():
    r = random.Random(int(sys.argv[1]))
    print("#include <math.h>\n#include <stdlib.h>\nstruct pair { int a; double b; };\nextern char memory[1 << 16];\n"
          "void step(void);\nvoid kernels(void);")
    for k, t in enumerate(TYPES):
        print(f"#define x{k} (({t} *)(memory + {k * 9216}))")
    print("static __attribute__((noinline)) void quiet(int i) { x2[i + 100]++; }")
    print("static __attribute__((noinline)) void loud(int i) { x2[i + 100]++; step(); x3[i + 100]++; }")
    for k in range(int(sys.argv[2])):
        seen = "static " if k % 2 else ""  # then the compiler knows n and m
        print(f"{seen}__attribute__((noinline)) void kernel{k}(int n, int m)\n{{\n" +
              block(r, [], 4, 1) + "}")
    places = [f"x{k}[{r.randint(0, ELEMENTS - 1)}]" for k in range(6)]
    print("static __attribute__((noinline)) void last(int n)\n{\n\tint sum = n;\n" +
          "".join(f"\tsum += {p} > 0;\n" for p in places) + "\tx2[0] = sum;\n\tif (n > 0)\n\t\texit(0);\n" +
          "".join(f"\t{p} = sum;\n" for p in places) + "}")
    for k, text in enumerate(FIXED):
        print(f"__attribute__((noinline)) void fixed{k}(int n, int m)\n{{\n\t{text}\n}}")
    print("void kernels(void)\n{")
    for k in range(int(sys.argv[2])):
        print(f"\tkernel{k}({r.randint(0, 9)}, {r.randint(0, 9)});\n\tstep();")
    for k in range(len(FIXED)):
        print("".join(f"\tfixed{k}({n});\n\tstep();\n" for n in ("5, 9", "9, 5", "0, 4")), end="")
    print("\tlast(1);\n}")


main()
