/* SPDX-License-Identifier: Apache-2.0
 *
 * core.h - OpenMP on one thread at a time: what the two doors (kmpc.c, gomp.c) share
 *
 * Idea.   A team's threads are real threads, so that thread-local storage is right, but only
 *         one runs at a time: it hands over when it must wait.  Explicit tasks are fibers on the
 *         thread that created them; each runs as soon as it can, its creator goes on when it
 *         ends or must wait.  What the program would have done in parallel is told to
 *         a detector (hooks.h) as tasks, finishes, spawns, syncs and promises; without one,
 *         the program just runs, correctly and serially.
 *
 * Structure, as it is told.
 *         teams       a finish; each team is a task, a segment of the one thread that runs them
 *         parallel    a finish of the task that meets it.  What one of its threads does
 *                     between two barriers is a task of its own, a *phase*; a barrier closes the finish
 *                     and opens the next one
 *         loop        each chunk that a schedule cannot cut is a task, a *segment* of the phase;
 *                     so are sections
 *         task        a spawn; taskwait is a sync, taskgroup a finish.  Undeferred: a spawn and
 *                     a sync in a frame of their own
 *         depend      a promise for each task with such a clause, set at its end; who depends on it
 *                     gets it first.  mutexinoutset: a lock
 *         ordered     promises from one iteration to the next
 *         reduction   each thread's combining is a segment, one after the other by promises
 *         critical, locks    acquire and release
 *         A team of one thread has no structure: it is the task that met it.  Only target regions
 *         with nowait are tasks there too.
 *
 * Rules.  [team]      how many threads a team has is up to the program (num_threads, if, ...) or
 *                     MP_THREADS; the environment has no say, so that verdicts do not depend on it
 *         [one]       blocks for one thread and iterations without a barrier in between are on different
 *                     threads, so that they are seen to be parallel: deal.h
 *         [private]   in a segment the detector leaves out accesses to memory that the thread owns
 *                     (own/own.h): on another thread, another iteration would use other memory
 *         [alone]     a task that has its own stack is alone with it, and with its arguments, until
 *                     it creates a task or synchronises, and again after a taskwait if all
 *                     tasks below it have been waited for and there are no promises: who
 *                     else knew of these would have to know it by a race
 *         [asked]     a thread that has asked for its number has no segments until the end of the
 *                     region: what it does may depend on the thread that does it
 *
 * Files.  context.c   contexts, who runs next
 *         team.c      parallel, barriers, phases and segments
 *         deal.c      single, master; which threads have a loop
 *         alike.c     whether its threads do the same
 *         settings.c  what the program has set; sizes of teams
 *         loop.c      loops, sections, ordered, doacross
 *         simd.c      the statements of simd loops
 *         run.c       explicit tasks; depend.c; reduction.c
 *         task.c      those that are undeferred or detached, taskwait, taskgroup
 *         copies.c    private copies on the heap
 *         lock.c      critical sections and locks
 *         memory.c    memory, and maps from addresses
 *         api*.c      omp_*, kmp_*
 *         league.c    teams
 *         promise.c   promises of <snag/task.h>
 *         target.c    target regions with nowait
 *         outside.c   threads that are none of ours
 *         cancel.c    cancellation
 *         kmpc*.c     what clang calls
 *         gomp*.c     what gcc calls
 */
#ifndef SNAG_OMP_CORE_H
#define SNAG_OMP_CORE_H

#include "base/keyed.h"
#include "base/pool.h"
#include "omp/deal.h"
#include "omp/hooks.h"
#include "own/loans.h"
#include "task/exceptions.h"
#include "task/fiber.h"
#include "task/stacks.h"
#include "trace/event.h"

enum { MP_THREADS = 4, MP_MAX_THREADS = 1024, MP_MAX_LEVELS = 1 << 20 };

/* What snag cc says of what it rewrote. */
enum {
#define MARK(name, number) MP_##name = number,
#include "omp/marks.def"
#undef MARK
};

struct mp_task;
struct mp_team;
struct mp_thread;

typedef void mp_body(void *arg);

/* ---- contexts ---- */

struct mp_context {
	struct snag_fiber fiber; /* while it does not run */
	struct mp_thread *thread;
	void *handle;		   /* the detector's */
	struct mp_task *task;	   /* the innermost that runs on it */
	uint32_t begins_as;	   /* as this task of the detector; SNAG_OMP_SAME: it has begun */
	struct mp_context *next;   /* in one queue */
	struct snag_stack stack;   /* of a fiber; otherwise the thread's */
	struct mp_context *caller; /* it waits until this one returns, or it is continued before */
	struct snag_exceptions exceptions;
	struct snag_omp_implicit implicit; /* task that it runs */
	const char *target; /* the target region it is in has its stack below; NULL: none */
	int limit;	    /* of that region's threads; 0: none */
};

