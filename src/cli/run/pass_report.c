/* SPDX-License-Identifier: Apache-2.0
 *
 * pass_report.c - reports from the marks that the compiler and its plugin leave in a program
 */
#include "cli/run/pass_report.h"

#include "cc/libraries.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void file_check(void *ctx, const char *path)
{
	struct cc_pass_marks m = {0};
	cc_pass_marks_read(path, &m);
	if (m.nmissing > 0)
		fprintf(stderr,
			"snag: warning: %s: compiled by 'snag cc', but the compiler left the "
			"checks out of "
			"%s%s; try -fno-snag-pass\n",
			path, m.missing, m.nmissing > 1 ? " and others" : "");
}

void cli_pass_check(const char *program)
{
	cc_program_files(program, file_check, NULL);
}

void cli_pass_check_opened(const char *paths)
{
	for (; *paths; paths += strlen(paths) + 1)
		file_check(NULL, paths);
}

static void file_add(void *ctx, const char *path)
{
	cc_pass_marks_read(path, ctx);
}

bool cli_is_optimised(const char *program)
{
	struct cc_pass_marks m = {0};
	cc_program_files(program, file_add, &m);
	return m.is_optimised;
}

static void line_print(const char *name, uint64_t places, const uint64_t *executed)
{
	fprintf(stderr, "snag:   %-12s %10" PRIu64, name, places);
	if (executed)
		fprintf(stderr, " %14" PRIu64 " %14" PRIu64, executed[0], executed[1]);
	fputc('\n', stderr);
}

void cli_pass_stats(const char *program, const uint64_t executed[CLI_PASS_COUNTS])
{
	enum { LEFT = CC_PASS_KINDS - 1 };
	struct cc_pass_marks m = {0};
	bool has_counts = false;
	for (int i = 0; i < CLI_PASS_COUNTS; i++)
		has_counts |= executed[i] > 0;
	cc_program_files(program, file_add, &m);
	if (!m.says)
		return;
	fprintf(stderr, "snag: checks in the code%s\n",
		has_counts ? ", executed: reads, writes" : "");
	line_print("left", m.places[LEFT], has_counts ? &executed[2 * LEFT] : NULL);
	for (int i = 0; i < LEFT; i++)
		line_print(cc_pass_kind_name(i), m.places[i], has_counts ? &executed[2 * i] : NULL);
	if (has_counts)
		fprintf(stderr, "snag:   %-23s %14" PRIu64 " %14" PRIu64 "\n", "of loops",
			executed[2 * CC_PASS_KINDS], executed[2 * CC_PASS_KINDS + 1]);
}
