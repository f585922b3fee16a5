/* SPDX-License-Identifier: Apache-2.0
 *
 * waits.c - four threads that only synchronise, in one of the ways below
 *
 * usage: waits cond|sem|rwlock|signal|atomic
 *
 *   cond    two threads hand 20,000 items each to a third one, through a queue of 16
 *   sem     300,000 waits and posts of each thread, on a semaphore of its own
 *   rwlock  300,000 times each: one rwlock, taken for reading
 *   signal  300,000 times each: a signal that no thread waits for, under a lock
 *   atomic  500,000 times each: an increment of one variable
 */
#include "program.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

enum { ITEMS = 20000, QUEUE = 16, PRODUCERS = 2, ROUNDS = 300000, INCREMENTS = 500000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_items = PTHREAD_COND_INITIALIZER;
static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int counter;
static int nitems;
static long taken;

static void *cond(void *arg)
{
	const bool is_consumer = (long)arg == PRODUCERS, is_idle = (long)arg > PRODUCERS;
	for (int i = 0; !is_idle && i < (is_consumer ? PRODUCERS * ITEMS : ITEMS); i++) {
		pthread_mutex_lock(&mutex);
		while (nitems == (is_consumer ? 0 : QUEUE))
			pthread_cond_wait(is_consumer ? &has_items : &has_room, &mutex);
		nitems += is_consumer ? -1 : 1;
		taken += is_consumer;
		pthread_cond_signal(is_consumer ? &has_room : &has_items);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *sem(void *arg)
{
	sem_t own;
	sem_init(&own, 0, 1);
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&own);
		sem_post(&own);
	}
	sem_destroy(&own);
	return arg;
}

static void *readers(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	return arg;
}

static void *signals(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		pthread_cond_signal(&has_items);
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void *increments(void *arg)
{
	for (int i = 0; i < INCREMENTS; i++)
		atomic_fetch_add(&counter, 1);
	return arg;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*work)(void *);
	} ways[] = {{"cond", cond},
		    {"sem", sem},
		    {"rwlock", readers},
		    {"signal", signals},
		    {"atomic", increments}};
	nthreads = 4;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc == 2 && strcmp(argv[1], ways[i].name) == 0) {
			program_threads(ways[i].work);
			return program_end(taken == (i == 0 ? PRODUCERS * ITEMS : 0) &&
					   counter == (i == 4 ? INCREMENTS * nthreads : 0));
		}
	fprintf(stderr, "usage: waits cond|sem|rwlock|signal|atomic\n");
	return 2;
}
