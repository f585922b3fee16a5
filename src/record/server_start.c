/* SPDX-License-Identifier: Apache-2.0
 *
 * server_start.c - starts a program that runs again and again, and ends it
 */
#include "base/memory.h"
#include "record/server_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREFIX_MAX = RT_CHANNEL_RECORDS / 2 };

static const char *const refusal_words[RT_REFUSALS] = {
	[RT_REFUSAL_THREADS] = "it has threads that snag does not see",
	[RT_REFUSAL_CHILDREN] = "it has child processes",
	[RT_REFUSAL_FILES] = "it has pipes, sockets or the like open",
	[RT_REFUSAL_MEMORY] = "it has shared memory",
	[RT_REFUSAL_TASKS] = "it launches tasks",
};

int snag_server_process_start(struct snag_server *s, const char *options, struct snag_error *err)
{
	const struct snag_launch_files files = {
		.output = s->pipe[SNAG_SERVER_OUT][1],
		.error = s->pipe[SNAG_SERVER_ERR][1],
		.inherited = {s->socket >= 0 ? s->socket : -1, s->schedule}};
	return snag_launch_start_with(s->how.argv, options, SNAG_LAUNCH_OURS, &files, &s->launch,
				      err);
}

void snag_server_process_end(struct snag_server *s)
{
	if (s->launch) {
		snag_launch_kill(s->launch);
		snag_launch_abandon(s->launch);
	}
	snag_launch_free(s->launch);
	s->launch = NULL;
}

/* The program has come to its first thread creation: what it has written begins every run. */
static int prefix_take(struct snag_server *s, const struct rt_served *message)
{
	struct rt_channel *c = snag_launch_channel(s->launch);
	if (message->records > PREFIX_MAX)
		return -1;
	s->header = *c;
	s->nprefix = s->dirty = message->records;
	s->events = message->events;
	s->prefix = snag_alloc((s->nprefix + 1) * sizeof(*s->prefix));
	memcpy(s->prefix, rt_channel_record(c, 0), s->nprefix * sizeof(*s->prefix));
	return 0;
}

/* Waits until the program serves, or shows that it will not. */
static void server_await(struct snag_server *s)
{
	struct rt_served message;
	struct snag_served unused = {0};
	s->why = NULL;
	for (int ms = SNAG_SERVER_SHORT_MS; !s->why && !snag_server_is_stopped(s);
	     ms = ms < SNAG_SERVER_LONG_MS ? 2 * ms : ms) {
		int rc = snag_server_message_await(s, ms, &message);
		snag_server_output_read(s, &unused);
		if (rc > 0 && message.kind == RT_SERVED_READY) {
			if (prefix_take(s, &message) == 0)
				return;
			s->why = "it does much before its first thread";
		} else if (rc > 0) {
			s->why = message.value < RT_REFUSALS ? refusal_words[message.value]
							     : "it does not say why";
			s->has_tasks = message.value == RT_REFUSAL_TASKS;
		} else if (rc < 0 || snag_launch_has_ended(s->launch)) {
			s->why = "it creates no threads";
		} else if (rt_channel_record(snag_launch_channel(s->launch), PREFIX_MAX)->what) {
			s->why = "it does much before its first thread";
		}
	}
	if (snag_server_is_stopped(s))
		s->why = "it was interrupted";
}

static int files_open(struct snag_server *s, int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	for (int i = 0; i < SNAG_SERVER_OUTPUTS; i++)
		if (pipe2(s->pipe[i], O_CLOEXEC) < 0 ||
		    fcntl(s->pipe[i][0], F_SETFL, O_NONBLOCK) < 0)
			return -1;
	s->schedule = memfd_create("snag schedule", MFD_CLOEXEC);
	return s->schedule;
}

int snag_server_start(const struct snag_server_options *options, struct snag_server **ret_server,
		      struct snag_error *err)
{
	char words[RT_SERVED_OPTIONS];
	int pair[2] = {-1, -1};
	struct snag_server *s = snag_calloc(1, sizeof(*s));
	s->how = *options;
	s->socket = s->schedule = -1;
	s->pipe[0][0] = s->pipe[0][1] = s->pipe[1][0] = s->pipe[1][1] = -1;
	int rc = files_open(s, pair) < 0
			 ? snag_fail(err, SNAG_EIO, "no descriptors: %s", strerror(errno))
			 : 0;
	s->why = options->never_serves ? "it was not asked to" : NULL;
	if (rc == 0 && !s->why) {
		s->socket = pair[1]; /* the program's end */
		snprintf(words, sizeof(words), "%s:server=%d", options->options, pair[1]);
		rc = snag_server_process_start(s, words, err);
		s->socket = pair[0];
		pair[0] = -1;
	}
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
	if (rc == 0 && !s->why)
		server_await(s);
	if (rc == 0 && s->why) {
		snag_server_process_end(s);
		close(s->socket);
		s->socket = -1;
	}
	if (rc < 0) {
		snag_server_free(s);
		return rc;
	}
	*ret_server = s;
	return 0;
}

void snag_server_free(struct snag_server *s)
{
	if (!s)
		return;
	if (s->socket >= 0)
		close(s->socket);
	snag_server_process_end(s);
	if (s->schedule >= 0)
		close(s->schedule);
	for (int i = 0; i < SNAG_SERVER_OUTPUTS; i++)
		for (int k = 0; k < 2; k++)
			if (s->pipe[i][k] >= 0)
				close(s->pipe[i][k]);
	free(s->prefix);
	free(s);
}
