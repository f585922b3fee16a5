# SPDX-License-Identifier: Apache-2.0
"""Planted errors: a build in which one piece of one source is another, for the lists of them (*/mutants.py)."""
import os
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def compile_flags(build, target):
    """As the build compiles an object, without the names of files."""
    for line in output("ninja", "-C", build, "-t", "commands", target).splitlines():
        if f"{target} -c" in line:
            words = shlex.split(line)
            return [w for w in words[:words.index("-o")] if not w.startswith("-M") and not w.endswith((".o", ".o.d"))]
    sys.exit(f"{build}: no command compiles {target}")


def compiled(build, name, mutant, target, folder):
    """The object of a source with `what` replaced by `instead`."""
    source, what, instead = mutant
    with open(os.path.join(ROOT, source), encoding="utf-8") as f:
        text = f.read()
    if text.count(what) != 1:
        sys.exit(f"{name}: '{what}' is {text.count(what)} times in {source}")
    changed = os.path.join(folder, os.path.basename(source))
    with open(changed, "w", encoding="utf-8") as f:
        f.write(text.replace(what, instead))
    made = os.path.join(folder, os.path.basename(target))
    subprocess.run([*compile_flags(build, target), "-w", "-I" + os.path.dirname(os.path.join(ROOT, source)), "-c", changed, "-o", made],
                   check=True, cwd=build)
    return made


def beside(build, folder, left_out):
    """Everything else that a build has, in the folder; returns where what was left out belongs."""
    shutil.copy(os.path.join(build, "snag"), folder)
    here = os.path.join(folder, "lib", "snag")
    os.makedirs(here)
    for entry in os.listdir(os.path.join(build, "lib", "snag")):
        if entry != left_out:
            os.symlink(os.path.join(build, "lib", "snag", entry), os.path.join(here, entry))
    return os.path.join(here, left_out)


def report(names, says):
    """says(name): whether it was found, and how; exit status 1 if one was not."""
    missed = []
    for name in names:
        found, how = says(name)
        print(name, "found" if found else "MISSED", how, flush=True)
        if not found:
            missed.append(name)
    sys.exit(1 if missed else 0)
