/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.c - reports of an earlier run that do not fail this one
 *
 * An id stays the same when lines move (report/incident/incident.h).  So each incident of the
 * earlier run becomes a suppression id:ID of this one.
 */
#include "cli/run/baseline.h"

#include "cli/report_file.h"

#include <stdio.h>
#include <string.h>

enum { ID_ROOM = 64 };

struct reading {
	const char *path;
	struct snag_suppressions *to;
	struct snag_error *err;
	int rc;
};

static void id_add(void *ctx, const char *id)
{
	struct reading *r = ctx;
	char line[ID_ROOM];
	if (r->rc < 0)
		return;
	if (strlen(id) + sizeof("id:") > sizeof(line) || strpbrk(id, "\n\r*")) {
		r->rc = snag_fail(r->err, SNAG_EINPUT, "%s: an incident has no id", r->path);
		return;
	}
	int n = snprintf(line, sizeof(line), "id:%s", id);
	r->rc = snag_suppressions_add(r->to, r->path, line, (size_t)n, r->err);
}

static void entry_add(struct reading *r, const struct cli_report_entry *e)
{
	if (e->id)
		cli_report_ids(e, id_add, r);
	else if (strcmp(e->kind, "race") == 0) /* a deadlock of tasks fails every run */
		r->rc = snag_fail(r->err, SNAG_EINPUT, "%s: an incident has no id", r->path);
}

int cli_baseline_read(const char *path, struct snag_suppressions *s, struct snag_error *err)
{
	struct cli_report_file f;
	if (!path)
		return 0;
	struct reading r = {path, s, err, cli_report_file_read(path, &f, err)};
	if (r.rc < 0)
		return r.rc;
	for (size_t i = 0; i < f.n && r.rc == 0; i++)
		entry_add(&r, &f.at[i]);
	cli_report_file_done(&f);
	return r.rc;
}
