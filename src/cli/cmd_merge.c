/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_merge.c - `snag merge`: adds up what the workers of a job have found: of a search
 * (explore/store.h), or of an analysis (cli/analyze/analyze_shard.h)
 */
#include "cli/analyze/analyze_shard.h"
#include "cli/command.h"
#include "cli/writing.h"
#include "explore/store.h"
#include "report/json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct merge_values {
	const char *json;
};

static const struct merge_values merge_defaults = {0};

static const struct cli_option merge_options[] = {
	{.name = "json",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = offsetof(struct merge_values, json),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the result as JSON as well"},
	{0},
};

static int json_write(const struct snag_store_sum *sum, const char *path, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_json_object(&j, "explore");
	snag_json_uint(&j, "shards", sum->shards.nshards);
	snag_json_uint(&j, "ended", sum->shards.ended);
	snag_json_uint(&j, "schedules", sum->schedules);
	snag_json_bool(&j, "exhaustive", false);
	if (sum->nfailures)
		snag_json_string(&j, "failure", sum->failure[0].kind);
	else
		snag_json_null(&j, "failure");
	snag_json_uint(&j, "orders", snag_tally_n(&sum->orders));
	snag_json_uint(&j, "classes", snag_tally_n(&sum->classes));
	snag_json_double(&j, "seconds", sum->seconds);
	snag_json_array(&j, "failures");
	for (size_t i = 0; i < sum->nfailures; i++) {
		snag_json_object(&j, NULL);
		snag_json_string(&j, "kind", sum->failure[i].kind);
		snag_json_uint(&j, "shard", sum->failure[i].shard);
		snag_json_uint(&j, "schedule", sum->failure[i].schedule);
		snag_json_uint(&j, "switches", sum->failure[i].switches);
		snag_json_string(&j, "file", sum->failure[i].file);
		snag_json_end(&j);
	}
	snag_json_end(&j);
	snag_json_end(&j);
	return snag_json_commit(&j, err);
}

static void text_print(const struct snag_store_sum *sum, const char *dir)
{
	for (size_t i = 0; i < sum->nfailures; i++) {
		const struct snag_store_failure *f = &sum->failure[i];
		printf("snag: merge: %s, in schedule %" PRIu64 " of shard %u, with %" PRIu64
		       " switch%s\n  repeat: snag replay %s/%s %s\n",
		       f->kind, f->schedule + 1, f->shard, f->switches,
		       f->switches == 1 ? "" : "es", dir, f->file, sum->program);
	}
	printf("snag: merge: %u of %u shards: %s%" PRIu64 " schedules in %.1f s of all workers; "
	       "%" PRIu64 " orders of two places and %" PRIu64 " classes seen\n",
	       sum->shards.ended, sum->shards.nshards, sum->nfailures ? "" : "no failure in ",
	       sum->schedules, sum->seconds, snag_tally_n(&sum->orders),
	       snag_tally_n(&sum->classes));
}

static int explore_merge(const char *dir, const json_t *job, const struct merge_values *v,
			 struct snag_error *err)
{
	struct snag_store_sum sum;
	int rc = snag_store_sum(dir, job, &sum, err);
	if (rc < 0)
		return rc;
	if (v->json)
		rc = json_write(&sum, v->json, err);
	if (rc == 0)
		text_print(&sum, dir);
	if (rc == 0 && sum.shards.ended < sum.shards.nshards && !sum.nfailures)
		rc = cli_shards_missing(dir, &sum.shards, err);
	bool has_failures = sum.nfailures > 0;
	snag_store_sum_done(&sum);
	return rc < 0 ? rc : has_failures ? CLI_RACES : CLI_OK;
}

static int merge_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct merge_values *v = values;
	int rc = v->json ? cli_output_probe(v->json, err) : 0;
	json_t *job = rc == 0 ? snag_shards_job(operand[0], err) : NULL;
	if (!job)
		return rc < 0 ? rc : err->code;
	const char *command = json_string_value(json_object_get(job, "command"));
	rc = command && strcmp(command, "analyze") == 0
		     ? cli_analyze_merge(operand[0], job, v->json, err)
		     : explore_merge(operand[0], job, v, err);
	json_decref(job);
	return rc;
}

const struct cli_command cli_command_merge = {
	.name = "merge",
	.summary = "add up what the workers of explore or analyze --shard found",
	.operands = "DIR",
	.min_operands = 1,
	.max_operands = 1,
	.offer = CLI_OFFER_FOLDERS,
	.options = merge_options,
	.about = "Reads the store DIR of 'snag explore --shard I/N --store DIR', or of the same\n"
		 "with analyze, and prints what all shards together have found.  The exit status\n"
		 "is 66 after a failure or a race, 0 if all shards have ended without one, and 2\n"
		 "if shards are missing.\n",
	.defaults = &merge_defaults,
	.values_size = sizeof(struct merge_values),
	.run = merge_run,
};
