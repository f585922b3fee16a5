/* SPDX-License-Identifier: Apache-2.0
 *
 * failure.h - how a run failed, if it did
 */
#ifndef SNAG_EXPLORE_FAILURE_H
#define SNAG_EXPLORE_FAILURE_H

#include "explore/judge.h"
#include "explore/moves.h"
#include "record/server.h"

/* From the one that says most about the cause to the one that says least. */
enum snag_failure_kind {
	SNAG_FAILURE_NONE,
	SNAG_FAILURE_USE_AFTER_FREE,
	SNAG_FAILURE_DOUBLE_FREE,
	SNAG_FAILURE_RACE,
	SNAG_FAILURE_DEADLOCK,	/* no thread can run, or threads wait for each other */
	SNAG_FAILURE_CRASH,	/* ended by a signal */
	SNAG_FAILURE_ASSERTION, /* ended by SIGABRT */
	SNAG_FAILURE_HANG,	/* did not end */
	SNAG_FAILURE_STATUS,	/* ended with another status than expected */
	SNAG_FAILURE_OUTPUT,	/* printed something else than the first run */
	SNAG_FAILURES
};

extern const char *const snag_failure_name[SNAG_FAILURES];

/* Returns the kind with this name, of n characters; SNAG_FAILURE_NONE: there is none. */
enum snag_failure_kind snag_failure_find(const char *name, size_t n);

struct snag_failure {
	enum snag_failure_kind kind;
	int status;	 /* of the program, as of waitpid */
	uint64_t number; /* equal for failures that seem to have one cause */
};

/* What a run should do. */
struct snag_expectation {
	int status;	  /* exit status; -1: any */
	bool same_output; /* as this: */
	uint64_t output;  /* hash */
	unsigned ignored; /* set of kinds, 1 << enum snag_failure_kind */
};

/* A run as its failure is judged. */
struct snag_trial_end {
	int status; /* as of waitpid */
	bool was_late;
	bool has_deadlock;
	uint64_t races, race_place;
	bool has_used_freed, has_freed_twice;
	uint64_t freed_place; /* of the first of these */
	uint64_t output;
};

struct snag_failure snag_failure_of(const struct snag_trial_end *end,
				    const struct snag_expectation *expected);
/* Says it in words: "ended by signal 6 (Aborted)". */
void snag_failure_words(const struct snag_failure *f, const struct snag_expectation *expected,
			char *ret, size_t room);

#endif
