#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of tasks for the oracle of tasks.c: tasks.py SEED COUNT > tasks_random.c

COUNT launches, each with variables of the file, variables of tasks and blocks of the heap whose
addresses go, or do not go, to functions, to a pointer that all tasks share, and to other tasks; and
with functions that main alone calls, or tasks too.  Which bytes race depends on that."""
import random
import sys

ELEMENTS = 4


class Case:
    def __init__(self, r, k):
        self.r, self.k = r, k
        self.calls_from_main = r.random() < 0.7
        self.calls_from_tasks = r.random() < 0.5
        self.helper_keeps = r.random() < 0.3
        self.tasks_write = r.random() < 0.4
        self.is_plain = r.random() < 0.5  # the address of s goes nowhere
        self.is_filled = r.random() < 0.5  # one task copies something to s

    def at(self, base):
        return f"{base}[{self.r.choice(['n & 3', *'0123'])}]"

    def statement(self, bases, depth, can_create):
        r, k = self.r, self.k
        what = r.random()
        base = r.choice(bases)
        given = r.choice([b for b in bases if not (self.is_plain and b == f"s{k}")])
        if what < 0.40:
            to = r.choice([b for b in bases if self.tasks_write or b not in (f"s{k}", f"c{k}")] or bases)
            return f"{self.at(to)} {r.choice(['=', '+='])} {self.at(base)} + 1;"
        if what < 0.55:
            return f"for (int i = 0; i < n; i++) sum += {base}[i & 3];"
        if what < 0.63 and self.calls_from_tasks:
            return f"helper{k}({given}, n);"
        if what < 0.70:
            return f"kept{k} = {given};"
        if what < 0.76:
            return f"if (kept{k}) {self.at(f'kept{k}')} {r.choice(['= 1', '+= n'])};"
        if what < 0.82:
            return f"memcpy({base}, {r.choice(bases)}, {r.choice(['16', '24', 'sizeof(long) * (size_t)(n & 3)'])});"
        if what < 0.84:
            return f"if ({self.at(base)} == 77) stop();"
        if what < 0.90 and can_create:
            return f"task(leaf{k}, {given});"
        if depth:
            return (f"if ({self.at(base)} > {r.randint(-1, 1)}) {{ " +
                    " ".join(self.statement(bases, depth - 1, can_create) for _ in range(r.randint(1, 2))) + " }")
        return f"sum += {self.at(base)};"

    def body(self, bases, can_create):
        return "\n\t".join(self.statement(bases, 2, can_create) for _ in range(self.r.randint(2, 5)))

    def text(self):
        r, k = self.r, self.k
        globals_ = [f"s{k}", f"t{k}"]
        keeps = f"kept{k} = p;" if self.helper_keeps else ""
        locals_ = [b for b in ("a", "m") if r.random() < 0.7]
        return f"""
static long s{k}[{ELEMENTS}], t{k}[{ELEMENTS}], *kept{k};
static __attribute__((noinline)) void helper{k}(long *p, int n) {{ p[n & 3]++; s{k}[1] += n; {keeps} }}
static void leaf{k}(void *arg)
{{
	long *p = arg, sum = 0;
	int n = number;
	{self.body([*globals_, "p"], False)}
	t{k}[3] = sum;
}}
static void body{k}(void *arg)
{{
	long *p = arg, sum = 0, a[{ELEMENTS}] = {{1, 2, 3, number}}, *m = calloc({ELEMENTS}, sizeof(long));
	int n = number;
	{self.body([*globals_, "p", *locals_], True)}
	out[0] = (char)(sum + a[n & 3] + m[n & 3]);
}}
static void fill{k}(void *arg) {{ {f"memcpy(s{k}, arg, 24);" if self.is_filled else ""} }}
static void first{k}(void *arg)
{{
	long a[{ELEMENTS}] = {{0}};
	for (int i = 0; i < 3; i++)
		task({r.choice([f"body{k}", f"leaf{k}"])}, {r.choice(["a", f"t{k}", f"t{k}" if self.is_plain else f"s{k}"])});
	task(body{k}, t{k});
	task(fill{k}, a);
}}
static void run{k}(void)
{{
	int n = number;
	s{k}[n & 3] = 1;
	{f"helper{k}({'t' if self.is_plain else 's'}{k}, n);" if self.calls_from_main else ""}
	{r.choice([f"kept{k} = s{k};", "", ""])}
	launch(first{k});
	s{k}[0] += t{k}[1];
}}"""


# What chance seldom makes.  Tables: one that a task copies to, one that a task writes by a pointer which main()
# has kept (nobody is to see that it is always the same one), and of those that functions are given, one of two that is
# written there, or written elsewhere and read there.  Copies that tasks are given: one that is kept and
# written by another task, and one that is none in the other call of the function, which may be one of its
# callers; and one of what another task writes.
FIXED = """
static long copied[4], given[4], set1[4], set2[4], sum1[4], sum2[4], shared[4], passed[4], source[4], *volatile kept, *volatile own;
static __attribute__((noinline)) void set(long *p) { p[number & 3] = 1; }
static __attribute__((noinline)) long sum_of(const long *p) { return p[number & 3] + p[0]; }
static void read_all(void *arg)
{
	long sum = sum_of(sum1) + sum_of(sum2);
	for (int i = 0; i < number; i++)
		sum += copied[i & 3] + given[i & 3];
	for (int i = 0; i < 4; i++)
		sum += set1[i] + set2[i];
	out[0] = (char)sum;
}
static void copy(void *arg) { memcpy(copied, arg, 24); }
static void write(void *arg) { kept[1] = sum2[number & 3] = 1; set(set1); set(set2); }
static void keep(void *arg) { ((long *)arg)[0]++; own = arg; }
static void write_kept(void *arg) { own[0]++; }
static void either(void *arg) { ((long *)arg)[1]++; }
static __attribute__((noinline)) void called(void *arg) { ((long *)arg)[1]++; }
static __attribute__((noinline)) void called_locally(void *arg) { ((long *)arg)[2]++; }
static void call(void *arg) { called(arg); }
static void call_locally(void *arg) { long a[4] = {number}; called_locally(a); out[0] = (char)a[2]; }
static void set_source(void *arg) { source[number & 3] = 1; }
static void first_fixed(void *arg)
{
	long a[4] = {0};
	task(read_all, a);
	task(copy, a);
	task(write, a);
	snag_async_copy(keep, a, sizeof(a));
	task(write_kept, a);
	snag_async_copy(either, a, sizeof(a));
	task(either, shared);
	task(either, shared);
	snag_async_copy(called, a, sizeof(a));
	task(call, passed);
	task(call, passed);
	snag_async_copy(called_locally, a, sizeof(a));
	task(call_locally, a);
	snag_async_copy(called_locally, source, sizeof(source));
	task(set_source, a);
}"""


def main():
    r = random.Random(int(sys.argv[1]))
    cases = [Case(r, k) for k in range(int(sys.argv[2]))]
    print('#include "tasks.h"\n#include <stdlib.h>\n#include <string.h>\n'
          "_Noreturn void stop(void);\nextern volatile int number;\nextern char out[];")
    for case in cases:
        print(case.text())
    print(FIXED + "\nint main(void)\n{\n\tcopied[number & 3] = given[number & 3] = set1[number & 3] = sum1[number & 3] = 1;\n\tkept = given;\n\tlaunch(first_fixed);")
    for case in cases:
        print(f"\trun{case.k}();")
    print("\treturn 0;\n}")


main()
