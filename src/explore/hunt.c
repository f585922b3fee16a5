/* SPDX-License-Identifier: Apache-2.0
 *
 * hunt.c - runs a program under many schedules until one of them fails
 */
#include "explore/hunt.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "explore/shrink.h"
#include "record/convert/misuses.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { MOVES = 20000, LAST_TURN = 1 << 30 };
enum { PATIENCE = 20, LEAST = 2, FIRST = 60, AGAIN = 4 }; /* [hang] in seconds, or times */
enum { SHRINK_RUNS = 400, SHRINK_SECONDS = 5 };

static void on_records(void *ctx, const struct rt_record *record, int n)
{
	struct {
		struct snag_moves *moves;
		struct snag_judge *judge;
	} *to = ctx;
	snag_moves_add(to->moves, record, n);
	snag_judge_records(to->judge, record, n);
}

int snag_trial_run(struct snag_server *server, const char *options, const struct snag_turns *turns,
		   const char *weights, double seconds, size_t moves, struct snag_trial *ret,
		   struct snag_error *err)
{
	struct snag_judge judge;
	struct {
		struct snag_moves *moves;
		struct snag_judge *judge;
	} to = {&ret->moves, &judge};
	ret->moves = (struct snag_moves){.limit = moves};
	snag_judge_begin(&judge, true);
	int rc = snag_server_run(server, options, turns, weights, seconds, on_records, &to,
				 &ret->served, err);
	struct snag_moves *m = &ret->moves;
	if (m->has_begun) /* the last turn, whose end nothing tells */
		snag_turns_add(&m->turns, m->thread, LAST_TURN);
	snag_moves_end(m);
	const struct snag_misuse_list *misuses = snag_convert_misuses(judge.convert);
	snag_judge_misuses(&judge, misuses->at, misuses->n);
	ret->is_split = snag_judge_is_split(&judge);
	memcpy(ret->racy, judge.racy, sizeof(ret->racy));
	ret->nracy = judge.nracy;
	ret->end = (struct snag_trial_end){.status = ret->served.status,
					   .was_late = ret->served.was_late,
					   .has_deadlock = m->has_deadlock || m->circle,
					   .races = judge.races,
					   .has_used_freed = judge.has_used_freed,
					   .has_freed_twice = judge.has_freed_twice,
					   .freed_place = judge.freed_place,
					   .race_place = judge.place,
					   .output = ret->served.output.hash};
	snag_judge_end(&judge);
	if (rc < 0)
		snag_trial_done(ret);
	return rc;
}

void snag_trial_done(struct snag_trial *t)
{
	snag_moves_done(&t->moves);
}

/* [quiet] The first place of a race that is not known to be suppressed; false: there is none. */
static bool loud_place(const struct snag_hunt *h, const struct snag_trial *t, uint64_t *ret)
{
	for (size_t i = 0; i < t->nracy && i < SNAG_JUDGE_PLACES; i++)
		if (!snag_tally_has(&h->quiet, t->racy[i])) {
			*ret = t->racy[i];
			return true;
		}
	return t->nracy > SNAG_JUDGE_PLACES;
}

static void race_settle(struct snag_hunt *h, struct snag_trial *t)
{
	if (!loud_place(h, t, &t->end.race_place)) {
		t->end.races = 0;
	} else if (!snag_tally_has(&h->loud, t->end.race_place)) {
		if (h->options.look(h->options.ctx, &t->moves.turns) > 0) {
			snag_tally_add(&h->loud, t->end.race_place);
			return;
		}
		for (size_t i = 0; i < t->nracy && i < SNAG_JUDGE_PLACES; i++)
			snag_tally_add(&h->quiet, t->racy[i]);
		t->end.races = 0;
	}
}

/* [quiet] [split] What the judge alone cannot tell. */
static void end_settle(struct snag_hunt *h, struct snag_trial *t, bool is_new)
{
	if (!h->options.look || h->expected.ignored & 1u << SNAG_FAILURE_RACE)
		return;
	if (t->end.races && h->options.has_suppressions)
		race_settle(h, t);
	else if (!t->end.races && t->is_split && is_new && !t->end.was_late)
		t->end.races = h->options.look(h->options.ctx, &t->moves.turns);
}

struct hunting {
	struct snag_hunt *h;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned running; /* plans that are being run */
	bool is_over;
	struct snag_error err; /* of the first worker that failed */
	int rc;
};

static bool is_stopped(const struct snag_hunt *h)
{
	return h->options.stop && *h->options.stop;
}

/* Why the search has to end; NULL: it has not. */
static const char *limit_reached(const struct snag_hunt *h)
{
	if (is_stopped(h))
		return "it was interrupted";
	if (h->options.schedules &&
	    (h->search.nshards ? h->search.next : h->runs) >= h->options.schedules)
		return "the limit of schedules was reached";
	if (h->options.seconds > 0 && snag_seconds_now() - h->begin >= h->options.seconds)
		return "the time was up";
	return NULL;
}

