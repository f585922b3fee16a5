/* SPDX-License-Identifier: Apache-2.0
 *
 * programs.c - any number of random programs with threads in one executable
 *
 * Idea.   A program is nothing but a number.  A hash of the seed, the number, the thread and the
 *         step says what a thread does next, so nothing has to be generated or compiled for a
 *         program.  It says nothing about time or addresses: a program does the same in every
 *         run, as far as its races let it.
 *
 * State.  world.h
 * Rules.  [theme]   0: accesses keep to the use of their region; n: one in THEME[n] does not
 *         [rank]    a thread takes only objects of higher rank than those it holds, so that it
 *                   cannot deadlock.  Two more locks are taken in any order, behind a third one
 *         [freed]   only the holder of its lock frees or writes to a block.  A thread without the
 *                   lock may read freed memory, but not use what it reads
 *         [without] steps named on the command line do nothing.  All others stay as they were
 *
 * access.c has the accesses, steps.c the steps.
 *
 * usage:  programs SEED FIRST COUNT [THREAD.STEP]...
 *         Runs COUNT programs, one after the other, each with threads of its own.
 */
#define _GNU_SOURCE
#include "world.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct world fixed;
static char fixed_area[AREA] __attribute__((aligned(PAGE)));
static char field[FIELDS][AREA] __attribute__((aligned(64)));
static struct {
	unsigned thread, step;
} without[MOST_WITHOUT];
static unsigned nwithout;

static bool is_left_out(unsigned thread, unsigned step) /* [without] */
{
	for (unsigned i = 0; i < nwithout; i++)
		if (without[i].thread == thread && without[i].step == step)
			return true;
	return false;
}

static void steps_run(struct thread *t, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		t->dice.state = mixed(t->w->key ^ mixed(t->id * 1000 + i));
		if (!is_left_out(t->id, i))
			step_of(t);
	}
}

void *child_run(void *arg)
{
	struct thread *t = arg;
	steps_run(t, 0, 2);
	const long sum = t->sum;
	free(t);
	return (void *)sum;
}

/* All workers have come to the end of a phase before one of them leaves it. */
static void meet(struct world *w, const struct thread *t)
{
	const unsigned all = w->workers * (t->phase + 1);
	switch (w->meeting) {
	case BARRIER:
		pthread_barrier_wait(&w->barrier);
		break;
	case CONDITION:
		pthread_mutex_lock(&w->arrival);
		if (++w->arrived == all)
			pthread_cond_broadcast(&w->cond);
		while (w->arrived < all)
			pthread_cond_wait(&w->cond, &w->arrival);
		pthread_mutex_unlock(&w->arrival);
		break;
	case POLL:
		atomic_fetch_add(&w->polled, 1);
		while (atomic_load_explicit(&w->polled, memory_order_acquire) < all)
			sched_yield();
		break;
	case SEMAPHORE:
		if (t->id == 1) {
			for (unsigned i = 1; i < w->workers; i++)
				sem_wait(&w->in[t->phase]);
			for (unsigned i = 1; i < w->workers; i++)
				sem_post(&w->out[t->phase]);
		} else {
			sem_post(&w->in[t->phase]);
			sem_wait(&w->out[t->phase]);
		}
		break;
	default:
		break;
	}
}

static void *worker_run(void *arg)
{
	struct thread *t = arg;
	for (t->phase = 0; t->phase < t->w->phases; t->phase++) {
		steps_run(t, t->phase * t->w->steps, t->w->steps);
		if (t->phase + 1 < t->w->phases)
			meet(t->w, t);
	}
	children_join(t);
	return (void *)t->sum;
}

