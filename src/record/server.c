/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c - runs a program under one schedule: as a fork of the server, or as a process
 */
#include "base/clock.h"
#include "record/server_state.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECORDS = 1024 };

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

int snag_server_message_await(struct snag_server *s, int ms, struct rt_served *ret)
{
	struct pollfd look[] = {{.fd = s->socket, .events = POLLIN},
				{.fd = s->pipe[SNAG_SERVER_OUT][0], .events = POLLIN},
				{.fd = s->pipe[SNAG_SERVER_ERR][0], .events = POLLIN}};
	if (poll(look, 3, ms) <= 0 || !look[0].revents)
		return 0;
	ssize_t n = recv(s->socket, ret, sizeof(*ret), MSG_DONTWAIT);
	if (n == sizeof(*ret))
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
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
	r->run->was_late = snag_server_is_stopped(r->s) || snag_seconds_now() > r->deadline;
	return r->run->was_late;
}

/* Waits between two looks at the channel. */
static void pace(struct running *r, bool had_records)
{
	r->ms = had_records			  ? SNAG_SERVER_SHORT_MS
		: r->ms * 2 < SNAG_SERVER_LONG_MS ? r->ms * 2
						  : SNAG_SERVER_LONG_MS;
}

static void run_end(struct running *r)
{
	while (records_pass(r))
		;
	snag_server_output_drain(r->s, r->run);
	r->run->seconds = snag_seconds_now() - r->begin;
}

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
		rc = snag_server_message_await(s, r->ms, &message);
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
		snag_server_output_read(s, r->run);
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

static int process_run(struct running *r, const char *options, struct snag_error *err)
{
	struct snag_server *s = r->s;
	int rc = snag_server_process_start(s, options, err);
	if (rc < 0)
		return rc;
	while (!snag_launch_has_ended(s->launch)) {
		pace(r, records_pass(r));
		snag_server_output_read(s, r->run);
		if (is_late(r))
			snag_launch_kill(s->launch);
		struct pollfd none = {.fd = -1};
		poll(&none, 1, r->ms);
	}
	r->run->status = snag_launch_status(s->launch);
	run_end(r);
	bool is_ours = snag_launch_was_claimed(s->launch);
	snag_server_process_end(s);
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
	struct running r = {
		.s = s, .handler = handler, .ctx = ctx, .run = ret, .ms = SNAG_SERVER_SHORT_MS};
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
