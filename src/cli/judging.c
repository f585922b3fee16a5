/* SPDX-License-Identifier: Apache-2.0
 *
 * judging.c - programs of tasks that are judged from inside
 */
#include "cli/judging.h"

#include "detect/detector.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool input_can_be_repeated(void)
{
	struct stat st;
	return fstat(STDIN_FILENO, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode));
}

const char *cli_judge_choose(const char *list)
{
	const char *name = list ? list : "drdp";
	const struct snag_detector *d = snag_detector_find(name, strlen(name));
	return d && d->inside && input_can_be_repeated() ? d->name : NULL;
}

const char *cli_judge_words(const struct rt_verdict *v)
{
	if (v->races || v->doubts || v->launched == 0 || v->launched != v->ended)
		return NULL;
	return v->proves ? "race-free for this input on every schedule"
			 : "no race found, but other schedules may have one: its isolated blocks "
			   "depend on their order; --once says where";
}

enum snag_launch_io cli_judge_again(void)
{
	return lseek(STDIN_FILENO, 0, SEEK_SET) == 0 ? SNAG_LAUNCH_READS : SNAG_LAUNCH_SILENT;
}
