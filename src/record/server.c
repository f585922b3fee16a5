/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c - a program that runs again and again, each time under another schedule
 *
 * State.  launch   the program that serves, or the process of the current run
 *         prefix   the header of the channel and the records before the first thread creation;
 *                  every run of a child begins with them
 *         dirty    records behind the prefix that the last run has written
 */
#include "record/server.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/slots.h"
#include "runtime/channel/served.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	RECORDS = 1024,
	PREFIX_MAX = RT_CHANNEL_RECORDS / 2,
	SHORT_MS = 1,
	LONG_MS = 20,
	PIPE_BYTES = 1 << 16
};

enum { OUT, ERR, OUTPUTS };

struct snag_server {
	struct snag_server_options how;
	struct snag_launch *launch;
	const char *why; /* why runs are not forks; NULL: they are forks */
	bool has_tasks;
	int socket;   /* to the server; -1: none */
	int schedule; /* memory that holds the schedule */
	int pipe[OUTPUTS][2];
	struct rt_channel header;
	struct rt_record *prefix;
	uint64_t nprefix, dirty;
	uint64_t events; /* of the main thread in the prefix */
};

static const char *const refusal_words[RT_REFUSALS] = {
	[RT_REFUSAL_THREADS] = "it has threads that snag does not see",
	[RT_REFUSAL_CHILDREN] = "it has child processes",
	[RT_REFUSAL_FILES] = "it has pipes, sockets or the like open",
	[RT_REFUSAL_MEMORY] = "it has shared memory",
	[RT_REFUSAL_TASKS] = "it launches tasks",
};

bool snag_server_serves(const struct snag_server *s, const char **ret_why)
{
	if (ret_why)
		*ret_why = s->why;
	return !s->why;
}

bool snag_server_has_tasks(const struct snag_server *s)
{
	return s->has_tasks;
}

/* Output. */

static void output_add(struct snag_output_end *o, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o->hash = snag_hash(o->hash ^ (uint8_t)text[i], 0);
	o->nbytes += n;
	if (n >= SNAG_OUTPUT_KEPT) {
		memcpy(o->last, text + n - SNAG_OUTPUT_KEPT, SNAG_OUTPUT_KEPT);
		o->n = SNAG_OUTPUT_KEPT;
		return;
	}
	if (o->n + n > SNAG_OUTPUT_KEPT) {
		size_t keep = SNAG_OUTPUT_KEPT - n;
		memmove(o->last, o->last + o->n - keep, keep);
		o->n = keep;
	}
	memcpy(o->last + o->n, text, n);
	o->n += n;
}

static void output_read(struct snag_server *s, struct snag_served *run)
{
	static _Thread_local char text[PIPE_BYTES];
	struct snag_output_end *const to[OUTPUTS] = {&run->output, &run->error};
	for (int i = 0; i < OUTPUTS; i++) {
		ssize_t n = read(s->pipe[i][0], text, sizeof(text));
		if (n > 0)
			output_add(to[i], text, (size_t)n);
	}
}

/* Reads until there is no more output.  It does not wait for later output of the program's own
 * children. */
static void output_drain(struct snag_server *s, struct snag_served *run)
{
	uint64_t before;
	do {
		before = run->output.nbytes + run->error.nbytes;
		output_read(s, run);
	} while (run->output.nbytes + run->error.nbytes > before);
}

/* Messages. */

/* Waits up to `ms` milliseconds for a message.  Returns 1 if there is one, 0 if not, -1 if the
 * server has ended. */
