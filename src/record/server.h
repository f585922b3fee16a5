/* SPDX-License-Identifier: Apache-2.0
 *
 * server.h - a program that runs again and again, each time under another schedule
 *
 * Idea.   If the program can fork itself at its first thread creation (runtime/sched/server.h), a
 *         run costs one fork.  If it cannot, a run is a process of its own.  Both deliver the same
 *         records.
 * Output. Standard output and error of the program go through pipes to the tool.  It keeps the last
 *         part of each and a hash of all, so a program that prints without end takes no memory.
 */
#ifndef SNAG_RECORD_SERVER_H
#define SNAG_RECORD_SERVER_H

#include "record/launch.h"
#include "record/turns.h"

#include <signal.h>

struct snag_server;

struct snag_server_options {
	char *const *argv;
	const char *options;		   /* for all runs, as in SNAG_OPTIONS */
	const volatile sig_atomic_t *stop; /* not 0: runs end at once; may be NULL */
	bool never_serves;		   /* each run is a process */
};

enum { SNAG_OUTPUT_KEPT = 4096 };

struct snag_output_end {
	char last[SNAG_OUTPUT_KEPT]; /* the last bytes, `n` of them */
	size_t n;
	uint64_t nbytes, hash; /* the length and hash of the whole output */
};

/* A run that has ended. */
struct snag_served {
	int status;    /* as of waitpid */
	bool was_late; /* it was killed because it took too long, or because of `stop` */
	double seconds;
	struct snag_output_end output, error;
};

/* Receives the records of a run, in their order. */
typedef void snag_records_handler(void *ctx, const struct rt_record *record, int n);

/* Prepares the program.  It is an error if it cannot be run. */
int snag_server_start(const struct snag_server_options *options, struct snag_server **ret_server,
		      struct snag_error *err);
/* Runs the program.  `options` come after those of all runs; `turns` is the schedule to follow
 * first, from the start of the program, or NULL; `weights` are lines for the policy surw, or NULL.
 * After `seconds` the run is killed. */
int snag_server_run(struct snag_server *s, const char *options, const struct snag_turns *turns,
		    const char *weights, double seconds, snag_records_handler *handler, void *ctx,
		    struct snag_served *ret, struct snag_error *err);
/* Returns whether runs are forks of the program.  If not, *ret_why is the reason. */
bool snag_server_serves(const struct snag_server *s, const char **ret_why);
/* Returns whether the program was about to launch tasks.  Then the server has ended it. */
bool snag_server_has_tasks(const struct snag_server *s);
void snag_server_free(struct snag_server *s); /* accepts NULL */

#endif
