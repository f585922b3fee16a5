/* SPDX-License-Identifier: Apache-2.0
 *
 * programs.c - any number of random programs with threads in one executable
 *
 * Idea.   A program is nothing but a number.  A hash of the seed, the number, the thread and the
 *         step says what a thread does next, so nothing has to be generated or compiled for a
 *         program.  It says nothing about time or addresses: a program does the same in every
 *         run, as far as its races let it.
 *
 * State.  world    what the threads of a program share: locks, counters, blocks of the heap, and the
 *                  area.  It is in static memory that all programs use one after the other, in
 *                  static memory of its own, or in the heap
 *         area     regions by use: of one thread, never written again, behind a lock, handed over
 *                  from phase to phase, of all
 *         thread   one of 2 to 4, in 1 to 3 phases; or a child that a step creates
 * Rules.  [theme]   0: accesses keep to the use of their region; n: one in THEME[n] does not
 *         [rank]    a thread takes only objects of higher rank than those it holds, so that it
 *                   cannot deadlock.  Two more locks are taken in any order, behind a third one
 *         [freed]   only the holder of its lock frees or writes to a block.  A thread without the
 *                   lock may read freed memory, but not use what it reads
 *         [without] steps named on the command line do nothing.  All others stay as they were
 *
 * usage:  programs SEED FIRST COUNT [THREAD.STEP]...
 *         Runs COUNT programs, one after the other, each with threads of its own.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const unsigned THEME[] = {0, 0, 40, 8, 2};

/* Numbers. */

static uint64_t mixed(uint64_t x)
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

/* What threads share. */

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

static struct world fixed;
static char fixed_area[AREA] __attribute__((aligned(PAGE)));
static char field[FIELDS][AREA] __attribute__((aligned(64)));
static char *once_at;
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

/* Accesses to a part of the area: single ones, loops, ranges. */

struct part {
	char *at;
	unsigned nbytes;
	bool is_constant;
};

typedef short short_any __attribute__((aligned(1), may_alias));
typedef int int_any __attribute__((aligned(1), may_alias));
typedef long long_any __attribute__((aligned(1), may_alias));
typedef short short_even __attribute__((may_alias));
typedef int int_even __attribute__((may_alias));
typedef long long_even __attribute__((may_alias));
typedef struct {
	long low, high;
} __attribute__((may_alias)) pair_even;

static __attribute__((noinline)) void step_of(struct thread *t);

/* One access; `how` is 0 for a read. */
#define SINGLE(type)                                                               \
	static __attribute__((noinline)) long single_##type(type *p, unsigned how) \
	{                                                                          \
		if (how == 0)                                                      \
			return (long)*p;                                           \
		if (how == 1)                                                      \
			*p = 1;                                                    \
		else                                                               \
			(*p)++;                                                    \
		return 0;                                                          \
	}

SINGLE(char)
SINGLE(short_even)
SINGLE(int_even)
SINGLE(long_even)
SINGLE(short_any)
SINGLE(int_any)
SINGLE(long_any)

static __attribute__((noinline)) long single_pair(pair_even *p, unsigned how)
{
	if (how == 0) {
		const pair_even copy = *p;
		return copy.low + copy.high;
	}
	*p = (pair_even){how, 2};
	return 0;
}

static void access_single(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned how = p.is_constant ? 0 : roll(d, 3), log = roll(d, 5);
	const unsigned size = 1u << log;
	unsigned at = roll(d, p.nbytes - size + 1);
	char *any = p.at + at, *even = (char *)(((uintptr_t)any + size - 1) & -(uintptr_t)size);
	if (even + size > p.at + p.nbytes)
		even = (char *)((uintptr_t)(p.at + p.nbytes - size) & -(uintptr_t)size);
	if (even < p.at) { /* a narrow part */
		t->sum += single_char(any, how);
		return;
	}
	const bool is_even = log == 4 || roll(d, 5);
	if (log == 0)
		t->sum += single_char(any, how);
	else if (log == 1 && is_even)
		t->sum += single_short_even((short_even *)even, how);
	else if (log == 1)
		t->sum += single_short_any((short_any *)any, how);
	else if (log == 2 && is_even)
		t->sum += single_int_even((int_even *)even, how);
	else if (log == 2)
		t->sum += single_int_any((int_any *)any, how);
	else if (log == 3 && is_even)
		t->sum += single_long_even((long_even *)even, how);
	else if (log == 3)
		t->sum += single_long_any((long_any *)any, how);
	else
		t->sum += single_pair((pair_even *)even, how);
}

