/* SPDX-License-Identifier: Apache-2.0
 *
 * run_forked.c - the options of `snag run` that hold for children of fork, too
 */
#include "cli/run/run_forked.h"

#include "cli/memory_limit.h"
#include "record/launch.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void word_add(struct cli_forked *f, const char *name, const char *value)
{
	size_t room = sizeof(f->words) - f->nbytes;
	int n = value ? snprintf(f->words + f->nbytes, room, "--%s=%s", name, value) : -1;
	if (n < 0)
		return;
	f->nbytes += (size_t)n < room ? (size_t)n + 1 : room;
	f->n++;
}

static void number_add(struct cli_forked *f, const char *name, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, number);
	word_add(f, name, text);
}

/* The program may change its working directory before it forks. */
static void file_add(struct cli_forked *f, const char *name, const char *path)
{
	char whole[PATH_MAX];
	word_add(f, name, path && realpath(path, whole) ? whole : path);
}

int cli_forked_words(const struct cli_run_values *v, struct cli_forked *f, struct snag_error *err)
{
	static const char *const formats[] = {"snag", "tsan"}, *const colours[] = {"auto", "always",
										   "never"};
	*f = (struct cli_forked){.n = 0};
	word_add(f, "format", formats[v->format]);
	word_add(f, "color", colours[v->colour]);
	word_add(f, "with", v->with);
	file_add(f, "suppressions", v->suppressions);
	file_add(f, "baseline", v->baseline);
	word_add(f, "strip-path-prefix", v->strip_path_prefix);
	number_add(f, "seed", v->seed);
	number_add(f, "limit", v->limit);
	if (!v->exitcode_is_default)
		number_add(f, "exitcode", v->exitcode);
	if (v->memory != CLI_MEMORY_NOT_GIVEN)
		number_add(f, "memory", v->memory);
	if (f->nbytes == sizeof(f->words))
		return snag_fail(err, SNAG_EINPUT,
				 "--suppressions, --baseline, "
				 "--strip-path-prefix and --with are too long");
	snag_launch_forked_words(f->words, f->n);
	return 0;
}
