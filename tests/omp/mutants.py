#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants errors in the OpenMP runtime (src/omp), one at a time, and says how many random programs tell.

    tests/omp/mutants.py BUILD [NAME...]

Each is the build BUILD with one piece of a source replaced; check.py compares what it says of 300 programs with their
truth.  One that no program tells shows what they do not look at: exit status 1."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import planted

MUTANTS = {
    # name: (file, what, instead[, with which compiler])
    "taskwait-descendants": ("task", "t->has_body_ended = true;", "if (!t->is_part)\n\t\tmp_report(SNAG_OP_SYNC, 0);\n\tt->has_body_ended = true;"),
    "taskwait-nobody": ("task", "mp_report(SNAG_OP_SYNC, 0); /* [taskwait] */", ""),
    "taskwait-depend-nobody": ("task", "gets_report(t);\n\tmp_task_forget(t);", "mp_task_forget(t);"),
    "undeferred-goes-on": ("task", "mp_become(parent->id);\n\tmp_report(SNAG_OP_SYNC, 0);", "mp_become(parent->id);"),
    "final-forgotten": ("task", "t->is_undeferred = parent->is_final || ", "t->is_undeferred = "),
    "taskloop-grain": ("task", "count / 2 < size ? count : size", "1"),
    "taskloop-parts": ("task", "if (grain.is_strict || count > ONE_BY_ONE)", "if (true)"),
    "depend-out-as-in": ("depend", "p->kind == kind && kind != MP_DEPEND_OUT;", "p->kind == kind;"),
    "depend-in-as-out": ("depend", "is_same ? p->before : p->latest", "p->latest"),
    "mutexinoutset-free": ("depend", "if (depend[i].kind == MP_DEPEND_MUTEX)", "if (false)"),
    "mutexinoutset-everywhere": ("depend", ": mp_lock_new(at);", ": mp_lock_know(mp_lock_know(mp_lock_at(at)));"),
    "siblings-by-thread": ("team", "t->has_spawned = false;\n\tmp_depends_enter(t);\n\tmp.hooks->segment", "t->has_spawned = false;\n\tmp.hooks->segment"),
    "barrier-left-out": ("team", "mp_report(SNAG_OP_FINISH_END, 0);\n\tif (team->joined < team->n)\n\t\tmp_report(SNAG_OP_FINISH_BEGIN, 0);",
                         "if (team->joined == team->n)\n\t\tmp_report(SNAG_OP_FINISH_END, 0);"),
    "single-on-one-thread": ("deal", "if (!is_marked(t, number))", "if (true)"),
    "single-where-master-is": ("deal", "for (int i = 0; i < others; i++) {", "for (int i = 0; i < 0; i++) {"),
    "loops-on-any-thread": ("deal", "(!t->met.singles && !t->met.masked)", "true"),
    "master-on-any-thread": ("deal", "t->met.masked |= ", "t->met.masked &= "),
    "chunk-zero-anywhere": ("loop", "loop->has_zero && dealt->thread", "false"),
    "ordered-ignored": ("loop", "if (s && t->team->is_reported && s->last)", "if (false)"),
    "chunks-parallel": ("loop", ".chunk = schedule.chunk ? schedule.chunk : 1,", ".chunk = 1,"),
    "chunks-of-two": ("loop", ".chunk = schedule.chunk ? schedule.chunk : 1,", ".chunk = schedule.chunk ? schedule.chunk : 2,"),
    "static-forgotten": ("loop", "if (kept && kept->segment[chunk] && !t->knows_number)", "if (false)"),
    "static-all": ("loop", "s->count != loop->count || s->chunk != schedule->chunk", "s->cap < loop->nchunks"),
    "static-no-chunk": ("loop", "s->count != loop->count || s->chunk != schedule->chunk", "s->cap != loop->nchunks"),
    "distribute-ends-team": ("kmpc_loop", "if (t->team->nteams)", "if (false)", "clang"),
    "one-thread-shares-stack": ("team", "if (!team->is_reported)\n\t\treturn;\n\tmp_launch(true);",
                                "if (!team->is_reported) {\n\t\town_end();\n\t\treturn;\n\t}\n\tmp_launch(true);"),
    "one-thread-one-section": ("loop", "schedule.is_ordered || schedule.is_sections || doacross", "schedule.is_ordered || doacross"),
    "limit-of-each-region": ("team", "room > n ? room - n + 1 : room > 0", "room"),
    "teams-wait-for-each-other": ("team", "if (mp_team_is_alone(team)) {", "if (!team->is_reported) {", "clang"),
    "teams-share-locks": ("lock", "= mp_contention_group();", "= 0;"),
    "copies-seen": ("copies", "mp.hooks->unseen(c->at, begins ? c->nbytes : 0);", ";"),
    "copies-kept": ("copies", "mp.hooks->renewed(c->at, c->nbytes);", ";"),
    "locks-untold": ("lock", "if (!mp.hooks || !mp.launched)", "if (true)"),
}


def says(build, name):
    source, what, instead, *cc = MUTANTS[name]
    with tempfile.TemporaryDirectory() as folder:
        made = planted.compiled(build, name, (f"src/omp/{source}.c", what, instead), f"CMakeFiles/snag_omp.dir/src/omp/{source}.c.o", folder)
        libraries = planted.beside(build, folder, "omp")
        os.mkdir(libraries)
        subprocess.run(["objcopy", "--rename-section", ".text=snag_omp_text,alloc,load,readonly,code,contents",
                        "--redefine-sym", "memset=mp_memset", "--redefine-sym", "memcpy=mp_memcpy", made], check=True)
        for library in ("libomp.a", "libgomp.a"):
            to = os.path.join(libraries, library)
            with open(os.path.join(build, "lib", "snag", "omp", library), "rb") as f, open(to, "wb") as g:
                g.write(f.read())
            subprocess.run(["ar", "r", to, made], check=True)
        checked = subprocess.run([os.path.join(HERE, "check.py"), "--count", "--cc", *(cc or ["gcc"]), "--programs", "300", os.path.join(folder, "snag"), "1"],
                                 stdout=subprocess.PIPE, text=True, check=False).stdout
        if "differ: " not in checked:
            sys.exit(f"{name}: the programs did not run")
        return not checked.endswith("differ: 0\n"), checked.strip()


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:] or MUTANTS
    planted.report(names, lambda name: says(build, name))


main()
