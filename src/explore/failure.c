/* SPDX-License-Identifier: Apache-2.0
 *
 * failure.c - how a run failed, if it did
 */
#include "explore/failure.h"

#include "explore/number.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *const snag_failure_name[SNAG_FAILURES] = {
	[SNAG_FAILURE_USE_AFTER_FREE] = "use-after-free",
	[SNAG_FAILURE_DOUBLE_FREE] = "double-free",
	[SNAG_FAILURE_NONE] = "none",
	[SNAG_FAILURE_RACE] = "race",
	[SNAG_FAILURE_DEADLOCK] = "deadlock",
	[SNAG_FAILURE_CRASH] = "crash",
	[SNAG_FAILURE_ASSERTION] = "assertion",
	[SNAG_FAILURE_HANG] = "hang",
	[SNAG_FAILURE_STATUS] = "status",
	[SNAG_FAILURE_OUTPUT] = "output",
};

enum snag_failure_kind snag_failure_find(const char *name, size_t n)
{
	for (int i = SNAG_FAILURE_NONE + 1; i < SNAG_FAILURES; i++)
		if (strlen(snag_failure_name[i]) == n &&
		    strncmp(snag_failure_name[i], name, n) == 0)
			return (enum snag_failure_kind)i;
	return SNAG_FAILURE_NONE;
}

static bool applies(const struct snag_trial_end *end, const struct snag_expectation *expected,
		    enum snag_failure_kind kind)
{
	const bool is_signal = WIFSIGNALED(end->status) && !end->was_late;
	const bool is_abort = is_signal && WTERMSIG(end->status) == SIGABRT;
	switch (kind) {
	case SNAG_FAILURE_USE_AFTER_FREE:
		return end->has_used_freed;
	case SNAG_FAILURE_DOUBLE_FREE:
		return end->has_freed_twice;
	case SNAG_FAILURE_RACE:
		return end->races > 0;
	case SNAG_FAILURE_DEADLOCK:
		return end->has_deadlock;
	case SNAG_FAILURE_CRASH:
		return is_signal && !is_abort;
	case SNAG_FAILURE_ASSERTION:
		return is_abort;
	case SNAG_FAILURE_HANG:
		return end->was_late;
	case SNAG_FAILURE_STATUS:
		return expected->status >= 0 && !end->was_late && !end->has_deadlock &&
		       WIFEXITED(end->status) && WEXITSTATUS(end->status) != expected->status;
	case SNAG_FAILURE_OUTPUT:
		return expected->same_output && !end->was_late && end->output != expected->output;
	default:
		return false;
	}
}

/* What tells failures of one kind apart. */
static uint64_t failure_detail(const struct snag_trial_end *end, enum snag_failure_kind kind)
{
	switch (kind) {
	case SNAG_FAILURE_USE_AFTER_FREE:
	case SNAG_FAILURE_DOUBLE_FREE:
		return end->freed_place;
	case SNAG_FAILURE_RACE:
		return end->race_place;
	case SNAG_FAILURE_HANG:
	case SNAG_FAILURE_OUTPUT:
		return 0;
	default:
		return (uint64_t)(end->status & 0xff7f); /* without the flag of a core dump */
	}
}

struct snag_failure snag_failure_of(const struct snag_trial_end *end,
				    const struct snag_expectation *expected)
{
	struct snag_failure f = {.kind = SNAG_FAILURE_NONE, .status = end->status};
	for (int i = SNAG_FAILURE_NONE + 1; i < SNAG_FAILURES && !f.kind; i++)
		if (!(expected->ignored & 1u << i) &&
		    applies(end, expected, (enum snag_failure_kind)i))
			f.kind = (enum snag_failure_kind)i;
	f.number = snag_number((uint64_t)f.kind, failure_detail(end, f.kind));
	return f;
}

void snag_failure_words(const struct snag_failure *f, const struct snag_expectation *expected,
			char *ret, size_t room)
{
	switch (f->kind) {
	case SNAG_FAILURE_USE_AFTER_FREE:
		snprintf(ret, room, "a use of freed memory");
		break;
	case SNAG_FAILURE_DOUBLE_FREE:
		snprintf(ret, room, "a block that is freed twice");
		break;
	case SNAG_FAILURE_RACE:
		snprintf(ret, room, "a data race");
		break;
	case SNAG_FAILURE_DEADLOCK:
		snprintf(ret, room, "a deadlock");
		break;
	case SNAG_FAILURE_CRASH:
		snprintf(ret, room, "a crash: signal %d (%s)", WTERMSIG(f->status),
			 strsignal(WTERMSIG(f->status)));
		break;
	case SNAG_FAILURE_ASSERTION:
		snprintf(ret, room, "a failed assertion, or another call of abort()");
		break;
	case SNAG_FAILURE_HANG:
		snprintf(ret, room, "a hang: the program did not end");
		break;
	case SNAG_FAILURE_STATUS:
		snprintf(ret, room, "exit status %d instead of %d", WEXITSTATUS(f->status),
			 expected->status);
		break;
	case SNAG_FAILURE_OUTPUT:
		snprintf(ret, room, "other output than that of the first run");
		break;
	default:
		snprintf(ret, room, "no failure");
		break;
	}
}
