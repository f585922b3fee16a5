# SPDX-License-Identifier: Apache-2.0
"""What the checks with random C programs of threads have in common: their options, building a
program, and going through the programs until there are enough or the time is up.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time


def options(cc, levels):
    """The parser of the common options; `cc` and `levels` are their defaults."""
    o = argparse.ArgumentParser()
    o.add_argument("--programs", type=int, default=20)
    o.add_argument("--first", type=int, default=0)
    o.add_argument("--cc", default=cc)
    o.add_argument("--levels", default=levels)
    o.add_argument("--seconds", type=float, default=1e9, help="begin no program after that")
    o.add_argument("--keep", help="write the programs that fail to this folder")
    o.add_argument("snag", type=os.path.abspath)
    o.add_argument("seed", type=int)
    return o


def main_of(threads):
    """The lines of main() that create and join the threads t0, t1, ..."""
    return (["int main(void)", "{", f"pthread_t t[{len(threads)}];"] +
            [f"pthread_create(&t[{i}], 0, t{i}, 0);" for i in range(len(threads))] +
            [f"pthread_join(t[{i}], 0);" for i in range(len(threads))])


class Program:
    """A program in a folder of its own, and what is wrong with it."""

    def __init__(self, o, folder, number, text):
        self.o, self.folder, self.number, self.text = o, folder, number, text
        self.wrong = 0
        with open(os.path.join(folder, "prog.c"), "w") as f:
            f.write(text)

    def build(self, cc, level, *flags):
        subprocess.run([self.o.snag, "cc", level, "-g", "-w", *flags, "-pthread", "-o", "prog",
                        "prog.c"], cwd=self.folder, check=True,
                       env=dict(os.environ, SNAG_CC=cc))

    def report(self, cc, level, wrong):
        """Prints a line for each thing that is wrong with this build."""
        for line in wrong:
            print(f"program {self.number}, {cc} {level}: {line}", flush=True)
        self.wrong += len(wrong)
        if wrong and self.o.keep:
            os.makedirs(self.o.keep, exist_ok=True)
            with open(os.path.join(self.o.keep, f"{self.number}.c"), "w") as f:
                f.write(self.text)


def drive(o, tally, make, check):
    """Checks o.programs programs.  make(number, seed) returns (text, expected), or None to leave the
    program out; check(program, expected) builds and runs it, and reports what is wrong.  Both add
    to the tally.  Returns the status of the process."""
    number, end = o.first, time.monotonic() + o.seconds
    tally = {"programs": 0, **tally, "wrong": 0}
    while tally["programs"] < o.programs and time.monotonic() < end:
        made = make(number, o.seed * 1000003 + number)
        number += 1
        if made is None:
            continue
        text, expected = made
        tally["programs"] += 1
        with tempfile.TemporaryDirectory() as folder:
            program = Program(o, folder, number - 1, text)
            for key, n in check(program, expected).items():
                tally[key] += n
            tally["wrong"] += program.wrong
    print(", ".join(f"{k} {v}" for k, v in tally.items()))
    return tally["wrong"] > 0
