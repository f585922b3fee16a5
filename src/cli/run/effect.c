/* SPDX-License-Identifier: Apache-2.0
 *
 * effect.c - the effect of a race: runs the program with the two accesses in either order and
 * compares
 */
#include "cli/run/effect.h"

#include "base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const cli_severity_text[CLI_SEVERITIES] = {
	[CLI_SEVERITY_UNKNOWN] = "unknown",
	[CLI_SEVERITY_SAME] = "same output",
	[CLI_SEVERITY_SAME_VALUE] = "same value",
	[CLI_SEVERITY_VALUE] = "other value",
	[CLI_SEVERITY_BRANCH] = "other branch",
	[CLI_SEVERITY_OUTPUT] = "other output",
	[CLI_SEVERITY_STATUS] = "other exit status",
	[CLI_SEVERITY_HANG] = "does not end",
	[CLI_SEVERITY_CRASH] = "crash",
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

/* The values that tell two runs apart: what a read sees when it is first or second; or what two
 * writes leave behind. */
struct seen {
	bool is_known;
	bool is_left;	   /* by two writes */
	uint64_t value[2]; /* with the first access first, with the second first */
};

static struct seen values_seen(const struct snag_replay_plan *plan, const struct caught run[2])
{
	enum { BEFORE, BETWEEN, BEHIND };
	const struct snag_replay_result *a = &run[0].result, *b = &run[1].result;
	struct seen seen = {.is_known = a->value_bytes && a->value_bytes == b->value_bytes};
	if (plan->access[0].is_write && plan->access[1].is_write) {
		seen.is_left = true;
		seen.value[0] = a->value[BEHIND];
		seen.value[1] = b->value[BEHIND];
	} else if (plan->access[0].is_write) {
		seen.value[0] = a->value[BETWEEN];
		seen.value[1] = b->value[BEFORE];
	} else {
		seen.value[0] = a->value[BEFORE];
		seen.value[1] = b->value[BETWEEN];
	}
	return seen;
}

/* Small numbers as such; what may be an address or negative, in hexadecimal. */
static void value_words(uint64_t value, char *buf, size_t room)
{
	enum { SMALL = 1000000000 };
	snprintf(buf, room, value < SMALL ? "%" PRIu64 : "%#" PRIx64, value);
}

/* "the read sees 512 with the first access first, 0 with the second" */
static void seen_words(const struct seen *seen, char *buf, size_t room)
{
	char value[2][32];
	for (int i = 0; i < 2; i++)
		value_words(seen->value[i], value[i], sizeof(value[i]));
	if (!seen->is_known)
		snprintf(buf, room, "what differs depends on which access is first");
	else if (seen->value[0] == seen->value[1])
		snprintf(buf, room, "%s %s in both orders",
			 seen->is_left ? "the variable ends as" : "the read sees", value[0]);
	else
		snprintf(buf, room, "%s %s with the first access first, %s with the second",
			 seen->is_left ? "the variable ends as" : "the read sees", value[0],
			 value[1]);
}

/* How both runs ended, if not in the same way. */
static enum cli_severity ends_compare(const struct caught run[2], char *words, size_t room)
{
	char end[2][80];
	int status[2] = {run[0].result.status, run[1].result.status};
	for (int i = 0; i < 2; i++)
		status_words(status[i], end[i], sizeof(end[i]));
	if (run[0].result.was_killed != run[1].result.was_killed) {
		snprintf(words, room, "does not end in time with the %s access first",
			 run[0].result.was_killed ? "first" : "second");
		return CLI_SEVERITY_HANG;
	}
	if (WIFSIGNALED(status[0]) || WIFSIGNALED(status[1])) {
		snprintf(words, room, "crash: %s with the first access first, %s with the second",
			 end[0], end[1]);
		return CLI_SEVERITY_CRASH;
	}
	if (status[0] != status[1]) {
		snprintf(words, room,
			 "other exit status: %d with the first access first, %d with the second",
			 WEXITSTATUS(status[0]), WEXITSTATUS(status[1]));
		return CLI_SEVERITY_STATUS;
	}
	return CLI_SEVERITY_UNKNOWN;
}

static enum cli_severity runs_compare(const struct caught run[2], const struct seen *seen)
{
	if (!is_same_output(run))
		return CLI_SEVERITY_OUTPUT;
	if (run[0].result.path != run[1].result.path)
		return CLI_SEVERITY_BRANCH;
	if (!seen->is_known)
		return CLI_SEVERITY_SAME;
	return seen->value[0] == seen->value[1] ? CLI_SEVERITY_SAME_VALUE : CLI_SEVERITY_VALUE;
}

static void compare(const struct snag_replay_plan *plan, const struct caught run[2],
		    struct cli_effect *ret)
{
	const struct snag_replay_result *a = &run[0].result, *b = &run[1].result;
	const struct seen seen = values_seen(plan, run);
	char words[200];
	bool is_confirmed = a->is_confirmed && b->is_confirmed;
	if (!is_confirmed || (a->was_killed && b->was_killed)) {
		ret->severity = CLI_SEVERITY_UNKNOWN;
		snprintf(ret->words, sizeof(ret->words), "%s",
			 is_confirmed ? "neither order ends in time"
				      : "the accesses come together in one order only");
		return;
	}
	ret->severity = ends_compare(run, ret->words, sizeof(ret->words));
	if (ret->severity != CLI_SEVERITY_UNKNOWN)
		return;
	ret->severity = runs_compare(run, &seen);
	seen_words(&seen, words, sizeof(words));
	if (ret->severity == CLI_SEVERITY_SAME)
		snprintf(ret->words, sizeof(ret->words),
			 "same output and exit status in both orders");
	else
		snprintf(ret->words, sizeof(ret->words), "%s: %s", cli_severity_text[ret->severity],
			 words);
}

int cli_effect_find(const struct snag_replay_plan *plan, struct cli_effect *ret_effect,
		    struct snag_error *err)
{
	struct caught run[2] = {{.output = -1}, {.output = -1}};
	struct snag_turns *turns = (struct snag_turns *)plan->turns; /* and back */
	struct snag_replay_plan how = *plan;
	how.is_quiet = how.stops = false;
	how.is_compared = true;
	int rc = run_caught(&how, &run[0], err);
	if (rc == 0) {
		cli_turns_swap(turns);
		rc = run_caught(&how, &run[1], err);
		cli_turns_swap(turns);
	}
	if (rc == 0)
		compare(plan, run, ret_effect);
	for (int i = 0; i < 2; i++)
		if (run[i].output >= 0)
			close(run[i].output);
	return rc;
}
