/* SPDX-License-Identifier: Apache-2.0
 *
 * steps.c - what a step of a program of programs.c does; the rules are those of that file
 */
#define _GNU_SOURCE
#include "world.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

char *once_at;

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

void children_join(struct thread *t)
{
	while (t->nchildren > 0)
		pthread_join(t->child[--t->nchildren], NULL);
}

/* A child, which is joined at once, or at the end of its creator.  It may use the creator's
 * stack. */
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

void step_of(struct thread *t)
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
