/* SPDX-License-Identifier: Apache-2.0
 *
 * baseline.c - reports of an earlier run that do not fail this one
 *
 * An id stays the same when lines move (report/incident.h).  So each incident of the earlier run
 * becomes a suppression id:ID of this one.
 */
#include "cli/baseline.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { ID_ROOM = 64 };

static int incident_add(const char *path, const json_t *incident, struct snag_suppressions *s,
			struct snag_error *err)
{
	const char *id = json_string_value(json_object_get(incident, "id"));
	char line[ID_ROOM];
	const char *kind = json_string_value(json_object_get(incident, "kind"));
	if (!id && kind && strcmp(kind, "race") != 0) /* a deadlock of tasks fails every time */
		return 0;
	if (!id || strlen(id) + sizeof("id:") > sizeof(line) || strpbrk(id, "\n\r*"))
		return snag_fail(err, SNAG_EINPUT, "%s: an incident has no id", path);
	int n = snprintf(line, sizeof(line), "id:%s", id);
	return snag_suppressions_add(s, path, line, (size_t)n, err);
}

int cli_baseline_read(const char *path, struct snag_suppressions *s, struct snag_error *err)
{
	json_error_t where;
	size_t i;
	json_t *incident;
	if (!path)
		return 0;
	json_t *root = json_load_file(path, 0, &where);
	if (!root && where.line < 0)
		return snag_fail(err, SNAG_EIO, "%s", where.text);
	if (!root)
		return snag_fail(err, SNAG_EINPUT, "%s:%d: %s", path, where.line, where.text);
	const json_t *incidents = json_object_get(root, "incidents");
	int rc = json_is_array(incidents)
			 ? 0
			 : snag_fail(err, SNAG_EINPUT,
				     "%s: no \"incidents\"; 'snag run --json' writes them", path);
	json_array_foreach(incidents, i, incident) if (rc == 0) rc =
		incident_add(path, incident, s, err);
	json_decref(root);
	return rc;
}