static double run_limit(const struct snag_hunt *h)
{
	double usual = PATIENCE * h->longest + 1, all = h->options.seconds;
	if (h->options.timeout > 0)
		return h->options.timeout;
	if (!h->has_first)
		return all > LEAST && all < FIRST ? all : all > 0 && all <= LEAST ? LEAST : FIRST;
	return usual > LEAST ? usual : LEAST;
}

/* [hang] Whether there is time for a second, longer run. */
static bool has_time(const struct snag_hunt *h, double seconds)
{
	return h->options.seconds <= 0 ||
	       snag_seconds_now() - h->begin + seconds < h->options.seconds;
}

/* Takes a plan; waits for other workers if there is none at present.  False: the search is over. */
static bool plan_take(struct hunting *x, struct snag_plan *plan)
{
	struct snag_hunt *h = x->h;
	bool is_taken = false;
	pthread_mutex_lock(&x->lock);
	while (!x->is_over && !is_taken) {
		const char *limit = limit_reached(h);
		uint64_t all = h->search.nshards ? h->search.next : h->runs + x->running;
		if (limit || (h->options.schedules && all >= h->options.schedules)) {
			h->gap = limit ? limit : "the limit of schedules was reached";
			x->is_over = true;
		} else if (h->has_first || x->running == 0) { /* the first run is alone */
			is_taken = snag_search_next(&h->search, plan);
			x->is_over = !is_taken && x->running == 0;
		}
		if (!x->is_over && !is_taken) {
			struct timespec until;
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_sec++;
			pthread_cond_timedwait(&x->changed, &x->lock, &until);
		}
	}
	x->running += is_taken;
	pthread_mutex_unlock(&x->lock);
	return is_taken;
}

static bool is_known(const struct snag_hunt *h, const struct snag_failure *f)
{
	for (size_t i = 0; i < h->nfound; i++)
		if (h->found[i].failure.number == f->number)
			return true;
	return false;
}

static void found_add(struct snag_hunt *h, const struct snag_plan *plan,
		      const struct snag_failure *f, const struct snag_trial *t)
{
	if (is_known(h, f) || h->nfound == SNAG_HUNT_FOUND)
		return;
	h->found = snag_grow(h->found, &h->found_room, h->nfound + 1, sizeof(*h->found));
	struct snag_found *to = &h->found[h->nfound++];
	*to = (struct snag_found){.failure = *f,
				  .schedule = plan->number,
				  .policy = plan->policy,
				  .error = t->served.error};
	snag_turns_copy(&to->turns, &t->moves.turns);
	to->switches = to->switches_before = snag_turns_switches(&to->turns);
}

/* The first run says what the others should do. */
static void first_take(struct snag_hunt *h, const struct snag_trial *t)
{
	h->has_first = true;
	h->first_status = t->end.status;
	h->has_threads = t->moves.nthreads > 1;
	h->has_tasks = t->moves.has_launched;
	h->expected.output = t->end.output;
	if (h->expected.status < 0 && WIFEXITED(t->end.status) && !t->end.has_deadlock)
		h->expected.status = WEXITSTATUS(t->end.status);
}

/* Adds a run; the lock is held. */
static void trial_add(struct hunting *x, const struct snag_plan *plan, struct snag_trial *t)
{
	struct snag_hunt *h = x->h;
	bool is_new = !t->end.was_late && snag_search_add(&h->search, plan, &t->moves);
	if (!h->has_first)
		first_take(h, t);
	end_settle(h, t, is_new);
	h->new_runs += is_new;
	/* All workers make schedule 0, which belongs to the first. */
	h->runs += plan->number > 0 || h->search.shard == 0;
	h->longest =
		t->served.seconds > h->longest && !t->end.was_late ? t->served.seconds : h->longest;
	struct snag_failure f = snag_failure_of(&t->end, &h->expected);
	bool was_stopped = t->end.was_late && is_stopped(h);
	if (f.kind && !was_stopped)
		found_add(h, plan, &f, t);
	if (h->search.is_exhaustive && t->end.was_late)
		h->gap = "a run did not end";
	h->diverged |= t->moves.diverged;
	x->is_over |= (h->nfound && !h->options.keeps_going) || h->has_tasks || !h->has_threads;
}

static int plan_run(struct hunting *x, struct snag_server *server, const struct snag_plan *plan,
		    struct snag_error *err)
{
	struct snag_hunt *h = x->h;
	struct snag_trial t;
	const struct snag_turns *turns = plan->has_schedule ? &plan->turns : NULL;
	size_t moves = h->options.moves ? h->options.moves : MOVES;
	double limit = run_limit(h);
	int rc = snag_trial_run(server, plan->options, turns, plan->weights, limit, moves, &t, err);
	if (rc == 0 && t.end.was_late && !is_stopped(h) && !h->options.timeout &&
	    has_time(h, AGAIN * limit)) { /* [hang] */
		snag_trial_done(&t);
		rc = snag_trial_run(server, plan->options, turns, plan->weights, AGAIN * limit,
				    moves, &t, err);
	}
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&x->lock);
	trial_add(x, plan, &t);
	if (h->options.on_run)
		h->options.on_run(h->options.ctx);
	pthread_mutex_unlock(&x->lock);
	snag_trial_done(&t);
	return 0;
}

