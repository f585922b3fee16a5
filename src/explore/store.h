/* SPDX-License-Identifier: Apache-2.0
 *
 * store.h - what the workers of one search found, in a folder of shards (shards.h)
 *
 * Idea.   Worker I of N runs the schedules whose number is I - 1 modulo N.
 * Files.  failure-*.json      schedules that fail, for `snag replay`
 * Rules.  [same]    the job is the program with its contents, arguments, version, seed and policy
 */
#ifndef SNAG_EXPLORE_STORE_H
#define SNAG_EXPLORE_STORE_H

#include "explore/hunt.h"
#include "explore/shards.h"

struct snag_store_search { /* the part of a job that all workers share */
	char *const *argv;
	const char *version;
	unsigned nshards;
	uint64_t seed;
	const char *policy;
	uint64_t schedules; /* of all workers; 0: no limit */
};

struct snag_store {
	struct snag_shards shards;
};

/* Makes the folder if needed, and takes the shard. */
int snag_store_open(struct snag_store *s, const char *dir, unsigned shard,
		    const struct snag_store_search *search, struct snag_error *err);
/* Writes the result of the shard. */
int snag_store_write(const struct snag_store *s, const struct snag_hunt *h, struct snag_error *err);
/* Whether the shard, which has ended, has found a failure. */
bool snag_store_has_failed(const struct snag_store *s);
void snag_store_close(struct snag_store *s);
/* The path of the schedule of a failure; room: PATH_MAX. */
void snag_store_failure_path(const struct snag_store *s, const struct snag_found *found, char *ret,
			     size_t room);

/* What all workers have found. */
struct snag_store_sum {
	struct snag_shards_sum shards;
	uint64_t schedules;
	double seconds; /* the seconds of all runs together */
	struct snag_tally orders, classes;
	const char *program; /* owned */
	struct snag_store_failure {
		uint64_t number;
		char *kind, *file; /* owned */
		uint64_t schedule, switches;
		unsigned shard;
	} * failure;
	size_t nfailures, room;
};

/* `job`: of snag_shards_job(). */
int snag_store_sum(const char *dir, const json_t *job, struct snag_store_sum *ret,
		   struct snag_error *err);
void snag_store_sum_done(struct snag_store_sum *sum);

#endif