/* A loop over a[from], ..., a[to - 1]; the first three kinds only read. */
#define LOOP(type)                                                                                \
	static __attribute__((noinline)) long loop_##type(type *a, long from, long to, long step, \
							  unsigned how)                           \
	{                                                                                         \
		long sum = 0;                                                                     \
		switch (how) {                                                                    \
		case 0:                                                                           \
			for (long i = from; i < to; i++)                                          \
				sum += a[i];                                                      \
			break;                                                                    \
		case 1:                                                                           \
			for (long i = to - 1; i >= from; i -= step)                               \
				sum += a[i] * a[from];                                            \
			break;                                                                    \
		case 2:                                                                           \
			for (long i = from; i < to && a[i] != 77; i += step)                      \
				sum++;                                                            \
			break;                                                                    \
		case 3:                                                                           \
			for (long i = from; i < to; i++)                                          \
				a[i] = 2;                                                         \
			break;                                                                    \
		case 4:                                                                           \
			for (long i = from; i < to; i += step)                                    \
				a[i]++;                                                           \
			break;                                                                    \
		case 5:                                                                           \
			for (long i = from; i + 1 < to; i++)                                      \
				a[i] = a[i + 1];                                                  \
			break;                                                                    \
		case 6:                                                                           \
			for (long i = to - 1; i >= from; i--)                                     \
				a[i] = 3;                                                         \
			break;                                                                    \
		case 7:                                                                           \
			for (long k = 0; k < 2; k++)                                              \
				for (long i = from; i < to; i += step)                            \
					a[i] = (type)(a[i] ^ k);                                  \
			break;                                                                    \
		default:                                                                          \
			for (long i = from, k = to - 1; i < k; i++, k--) {                        \
				type x = a[i];                                                    \
				a[i] = a[k];                                                      \
				a[k] = x;                                                         \
			}                                                                         \
		}                                                                                 \
		return sum;                                                                       \
	}

LOOP(char)
LOOP(short_even)
LOOP(int_even)
LOOP(long_even)

static void access_loop(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned how = p.is_constant ? roll(d, 3) : roll(d, 9), log = roll(d, 4);
	char *even = (char *)(((uintptr_t)p.at + 7) & -(uintptr_t)8);
	const long n = (p.at + p.nbytes - even) >> log, step = 1 + (long)roll(d, 3);
	if (n < 2)
		return;
	const long most = n < 256 ? n : 256, from = (long)roll(d, (unsigned)(n - most + most / 2));
	const long to = from + 1 + (long)roll(d, (unsigned)(n - from < most ? n - from : most));
	if (log == 0)
		t->sum += loop_char(even, from, to, step, how);
	else if (log == 1)
		t->sum += loop_short_even((short_even *)even, from, to, step, how);
	else if (log == 2)
		t->sum += loop_int_even((int_even *)even, from, to, step, how);
	else
		t->sum += loop_long_even((long_even *)even, from, to, step, how);
}

static void access_range(struct thread *t, struct part p)
{
	struct dice *d = &t->dice;
	const unsigned at = roll(d, p.nbytes);
	const unsigned n = roll(d, 3) ? 1 + roll(d, p.nbytes - at) : p.nbytes - at;
	const unsigned how = p.is_constant ? roll(d, 2) : roll(d, 5), half = n / 2;
	char copy[64];
	switch (how) {
	case 0:
		memcpy(copy, p.at + at, n < sizeof(copy) ? n : sizeof(copy));
		t->sum += copy[0];
		break;
	case 1:
		t->sum += memcmp(p.at + at, p.at + at + half, half);
		break;
	case 2:
		memset(p.at + at, (int)n, n);
		break;
	case 3:
		memcpy(p.at + at, p.at + at + n - half, half);
		break;
	default:
		memmove(p.at + at, p.at + at + (n > 1), n - (n > 1));
	}
}

static void access_part(struct thread *t, struct part p)
{
	switch (roll(&t->dice, 5)) {
	case 0:
		access_loop(t, p);
		break;
	case 1:
		access_range(t, p);
		break;
	default:
		access_single(t, p);
	}
}

