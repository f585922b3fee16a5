/* SPDX-License-Identifier: Apache-2.0
 *
 * turns.c - a schedule: which thread executes how many of its events, one after another
 *
 * Idea.  A turn of n events ends before the thread's next event.  Uncounted work after the n-th
 *        (waking up from a wait, ending) belongs to the turn.  So a stretch of one thread in the
 *        witness is one turn up to the count of its last event.  This holds even if that count
 *        was reached before: then the thread wakes up in the turn.  The two accesses of the race
 *        come last, each as a whole, also if it is several events.
 */
#include "record/turns.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void snag_turns_done(struct snag_turns *turns)
{
	free(turns->at);
	snag_creators_done(&turns->creators);
	snag_answers_done(&turns->answers);
	*turns = (struct snag_turns){0};
}

void snag_turns_add(struct snag_turns *turns, uint32_t thread, uint64_t events)
{
	struct snag_turn *last = turns->n ? &turns->at[turns->n - 1] : NULL;
	if (last && last->thread == thread) {
		last->events += events;
		return;
	}
	turns->at = snag_grow(turns->at, &turns->room, turns->n + 1, sizeof(*turns->at));
	turns->at[turns->n++] = (struct snag_turn){thread, events};
}

/* How far each thread has come, by thread. */
struct progress {
	uint64_t *done;
	size_t room;
};

static void run_up_to(struct snag_turns *turns, struct progress *p, uint32_t thread, uint64_t count)
{
	p->done = snag_grow(p->done, &p->room, (size_t)thread + 1, sizeof(*p->done));
	uint64_t *done = &p->done[thread];
	snag_turns_add(turns, thread, count > *done ? count - *done : 0);
	*done = count > *done ? count : *done;
}

static bool has_done(const struct progress *p, const struct snag_step *s)
{
	return s->thread < p->room && p->done[s->thread] >= s->count;
}

/* Whether a step is one of the goal: an access of a race may be several events. */
static bool is_of_goal(const struct snag_step *goal, size_t n, const struct snag_step *s)
{
	for (size_t i = 0; i < n; i++)
		if (goal[i].thread == s->thread && goal[i].count == s->count)
			return true;
	return false;
}

void snag_turns_of_steps(struct snag_turns *ret_turns, const struct snag_step *step, size_t n,
			 enum snag_goal what, size_t ngoal, const struct snag_step_log *log)
{
	const struct snag_step *goal = step + n - ngoal;
	struct snag_turns turns = {0};
	struct progress progress = {0};
	for (size_t i = 0; i < n; i++) {
		bool is_of = is_of_goal(goal, ngoal, &step[i]);
		bool is_begun = is_of && what == SNAG_GOAL_REQUESTS && i + ngoal < n;
		if (is_begun && has_done(&progress, &step[i]))
			/* The thread wakes up when the other threads stand before their
			 * requests. */
			continue;
		run_up_to(&turns, &progress, step[i].thread, step[i].count - (is_of && !is_begun));
	}
	for (size_t i = 0; i < ngoal; i++) /* turns of their own */
		run_up_to(&turns, &progress, goal[i].thread, goal[i].count);
	free(progress.done);
	snag_creators_copy(&turns.creators, &log->creators);
	snag_answers_copy(&turns.answers, &log->answers);
	*ret_turns = turns;
}

int snag_turns_share(const struct snag_turns *turns, struct snag_error *err)
{
	int fd = memfd_create("snag schedule", 0);
	FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
	for (size_t i = 0; f && i < turns->creators.n; i++) {
		const struct snag_created *c = &turns->creators.at[i];
		fprintf(f, "+%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", c->thread, c->creator,
			c->index);
	}
	for (size_t i = 0; f && i < turns->answers.n; i++)
		fprintf(f, "@%" PRIu32 " %" PRIu64 "\n", turns->answers.at[i].thread,
			turns->answers.at[i].value);
	for (size_t i = 0; f && i < turns->n; i++)
		fprintf(f, "%" PRIu32 " %" PRIu64 "\n", turns->at[i].thread, turns->at[i].events);
	if (f && !(ferror(f) | fclose(f)))
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	return snag_fail(err, SNAG_EIO, "no memory for a schedule: %s", strerror(why));
}
