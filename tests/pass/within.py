#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether what footprint.c printed of one program lies within what it printed of others: every byte of
every step in one of them, and a write only where there is a write.

    within.py LESS MORE...      exit status 1, and where"""
import sys


def touched(path):
    with open(path, encoding="utf-8") as f:
        for step, kind, span in (line.split() for line in f):
            begin, end = map(int, span.split("-"))
            for at in range(begin, end):
                yield (step, at), kind


less, *more = (dict(touched(path)) for path in sys.argv[1:])
for where, kind in less.items():
    found = [m.get(where) for m in more]
    if kind not in found and "w" not in found:
        sys.exit(f"step {where[0]}, byte {where[1]}: {kind} in {sys.argv[1]}, not in {' or '.join(sys.argv[2:])}")
