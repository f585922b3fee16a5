/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.c - a crash of snag itself ends like any other failure: one line, status 125, no files left
 * behind
 */
#include "cli/crash.h"

#include "base/leftovers.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A sanitizer has handlers of its own, and reports more. */
#ifndef __SANITIZE_ADDRESS__
static const struct crash {
	int number;
	const char *line;
} crashes[] = {
	{SIGSEGV, "snag: internal error: segmentation fault (SIGSEGV)\n"},
	{SIGBUS, "snag: internal error: bus error (SIGBUS)\n"},
	{SIGFPE, "snag: internal error: arithmetic error (SIGFPE)\n"},
	{SIGABRT, "snag: internal error: aborted (SIGABRT)\n"},
};

enum { TOOL_FAILED = 125 };

static void on_crash(int number)
{
	struct rlimit core;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (crashes[i].number == number) {
			ssize_t ignored = write(2, crashes[i].line, strlen(crashes[i].line));
			(void)ignored;
		}
	snag_leftovers_remove();
	if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_cur == 0)
		_exit(TOOL_FAILED);
	raise(number); /* SA_RESETHAND: as without a handler, after this one returns */
}

static void crash_handlers_set(void)
{
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i].number, &action, NULL);
}
#else
static void crash_handlers_set(void)
{
}
#endif

static void no_effect(int number)
{
	(void)number;
}

void cli_crash_begin(void)
{
	struct sigaction too_large = {.sa_handler = no_effect, .sa_flags = SA_RESTART};
	sigaction(SIGXFSZ, &too_large, NULL);
	crash_handlers_set();
}