/* Which part of the area. */

static bool is_wild(struct thread *t) /* [theme] */
{
	const unsigned one_in = THEME[t->w->theme];
	return one_in && roll(&t->dice, one_in) == 0;
}

static struct part part_locked(const struct world *w, unsigned lock)
{
	return (struct part){w->area + LOCKED + lock * LOCK_BYTES, LOCK_BYTES, false};
}

static struct part part_any(struct thread *t)
{
	const struct world *w = t->w;
	const unsigned worker = (t->id - 1) % WORKERS;
	if (is_wild(t)) {
		if (roll(&t->dice, 40) == 0)
			return (struct part){w->area + WIDE, AREA - WIDE, false};
		if (roll(&t->dice, 4) == 0)
			return part_locked(w, roll(&t->dice, LOCKS));
		return (struct part){w->area, OWN, false};
	}
	if (t->lent && roll(&t->dice, 3) == 0)
		return (struct part){t->lent, 48, true};
	if (t->id == 0 || t->id > WORKERS || roll(&t->dice, 4) == 0)
		return (struct part){w->area + CONSTANT, LOCKED - CONSTANT, true};
	if (roll(&t->dice, 3) == 0) /* [phase] */
		return (struct part){w->area + HANDED +
					     (worker + t->phase) % w->workers * LOCK_BYTES,
				     LOCK_BYTES, w->meeting == NOWHERE};
	if (roll(&t->dice, 16) == 0)
		return (struct part){w->area + WIDE + worker * (PAGE + 40), PAGE + 40, false};
	return (struct part){w->area + OWN + worker * OWN_BYTES, OWN_BYTES, false};
}

/* Steps. */

static void step_access(struct thread *t)
{
	access_part(t, part_any(t));
}

static void inside(struct thread *t, unsigned rank)
{
	const unsigned held = t->held, n = roll(&t->dice, 3);
	t->held = rank + 1;
	t->depth++;
	for (unsigned i = 0; i < n; i++) {
		if (rank < LOCKS && roll(&t->dice, 3))
			access_part(t, part_locked(t->w, rank));
		else if (rank < LOCKS && roll(&t->dice, 3) == 0)
			t->w->counter[rank]++;
		else if (t->depth < 3)
			step_of(t);
	}
	t->depth--;
	t->held = held;
}

static void step_mutex(struct thread *t)
{
	struct world *w = t->w;
	const unsigned k = roll(&t->dice, LOCKS), rank = MUTEX + k;
	if (t->held > rank) {
		if (pthread_mutex_trylock(&w->lock[k]) == 0) {
			access_part(t, part_locked(w, k));
			pthread_mutex_unlock(&w->lock[k]);
		}
		return;
	}
	pthread_mutex_lock(&w->lock[k]);
	inside(t, rank);
	pthread_mutex_unlock(&w->lock[k]);
}

static void step_recursive(struct thread *t)
{
	struct world *w = t->w;
	if (t->held > RECURSIVE + 1)
		return;
	pthread_mutex_lock(&w->recursive);
	w->counter[LOCKS]++;
	inside(t, RECURSIVE);
	pthread_mutex_unlock(&w->recursive);
}

static void step_rwlock(struct thread *t)
{
	struct world *w = t->w;
	const unsigned k = roll(&t->dice, RWLOCKS), rank = RWLOCK + k;
	struct part p = {w->area + HANDED + (2 + k) * 2 * LOCK_BYTES, LOCK_BYTES, false};
	if (t->held > rank)
		return;
	p.is_constant = roll(&t->dice, 3) != 0;
	if (p.is_constant)
		pthread_rwlock_rdlock(&w->rwlock[k]);
	else if (roll(&t->dice, 4))
		pthread_rwlock_wrlock(&w->rwlock[k]);
	else if (pthread_rwlock_trywrlock(&w->rwlock[k]) != 0)
		return;
	p.is_constant = p.is_constant && !is_wild(t);
	access_part(t, p);
	inside(t, rank);
	pthread_rwlock_unlock(&w->rwlock[k]);
}

static void step_spin(struct thread *t)
{
	struct world *w = t->w;
	if (t->held > SPIN)
		return;
	pthread_spin_lock(&w->spin);
	w->uncounted++;
	pthread_spin_unlock(&w->spin);
}

