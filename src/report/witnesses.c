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

uint64_t snag_report_witness_length(const struct snag_report *report, const struct snag_race *race)
{
	uint64_t n = race->nwitness;
	for (size_t i = 0; i < race->nprefix; i++)
		n += race->prefix[i].n;
	return n;
}

uint32_t *snag_report_witness_events(const struct snag_report *report, const struct snag_race *race)
{
	uint64_t n = snag_report_witness_length(report, race);
	uint32_t *event = snag_realloc(NULL, n, sizeof(*event));
	size_t before = 0;
	if (race->nprefix) {
		uint32_t *count = snag_race_prefix_counts(race, report->stretches->nthreads);
		before = snag_stretches_prefix(report->stretches, count, event);
		free(count);
	}
	memcpy(event + before, race->witness, race->nwitness * sizeof(*event));
	return event;
}

void snag_report_witness_json(const struct snag_report *report, const struct snag_race *race,
			      struct snag_json *j)
{
	uint64_t n = snag_report_witness_length(report, race);
	uint32_t *expanded = NULL;
	if (n > SNAG_EXPANDED_WITNESS && race->nprefix) {
		snag_json_object(j, "prefix");
		for (size_t i = 0; i < race->nprefix; i++)
			snag_json_uint(
				j,
				snag_name(report->names, SNAG_SPACE_THREAD, race->prefix[i].thread),
				race->prefix[i].n);
		snag_json_end(j);
		n = race->nwitness;
	} else if (race->nprefix) {
		expanded = snag_report_witness_events(report, race);
	}
	const uint32_t *event = expanded ? expanded : race->witness;
	snag_json_array(j, "witness");
	for (uint64_t i = 0; i < n; i++)
		snag_json_uint(j, NULL, event[i]);
	snag_json_end(j);
	free(expanded);
}

static int witness_write(const struct snag_report *report, const struct snag_merged_race *merged,
			 const char *path, struct snag_error *err)
{
	const struct snag_race *race = merged->proof;
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_json_string(&j, "trace", report->trace);
	snag_json_string(&j, "analysis", report->part[merged->proof_part].findings->name);
	snag_json_uint(&j, "first", race->first.event);
	snag_json_uint(&j, "second", race->second.event);
	snag_json_string(&j, "variable",
			 snag_name(report->names, SNAG_SPACE_VARIABLE, race->second.target));
	if (race->is_atomicity) {
		snag_json_array(&j, "atomicity");
		snag_json_uint(&j, NULL, race->read.event);
		snag_json_uint(&j, NULL, snag_race_between(race)->event);
		snag_json_uint(&j, NULL, snag_race_write(race)->event);
		snag_json_end(&j);
	}
	if (race->is_behind) {
		snag_json_array(&j, "freed");
		snag_json_uint(&j, NULL, race->second.event);
		snag_json_uint(&j, NULL, race->first.event);
		snag_json_end(&j);
	}
	snag_json_newline(&j);
	snag_report_witness_json(report, race, &j);
	if (report->witness_members)
		report->witness_members(report->ctx, race, &j);
	return snag_json_commit(&j, err);
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
