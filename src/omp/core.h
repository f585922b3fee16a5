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
 *         [number]    A thread that has read its number has no segments until the end of the
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

#include "omp/context.h"
#include "omp/deal.h"
#include "omp/lock.h"
#include "omp/loop.h"
#include "omp/memory.h"
#include "own/loans.h"

enum { MP_THREADS = 4, MP_MAX_THREADS = 1024, MP_MAX_LEVELS = 1 << 20 };

/* The marks that snag cc writes into rewritten pragmas. */
enum {
#define MARK(name, number) MP_##name = number,
#include "omp/marks.def"
#undef MARK
};

/* The chunks of static nowait loops, which continue in the next such loop: [static] of loop.c. */
struct mp_static {
	struct mp_static *next;
	uint64_t count, chunk; /* the program's numbers; 0: it gives none */
	uint32_t *segment;     /* by chunk: its segment; 0: none yet */
	uint32_t *ndone;       /* by chunk: in how many such loops a thread has executed it */
	uint32_t nloops;       /* how many such loops have begun */
	bool is_cut;	       /* a loop was cancelled */
	size_t cap;
};

struct mp_team {
	int n;
	/* the detector knows it: it has more than one thread, or simd */
	bool is_reported;
	/* for a simd loop; NULL: there is none, or no detector needs it */
	struct mp_lockstep *lockstep;
	int level, active_level;
	struct mp_task *parent;
	struct snag_omp_implicit met_as; /* a league: the implicit task that met it */
	uint32_t id;			 /* the task that opens its finishes */
	const void *place;		 /* where the current region began */
	mp_body *body;
	void *arg;
	/* how many threads are at a barrier; how many were at the last one */
	int arrived, joined;
	unsigned live;		      /* explicit tasks that have not ended */
	struct mp_queue waiting;      /* the contexts that wait at the barrier */
	struct mp_context *first;     /* thread 0, at the last one */
	uint32_t combined;	      /* the promise of the last combining of a reduction, + 1 */
	const void *copied;	      /* copyprivate */
	struct mp_loop_shared *loops; /* ordered, doacross: shared by the threads */
	struct mp_static *statics;    /* the static loops of this phase */
	struct mp_deals deals;	      /* the blocks for one thread of this phase */
	bool is_cancelled;	      /* cancel parallel */
	int nteams, at_team;	      /* a league: how many teams, which one runs; 0: it is none */
	unsigned first_team;	      /* a league: a number for its first team; the others follow */
	/* the most threads of its contention group (thread_limit); 0: any number */
	int limit;
	int room; /* the most of them that a region inside may have; 0: any number */
};

struct mp_lock;
struct mp_group;
struct mp_loop_shared;

/* A loop that a thread is in. */
struct mp_loop {
	uint64_t count; /* iterations */
	uint64_t chunk; /* iterations that stay together */
	uint64_t nchunks, next, step;
	uint64_t from, n;   /* the iterations of the current chunk */
	uint64_t chunk_now; /* its number */
	/* its segments end with their chunks, and most of them only access memory */
	bool is_simple;
	bool has_zero; /* thread 0 gets chunk 0, whichever threads get the rest */
	bool is_open, is_sections, is_doacross, is_cancelled;
	struct mp_static *kept;
	uint32_t promise; /* with kept: stands for the earlier events of the thread */
	struct mp_loop_shared *shared;
};

/* The program's settings for the regions that a task meets. A new task has its creator's
 * settings. */
struct mp_settings {
	int nthreads;	/* 0: MP_THREADS */
	int max_levels; /* the deepest nesting of regions that have more than one thread */
	int schedule, chunk;
	bool is_dynamic;
};

struct mp_task {
	struct mp_task *parent;
	struct mp_team *team;
	struct mp_group *group;
	int number;	/* the number of its thread */
	unsigned known; /* references: its own, of its children, of tables of dependences */
	/* Explicit tasks. */
	mp_body *body;
	void *arg;
	size_t nbytes;	   /* the bytes of its arguments, which are private to it */
	const void *place; /* where the program created it */