/* Two locks in both orders: behind a third one, or in any case, if that may end the run. */
static void step_crossed(struct thread *t)
{
	struct world *w = t->w;
	if (t->held > GATE)
		return;
	const unsigned first = roll(&t->dice, 2);
	const bool has_gate = !w->may_wait_forever || roll(&t->dice, 4);
	if (has_gate)
		pthread_mutex_lock(&w->gate);
	pthread_mutex_lock(&w->behind[first]);
	pthread_mutex_lock(&w->behind[1 - first]);
	w->uncounted += is_wild(t);
	pthread_mutex_unlock(&w->behind[1 - first]);
	pthread_mutex_unlock(&w->behind[first]);
	if (has_gate)
		pthread_mutex_unlock(&w->gate);
}

static void step_count(struct thread *t)
{
	struct world *w = t->w;
	const unsigned k = roll(&t->dice, LOCKS);
	if (is_wild(t)) {
		w->counter[k]++;
		return;
	}
	if (t->held > k)
		return;
	for (unsigned i = 0, n = 1 + roll(&t->dice, 3); i < n; i++) {
		pthread_mutex_lock(&w->lock[k]);
		w->counter[k]++;
		pthread_mutex_unlock(&w->lock[k]);
	}
}

/* An access that only empty sections keep apart from those of other threads. */
static void step_hidden(struct thread *t)
{
	struct world *w = t->w;
	const unsigned k = roll(&t->dice, LOCKS), how = roll(&t->dice, 3);
	long_even *p = (long_even *)(w->area + 8 * k);
	const bool is_first = roll(&t->dice, 2);
	if (t->held > k)
		return;
	if (is_first && is_wild(t))
		t->sum += single_long_even(p, how);
	for (unsigned i = 0, n = 1 + roll(&t->dice, 3); i < n; i++) {
		pthread_mutex_lock(&w->lock[k]);
		pthread_mutex_unlock(&w->lock[k]);
	}
	if (!is_first && is_wild(t))
		t->sum += single_long_even(p, how);
}

static void step_atomic(struct thread *t)
{
	struct world *w = t->w;
	int expected = 1;
	switch (roll(&t->dice, 12)) {
	case 0:
		atomic_store(&w->flag, 1);
		break;
	case 1:
		atomic_store_explicit(&w->flag, 2, memory_order_release);
		break;
	case 2:
		atomic_store_explicit(&w->flag, 3, memory_order_relaxed);
		break;
	case 3:
		t->sum += atomic_load_explicit(&w->flag, memory_order_acquire);
		break;
	case 4:
		t->sum += atomic_load_explicit(&w->flag, memory_order_relaxed);
		break;
	case 5:
		atomic_fetch_add_explicit(&w->flag, 1, memory_order_acq_rel);
		break;
	case 6:
		atomic_compare_exchange_strong(&w->flag, &expected, 0);
		break;
	case 7:
		t->sum += atomic_exchange(&w->small, 1);
		break;
	case 8:
		atomic_fetch_add_explicit(&w->large, 1, memory_order_relaxed);
		break;
	case 9:
		atomic_thread_fence(memory_order_seq_cst);
		break;
	case 10: /* part of something plain */
		if (is_wild(t))
			atomic_fetch_add(
				(_Atomic(int) *)(void *)(w->area + 4 * roll(&t->dice, OWN / 4)), 1);
		break;
	default: /* plain, something atomic */
		if (is_wild(t))
			t->sum += *(volatile int *)(void *)&w->flag;
	}
}

/* [freed] */
static void step_block(struct thread *t)
{
	struct world *w = t->w;
	const unsigned k = roll(&t->dice, SLOTS), how = roll(&t->dice, 4);
	if (t->held > MUTEX + k % LOCKS) {
		char *p = is_wild(t) ? w->slot[k] : NULL; /* perhaps freed meanwhile */
		if (p)
			t->sum += single_char(p + BLOCK_LEAST - 8, 0) == 3;
		return;
	}
	pthread_mutex_lock(&w->lock[k % LOCKS]);
	char *p = w->slot[k];
	if (!p) {
		const unsigned n = BLOCK_LEAST + roll(&t->dice, roll(&t->dice, 4) ? 64 : 1500);
		p = how == 0 ? calloc(1, n) : malloc(n);
		if (how > 1)
			memset(p, 1, n);
		w->slot_bytes[k] = n;
		w->slot[k] = p;
	} else if (how == 0) {
		w->slot[k] = NULL;
		free(p);
	} else if (how == 1) {
		w->slot_bytes[k] += 16;
		w->slot[k] = realloc(p, w->slot_bytes[k]);
	} else {
		access_part(t, (struct part){p + 16, w->slot_bytes[k] - 16, false});
	}
	pthread_mutex_unlock(&w->lock[k % LOCKS]);
	if (p && is_wild(t))
		t->sum += single_char(p + BLOCK_LEAST - 8, 0) == 3;
}

