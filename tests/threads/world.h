/* SPDX-License-Identifier: Apache-2.0
 *
 * world.h - what the threads of a program of programs.c share
 *
 * State.  world    locks, counters, blocks of the heap, and the area.  It is in static memory that
 *                  all programs use one after the other, in static memory of its own, or in the
 *                  heap
 *         area     regions by use: of one thread, never written again, behind a lock, handed over
 *                  from phase to phase, of all
 *         thread   one of 2 to 4, in 1 to 3 phases; or a child that a step creates
 */
#ifndef THREADS_WORLD_H
#define THREADS_WORLD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	PAGE = 4096,
	AREA = 6 * PAGE,
	OWN_BYTES = 60, /* neighbours share words */
	LOCK_BYTES = 100,
	OWN = 256,
	CONSTANT = 768,
	LOCKED = 1024,
	HANDED = 1400,
	WIDE = PAGE,
	LOCKS = 3,
	RWLOCKS = 2,
	COUNTERS = 4,
	SLOTS = 3,
	BLOCK_LEAST = 32, /* [freed] the C library writes to the first 16 bytes of a free block */
	WORKERS = 4,
	PHASES = 3,
	FIELDS = 16,
	CHILDREN = 3,
	CHILD = 8, /* children of thread t are CHILD * (t + 1), ... */
	MOST_WITHOUT = 256,
};

enum rank { MUTEX, RECURSIVE = LOCKS, RWLOCK, SPIN = RWLOCK + RWLOCKS, GATE, TOP };
enum meeting { NOWHERE, BARRIER, CONDITION, POLL, SEMAPHORE, MEETINGS };

static const unsigned THEME[] = {0, 0, 40, 8, 2}; /* [theme] of programs.c */

static inline uint64_t mixed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

struct dice {
	uint64_t state;
};

static inline unsigned roll(struct dice *d, unsigned n)
{
	d->state = mixed(d->state);
	return (unsigned)((d->state >> 33) % n);
}

struct world {
	uint64_t key;
	unsigned theme, workers, phases, steps;
	enum meeting meeting;
	bool may_wait_forever; /* nothing else runs in this process */
	char *area;
	pthread_mutex_t lock[LOCKS], recursive, gate, behind[2];
	pthread_rwlock_t rwlock[RWLOCKS];
	pthread_spinlock_t spin;
	pthread_barrier_t barrier;
	pthread_cond_t cond;
	pthread_mutex_t arrival;
	sem_t in[PHASES], out[PHASES], tokens;
	pthread_once_t once;
	unsigned arrived;
	atomic_uint polled;
	int counter[COUNTERS], uncounted;
	atomic_int flag;
	_Atomic(char) small;
	_Atomic(long) large;
	char *volatile slot[SLOTS], *volatile open;
	unsigned slot_bytes[SLOTS];
};

struct thread {
	struct world *w;
	struct dice dice; /* of the present step */
	unsigned id, phase, depth, nchildren, born;
	unsigned held; /* [rank] one more than the highest; 0: nothing */
	char *lent;    /* of the stack of the creator, or NULL */
	long sum;
	pthread_t child[CHILDREN];
};

struct part {
	char *at;
	unsigned nbytes;
	bool is_constant;
};

/* access.c: accesses to a part of the area, single ones, loops, ranges. */
void access_part(struct thread *t, struct part p);
void access_range(struct thread *t, struct part p);
/* One access; `how` is 0 for a read. */
typedef long long_even __attribute__((may_alias));
long single_char(char *p, unsigned how);
long single_long_even(long_even *p, unsigned how);

/* steps.c: does what the dice of the thread say. */
void step_of(struct thread *t);
void children_join(struct thread *t);
extern char *once_at; /* what the one that pthread_once() calls writes to */

/* programs.c: the body of a child. */
void *child_run(void *arg);

#endif
