/* SPDX-License-Identifier: Apache-2.0
 *
 * context.h - contexts, which one runs next, and the state of the library (core.h)
 */
#ifndef SNAG_OMP_CONTEXT_H
#define SNAG_OMP_CONTEXT_H

#include "base/pool.h"
#include "omp/hooks.h"
#include "task/exceptions.h"
#include "task/fiber.h"
#include "task/stacks.h"
#include "trace/event.h"

struct mp_task;
struct mp_team;
struct mp_thread;

typedef void mp_body(void *arg);

struct mp_context {
	struct snag_fiber fiber; /* while it does not run */
	struct mp_thread *thread;
	void *handle;	      /* the detector's */
	struct mp_task *task; /* the innermost that runs on it */
	/* the task of the detector that it begins as; SNAG_OMP_SAME: it has begun */
	uint32_t begins_as;
	struct mp_context *next;   /* the next context of its queue */
	struct snag_stack stack;   /* the stack of a fiber; otherwise the thread has it */
	struct mp_context *caller; /* waits until this one returns, unless it is continued before */
	struct snag_exceptions exceptions;
	struct snag_omp_implicit implicit; /* task that it runs */
	const char *target; /* the target region it is in has its stack below; NULL: none */
	int limit;	    /* how many threads that region may have; 0: any number */
};

struct mp_queue {
	struct mp_context *first, *last;
};

/* A thread of the system. */
struct mp_thread {
	struct mp_context base;
	struct mp_context *now;	   /* the context that it waits as, or switched to last */
	struct mp_context *wanted; /* the context to continue as */
	struct mp_context *dead;   /* has ended, but its stack was still in use then */
	struct mp_thread *next;	   /* the next idle thread */
	/* without a detector: a futex, 1 when another thread hands over */
	uint32_t go;
	struct mp_team *team; /* the team it works for */
	int number, level;    /* its number in the team; how deeply the team is nested */
};

struct mp {
	const struct snag_omp_hooks *hooks; /* NULL: there is no detector */
	const void *place;		    /* the place of the program's last call */
	struct mp_context *now;
	struct mp_queue ready;	  /* the contexts that can continue, next one first */
	bool has_order;		  /* sections follow an order: lock.c */
	struct mp_queue entering; /* the contexts that may not enter a section yet */
	struct mp_thread *idle;
	struct mp_context *spare; /* fibers that are not in use */
	struct snag_stacks stacks;
	struct snag_pool tasks; /* explicit ones with few arguments, which most are */
	unsigned launched;	/* regions with more than one thread that are open; or targets */
	/* the initial thread has target tasks that it has not waited for: target.c */
	bool has_targets;
	unsigned leagues;	 /* leagues of several teams that are open */
	unsigned nteams_begun;	 /* teams that may still run, of leagues inside of regions */
	uint64_t nrecorded;	 /* iterations, at most: loop.c */
	unsigned npromises;	 /* made so far */
	uint32_t nimplicit;	 /* tasks of regions and leagues, so far */
	uint32_t nphases;	 /* their phases, so far */
	unsigned nstarted;	 /* threads, beside the first */
	unsigned ndetached;	 /* tasks with an event, so far */
	int nteams, teams_limit; /* for leagues, set by the program; 0: MP_THREADS, no limit */
	bool is_waiting;	 /* waits for something outside of OpenMP: outside.c */
	bool has_cancellation;
};
extern struct mp mp __attribute__((visibility("hidden")));

/* Every function that the program calls begins with this call. */
void mp_begin_slow(void);
static inline struct mp_task *mp_enter(const void *place)
{
	if (__builtin_expect(!mp.now, 0))
		mp_begin_slow();
	mp.place = place;
	return mp.now->task;
}
#define MP_ENTER() mp_enter(__builtin_return_address(0))

/* Returns whether the calling thread is the one that runs, and not a signal handler. */
bool mp_is_here(void);
/* Blocks the running context until another context makes it ready. */
void mp_block(void);
/* Lets all other ready contexts run first; returns false if there are none. */
bool mp_yield(void);

/* Makes a context ready; it runs next. */
static inline void mp_ready(struct mp_context *c)
{
	c->next = mp.ready.first;
	if (!mp.ready.first)
		mp.ready.last = c;
	mp.ready.first = c;
}

/* Makes *waiter ready, if there is one, and sets it to NULL. */
void mp_wake(struct mp_context **waiter);

/* Cleans up after a thread has switched to a context. */
void mp_arrived_slow(struct mp_thread *thread);
static inline void mp_arrived(struct mp_thread *thread)
{
	if (__builtin_expect(thread->dead != NULL, 0))
		mp_arrived_slow(thread);
}

/* Returns the thread for this number of a team: the one that had the number last, because the
 * program expects its thread-local variables.  Its base context runs mp_thread_main when it is
 * ready. */
struct mp_thread *mp_thread_take(struct mp_team *team, int number);
void *mp_thread_main(void *thread); /* does not return */
_Noreturn void mp_fail(const char *why);

void mp_queue_add(struct mp_queue *q, struct mp_context *c);
struct mp_context *mp_queue_take(struct mp_queue *q); /* NULL: empty */
void mp_queue_ready(struct mp_queue *q); /* makes all ready, in the order in which they came */

static inline void mp_report(enum snag_op op, uint32_t target)
{
	if (mp.hooks)
		mp.hooks->event((uint8_t)op, target, mp.place);
}

/* Asks the detector a question; without a detector the answer is no. */
static inline bool mp_asks(enum snag_omp_question question)
{
	return mp.hooks && mp.hooks->answer(question);
}

static inline uint32_t mp_number(void)
{
	return mp.hooks ? mp.hooks->number(SNAG_OMP_NUMBER_TASK) : 0;
}

static inline void mp_label(uint32_t id, enum snag_omp_label label, uint64_t number)
{
	if (mp.hooks)
		mp.hooks->label(id, label, number);
}

static inline uint32_t mp_promise(void)
{
	mp.npromises++;
	return mp.hooks ? mp.hooks->number(SNAG_OMP_NUMBER_PROMISE) : 0;
}

static inline void mp_become(uint32_t id)
{
	if (mp.hooks)
		mp.hooks->become(id);
}

/* Calls a function of the program; call stacks show the call at `place`. */
static inline void mp_call(mp_body *body, void *arg, const void *place)
{
	if (mp.hooks)
		mp.hooks->enter(place);
	body(arg);
	if (mp.hooks)
		mp.hooks->enter(NULL);
}

#endif
