/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_file.h - the members of a witness file that a replay needs
 *
 * Besides the witness itself (witness/witness.h) the object has
 *   "threads": [[THREAD, CREATOR, INDEX], ...]             the INDEXth thread that CREATOR created;
 *                                                          missing in files of older versions
 *   "answers": [[THREAD, NANOSECONDS], ...]                times that threads read; likewise
 *   "turns": [[THREAD, EVENTS], ...]                       the schedule
 *   "accesses": [{"place": "bank.c:12:3", "write": true}, ...]   the two of the race; beside the
 *                                                          witness's own "freed" the access and the
 *                                                          free,
 *   "waits": [{"place": "bank.c:12:3"}, ...]               or where threads wait for each other,
 *   "failure": "crash", "status": 11                       or how the run of `snag explore` failed,
 *                                                          and its status as of waitpid
 */
#ifndef SNAG_RECORD_REPLAY_FILE_H
#define SNAG_RECORD_REPLAY_FILE_H

#include "record/replay/replay.h"
#include "report/json_writer.h"

enum { SNAG_REPLAY_ACCESSES = 3 };

struct snag_replay_file {
	struct snag_turns turns;
	/* The accesses of the witness: two for a race, three for an atomicity violation.  The file
	 * owns the places. */
	struct snag_replay_access access[SNAG_REPLAY_ACCESSES];
	size_t naccesses;
	/* A use of freed memory: the second access is the free, and comes before the first one. */
	bool is_behind;
	char **wait; /* of a deadlock: the places; else NULL */
	size_t nwaits;
	char *failure; /* of `snag explore`; else NULL */
	int status;
};

/* Adds the members to an object that is open. */
void snag_replay_file_write(const struct snag_turns *turns, const struct snag_replay_access *access,
			    size_t n, struct snag_json *j);
void snag_replay_file_write_deadlock(const struct snag_turns *turns, const char *const *place,
				     size_t n, struct snag_json *j);
void snag_replay_file_write_failure(const struct snag_turns *turns, const char *failure, int status,
				    struct snag_json *j);
int snag_replay_file_read(const char *path, struct snag_replay_file *ret_file,
			  struct snag_error *err);
void snag_replay_file_done(struct snag_replay_file *file);

#endif