static int message_await(struct snag_server *s, int ms, struct rt_served *ret)
{
	struct pollfd look[] = {{.fd = s->socket, .events = POLLIN},
				{.fd = s->pipe[OUT][0], .events = POLLIN},
				{.fd = s->pipe[ERR][0], .events = POLLIN}};
	if (poll(look, 3, ms) <= 0 || !look[0].revents)
		return 0;
	ssize_t n = recv(s->socket, ret, sizeof(*ret), MSG_DONTWAIT);
	if (n == sizeof(*ret))
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static bool is_stopped(const struct snag_server *s)
{
	return s->how.stop && *s->how.stop;
}

/* A run that has not ended. */
struct running {
	struct snag_server *s;
	snag_records_handler *handler;
	void *ctx;
	struct snag_served *run;
	double begin, deadline;
	int ms;
};

static bool records_pass(struct running *r)
{
	struct rt_record record[RECORDS];
	int n = snag_launch_take(r->s->launch, record, RECORDS);
	if (n > 0)
		r->handler(r->ctx, record, n);
	r->s->dirty += (uint64_t)n;
	return n > 0;
}

static bool is_late(struct running *r)
{
	if (r->run->was_late)
		return false;
	r->run->was_late = is_stopped(r->s) || snag_seconds_now() > r->deadline;
	return r->run->was_late;
}

/* Waits between two looks at the channel. */
static void pace(struct running *r, bool had_records)
{
	r->ms = had_records ? SHORT_MS : r->ms * 2 < LONG_MS ? r->ms * 2 : LONG_MS;
}

static void run_end(struct running *r)
{
	while (records_pass(r))
		;
	output_drain(r->s, r->run);
	r->run->seconds = snag_seconds_now() - r->begin;
}

/* Runs as forks. */

static void channel_restore(struct snag_server *s)
{
	struct rt_channel *c = snag_launch_channel(s->launch);
	struct rt_record *first = rt_channel_record(c, 0);
	uint64_t end = s->dirty < RT_CHANNEL_RECORDS ? s->dirty : RT_CHANNEL_RECORDS;
	*c = s->header;
	if (end > s->nprefix)
		memset(first + s->nprefix, 0, (end - s->nprefix) * sizeof(*first));
	memcpy(first, s->prefix, s->nprefix * sizeof(*first));
	s->dirty = 0;
	snag_launch_rewind(s->launch);
}

static int served_run(struct running *r, const char *options, struct snag_error *err)
{
	struct snag_server *s = r->s;
	struct rt_served message;
	pid_t pid = 0;
	int rc;
	channel_restore(s);
	if (send(s->socket, options, strlen(options), MSG_NOSIGNAL) < 0)
		return snag_fail(err, SNAG_EIO, "%s: ended before its first thread",
				 s->how.argv[0]);
	for (;;) {
		rc = message_await(s, r->ms, &message);
		if (rc < 0)
			return snag_fail(err, SNAG_EIO, "%s: was killed between two runs",
					 s->how.argv[0]);
		if (rc > 0 && message.kind == RT_SERVED_FAILED)
			return snag_fail(err, SNAG_EIO, "%s: cannot fork: %s", s->how.argv[0],
					 strerror((int)message.value));
		if (rc > 0 && message.kind == RT_SERVED_STARTED)
			pid = (pid_t)message.value;
		if (rc > 0 && message.kind == RT_SERVED_ENDED)
			break;
		pace(r, records_pass(r));
		output_read(s, r->run);
		if (pid > 0 && is_late(r)) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL); /* it may not lead its group yet */
		}
	}
	r->run->status = (int)message.value;
	kill(-pid, SIGKILL); /* the processes that it has started */
	run_end(r);
	return 0;
}

/* Runs as processes. */

static int process_start(struct snag_server *s, const char *options, struct snag_error *err)
{
	const struct snag_launch_files files = {
		.output = s->pipe[OUT][1],
		.error = s->pipe[ERR][1],
		.inherited = {s->socket >= 0 ? s->socket : -1, s->schedule}};
	return snag_launch_start_with(s->how.argv, options, SNAG_LAUNCH_OURS, &files, &s->launch,
				      err);
}

static void process_end(struct snag_server *s)
{
	if (s->launch) {
		snag_launch_kill(s->launch);
		snag_launch_abandon(s->launch);
	}
	snag_launch_free(s->launch);
	s->launch = NULL;
}

static int process_run(struct running *r, const char *options, struct snag_error *err)
{
	struct snag_server *s = r->s;
	int rc = process_start(s, options, err);
	if (rc < 0)
		return rc;
	while (!snag_launch_has_ended(s->launch)) {
		pace(r, records_pass(r));
		output_read(s, r->run);
		if (is_late(r))
			snag_launch_kill(s->launch);
		struct pollfd none = {.fd = -1};
		poll(&none, 1, r->ms);
	}
	r->run->status = snag_launch_status(s->launch);
	run_end(r);
	bool is_ours = snag_launch_was_claimed(s->launch);
	process_end(s);
	return is_ours ? 0
		       : snag_fail(err, SNAG_EINPUT,
				   "%s: was not built with this 'snag cc', or did not start",
				   s->how.argv[0]);
}

