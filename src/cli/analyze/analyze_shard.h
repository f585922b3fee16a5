/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_shard.h - `snag analyze --shard I/N --store DIR`: the candidates of one trace, divided
 *
 * Idea.   A worker reads the whole trace, but decides only the candidate pairs of its pairs of
 *         locations (detector.h, `shard`).  So each pair of locations belongs to one worker, and
 *         the races of all workers together are those of one analysis.  Detectors without
 *         candidates, such as hb, find the same races in all workers.  The result of a shard is its
 *         report in JSON.
 *
 * Merging.  For each detector: the union of racy events, races and deadlocks, in the order of a
 *         report.  It is complete if all shards are there and complete.
 */
#ifndef SNAG_CLI_ANALYZE_SHARD_H
#define SNAG_CLI_ANALYZE_SHARD_H

#include "detect/analyze/analyze.h"
#include "explore/shards.h"
#include "report/report.h"

/* Takes a shard of the analysis of the trace in this file with these detectors; `how` describes
 * what else the findings depend on.  s->has_ended: nothing is left to do. */
int cli_analyze_shard_open(struct snag_shards *s, const char *trace,
			   const struct snag_analyze_options *options, const char *how,
			   struct snag_error *err);
/* Returns whether the shard, which has ended, has found a race. */
bool cli_analyze_shard_has_races(const struct snag_shards *s);
int cli_analyze_shard_write(const struct snag_shards *s, const struct snag_report *report,
			    struct snag_error *err);

/* Prints the findings of all shards, and writes them to `json` unless that is NULL. Returns the
 * exit status. */
int cli_analyze_merge(const char *dir, const json_t *job, const char *json, struct snag_error *err);

/* Fails: some shards have no result. */
int cli_shards_missing(const char *dir, const struct snag_shards_sum *sum, struct snag_error *err);

#endif