	/* From here on, 0 in a new task: */
	/* The detector's number of the task, in the current segment if there is one. */
	uint32_t id;
	uint32_t base_id;  /* its number outside of segments */
	uint32_t spare_id; /* the number of a segment that is free; 0: none */
	uint32_t before;   /* the promise set before it combined, for its earlier events */
	bool is_implicit, is_final;
	/* in a team of one thread, or of a league: part of the task that met the region */
	bool is_part;
	bool has_spawned;  /* it has created tasks in this phase or segment */
	bool knows_number; /* [number] */
	bool is_combining; /* it combines a reduction */
	/* Explicit tasks. */
	bool is_pooled; /* its memory is in mp.tasks */
	bool is_lent;	/* it has an address of its creator's stack */
	bool is_new;	/* the detector has not heard yet that its arguments are new memory */
	bool has_body_ended, is_undeferred;
	bool is_detached, is_fulfilled;
	uint32_t fulfilled;		 /* the promise set when it was */
	struct mp_context *undeferred;	 /* waits until this one can begin */
	struct mp_dependent *dependent;	 /* NULL: it has no depend clauses */
	void (*done)(struct mp_task *t); /* called when it will not run any more; may be NULL */
	/* About its children. */
	struct own_loans loans;
	unsigned children; /* how many have not ended */
	struct mp_context *waiter;
	struct mp_depends *depends;
	struct mp_held *held;	      /* locks */
	struct mp_settings *settings; /* NULL: it has its creator's settings */
	struct mp_copy *copies;	      /* private copies on the heap: copies.c */

	/* For implicit tasks; the memory of other tasks ends here. */
	_Alignas(16) const char *frame; /* its stack is below this address */
	unsigned loops;			/* met so far */
	struct mp_met met;		/* the constructs it has met in this phase */
	struct mp_depends *outside;	/* in a segment: the depend clauses of the phase */
	struct mp_settings own_settings;
	struct mp_loop loop;
	int64_t lower, stride; /* in the program's numbers */
	bool is_iterating;     /* mp_iteration() */
	bool is_together;      /* several iterations form one segment */
};
enum {
	MP_TASK_ZERO = offsetof(struct mp_task, id),
	MP_TASK_BYTES = offsetof(struct mp_task, frame), /* of an explicit task */
};
_Static_assert(MP_TASK_BYTES % 16 == 0, "what is behind it is aligned");

/* Returns whether the tasks and barriers of the team belong to one thread. This holds for a team
 * of a league, although the detector hears of several such teams. */
static inline bool mp_team_is_alone(const struct mp_team *team)
{
	return !team->is_reported || team->nteams;
}

/* Runs body(arg) in each of n threads, and the barrier at its end. */
void mp_parallel(mp_body *body, void *arg, int n);
/* Returns the threads of a region: `wanted` by num_threads, or 0; is_serial by `if`. */
int mp_team_size(int wanted, bool is_serial);
int mp_room_here(void);	   /* Returns how many threads a region may have; 0: any number. */
int mp_thread_limit(void); /* 0: none */
/* A region of one thread, whose body the caller calls in between. */
void mp_serial_begin(void);
void mp_serial_end(void);
/* Reports the beginning and the end of a region: a finish, during which the stack of the task that
 * met it is shared. */
void mp_region_begin(struct mp_team *team);
void mp_region_end(struct mp_team *team);
struct mp_team mp_team_of(struct mp_task *parent, int n);
/* The calling context continues as that implicit task.  Returns the one that it ran before. */
struct snag_omp_implicit mp_implicit_set(struct snag_omp_implicit who);
struct snag_omp_implicit mp_implicit_new(const struct mp_task *t); /* t's, if it has structure */
void mp_phase_begin(struct mp_task *t);
void mp_join(struct mp_task *t); /* the barrier at the end; thread 0 comes back from it */
/* Reports the beginning or end of work for several threads. Calls may be nested. */
void mp_launch(bool begins);

/* Runs the teams of a league one after the other. Each call of mp_league_next() ends one team.
 * Unless it returns false, it begins the next. The private stack of a team is below `frame`. */
struct mp_league { /* the program's numbers; 0: it gives none */
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
/* Returns false if the detector was never told of the segment. */
bool mp_segment_end(struct mp_task *t);
void mp_segment_enter(struct mp_task *t, uint32_t id); /* an earlier segment continues */
void mp_segment_leave(struct mp_task *t);	       /* The segment will continue later. */
void mp_number_read(struct mp_task *t); /* [number] the program reads the number of its thread */
static inline void mp_obstacle(enum snag_omp_obstacle what)
{
	if (mp.hooks && mp.launched > mp.has_targets)
		mp.hooks->obstacle(mp.place, what);
}
struct mp_task *mp_implicit(struct mp_task *t); /* the thread it runs in */
const struct mp_settings *mp_settings(const struct mp_task *t);
/* Returns settings of the task's own, for the caller to change. */
struct mp_settings *mp_settings_own(struct mp_task *t);
/* Returns the task that the detector knows: a team of one thread has no structure. */
struct mp_task *mp_task_reported(struct mp_task *t);

void mp_chunk_end(struct mp_task *t); /* mp_segment_end(), in a loop or not */
void mp_combine_begin(void);
void mp_combine_end(void);

#endif
