/* SPDX-License-Identifier: Apache-2.0
 *
 * core.h - OpenMP on one thread at a time: what the entry points of clang and gcc share
 *
 * Idea.   The threads of a team are real threads, so that thread-local storage is right.  Only one
 *         of them runs at a time; it hands over to another when it must wait.  An explicit task is
 *         a fiber on the thread that created it.  The task runs as soon as it can; its creator goes
 *         on when the task ends or must wait.
 *
 *         The library reports to a detector (hooks.h) what the program would have done in parallel,
 *         as tasks, finishes, spawns, syncs and promises.  Without a detector the program just
 *         runs, correctly and serially.
 *
 * Structure, as the library reports it:
 *         teams       a finish; each team is a task, a segment of the one thread that runs them
 *         parallel    a finish of the task that meets it.  The work of one thread between two
 *                     barriers is a task of its own, a *phase*.  A barrier closes the finish and
 *                     opens the next one
 *         loop        each chunk that a schedule cannot divide is a task, a *segment* of the phase;
 *                     so is each section
 *         task        a spawn; taskwait is a sync, taskgroup a finish.  An undeferred task is a
 *                     spawn and a sync in a frame of their own
 *         depend      each task with this clause has a promise, and sets it at its end; a task that
 *                     depends on it gets the promise first.  mutexinoutset: a lock
 *         ordered     promises from one iteration to the next
 *         reduction   each thread combines in a segment; promises order these segments
 *         critical, locks    acquire and release
 *         A team of one thread has no structure: it is the task that met the region.  Only its
 *         target regions with nowait are tasks.
 *
 * Rules.  [team]      The program decides how many threads a team has (num_threads, if, ...);
 *                     otherwise it has MP_THREADS.  The environment does not, so that verdicts do
 *                     not depend on it.
 *         [one]       Blocks for one thread, and iterations, with no barrier in between go to
 *                     different threads, so that the detector sees them in parallel (deal.h).
 *         [private]   In a segment the detector skips accesses to memory that the thread owns
 *                     (own/own.h): on another thread, another iteration would use other memory.
 *         [alone]     Only the task itself can reach its stack and its arguments until it creates a
 *                     task or synchronises; and again after a taskwait, if all tasks below it have
 *                     been waited for and there are no promises.
 *         [asked]     A thread that has asked for its number has no segments until the end of the
 *                     region: its work may depend on the thread.
 *
 * Files.  context.c   contexts, and which one runs next
 *         team.c      parallel, barriers, phases and segments
 *         deal.c      single, master; which threads get a loop
 *         alike.c     whether the threads of a team do the same
 *         settings.c  what the program has set; sizes of teams
 *         loop.c      loops, sections, ordered, doacross
 *         simd.c      the statements of simd loops
 *         run.c       explicit tasks; depend.c; reduction.c
 *         task.c      undeferred and detached tasks, taskwait, taskgroup
 *         copies.c    private copies on the heap
 *         lock.c      critical sections and locks
 *         memory.c    memory, and maps from addresses
 *         api*.c      omp_*, kmp_*
 *         league.c    teams
 *         promise.c   promises of <snag/task.h>
 *         target.c    target regions with nowait
 *         outside.c   threads that the library did not create
 *         cancel.c    cancellation
 *         kmpc*.c     entry points for clang
 *         gomp*.c     entry points for gcc
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

struct mp_context {
	struct snag_fiber fiber; /* while it does not run */
	struct mp_thread *thread;
	void *handle;		   /* the detector's */
	struct mp_task *task;	   /* the innermost that runs on it */
	uint32_t begins_as;	   /* as this task of the detector; SNAG_OMP_SAME: it has begun */
	struct mp_context *next;   /* in one queue */
	struct snag_stack stack;   /* of a fiber; otherwise the thread's */
	struct mp_context *caller; /* waits until this one returns, unless it is continued before */
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
	struct mp_context *now;	   /* the context that it waits as, or switched to last */
	struct mp_context *wanted; /* the context to go on as */
	struct mp_context *dead;   /* has ended; its stack was still in use then */
	struct mp_thread *next;	   /* of the idle ones */
	uint32_t go;		   /* without a detector: futex, 1 when handed to */
	struct mp_team *team;	   /* it works for */
	int number, level;	   /* in the team; how deeply the team is nested */
};