static void world_begin(struct world *w, struct dice *d)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&w->recursive, &attr);
	pthread_mutexattr_destroy(&attr);
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&w->lock[i], NULL);
	for (unsigned i = 0; i < RWLOCKS; i++)
		pthread_rwlock_init(&w->rwlock[i], NULL);
	for (unsigned i = 0; i < 2; i++)
		pthread_mutex_init(&w->behind[i], NULL);
	pthread_mutex_init(&w->gate, NULL);
	pthread_mutex_init(&w->arrival, NULL);
	pthread_spin_init(&w->spin, PTHREAD_PROCESS_PRIVATE);
	pthread_cond_init(&w->cond, NULL);
	w->theme = roll(d, sizeof(THEME) / sizeof(THEME[0]));
	w->workers = 2 + roll(d, 3) % (WORKERS - 1);
	w->phases = 1 + roll(d, PHASES);
	w->steps = 1 + roll(d, w->phases == 1 ? 8 : 4);
	w->meeting = (enum meeting)roll(d, MEETINGS);
	pthread_barrier_init(&w->barrier, NULL, w->workers);
	for (unsigned i = 0; i < PHASES; i++) {
		sem_init(&w->in[i], 0, 0);
		sem_init(&w->out[i], 0, 0);
	}
	sem_init(&w->tokens, 0, 1);
	w->once = (pthread_once_t)PTHREAD_ONCE_INIT;
	once_at = w->area + AREA - 24;
	for (unsigned i = 0; i < COUNTERS; i++)
		w->counter[i] = 0;
	for (unsigned i = 0; i < SLOTS; i++)
		w->slot[i] = NULL;
	w->open = NULL;
	w->uncounted = 0;
	w->arrived = 0;
	atomic_store(&w->polled, 0); /* nothing plain there: all would have to look at it */
	atomic_store(&w->flag, 0);
	atomic_store(&w->small, 0);
	atomic_store(&w->large, 0);
	memset(w->area + CONSTANT, 5, LOCKED - CONSTANT);
}

static void world_end(struct world *w)
{
	for (unsigned i = 0; i < SLOTS; i++)
		free(w->slot[i]);
	free(w->open);
	pthread_mutex_destroy(&w->recursive);
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&w->lock[i]);
	for (unsigned i = 0; i < RWLOCKS; i++)
		pthread_rwlock_destroy(&w->rwlock[i]);
	for (unsigned i = 0; i < 2; i++)
		pthread_mutex_destroy(&w->behind[i]);
	pthread_mutex_destroy(&w->gate);
	pthread_mutex_destroy(&w->arrival);
	pthread_spin_destroy(&w->spin);
	pthread_cond_destroy(&w->cond);
	pthread_barrier_destroy(&w->barrier);
	for (unsigned i = 0; i < PHASES; i++) {
		sem_destroy(&w->in[i]);
		sem_destroy(&w->out[i]);
	}
	sem_destroy(&w->tokens);
}

static long threads_run(struct world *w, struct dice *d)
{
	struct thread thread[WORKERS + 1];
	pthread_t id[WORKERS + 1];
	const unsigned main_steps = roll(d, 4), backwards = roll(d, 2);
	long sum = 0;
	memset(thread, 0, sizeof(thread));
	for (unsigned i = 0; i <= w->workers; i++) {
		thread[i].w = w;
		thread[i].id = i;
	}
	for (unsigned i = 1; i <= w->workers; i++)
		pthread_create(&id[i], NULL, worker_run, &thread[i]);
	steps_run(&thread[0], 0, main_steps);
	children_join(&thread[0]);
	for (unsigned i = 1; i <= w->workers; i++)
		pthread_join(id[backwards ? w->workers + 1 - i : i], NULL);
	for (unsigned i = 0; i <= w->workers; i++)
		sum += thread[i].sum;
	return sum + (THEME[w->theme] ? w->area[0] : 0);
}

static long program_run(uint64_t seed, unsigned number, bool is_only)
{
	struct dice d = {mixed(mixed(seed) + number)};
	const unsigned where = roll(&d, 3);
	struct world *w = where == 2 ? malloc(sizeof(*w)) : &fixed;
	w->key = mixed(d.state);
	w->may_wait_forever = is_only;
	w->area = where == 0 ? fixed_area : where == 1 ? field[number % FIELDS] : malloc(AREA);
	world_begin(w, &d);
	const long sum = threads_run(w, &d);
	world_end(w);
	if (where == 2) {
		free(w->area);
		free(w);
	}
	return sum;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: programs SEED FIRST COUNT [THREAD.STEP]...\n");
		return 2;
	}
	const uint64_t seed = strtoull(argv[1], NULL, 10);
	const unsigned first = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]);
	for (int i = 4; i < argc && nwithout < MOST_WITHOUT; i++)
		if (sscanf(argv[i], "%u.%u", &without[nwithout].thread, &without[nwithout].step) ==
		    2)
			nwithout++;
	long sum = 0;
	for (unsigned i = first; i < first + count; i++)
		sum += program_run(seed, i, count == 1);
	return sum == 4711;
}
