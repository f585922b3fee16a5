/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_doctor.c - `snag doctor`: does snag work on this machine?
 *
 * Each check tests a condition that `snag cc` and `snag run` need.  The last checks build a program
 * with a race and find it.  If they fail, the others say what to do.
 */
#include "cli/command.h"
#include "cli/self.h"

#include "base/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum outcome { GOOD, WARNING, BAD };

struct doctor {
	char folder[SNAG_TEMPORARY_MAX];
	int bad;
};

static void say(struct doctor *d, enum outcome outcome, const char *what, const char *advice)
{
	static const char *const word[] = {"ok", "note", "BAD"};
	printf("%-4s  %s%s%s\n", word[outcome], what, outcome == GOOD ? "" : ": ",
	       outcome == GOOD ? "" : advice);
	d->bad += outcome == BAD;
}

static bool works(const char *compiler)
{
	return cli_run_quietly((char *[]){(char *)compiler, "--version", NULL}) == 0;
}

static void look_at_machine(struct doctor *d)
{
	struct statvfs room;
	struct rlimit processes;
	bool has_gcc = works("gcc"), has_clang = works("clang");
	say(d, has_gcc || has_clang ? GOOD : BAD, "a compiler: gcc or clang",
	    "install gcc (apt-get install gcc)");
	say(d, has_clang ? GOOD : WARNING, "clang, for the pass that makes checks cheap",
	    "install clang; without it snag cc uses gcc");
	say(d, works("gdb") ? GOOD : WARNING, "gdb, for snag replay --gdb", "install gdb");
	int kept = personality(0xffffffff);
	bool can_fix = kept >= 0 && personality((unsigned long)kept | ADDR_NO_RANDOMIZE) >= 0;
	if (can_fix)
		personality((unsigned long)kept);
	say(d, can_fix ? GOOD : WARNING, "addresses can be the same in every run",
	    "the system forbids personality(2); in a container, allow it in its seccomp profile");
	const char *tmp = getenv("TMPDIR");
	bool has_room = statvfs(tmp ? tmp : "/tmp", &room) == 0 &&
			(double)room.f_bavail * (double)room.f_frsize > 1e9;
	say(d, has_room ? GOOD : WARNING, "1 GB of room for traces",
	    "free some, or set TMPDIR to a folder that has it");
	bool has_shared = statvfs("/dev/shm", &room) == 0;
	say(d, has_shared ? GOOD : WARNING, "/dev/shm, for programs that share memory",
	    "mount a tmpfs there");
	bool has_processes = getrlimit(RLIMIT_NPROC, &processes) == 0 &&
			     (processes.rlim_cur == RLIM_INFINITY || processes.rlim_cur > 256);
	say(d, has_processes ? GOOD : WARNING, "room for threads", "raise ulimit -u");
}

static const char racy[] = "#include <pthread.h>\n"
			   "static int counter;\n"
			   "static void *work(void *u) { counter++; return u; }\n"
			   "int main(void)\n"
			   "{\n"
			   "\tpthread_t t;\n"
			   "\tpthread_create(&t, NULL, work, NULL);\n"
			   "\tcounter++;\n"
			   "\treturn pthread_join(t, NULL);\n"
			   "}\n";

/* Builds a program with a race and finds it. */
static void try_it(struct doctor *d, char *compiler)
{
	char source[SNAG_TEMPORARY_MAX + 16], program[SNAG_TEMPORARY_MAX + 16], words[100];
	snprintf(source, sizeof(source), "%s/race.c", d->folder);
	snprintf(program, sizeof(program), "%s/race", d->folder);
	FILE *f = fopen(source, "w");
	bool is_written = f && fputs(racy, f) >= 0;
	if (f)
		is_written &= fclose(f) == 0;
	setenv("SNAG_CC", compiler, 1);
	bool is_built = is_written && cli_run_quietly((char *[]){"snag", "cc", "-g", "-o", program,
								 source, "-pthread", NULL}) == 0;
	unsetenv("SNAG_CC");
	snprintf(words, sizeof(words), "snag cc builds a program with %s", compiler);
	say(d, is_built ? GOOD : BAD, words, "run snag cc -v on a small program to see why");
	int status = is_built ? cli_run_quietly((char *[]){"snag", "run", program, NULL}) : -1;
	snprintf(words, sizeof(words), "snag run finds its race");
	if (is_built)
		say(d, status == CLI_RACES ? GOOD : BAD, words,
		    "run snag run on a small program to see why");
	unlink(source);
	unlink(program);
}

static int doctor_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct doctor d = {.bad = 0};
	(void)values;
	(void)operand;
	int rc = snag_temporary_make(d.folder, err);
	if (rc < 0)
		return rc;
	look_at_machine(&d);
	if (works("gcc"))
		try_it(&d, "gcc");
	if (works("clang"))
		try_it(&d, "clang");
	snag_temporary_remove(d.folder);
	printf(d.bad ? "snag does not work here yet\n" : "snag works here\n");
	return d.bad ? CLI_BAD : CLI_OK;
}

const struct cli_command cli_command_doctor = {
	.name = "doctor",
	.summary = "check that snag works on this machine",
	.operands = "",
	.about = "Looks for compilers and what else snag needs, builds a small program with a\n"
		 "race, and finds it.  The exit status is 2 if something does not work.\n",
	.run = doctor_run,
};