/* A turn of one event begins an epoch of the filter (runtime/access/access.h), so that every access
 * is recorded.  A long turn is written as one. */
static void turn_write(FILE *f, uint32_t thread, uint64_t events)
{
	enum { MANY = 4096 };
	if (events == 0 || events > MANY)
		fprintf(f, "%" PRIu32 " %" PRIu64 "\n", thread, events);
	for (uint64_t i = 0; events <= MANY && i < events; i++)
		fprintf(f, "%" PRIu32 " 1\n", thread);
}

/* The schedule.  In a child the main thread has made the events of the prefix already. */
static int schedule_write(struct snag_server *s, const struct snag_turns *turns,
			  const char *weights, struct snag_error *err)
{
	uint64_t skip = s->why ? 0 : s->events;
	FILE *f = ftruncate(s->schedule, 0) < 0 || lseek(s->schedule, 0, SEEK_SET) < 0
			  ? NULL
			  : fdopen(dup(s->schedule), "w");
	for (size_t i = 0; f && turns && i < turns->creators.n; i++) {
		const struct snag_created *c = &turns->creators.at[i];
		fprintf(f, "+%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", c->thread, c->creator,
			c->index);
	}
	for (size_t i = 0; f && turns && i < turns->answers.n; i++)
		fprintf(f, "@%" PRIu32 " %" PRIu64 "\n", turns->answers.at[i].thread,
			turns->answers.at[i].value);
	if (f && weights)
		fputs(weights, f);
	for (size_t i = 0; f && turns && i < turns->n; i++) {
		uint64_t events = turns->at[i].events;
		if (turns->at[i].thread == 0 && skip > 0) {
			uint64_t some = events < skip ? events : skip;
			skip -= some;
			events -= some;
			if (events == 0)
				continue;
		}
		turn_write(f, turns->at[i].thread, events);
	}
	if (f && !(ferror(f) | fclose(f)))
		return 0;
	return snag_fail(err, SNAG_EIO, "no memory for a schedule: %s", strerror(errno));
}

int snag_server_run(struct snag_server *s, const char *options, const struct snag_turns *turns,
		    const char *weights, double seconds, snag_records_handler *handler, void *ctx,
		    struct snag_served *ret, struct snag_error *err)
{
	char all[RT_SERVED_OPTIONS];
	struct running r = {.s = s, .handler = handler, .ctx = ctx, .run = ret, .ms = SHORT_MS};
	int rc = turns || weights ? schedule_write(s, turns, weights, err) : 0;
	char schedule[64] = "";
	if (turns || weights)
		snprintf(schedule, sizeof(schedule), ":schedule=/proc/self/fd/%d", s->schedule);
	int n = snprintf(all, sizeof(all), "%s:%s%s", s->how.options, options, schedule);
	if (rc == 0 && n >= (int)sizeof(all))
		rc = snag_fail(err, SNAG_EINTERNAL, "options too long: %s", options);
	if (rc < 0)
		return rc;
	*ret = (struct snag_served){0};
	r.begin = snag_seconds_now();
	r.deadline = r.begin + seconds;
	return s->why ? process_run(&r, all, err) : served_run(&r, all, err);
}

/* The start. */

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
	for (int ms = SHORT_MS; !s->why && !is_stopped(s); ms = ms < LONG_MS ? 2 * ms : ms) {
		int rc = message_await(s, ms, &message);
		output_read(s, &unused);
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
	if (is_stopped(s))
		s->why = "it was interrupted";
}

static int files_open(struct snag_server *s, int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	for (int i = 0; i < OUTPUTS; i++)
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
		rc = process_start(s, words, err);
		s->socket = pair[0];
		pair[0] = -1;
	}
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
	if (rc == 0 && !s->why)
		server_await(s);
	if (rc == 0 && s->why) {
		process_end(s);
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
	process_end(s);
	if (s->schedule >= 0)
		close(s->schedule);
	for (int i = 0; i < OUTPUTS; i++)
		for (int k = 0; k < 2; k++)
			if (s->pipe[i][k] >= 0)
				close(s->pipe[i][k]);
	free(s->prefix);
	free(s);
}