/* A block that is private, or published without a lock.  No thread frees a published one. */
static void step_private_block(struct thread *t)
{
	const unsigned n = BLOCK_LEAST + roll(&t->dice, 100);
	char *p = malloc(n);
	access_range(t, (struct part){p, n, false});
	access_part(t, (struct part){p, n, false});
	if (is_wild(t)) {
		t->w->open = p;
		return;
	}
	free(p);
	p = t->w->open;
	if (p)
		access_part(t, (struct part){p, BLOCK_LEAST, false});
}

static __attribute__((noinline)) void step_frame(struct thread *t)
{
	char frame[120];
	const struct part all = {frame, sizeof(frame), false};
	memset(frame, 0, sizeof(frame));
	access_part(t, all);
	access_part(t, all);
}

static void *child_run(void *arg);

static void child_begin(struct thread *t, char *lent)
{
	struct thread *child = calloc(1, sizeof(*child));
	child->w = t->w;
	child->id = CHILD * (t->id + 1) + t->born++ % CHILD;
	child->phase = t->phase;
	child->lent = lent;
	child->depth = 1;
	pthread_create(&t->child[t->nchildren++], NULL, child_run, child);
}

static void children_join(struct thread *t)
{
	while (t->nchildren > 0)
		pthread_join(t->child[--t->nchildren], NULL);
}

/* A child, which is joined at once, or at the end of its creator.  It may use the creator's stack. */
static void step_child(struct thread *t)
{
	char lent[48];
	const struct part all = {lent, sizeof(lent), false};
	if (t->id >= CHILD || t->nchildren == CHILDREN || t->held)
		return;
	const bool is_lent = roll(&t->dice, 2);
	if (is_lent)
		memset(lent, 1, sizeof(lent));
	child_begin(t, is_lent ? lent : NULL);
	if (is_lent && is_wild(t))
		access_part(t, all);
	else if (roll(&t->dice, 2))
		step_access(t);
	if (is_lent || roll(&t->dice, 2))
		children_join(t);
}

static void once_run(void)
{
	memset(once_at, 4, 24);
}

static void step_once(struct thread *t)
{
	if (t->held)
		return;
	pthread_once(&t->w->once, once_run);
	t->sum += t->w->area[AREA - 20];
}

static void step_token(struct thread *t)
{
	struct world *w = t->w;
	char *at = w->area + AREA - 64;
	if (roll(&t->dice, 2)) {
		(*at)++;
		sem_post(&w->tokens);
	} else if (sem_trywait(&w->tokens) == 0) {
		t->sum += *at;
		sem_post(&w->tokens);
	}
}

static void step_of(struct thread *t)
{
	static void (*const kinds[])(struct thread *) = {
		step_access,  step_access,	  step_access, step_access, step_access,
		step_mutex,   step_mutex,	  step_mutex,  step_count,  step_count,
		step_rwlock,  step_recursive,	  step_spin,   step_atomic, step_atomic,
		step_block,   step_block,	  step_frame,  step_child,  step_once,
		step_crossed, step_private_block, step_token,  step_hidden, step_hidden,
	};
	const unsigned n = sizeof(kinds) / sizeof(kinds[0]), kind = roll(&t->dice, n + 1);
	if (kind == n)
		sched_yield();
	else if (kinds[kind] != step_token || THEME[t->w->theme])
		kinds[kind](t);
}

/* Threads. */

static void steps_run(struct thread *t, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		t->dice.state = mixed(t->w->key ^ mixed(t->id * 1000 + i));
		if (!is_left_out(t->id, i))
			step_of(t);
	}
}

static void *child_run(void *arg)
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

/* Programs. */

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