static int server_start(const struct snag_hunt *h, struct snag_server **ret, struct snag_error *err)
{
	const struct snag_server_options how = {.argv = h->options.argv,
						.options = snag_search_options,
						.stop = h->options.stop,
						.never_serves = h->options.never_serves};
	return snag_server_start(&how, ret, err);
}

static void worker_run(void *ctx, unsigned worker, size_t i)
{
	struct hunting *x = ctx;
	struct snag_server *server = NULL;
	struct snag_error err = {0};
	struct snag_plan plan;
	int rc = 0;
	(void)worker;
	(void)i;
	while (rc == 0 && plan_take(x, &plan)) {
		if (!server)
			rc = server_start(x->h, &server, &err);
		bool has_tasks = rc == 0 && snag_server_has_tasks(server);
		if (rc == 0)
			snag_server_serves(server, &x->h->alone);
		if (rc == 0 && !has_tasks)
			rc = plan_run(x, server, &plan, &err);
		snag_plan_done(&plan);
		pthread_mutex_lock(&x->lock);
		x->running--;
		if (rc < 0 && x->rc == 0) {
			x->rc = rc;
			x->err = err;
		}
		x->is_over |= rc < 0 || has_tasks;
		x->h->has_tasks |= has_tasks;
		pthread_cond_broadcast(&x->changed);
		pthread_mutex_unlock(&x->lock);
	}
	snag_server_free(server);
}

/* [shrink] */

struct shrinking {
	struct snag_hunt *h;
	struct snag_server *server;
	const struct snag_failure *failure;
	struct snag_output_end error;
};

static bool fails(void *ctx, const struct snag_turns *turns, struct snag_turns *ret_turns)
{
	struct shrinking *s = ctx;
	struct snag_error unused = {0};
	struct snag_trial t;
	if (is_stopped(s->h) || snag_trial_run(s->server, "policy=stay:seed=1", turns, NULL,
					       run_limit(s->h), 1, &t, &unused) < 0)
		return false;
	end_settle(s->h, &t, s->failure->kind == SNAG_FAILURE_RACE);
	struct snag_failure f = snag_failure_of(&t.end, &s->h->expected);
	bool is_same = f.number == s->failure->number;
	if (is_same) {
		snag_turns_copy(ret_turns, &t.moves.turns);
		s->error = t.served.error;
	}
	snag_trial_done(&t);
	return is_same;
}

static void found_shrink(struct snag_hunt *h, struct snag_server *server, struct snag_found *found)
{
	struct shrinking s = {.h = h, .server = server, .failure = &found->failure};
	const struct snag_shrink how = {
		.fails = fails, .ctx = &s, .runs = SHRINK_RUNS, .seconds = SHRINK_SECONDS};
	struct snag_turns made = {0};
	found->repeats = fails(&s, &found->turns, &made);
	snag_turns_done(&made);
	if (!found->repeats)
		return;
	if (found->failure.kind != SNAG_FAILURE_HANG) /* each attempt takes long */
		snag_shrink(&how, &found->turns);
	found->switches = snag_turns_switches(&found->turns);
	if (s.error.n)
		found->error = s.error;
}

static int found_shrink_all(struct snag_hunt *h, struct snag_error *err)
{
	struct snag_server *server;
	int rc = h->nfound ? server_start(h, &server, err) : 0;
	if (rc < 0 || !h->nfound)
		return rc;
	for (size_t i = 0; i < h->nfound; i++)
		found_shrink(h, server, &h->found[i]);
	snag_server_free(server);
	return 0;
}

int snag_hunt_run(struct snag_hunt *h, struct snag_error *err)
{
	struct hunting x = {.h = h};
	unsigned jobs = h->options.jobs ? h->options.jobs : snag_parallel_default();
	pthread_mutex_init(&x.lock, NULL);
	pthread_cond_init(&x.changed, NULL);
	h->begin = snag_seconds_now();
	snag_parallel(jobs, jobs, worker_run, &x);
	h->seconds = snag_seconds_now() - h->begin;
	pthread_cond_destroy(&x.changed);
	pthread_mutex_destroy(&x.lock);
	if (x.rc < 0) {
		*err = x.err;
		return x.rc;
	}
	return found_shrink_all(h, err);
}

void snag_hunt_done(struct snag_hunt *h)
{
	for (size_t i = 0; i < h->nfound; i++)
		snag_turns_done(&h->found[i].turns);
	free(h->found);
	h->found = NULL;
	snag_tally_done(&h->quiet);
	snag_tally_done(&h->loud);
	snag_search_done(&h->search);
}
