/* SPDX-License-Identifier: Apache-2.0
 *
 * store.h - a folder in which the workers of one search leave what they found
 *
 * Idea.   Worker I of N runs the schedules whose number is I - 1 modulo N, and needs nothing from the
 *         others.  The folder says which search it belongs to, and has one file for each worker that has
 *         ended.  Any engine that starts N commands with the folder in common will do: a job array, GNU
 *         parallel, an indexed job.
 *
 * Files.  search.json         version, program, arguments, shards and options: those of the first worker
 *         shard-I.lock        locked by the worker that runs shard I
 *         shard-I.json        its result, which appears as a whole when it has ended
 *         failure-*.json      schedules that fail, for `snag replay`
 *
 * Rules.  [same]    a worker of another program, version, number of shards, seed or policy is refused
 *         [one]     a shard that another worker runs is refused
 *         [killed]  a worker that is killed leaves no result; its lock ends with it, and its shard can
 *                   be run again
 *         [again]   a shard that has ended is not run again
 */
#ifndef SNAG_EXPLORE_STORE_H
#define SNAG_EXPLORE_STORE_H

#include "explore/hunt.h"

struct snag_store_search { /* what all workers have in common */
	char *const *argv;
	const char *version;
	unsigned nshards;
	uint64_t seed;
	const char *policy;
	uint64_t schedules; /* of all workers; 0: no limit */
};

struct snag_store {
	const char *dir;
	unsigned shard, nshards; /* from 1 */
	int lock;
	bool has_ended; /* [again] */
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
	unsigned nshards, ended;
	char missing[256]; /* their numbers */
	uint64_t schedules;
	double seconds; /* of all */
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

int snag_store_sum(const char *dir, struct snag_store_sum *ret, struct snag_error *err);
void snag_store_sum_done(struct snag_store_sum *sum);

#endif
