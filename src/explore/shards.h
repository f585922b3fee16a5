/* SPDX-License-Identifier: Apache-2.0
 *
 * shards.h - a folder in which the workers of one job leave what they found
 *
 * Idea.   A job is divided into N shards: schedules (store.h), or candidates of a trace
 *         (cli/analyze/analyze_shard.h).  Worker I of N needs nothing from the others.  The folder
 *         says which job it belongs to, and has one file for each worker that has ended.  Any
 *         engine that starts N commands with the folder in common will do: a job array, GNU
 *         parallel, an indexed job.
 *
 * Files.  search.json         the job: that of the first worker
 *         shard-I.lock        locked by the worker that runs shard I
 *         shard-I.json        its result, which appears as a whole when it has ended
 *
 * Rules.  [same]    a worker of another job is refused
 *         [one]     a shard that another worker runs is refused
 *         [killed]  a worker that is killed leaves no result; its lock ends with it, and its shard
 *                   can be run again
 *         [again]   a shard that has ended is not run again
 */
#ifndef SNAG_EXPLORE_SHARDS_H
#define SNAG_EXPLORE_SHARDS_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { SNAG_SHARDS_MOST = 1000000, SNAG_SHARDS_HEX = 17 };

struct snag_shards {
	const char *dir;
	unsigned shard, nshards; /* from 1 */
	int lock;
	bool has_ended; /* [again] */
};

/* [same] A member of the job, and what a folder has if it differs; the last has no name. */
struct snag_shards_key {
	const char *name, *other;
};

/* Reads "I/N". */
int snag_shard_parse(const char *text, unsigned *ret_shard, unsigned *ret_nshards,
		     struct snag_error *err);
/* Makes the folder if needed, and takes the shard.  dir, shard and nshards are set. */
int snag_shards_open(struct snag_shards *s, const json_t *job, const struct snag_shards_key *key,
		     struct snag_error *err);
void snag_shards_close(struct snag_shards *s);
/* The path of a file of the shard, "json" or "lock"; room: PATH_MAX. */
void snag_shard_path(const struct snag_shards *s, const char *end, char *ret);

/* A number that stands for the contents of a file; false: errno says why there is none. */
bool snag_shards_contents(const char *path, uint64_t *ret);
void snag_shards_hex(uint64_t number, char ret[SNAG_SHARDS_HEX]);

/* Reads a file of the folder; NULL: `err` says why not.  The caller owns the result. */
json_t *snag_shards_read(const char *path, struct snag_error *err);
json_t *snag_shards_job(const char *dir, struct snag_error *err);

/* What all workers have found. */
struct snag_shards_sum {
	unsigned nshards, ended;
	char missing[256]; /* their numbers */
};
/* Takes the result of a shard; false: it is none. */
typedef bool snag_shards_reader(void *ctx, const json_t *result, unsigned shard);
int snag_shards_add(const char *dir, const json_t *job, struct snag_shards_sum *sum,
		    snag_shards_reader *reader, void *ctx, struct snag_error *err);

#endif