struct mp_queue {
	struct mp_context *first, *last;
};

/* A thread of the system. */
struct mp_thread {
	struct mp_context base;
	struct mp_context *now;	   /* it waits as, or came to last */
	struct mp_context *wanted; /* it is to go on as */
	struct mp_context *dead;   /* its stack was in use when it ended */
	struct mp_thread *next;	   /* of the idle ones */
	uint32_t go;		   /* without a detector: futex, 1 when handed to */
	struct mp_team *team;	   /* what it is to do */
	int number, level;	   /* in it; how deeply it is nested */
};

struct mp {
	const struct snag_omp_hooks *hooks; /* NULL: nobody listens */
	const void *place;		    /* where the program called */
	struct mp_context *now;
	struct mp_queue ready;	  /* those that can go on, next one first */
	bool has_order;		  /* of sections: lock.c */
	struct mp_queue entering; /* those that may not enter one yet */
	struct mp_thread *idle;
	struct mp_context *spare; /* fibers that are not in use */
	struct snag_stacks stacks;
	struct snag_pool tasks;	 /* explicit ones with few arguments, which most are */
	unsigned launched;	 /* regions with more than one thread that are open; or targets */
	bool has_targets;	 /* of the initial thread, that it has not waited for: target.c */
	unsigned leagues;	 /* likewise, of several teams */
	unsigned nteams_begun;	 /* that may still run: of leagues inside of regions */
	uint64_t nrecorded;	 /* iterations, at most: loop.c */
	unsigned npromises;	 /* made so far */
	uint32_t nimplicit;	 /* tasks of regions and leagues, so far */
	uint32_t nphases;	 /* of them, likewise */
	unsigned nstarted;	 /* threads, beside the first */
	unsigned ndetached;	 /* tasks with an event, so far */
	int nteams, teams_limit; /* of leagues, set by the program; 0: MP_THREADS, none */
	bool is_waiting;	 /* for what happens outside: outside.c */
	bool has_cancellation;
};
extern struct mp mp __attribute__((visibility("hidden")));

/* To be called first by everything that the program calls. */
void mp_begin_slow(void);
static inline struct mp_task *mp_enter(const void *place)
{
	if (__builtin_expect(!mp.now, 0))
		mp_begin_slow();
	mp.place = place;
	return mp.now->task;
}
#define MP_ENTER() mp_enter(__builtin_return_address(0))

bool mp_is_here(
	void);	     /* whether the calling thread is the one that runs, not a handler of signals */
void mp_block(void); /* until somebody makes it ready */
bool mp_yield(void); /* everybody else first; false: nobody is */

static inline void mp_ready(struct mp_context *c) /* next */
{
	c->next = mp.ready.first;
	if (!mp.ready.first)
		mp.ready.last = c;
	mp.ready.first = c;
}

void mp_wake(struct mp_context **waiter); /* it is ready, and no longer waits; NULL: nobody does */

/* What is to be done when a thread has come to a context. */
void mp_arrived_slow(struct mp_thread *thread);
static inline void mp_arrived(struct mp_thread *thread)
{
	if (__builtin_expect(thread->dead != NULL, 0))
		mp_arrived_slow(thread);
}

/* For a thread of the team: the one that had this number last, whose thread-local variables it has
 * to have; its base runs mp_thread_main when it is ready. */
struct mp_thread *mp_thread_take(struct mp_team *team, int number);
void *mp_thread_main(void *thread); /* does not return */
_Noreturn void mp_fail(const char *why);

void mp_queue_add(struct mp_queue *q, struct mp_context *c);
struct mp_context *mp_queue_take(struct mp_queue *q); /* NULL: empty */
void mp_queue_ready(struct mp_queue *q); /* all of them, those who came first before the others */

/* ---- what is told ---- */

static inline void mp_tell(enum snag_op op, uint32_t target)
{
	if (mp.hooks)
		mp.hooks->event((uint8_t)op, target, mp.place);
}

/* Without a detector the answer is no. */
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

/* Calls a function of the program, which is seen to be called from `place`. */
static inline void mp_call(mp_body *body, void *arg, const void *place)
{
	if (mp.hooks)
		mp.hooks->enter(place);
	body(arg);
	if (mp.hooks)
		mp.hooks->enter(NULL);
}

