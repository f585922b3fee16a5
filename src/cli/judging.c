/* SPDX-License-Identifier: Apache-2.0
 *
 * judging.c - programs of tasks that are judged from inside
 */
#include "cli/judging.h"

#include "cli/judged_asked.h"
#include "cli/program.h"
#include "detect/detector.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Pipes and sockets can be read once. */
static bool input_can_be_repeated(void)
{
	struct stat st;
	return fstat(STDIN_FILENO, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode));
}

/* Many programs are started with a pipe that nobody writes to, and that they never read. */
static bool input_is_there(void)
{
	enum { WAIT_MS = 100 };
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&p, 1, WAIT_MS) > 0 && p.revents & POLLIN;
}

const char *cli_judge_choose(const char *list)
{
	const char *name = list ? list : "drdp";
	const struct snag_detector *d = snag_detector_find(name, strlen(name));
	return d && d->inside && cli_judge_can_repeat() ? d->name : NULL;
}

/* Whether its verdict is all there is to say. */
static bool is_settled(const struct rt_verdict *v)
{
	return !(v->races || v->doubts || v->launched == 0 || v->launched != v->ended ||
		 (cli_has_asked(v) && !v->proves));
}

static bool input_is_lost(const struct rt_verdict *v)
{
	return v->has_read && !input_can_be_repeated();
}

static bool was_interrupted(int status)
{
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ||
				       WTERMSIG(status) == SIGHUP || WTERMSIG(status) == SIGQUIT);
}

bool cli_judge_asks(const struct snag_live_end *end)
{
	return is_settled(&end->verdict) && !was_interrupted(end->status) &&
	       cli_has_asked(&end->verdict);
}

bool cli_judge_depends_on_order(const struct snag_live_end *end)
{
	return is_settled(&end->verdict) && !was_interrupted(end->status) && !end->verdict.proves &&
	       !cli_has_asked(&end->verdict) && !input_is_lost(&end->verdict);
}

bool cli_judge_can_repeat(void)
{
	return input_can_be_repeated() || !input_is_there();
}

const char *cli_judge_silence(const struct snag_live_end *end)
{
	return end->verdict.launched || end->status != 0
		       ? NULL
		       : "no tasks, and no parallel region with more than one thread, were met";
}

struct cli_judged cli_judged(const struct snag_live_end *end)
{
	const struct rt_verdict *v = &end->verdict;
	return (struct cli_judged){
		.was_there = true,
		.is_of_tasks = v->launched > 0,
		.has_simd = v->has_simd,
		/* What it had no rules for, as locks, may have kept them apart. */
		.races = v->doubts ? 0 : v->races,
		.events = v->events,
		.status = cli_program_status(end->status),
		.is_unknown = !is_settled(v) && input_is_lost(v) && (v->doubts || !v->races) &&
			      !was_interrupted(end->status),
	};
}

uint64_t cli_judged_events(const struct cli_judged *before)
{
	enum { MORE = 5000000 };
	return before->races ? before->events + MORE : 0;
}

const char *cli_judge_words(const struct snag_live_end *end)
{
	const struct rt_verdict *v = &end->verdict;
	if (was_interrupted(end->status))
		return v->doubts  ? "interrupted; with its locks or atomics it can be judged only "
				    "when it has run once more: use --once"
		       : v->races ? "interrupted; there is a race, --once says where"
				  : "interrupted; no race was found before";
	if (!is_settled(v) && !input_is_lost(v))
		return NULL;
	if (!is_settled(v))
		return v->races && !v->doubts ? "there is a race; its input cannot be read again, "
						"so --once says where"
					      : "its input cannot be read again, as a second look "
						"needs: use --once";
	return v->proves ? "race-free for this input on every schedule"
			 : "no race found, but other schedules may have one: its isolated blocks "
			   "depend on their order; --once says where";
}

enum snag_launch_io cli_judge_again(void)
{
	return lseek(STDIN_FILENO, 0, SEEK_SET) == 0 ? SNAG_LAUNCH_READS : SNAG_LAUNCH_SILENT;
}
