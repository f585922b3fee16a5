/* SPDX-License-Identifier: Apache-2.0
 *
 * server_state.h - what server.c, server_start.c and server_output.c share
 *
 * State.  launch   the program that serves, or the process of the current run
 *         prefix   the header of the channel and the records before the first thread creation;
 *                  every run of a child begins with them
 *         dirty    records behind the prefix that the last run has written
 */
#ifndef SNAG_RECORD_SERVER_STATE_H
#define SNAG_RECORD_SERVER_STATE_H

#include "record/server.h"
#include "runtime/channel/served.h"

/* The shortest and the longest wait between two looks, in milliseconds. */
enum { SNAG_SERVER_SHORT_MS = 1, SNAG_SERVER_LONG_MS = 20 };
enum { SNAG_SERVER_OUT, SNAG_SERVER_ERR, SNAG_SERVER_OUTPUTS };

struct snag_server {
	struct snag_server_options how;
	struct snag_launch *launch;
	const char *why; /* why runs are not forks; NULL: they are forks */
	bool has_tasks;
	int socket;   /* to the server; -1: none */
	int schedule; /* memory that holds the schedule */
	int pipe[SNAG_SERVER_OUTPUTS][2];
	struct rt_channel header;
	struct rt_record *prefix;
	uint64_t nprefix, dirty;
	uint64_t events; /* of the main thread in the prefix */
};

static inline bool snag_server_is_stopped(const struct snag_server *s)
{
	return s->how.stop && *s->how.stop;
}

/* Waits up to `ms` milliseconds for a message.  Returns 1 if there is one, 0 if not, -1 if the
 * server has ended. */
int snag_server_message_await(struct snag_server *s, int ms, struct rt_served *ret);
/* Adds the output that is there now to the run. */
void snag_server_output_read(struct snag_server *s, struct snag_served *run);
/* Reads until there is no more output.  It does not wait for later output of the program's own
 * children. */
void snag_server_output_drain(struct snag_server *s, struct snag_served *run);
/* Starts the program as a process, with the files of the server; and ends it. */
int snag_server_process_start(struct snag_server *s, const char *options, struct snag_error *err);
void snag_server_process_end(struct snag_server *s);

#endif