/* ---- teams ---- */

/* A chunk of a loop with the static schedule whose order lasts beyond the loop. */
struct mp_static {
	struct mp_static *next;
	uint64_t count, chunk; /* as the program says; 0: it does not */
	uint32_t *segment;     /* by chunk; 0: none yet */
	uint32_t *ndone;       /* likewise: in how many such loops it has been executed */
	uint32_t nloops;       /* that were begun */
	bool is_cut;	       /* one was cancelled */
	size_t cap;
};

struct mp_team {
	int n;
	bool is_told;		      /* it has structure: more than one thread, or simd */
	struct mp_lockstep *lockstep; /* of a simd loop; NULL: none, or nobody wants to know */
	int level, active_level;
	struct mp_task *parent;
	struct snag_omp_implicit met_as; /* a league: the implicit task that met it */
	uint32_t id;			 /* the task that opens its finishes */
	const void *place;		 /* where the present one began */
	mp_body *body;
	void *arg;
	int arrived, joined;	      /* at a barrier; at the last one */
	unsigned live;		      /* explicit tasks that have not ended */
	struct mp_queue waiting;      /* at the barrier */
	struct mp_context *first;     /* thread 0, at the last one */
	uint32_t combined;	      /* the promise of the last combining of a reduction, + 1 */
	const void *copied;	      /* copyprivate */
	struct mp_loop_shared *loops; /* ordered, doacross: shared by the threads */
	struct mp_static *statics;    /* of this phase */
	struct mp_deals deals;	      /* likewise */
	bool is_cancelled;	      /* cancel parallel */
	int nteams, at_team;	      /* a league: how many teams, which one runs; 0: it is none */
	unsigned first_team; /* likewise: a number for the first one, others have the next */
	int limit;	     /* of the threads of its contention group (thread_limit); 0: none */
	int room;	     /* likewise: that a region inside may have */
};

struct mp_lock;
struct mp_group;
struct mp_loop_shared;

/* A loop that a thread is in. */
struct mp_loop {
	uint64_t count; /* iterations */
	uint64_t chunk; /* of them that stay together */
	uint64_t nchunks, next, step;
	uint64_t from, n;   /* the iterations of the present chunk */
	uint64_t chunk_now; /* its number */
	bool is_simple; /* its segments end with their chunks, and seldom do more than access memory */
	bool has_zero; /* chunk 0 is thread 0's, whoever has the rest */
	bool is_open, is_sections, is_doacross, is_cancelled;
	struct mp_static *kept;
	uint32_t promise; /* with kept: of what the thread did before */
	struct mp_loop_shared *shared;
};

/* What the program has set for the regions that a task meets; those of a new one are its creator's. */
struct mp_settings {
	int nthreads;	/* 0: MP_THREADS */
	int max_levels; /* of nested regions that have more than one thread */
	int schedule, chunk;
	bool is_dynamic;
};

struct mp_task {
	struct mp_task *parent;
	struct mp_team *team;
	struct mp_group *group;
	int number;	/* of its thread */
	unsigned known; /* by how many: itself, its children, tables of dependences */
	/* Explicit tasks. */
	mp_body *body;
	void *arg;
	size_t nbytes;	   /* of its arguments, which it has for itself */
	const void *place; /* where it was created */

	/* From here on, 0 in a new task: */
	uint32_t id;	   /* it speaks as */
	uint32_t base_id;  /* outside of segments */
	uint32_t spare_id; /* a number for a segment that is not in use; 0: none */
	uint32_t before;   /* the promise of what it did before it combined */
	bool is_implicit, is_final;
	bool is_part;	   /* of a team of one thread, or of a league: of the task that met it */
	bool has_spawned;  /* in this phase or segment */
	bool has_asked;	   /* [asked] */
	bool is_combining; /* of a reduction */
	/* Explicit tasks. */
	bool is_pooled; /* in mp.tasks */
	bool is_lent;	/* it was told of its creator's stack */
	bool is_new;	/* nobody was told that its arguments are new memory */
	bool has_body_ended, is_undeferred;
	bool is_detached, is_fulfilled;
	uint32_t fulfilled;		 /* the promise set when it was */
	struct mp_context *undeferred;	 /* waits until this one can begin */
	struct mp_dependent *dependent;	 /* NULL: it has no depend clauses */
	void (*done)(struct mp_task *t); /* may be NULL: nobody runs it any more */
	/* Of its children. */
	struct own_loans loans;
	unsigned children; /* that have not ended */
	struct mp_context *waiter;
	struct mp_depends *depends;
	struct mp_held *held;	      /* locks */
	struct mp_settings *settings; /* NULL: those of its creator */
	struct mp_copy *copies;	      /* on the heap: copies.c */

