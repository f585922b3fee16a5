/* SPDX-License-Identifier: Apache-2.0
 *
 * effect.c - what a race does
 */
#include "cli/effect.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const cli_severity_text[CLI_SEVERITIES] = {
	[CLI_SEVERITY_UNKNOWN] = "unknown",	[CLI_SEVERITY_SAME] = "same output",
	[CLI_SEVERITY_OUTPUT] = "other output", [CLI_SEVERITY_STATUS] = "other exit status",
	[CLI_SEVERITY_HANG] = "does not end",	[CLI_SEVERITY_CRASH] = "crash",
};

struct caught {
	struct snag_replay_result result;
	int output;   /* a descriptor */
	off_t nbytes; /* in it */
};

void cli_turns_swap(struct snag_turns *turns)
{
	if (turns->n < 2)
		return;
	struct snag_turn last = turns->at[turns->n - 1];
	turns->at[turns->n - 1] = turns->at[turns->n - 2];
	turns->at[turns->n - 2] = last;
}

/* Runs the program without input, with its standard output in memory. */
static int run_caught(const struct snag_replay_plan *plan, struct caught *ret,
		      struct snag_error *err)
{
	struct stat st;
	int saved[3] = {dup(STDIN_FILENO), dup(STDOUT_FILENO), dup(STDERR_FILENO)};
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	ret->output = memfd_create("output", MFD_CLOEXEC);
	if (ret->output < 0 || saved[0] < 0 || saved[1] < 0 || saved[2] < 0 || nothing < 0)
		return snag_fail(err, SNAG_EIO, "no file for the output of the program");
	fflush(NULL);
	dup2(nothing, STDIN_FILENO);
	dup2(ret->output, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	int rc = snag_replay_run(plan, &ret->result, err);
	for (int fd = 0; fd < 3; fd++) {
		dup2(saved[fd], fd);
		close(saved[fd]);
	}
	close(nothing);
	ret->nbytes = fstat(ret->output, &st) == 0 ? st.st_size : 0;
	return rc;
}

static bool is_same_output(const struct caught run[2])
{
	enum { PIECE = 65536 };
	if (run[0].nbytes != run[1].nbytes)
		return false;
	char *a = snag_alloc(2 * PIECE), *b = a + PIECE;
	bool is_same = true;
	for (off_t at = 0; at < run[0].nbytes && is_same; at += PIECE) {
		ssize_t n = pread(run[0].output, a, PIECE, at);
		is_same = n > 0 && pread(run[1].output, b, (size_t)n, at) == n &&
			  memcmp(a, b, (size_t)n) == 0;
	}
	free(a);
	return is_same;
}

/* "exit status 3", "signal 11 (Segmentation fault)" */
static void status_words(int status, char *buf, size_t room)
{
	if (WIFSIGNALED(status))
		snprintf(buf, room, "signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(buf, room, "exit status %d", WEXITSTATUS(status));
}

static void compare(const struct caught run[2], struct cli_effect *ret)
{
	char words[2][80];
	int status[2] = {run[0].result.status, run[1].result.status};
	for (int i = 0; i < 2; i++)
		status_words(status[i], words[i], sizeof(words[i]));
	if (run[0].result.was_late || run[1].result.was_late) {
		ret->severity = CLI_SEVERITY_HANG;
		snprintf(ret->words, sizeof(ret->words),
			 "does not end in time with the %s access first",
			 run[0].result.was_late ? "first" : "second");
	} else if (!run[0].result.is_confirmed || !run[1].result.is_confirmed) {
		ret->severity = CLI_SEVERITY_UNKNOWN;
		snprintf(ret->words, sizeof(ret->words),
			 "the accesses come together in one order only");
	} else if (WIFSIGNALED(status[0]) || WIFSIGNALED(status[1])) {
		ret->severity = CLI_SEVERITY_CRASH;
		snprintf(ret->words, sizeof(ret->words),
			 "crash: %s with the first access first, %s with the second", words[0],
			 words[1]);
	} else if (status[0] != status[1]) {
		ret->severity = CLI_SEVERITY_STATUS;
		snprintf(ret->words, sizeof(ret->words),
			 "other exit status: %d with the first access first, %d with the second",
			 WEXITSTATUS(status[0]), WEXITSTATUS(status[1]));
	} else if (!is_same_output(run)) {
		ret->severity = CLI_SEVERITY_OUTPUT;
		snprintf(ret->words, sizeof(ret->words),
			 "other output, depending on which access is first");
	} else {
		ret->severity = CLI_SEVERITY_SAME;
		snprintf(ret->words, sizeof(ret->words),
			 "same output and exit status in both orders");
	}
}

int cli_effect_find(const struct snag_replay_plan *plan, struct cli_effect *ret_effect,
		    struct snag_error *err)
{
	struct caught run[2] = {{.output = -1}, {.output = -1}};
	struct snag_turns *turns = (struct snag_turns *)plan->turns; /* and back */
	struct snag_replay_plan how = *plan;
	how.is_quiet = how.stops = false;
	how.on_held = NULL;
	int rc = run_caught(&how, &run[0], err);
	if (rc == 0) {
		cli_turns_swap(turns);
		rc = run_caught(&how, &run[1], err);
		cli_turns_swap(turns);
	}
	if (rc == 0)
		compare(run, ret_effect);
	for (int i = 0; i < 2; i++)
		if (run[i].output >= 0)
			close(run[i].output);
	return rc;
}
