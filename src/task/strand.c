/* SPDX-License-Identifier: Apache-2.0
 *
 * strand.c - suspending and resuming in the parallel runtime
 *
 * Another worker may resume a strand as soon as it can find it.  So a strand that is left is
 * published, as ready or as waiting, only after its registers are saved: by the strand that its
 * worker continues with (`after`).
 *
 * The C++ exceptions being handled are saved with a strand (exceptions.h).
 */
#include "task/exceptions.h"
#include "task/parallel.h"

#include <sched.h>

enum { MOST_UNUSED = 32 };

/* A record without a stack. */
static struct strand *strand_take(void)
{
	struct strand *strand = snag_run.bare;
	if (strand) {
		snag_run.bare = strand->next;
		return strand;
	}
	strand = snag_pool_take(&snag_run.strand_pool);
	if (!strand)
		snag_no_memory();
	strand->is_suspended = false;
	strand->older = snag_run.strands;
	snag_run.strands = strand;
	return strand;
}

static struct strand *strand_new(struct task_worker *w)
{
	struct strand *strand = w->unused;
	if (strand) {
		w->unused = strand->next;
		w->nunused--;
		return strand;
	}
	pthread_mutex_lock(&snag_run.lock);
	strand = strand_take();
	uint32_t number = snag_stacks_take(&snag_run.stacks);
	if (number == SNAG_STACK_NONE)
		snag_no_memory();
	strand->stack_number = number;
	strand->stack = snag_stacks_at(&snag_run.stacks, number);
	pthread_mutex_unlock(&snag_run.lock);
	return strand;
}

static void strand_drop(struct task_worker *w, struct strand *strand)
{
	if (w->nunused < MOST_UNUSED) {
		strand->next = w->unused;
		w->unused = strand;
		w->nunused++;
		return;
	}
	pthread_mutex_lock(&snag_run.lock);
	snag_stacks_give(&snag_run.stacks, strand->stack_number);
	strand->next = snag_run.bare;
	snag_run.bare = strand;
	pthread_mutex_unlock(&snag_run.lock);
}

static void ready_lock(struct task_worker *w)
{
	while (atomic_exchange_explicit(&w->ready_lock, 1, memory_order_acquire))
		while (atomic_load_explicit(&w->ready_lock, memory_order_relaxed))
			sched_yield();
}

static void ready_unlock(struct task_worker *w) /* pairs with the exchange in ready_lock() */
{
	atomic_store_explicit(&w->ready_lock, 0, memory_order_release);
}

void snag_strand_ready(struct task_worker *w, struct strand *strand)
{
	ready_lock(w);
	strand->next = w->ready;
	w->ready = strand;
	/* Pairs with is_work(): a worker that sees the count may look for the strand. */
	atomic_store_explicit(&w->nready, w->nready + 1, memory_order_release);
	ready_unlock(w);
}

struct strand *snag_strand_take_ready(struct task_worker *w)
{
	if (atomic_load_explicit(&w->nready, memory_order_relaxed) == 0)
		return NULL; /* none was ready at some moment; the lock orders the rest */
	ready_lock(w);
	struct strand *strand = w->ready;
	if (strand) {
		w->ready = strand->next;
		atomic_store_explicit(&w->nready, w->nready - 1, memory_order_relaxed);
	}
	ready_unlock(w);
	return strand;
}

/* Publishes the strand that was left. */
static void after_switch(struct task_worker *w)
{
	struct strand *left = w->left;
	struct snag_scope *scope;
	int64_t closed;
	switch (w->after) {
	case AFTER_NOTHING:
		break;
	case AFTER_DROP:
		strand_drop(w, left);
		break;
	case AFTER_READY:
		snag_strand_ready(w, left);
		snag_worker_call();
		break;
	case AFTER_WAIT_SCOPE:
		scope = w->awaited;
		scope->waiter = left;
		closed = SNAG_SCOPE_OPEN - (scope->made - scope->inlined);
		/* Release: `waiter` is there before 0 can be seen.  Acquire: what those
		 * did that ended before. */
		if (atomic_fetch_sub_explicit(&scope->balance, closed, memory_order_acq_rel) ==
		    closed)
			snag_strand_ready(w, left);
		break;
	case AFTER_WAIT_PROMISE:
		w->wait->strand = left;
		if (!snag_promise_enqueue(w->awaited, w->wait))
			snag_strand_ready(w, left);
		break;
	}
	w->after = AFTER_NOTHING;
}

static void strand_main(void *arg)
{
	struct task_worker *w = snag_worker_self();
	w->strand = arg;
	after_switch(w);
	snag_exceptions_restore(&(struct snag_exceptions){0});
	struct async_task *first = w->first;
	if (first) {
		w->first = NULL;
		snag_async_run(w, first);
	}
	snag_strand_loop();
}

static struct snag_fiber *strand_fresh(struct task_worker *w)
{
	struct strand *strand = strand_new(w);
	snag_fiber_prepare(&strand->fiber, &strand->stack, strand_main, strand);
	return &strand->fiber;
}

void snag_strand_wait(struct task_worker *w, enum after after, void *awaited)
{
	struct strand *self = w->strand;
	struct run_context *now = w->now;
	struct promise_wait wait;
	struct snag_exceptions exceptions = snag_exceptions_save();

	w->after = after;
	w->left = self;
	w->awaited = awaited;
	w->wait = &wait;
	self->is_suspended = true;
	struct strand *ready = after == AFTER_READY ? NULL : snag_strand_take_ready(w);
	snag_fiber_switch(&self->fiber, ready ? &ready->fiber : strand_fresh(w));

	w = snag_worker_self();
	w->strand = self;
	w->now = now;
	self->is_suspended = false;
	snag_exceptions_restore(&exceptions);
	after_switch(w);
}

void snag_strand_run(struct task_worker *w, struct async_task *task)
{
	w->first = task;
	snag_strand_wait(w, AFTER_READY, NULL);
}

void snag_strand_begin(struct task_worker *w)
{
	w->after = AFTER_NOTHING;
	snag_fiber_switch(&w->outside, strand_fresh(w));
	after_switch(w);
}

void snag_strand_resume(struct task_worker *w, struct strand *strand)
{
	w->after = AFTER_DROP;
	w->left = w->strand;
	snag_fiber_leave(&strand->fiber);
}

void snag_strand_exit(struct task_worker *w)
{
	w->after = AFTER_DROP;
	w->left = w->strand;
	snag_fiber_leave(&w->outside);
}

bool snag_strand_has_room(const struct task_worker *w)
{
	const char *here = __builtin_frame_address(0);
	return (size_t)(here - (const char *)w->strand->stack.base) > w->strand->stack.nbytes / 2;
}

void snag_strands_done(void)
{
	for (struct strand *strand = snag_run.strands; strand; strand = strand->older)
		if (strand->is_suspended)
			snag_fiber_forget(&strand->fiber);
	snag_run.strands = snag_run.bare = NULL;
	snag_pool_done(&snag_run.strand_pool);
	snag_stacks_done(&snag_run.stacks);
}