	/* Implicit tasks; what follows is no part of the memory of the others. */
	_Alignas(16) const char *frame; /* its stack is below */
	unsigned loops;			/* met so far */
	struct mp_met met;		/* in this phase */
	struct mp_depends *outside;	/* in a segment: those of the phase */
	struct mp_settings own_settings;
	struct mp_loop loop;
	int64_t lower, stride; /* of it, as the program counts */
	bool is_iterating;     /* mp_iteration() */
	bool is_together;      /* in a block of several iterations that nobody has told apart */
};
enum {
	MP_TASK_ZERO = offsetof(struct mp_task, id),
	MP_TASK_BYTES = offsetof(struct mp_task, frame), /* of an explicit one */
};
_Static_assert(MP_TASK_BYTES % 16 == 0, "what is behind it is aligned");

/* Whether its tasks and barriers are those of one thread: a team of a league has no other, though it is
 * told that there are several such teams. */
static inline bool mp_team_is_alone(const struct mp_team *team)
{
	return !team->is_told || team->nteams;
}

/* Runs body(arg) in each of n threads, and the barrier at its end. */
void mp_parallel(mp_body *body, void *arg, int n);
int mp_team_size(int wanted, bool is_serial); /* what a region gets: num_threads (0: none), if */
int mp_room_here(void);	   /* how many threads a region may have; 0: any number */
int mp_thread_limit(void); /* 0: none */
/* The same for those that call the body themselves: a team of one thread. */
void mp_serial_begin(void);
void mp_serial_end(void);
/* What a region is around its threads: a finish, and the stack of who met it is shared. */
void mp_region_begin(struct mp_team *team);
void mp_region_end(struct mp_team *team);
struct mp_team mp_team_of(struct mp_task *parent, int n);
/* The calling context goes on as that implicit task; returns which it was. */
struct snag_omp_implicit mp_implicit_set(struct snag_omp_implicit who);
struct snag_omp_implicit mp_implicit_new(const struct mp_task *t); /* t's, if it has structure */
void mp_phase_begin(struct mp_task *t);
void mp_join(struct mp_task *t); /* the barrier at the end; thread 0 comes back from it */
void mp_launch(bool begins);	 /* what several threads do; may be nested */

/* Teams, one after the other: each call of mp_league_next() is the end of one and, unless it returns
 * false, the beginning of the next.  What a team has for itself is below `frame`. */
struct mp_league { /* as the program says; 0: it does not */
	int nteams, limit;
};
void mp_league_begin(struct mp_league said, const char *frame);
bool mp_league_next(void);
void mp_teams(mp_body *body, void *arg, struct mp_league said);
int mp_league_at(int *ret_n); /* the number of the team that runs; of how many */
/* A number for those whose locks exclude each other: a team and the threads of its regions.  The first
 * team of a league is in that of the program outside: 0. */
unsigned mp_contention_group(void);

enum mp_cancel { MP_CANCEL_PARALLEL, MP_CANCEL_LOOP, MP_CANCEL_GROUP };
bool mp_cancel(enum mp_cancel what); /* false: OMP_CANCELLATION is off */
bool mp_is_cancelled(enum mp_cancel what);

void mp_barrier(void);
void mp_team_check(struct mp_team *team); /* a task has ended: may its barrier open? */
void mp_segment_begin(struct mp_task *t);
bool mp_segment_end(struct mp_task *t);		       /* false: nobody heard of it */
void mp_segment_enter(struct mp_task *t, uint32_t id); /* of one that exists, or existed */
void mp_segment_leave(struct mp_task *t);	       /* which goes on later */
void mp_asked(struct mp_task *t);
static inline void mp_tell_asked(enum snag_omp_asked what)
{
	if (mp.hooks && mp.launched > mp.has_targets)
		mp.hooks->asked(mp.place, what);
}
struct mp_task *mp_implicit(struct mp_task *t); /* the thread it runs in */
const struct mp_settings *mp_settings(const struct mp_task *t);
struct mp_settings *mp_settings_own(struct mp_task *t); /* to be set */
/* The task that it is part of: teams of one thread have no structure. */
struct mp_task *mp_task_told(struct mp_task *t);

void mp_chunk_end(struct mp_task *t); /* mp_segment_end(), in a loop or not */
void mp_combine_begin(void);
void mp_combine_end(void);