struct mp {
	const struct snag_omp_hooks *hooks; /* NULL: there is no detector */
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

/* Calls a function of the program; call stacks show the call at `place`. */
static inline void mp_call(mp_body *body, void *arg, const void *place)
{
	if (mp.hooks)
		mp.hooks->enter(place);
	body(arg);
	if (mp.hooks)
		mp.hooks->enter(NULL);
}

/* The chunks of static nowait loops, which go on in the next such loop: [static] of loop.c. */
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
	struct mp_lockstep *lockstep; /* of a simd loop; NULL: none, or no detector needs it */
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
	bool has_zero; /* thread 0 gets chunk 0, whichever threads get the rest */
	bool is_open, is_sections, is_doacross, is_cancelled;
	struct mp_static *kept;
	uint32_t promise; /* with kept: of what the thread did before */
	struct mp_loop_shared *shared;
};

/* What the program has set for the regions that a task meets.  A new task has its creator's
 * settings. */
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
	unsigned known; /* references: its own, of its children, of tables of dependences */
	/* Explicit tasks. */
	mp_body *body;
	void *arg;
	size_t nbytes;	   /* of its arguments, which are private to it */
	const void *place; /* where it was created */

	/* From here on, 0 in a new task: */
	uint32_t id;	   /* the task that the detector knows it as, now ... */
	uint32_t base_id;  /* ... and outside of segments */
	uint32_t spare_id; /* a number for a segment that is not in use; 0: none */
	uint32_t before;   /* the promise set before it combined, for what it did until then */
	bool is_implicit, is_final;
	bool is_part;	   /* of a team of one thread, or of a league: of the task that met it */
	bool has_spawned;  /* in this phase or segment */
	bool has_asked;	   /* [asked] */
	bool is_combining; /* of a reduction */
	/* Explicit tasks. */
	bool is_pooled; /* in mp.tasks */
	bool is_lent;	/* it has an address of its creator's stack */
	bool is_new;	/* its arguments are new memory, which was not reported yet */
	bool has_body_ended, is_undeferred;
	bool is_detached, is_fulfilled;
	uint32_t fulfilled;		 /* the promise set when it was */
	struct mp_context *undeferred;	 /* waits until this one can begin */
	struct mp_dependent *dependent;	 /* NULL: it has no depend clauses */
	void (*done)(struct mp_task *t); /* called when it will not run any more; may be NULL */
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
	bool is_together;      /* in a block of several iterations that are one segment */
};
enum {
	MP_TASK_ZERO = offsetof(struct mp_task, id),
	MP_TASK_BYTES = offsetof(struct mp_task, frame), /* of an explicit one */
};
_Static_assert(MP_TASK_BYTES % 16 == 0, "what is behind it is aligned");

/* Returns whether its tasks and barriers are those of one thread.  This holds for a team of a
 * league, although the detector hears of several such teams. */
static inline bool mp_team_is_alone(const struct mp_team *team)
{
	return !team->is_told || team->nteams;
}

/* Runs body(arg) in each of n threads, and the barrier at its end. */
void mp_parallel(mp_body *body, void *arg, int n);
/* Returns the threads of a region: `wanted` by num_threads, or 0; is_serial by `if`. */
int mp_team_size(int wanted, bool is_serial);
int mp_room_here(void);	   /* how many threads a region may have; 0: any number */
int mp_thread_limit(void); /* 0: none */
/* A region of one thread, whose body the caller calls in between. */
void mp_serial_begin(void);
void mp_serial_end(void);
/* Reports the beginning and the end of a region: a finish, during which the stack of the task that
 * met it is shared. */
void mp_region_begin(struct mp_team *team);
void mp_region_end(struct mp_team *team);
struct mp_team mp_team_of(struct mp_task *parent, int n);
/* The calling context goes on as that implicit task; returns the one it ran before. */
struct snag_omp_implicit mp_implicit_set(struct snag_omp_implicit who);
struct snag_omp_implicit mp_implicit_new(const struct mp_task *t); /* t's, if it has structure */
void mp_phase_begin(struct mp_task *t);
void mp_join(struct mp_task *t); /* the barrier at the end; thread 0 comes back from it */
void mp_launch(bool begins);	 /* what several threads do; may be nested */

