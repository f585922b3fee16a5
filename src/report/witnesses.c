/* SPDX-License-Identifier: Apache-2.0
 *
 * witnesses.c - one file per witness, for `snag check` and for people
 *
 * Format: the object of witness/witness.h; beside "witness" it says which race in
 * which trace it proves.
 */
#include "report/report.h"

#include "base/memory.h"
#include "report/json_writer.h"

#include <stdio.h>
#include <string.h>

static int witness_write(const struct snag_report *report, const struct snag_merged_race *merged,
			 const char *path, struct snag_error *err)
{
	const struct snag_race *race = merged->race;
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	snag_json_init(&j, &to);
	snag_json_object(&j, NULL);
	snag_json_string(&j, "trace", report->trace);
	snag_json_string(&j, "analysis", report->part[merged->part].findings->name);
	snag_json_uint(&j, "first", race->first.event);
	snag_json_uint(&j, "second", race->second.event);
	snag_json_string(&j, "variable",
			 snag_name(report->names, SNAG_SPACE_VARIABLE, race->second.target));
	snag_json_newline(&j);
	snag_json_array(&j, "witness");
	for (size_t i = 0; i < race->nwitness; i++)
		snag_json_uint(&j, NULL, race->witness[i]);
	snag_json_end(&j);
	snag_json_end(&j);
	return snag_printer_commit(&to, err);
}

int snag_report_witnesses(const struct snag_report *report, const struct snag_merged *merged,
			  const char *dir, struct snag_error *err)
{
	size_t nbytes = strlen(dir) + sizeof("/race-4294967295.json");
	char *path = snag_alloc(nbytes);
	int rc = 0;
	for (size_t i = 0; i < merged->n && rc == 0; i++) {
		if (!merged->race[i].witness)
			continue;
		snprintf(path, nbytes, "%s/race-%u.json", dir, merged->race[i].witness);
		rc = witness_write(report, &merged->race[i], path, err);
	}
	free(path);
	return rc;
}