/* ---- loops ---- */

/* What `schedule` says, as far as it matters here. */
struct mp_schedule {
	uint64_t chunk; /* iterations that stay together; 0: not said */
	bool is_static, is_nowait, is_ordered, is_sections;
	bool is_scan;  /* one thread has all iterations, in order */
	uint64_t safe; /* simd: at most so many iterations are parallel; 0: any number */
};

/* snag cc rewrites schedules so that the runtime sees every chunk: to dynamic, with the rest in
 * the chunk size (marks.def).  Takes any chunk size. */
struct mp_schedule mp_schedule_decode(uint64_t chunk);

void mp_loop_begin(uint64_t count, struct mp_schedule schedule);
bool mp_loop_next(uint64_t *ret_from, uint64_t *ret_n); /* false: the loop is over */
void mp_loop_end(void);					/* also if it is not over */
void *mp_loop_common(size_t nbytes);			/* memory that its threads share */
void mp_loop_cancel(struct mp_task *t);			/* for all its threads */
bool mp_loop_is_cancelled(const struct mp_task *t);
void mp_loops_free(struct mp_team *team); /* at its end */
bool mp_loop_is_last(void);		  /* the chunk has the last iteration */
/* A loop that the compiler runs by itself: which of how many blocks is the calling thread's;
 * negative: none. */
int mp_loop_block(int *ret_n);
/* Called before and after each iteration of a loop that the compiler runs by itself; returns
 * whether this is before. */
bool mp_iteration(void);
void mp_iteration_leave(struct mp_task *t); /* it was cancelled */
/* ---- simd ---- */

/* For a team whose loops are simd; to be freed. */
struct mp_lockstep *mp_lockstep_new(void);    /* NULL: nobody wants to know */
void mp_lockstep_free(struct mp_lockstep *l); /* accepts NULL */
/* A loop begins.  Returns whether there is something to be told of its iterations. */
bool mp_lockstep_loop(struct mp_lockstep *l, uint64_t safe);
void mp_lockstep_iteration(struct mp_lockstep *l, bool begins);
void mp_lockstep_statement(struct mp_lockstep *l, unsigned number); /* has ended */

void mp_ordered_begin(void);
void mp_ordered_end(void);
void mp_doacross_begin(unsigned ndims, const int64_t *lower, const int64_t *upper,
		       const int64_t *stride);
void mp_doacross_post(const int64_t *at);
void mp_doacross_wait(const int64_t *at);
void mp_doacross_end(void);
unsigned mp_doacross_dims(void);

/* ---- locks ---- */

struct mp_lock *mp_lock_at(const void *at);   /* made if need be */
struct mp_lock *mp_lock_here(const void *at); /* likewise; each team has its own */
void mp_lock_forget(const void *at);	      /* the team's */
/* One that others at this address have nothing to do with, for as long as anybody knows it. */
struct mp_lock *mp_lock_new(const void *at);
struct mp_lock *mp_lock_know(struct mp_lock *lock);
void mp_lock_release(struct mp_lock *lock); /* accepts NULL */
void mp_lock_asked(void);		    /* the program asks whether one is free */
void mp_lock_take(struct mp_lock *lock, struct mp_task *t);
bool mp_lock_try(struct mp_lock *lock, struct mp_task *t);
void mp_lock_give(struct mp_lock *lock);
int *mp_lock_depth(struct mp_lock *lock, const struct mp_task *t); /* NULL: t has it not */
/* A task goes on as another one of the detector: it gives what it holds, and takes it again. */
void mp_locks_tell(struct mp_task *t, bool is_acquired);

/* ---- memory ---- */

void *mp_alloc(size_t nbytes);	    /* never NULL, zeroed */
void *mp_alloc_used(size_t nbytes); /* likewise, but it may have been used */
/* The array with room for n elements of that size, the old ones first, the others zeroed. */
void *mp_grow(void *old, size_t *cap, size_t n, size_t each);
void mp_free(void *p);			       /* accepts NULL */
void mp_memory(const void *at, size_t nbytes); /* the program gets it */

void *mp_memset(void *to, int byte, size_t n);
void *mp_memcpy(void *to, const void *from, size_t n);

struct mp_map { /* from addresses to things */
	struct snag_keyed table;
};
struct mp_map_entry {
	uint64_t key; /* the address + 1 */
	void *value;
};
void **mp_map_at(struct mp_map *map, const void *key); /* NULL there: new */
void mp_map_free(struct mp_map *map);

#endif