/* Runs the teams of a league one after the other.  Each call of mp_league_next() ends one team and,
 * unless it returns false, begins the next.  The private stack of a team is below `frame`. */
struct mp_league { /* as the program says; 0: it does not */
	int nteams, limit;
};
void mp_league_begin(struct mp_league said, const char *frame);
bool mp_league_next(void);
void mp_teams(mp_body *body, void *arg, struct mp_league said);
int mp_league_at(int *ret_n); /* the number of the team that runs; of how many */
/* Returns the contention group of the running task: only locks of one group exclude each other.  A
 * group is a team with the threads of its regions; the first team of a league is in the group of
 * the program outside, 0. */
unsigned mp_contention_group(void);

enum mp_cancel { MP_CANCEL_PARALLEL, MP_CANCEL_LOOP, MP_CANCEL_GROUP };
bool mp_cancel(enum mp_cancel what); /* false: OMP_CANCELLATION is off */
bool mp_is_cancelled(enum mp_cancel what);

void mp_barrier(void);
void mp_team_check(struct mp_team *team); /* a task has ended: may its barrier open? */
void mp_segment_begin(struct mp_task *t);
bool mp_segment_end(struct mp_task *t);		       /* false: it was never reported */
void mp_segment_enter(struct mp_task *t, uint32_t id); /* an earlier segment goes on */
void mp_segment_leave(struct mp_task *t);	       /* the segment will go on later */
void mp_asked(struct mp_task *t);
static inline void mp_tell_asked(enum snag_omp_asked what)
{
	if (mp.hooks && mp.launched > mp.has_targets)
		mp.hooks->asked(mp.place, what);
}
struct mp_task *mp_implicit(struct mp_task *t); /* the thread it runs in */
const struct mp_settings *mp_settings(const struct mp_task *t);
struct mp_settings *mp_settings_own(struct mp_task *t); /* to be set */
/* Returns the task that the detector knows it as part of: a team of one thread has no structure. */
struct mp_task *mp_task_told(struct mp_task *t);

void mp_chunk_end(struct mp_task *t); /* mp_segment_end(), in a loop or not */
void mp_combine_begin(void);
void mp_combine_end(void);

/* The schedule of a loop, as far as it matters here. */
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
/* For a loop that the compiler runs by itself: returns which block the calling thread executes, of
 * *ret_n; negative: none. */
int mp_loop_block(int *ret_n);
/* Called before and after each iteration of a loop that the compiler runs by itself; returns
 * whether this is before. */
bool mp_iteration(void);
void mp_iteration_leave(struct mp_task *t); /* it was cancelled */
/* For a team whose loops are simd; to be freed. */
struct mp_lockstep *mp_lockstep_new(void);    /* NULL: no detector needs it */
void mp_lockstep_free(struct mp_lockstep *l); /* accepts NULL */
/* A loop begins.  Returns whether its iterations are to be reported. */
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

struct mp_lock *mp_lock_at(const void *at);   /* made if need be */
struct mp_lock *mp_lock_here(const void *at); /* likewise; each team has its own */
void mp_lock_forget(const void *at);	      /* the team's */
/* Returns a lock apart from others at this address, with one reference. */
struct mp_lock *mp_lock_new(const void *at);
struct mp_lock *mp_lock_know(struct mp_lock *lock);
void mp_lock_release(struct mp_lock *lock); /* accepts NULL */
void mp_lock_asked(void);		    /* the program asks whether one is free */
void mp_lock_take(struct mp_lock *lock, struct mp_task *t);
bool mp_lock_try(struct mp_lock *lock, struct mp_task *t);
void mp_lock_give(struct mp_lock *lock);
int *mp_lock_depth(struct mp_lock *lock, const struct mp_task *t); /* NULL: t has it not */
/* Reports that t releases, or acquires again, all locks it holds: it becomes another task of the
 * detector in between. */
void mp_locks_tell(struct mp_task *t, bool is_acquired);

void *mp_alloc(size_t nbytes);	    /* never NULL, zeroed */
void *mp_alloc_used(size_t nbytes); /* likewise, but not zeroed */
/* Returns the array with room for n elements of that size: the old ones, then zeroes. */
void *mp_grow(void *old, size_t *cap, size_t n, size_t each);
void mp_free(void *p);			       /* accepts NULL */
void mp_memory(const void *at, size_t nbytes); /* reports memory that the program gets */

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
