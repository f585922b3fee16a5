/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.c - reports of an earlier run that do not fail this one
 *
 * An id stays the same when lines move (report/incident.h).  So each incident of the earlier run
 * becomes a suppression id:ID of this one.
 */
#include "cli/baseline.h"

#include "cli/report_file.h"

#include <stdio.h>
#include <string.h>

enum { ID_ROOM = 64 };

static int entry_add(const char *path, const struct cli_report_entry *e,
		     struct snag_suppressions *s, struct snag_error *err)
{
	char line[ID_ROOM];
	if (!e->id && strcmp(e->kind, "race") != 0) /* a deadlock of tasks fails every time */
		return 0;
	if (!e->id || strlen(e->id) + sizeof("id:") > sizeof(line) || strpbrk(e->id, "\n\r*"))
		return snag_fail(err, SNAG_EINPUT, "%s: an incident has no id", path);
	int n = snprintf(line, sizeof(line), "id:%s", e->id);
	return snag_suppressions_add(s, path, line, (size_t)n, err);
}

int cli_baseline_read(const char *path, struct snag_suppressions *s, struct snag_error *err)
{
	struct cli_report_file f;
	if (!path)
		return 0;
	int rc = cli_report_file_read(path, &f, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < f.n && rc == 0; i++)
		rc = entry_add(path, &f.at[i], s, err);
	cli_report_file_done(&f);
	return rc;
}
