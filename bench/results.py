# SPDX-License-Identifier: Apache-2.0
"""What the scripts that write docs/results share: where and at which commit, rows of CSV, pages."""

import csv
import os
import subprocess
import textwrap

COLUMNS = 100


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        models = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    return f"{models[0] if models else 'unknown processor'}, {os.cpu_count()} cores"


def git(*words):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    return subprocess.run(["git", *words], cwd=root, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


def commit():
    """Of what is measured: results that were written since are no change of it."""
    name = git("describe", "--always", "--abbrev=10")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results")
    return name + ("-dirty" if changed else "") if name else "unknown"


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        to = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        to.writeheader()
        to.writerows(rows)


def wrapped(line):
    """A paragraph or list item in lines of at most COLUMNS; tables and headings as they are."""
    if len(line) <= COLUMNS or line.startswith(("|", "#", "!")):
        return [line]
    indent = "  " if line.startswith("- ") else ""
    return textwrap.wrap(line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def write(path, lines):
    """Writes a page. A paragraph is one line; code between fences is not wrapped."""
    out, is_code = [], False
    for line in "\n".join(lines).split("\n"):
        is_code ^= line.startswith("```")
        out += [line] if is_code else wrapped(line)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def part(path, mark):
    """The lines of a page before the line that begins a part of another script or hand, and from it on."""
    if not os.path.exists(path):
        return [], []
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    at = lines.index(mark) if mark in lines else len(lines)
    return lines[:at], lines[at:]
