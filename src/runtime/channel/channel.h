/* SPDX-License-Identifier: Apache-2.0
 *
 * channel.h - shared memory through which the program under test reports to the recorder
 *
 * Idea.   Threads take turns (sched.h), so one ring serves them all, and its order is
 *         the order of events.  Both processes map the memory of the ring.  So
 *         records stay readable however the writer ends, even by kill -9.
 *
 * Layout. Four pages with struct rt_channel, then `records` records of 16 bytes, a power
 *         of two.
 *
 *   63    56 55   54      48 47                               0
 *   +-------+---+-----------+---------------------------------+
 *   | size  |lap|    op     |      address, or a number       |   what
 *   +-------+---+-----------+----------------+----------------+
 *   |             arg (32)                   |    loc (32)    |
 *   +----------------------------------------+----------------+
 *
 * Rules.  Record number n lies in slot n mod `records`, and its lap bit is the lowest
 *         bit of 1 + n / records, so the record itself shows the reader whether it
 *         was written.  The writer stores `what` last, with release; the reader
 *         loads it with acquire.  `taken` is how many records the reader has consumed;
 *         the writer never is more than `records` ahead.
 *         A process claims the channel by setting `owner` from 0 to its pid.  Processes that
 *         find it claimed (children of the program) do not record.
 */
#ifndef SNAG_RUNTIME_CHANNEL_H
#define SNAG_RUNTIME_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#define RT_CHANNEL_MAGIC 0x48746e6e63676e73u  /* "sngcnntH": rises with every change here */
#define RT_CHANNEL_FAMILY 0x00ffffffffffffffu /* the bits of it that all versions have */
/* The number of the descriptor to map, a colon, and options as in SNAG_OPTIONS. */
#define RT_CHANNEL_ENV "SNAG_CHANNEL"

enum { RT_CHANNEL_HEADER = 4 * 4096, RT_CHANNEL_RECORDS = 1 << 18 };
enum { RT_OPENED = 2048, RT_FORKED_WORDS = 3 * 4096 - 4, RT_FORKED_MOST = 16 };

struct rt_record {
	uint64_t what;
	uint32_t loc; /* of the event: a node, see RT_NODE */
	uint32_t arg;
};

_Static_assert(sizeof(struct rt_record) == 16, "a record is 16 bytes");

enum {
	RT_ADDRESS_BITS = 48,
	RT_OP_SHIFT = 48,
	RT_LAP_SHIFT = 55,
	RT_SIZE_SHIFT = 56,
};
#define RT_ADDRESS_MASK ((1ull << RT_ADDRESS_BITS) - 1)

/* A figure about the run of a detector. */
struct rt_stat {
	char name[40]; /* ends with NUL */
	uint64_t value;
};

enum { RT_STATS = 24, RT_BUILD_ID = 64 };

/* Obstacles to a verdict for every schedule: the program read what the schedule decides, and may do
 * something else in another schedule; or snag did not look at something in detail. */
enum rt_obstacle {
#define OBSTACLE(name, kind, is_judged, is_answer, words) RT_OBSTACLE_##name,
#include "trace/obstacles.def"
#undef OBSTACLE
	RT_OBSTACLES
};

/* What a detector inside the program found (judge.h). */
struct rt_verdict {
	uint64_t races;
	uint64_t doubts;	  /* events without a rule: locks, threads, a refusal */
	uint32_t launched, ended; /* launches of tasks */
	uint32_t proves;	  /* if there is no race, that holds for every schedule */
	uint32_t was_judged;	  /* there was a detector */
	uint32_t one_will_do;	  /* after the first race, nothing more is judged */
	uint32_t has_read;	  /* from standard input */
	uint32_t has_simd; /* simd loops: by the order of their statements, a race may be none */
	/* The first place in the executable (`program` below) where the program met the obstacle; 0:
	 * none.  An obstacle in a library counts as a doubt. */
	uint64_t obstacle[RT_OBSTACLES];
	struct {
		uint64_t base, end;	    /* addresses, as of RT_MODULE */
		char build_id[RT_BUILD_ID]; /* hexadecimal; empty: it has none */
	} program;
	uint64_t events; /* of the program, up to the first race, or a little more */
	uint32_t nstats; /* figures of the detector at the end of a launch */
	struct rt_stat stat[RT_STATS];
};

/* What a program reads from the system that differs from run to run. */
enum rt_input { RT_INPUT_TIME, RT_INPUT_PID, RT_INPUT_RANDOM, RT_INPUTS };

/* The run that is open (run.h): what a record RT_AGAIN, the next one, would say. */
struct rt_open_run {
	uint64_t at;	 /* its number */
	uint32_t period; /* its size */
	uint32_t events; /* its arg; 0: no run is open */
};

struct rt_channel {
	uint64_t magic;
	uint32_t records;
	uint32_t owner;	  /* pid of the process that records; 0: none yet */
	uint32_t reader;  /* pid of the recorder, to see whether it still lives */
	uint32_t ended;	  /* set by the reader: nothing is read any more */
	uint64_t dropped; /* accesses that could not be recorded, counted by the writer */
	struct rt_open_run run;
	/* Of a program that started its observer by itself (observe.c): */
	uint32_t is_attached;
	uint32_t finished; /* by the writer: 1 + its exit status; 0: it runs */
	/* by the reader: 1 + the exit status that the verdict gives it; before it has `finished`,
	 * by the first report (halt_on_error) */
	uint32_t answer;
	uint32_t inputs; /* that the program read: bits 1 << enum rt_input */
	/* Accesses, by what became of their checks: see pass.c; at the end. */
	uint64_t executed[24];
	struct rt_verdict verdict;
	/* Paths of libraries that it opened by itself and that were compiled with snag, each with a
	 * NUL behind it; those for which there is no room are missing. */
	char opened[RT_OPENED];
	char spare[4096 - 256 - sizeof(struct rt_verdict) - RT_OPENED - 64 - 8];
	uint32_t is_parallel; /* threads have rings of their own: ring.h */
	/* A thread that is not observed has allocated memory: the recorder does not know all blocks. */
	uint32_t has_unseen_heap;
	uint64_t taken;	 /* by the reader; in a cache line of its own */
	uint32_t sleeps; /* a futex: 1: the reader of parallel threads sleeps for a while */
	char spare2[52];
	/* Options of `snag run` that hold for children of fork, too (interpose/fork.c): words, each with a
	 * NUL behind it; at most RT_FORKED_MOST. */
	uint32_t nforked_words;
	char forked_words[RT_FORKED_WORDS];
};

_Static_assert(sizeof(struct rt_channel) == RT_CHANNEL_HEADER, "the header is four pages");

static inline struct rt_record *rt_channel_record(struct rt_channel *c, uint64_t n)
{
	struct rt_record *first = (struct rt_record *)((char *)c + RT_CHANNEL_HEADER);
	return &first[n & (c->records - 1)];
}

/* This signal makes a thread give the baton away, or the process end (`answer`).  The program may use
 * it, too. */
enum { RT_SIGNAL = 62 };

/* A file descriptor is a variable (runtime/interpose/descriptor.h), below the lowest address that
 * Linux lets a program map. */
enum { RT_DESCRIPTORS = 8000 };
#define RT_DESCRIPTOR_AT(fd) (8 * ((uint64_t)(fd) + 1))

enum { RT_RUN_MAX = 16 }; /* the longest period of RT_AGAIN */

enum { RT_ORDER_RELEASE = 3, RT_ORDER_ACQ_REL = 4 }; /* as C11 numbers them */

/* The kinds of records.  "target" is the address unless said otherwise. */
enum rt_op {
	RT_NONE,
	RT_READ, /* size bytes, inside one aligned word of 8 */
	RT_WRITE,
	RT_READ_RANGE, /* arg bytes from the address, elements of `size` bytes each; 0: of any */
	RT_WRITE_RANGE,
	RT_ATOMIC_READ, /* size bytes, arg = order */
	RT_ATOMIC_WRITE,
	RT_ATOMIC_UPDATE,
	RT_FENCE,   /* arg = order */
	RT_ACQUIRE, /* arg = lock (UINT32_MAX, in a ring: the one at the address); address: where it lies; size = 1: it never waits without end */
	RT_RELEASE,
	RT_ACQUIRE_SHARED,
	RT_RELEASE_SHARED,
	RT_SYNC_READ,	/* arg = token: an acquiring load of the variable that the token names */
	RT_SYNC_WRITE,	/* a releasing store to it */
	RT_SYNC_UPDATE, /* a read-modify-write of it, size = order */
	RT_BRANCH,
	RT_BEGIN, /* the first event of all */
	RT_FORK,  /* arg = thread */
	RT_JOIN,
	RT_SWITCH,     /* arg = thread that runs from here on; address = how many events
			   * the thread before made in its turn */
	RT_NODE,       /* a location: address = pc (0: a call that is not shown), loc = parent
			   * node (0: none), arg = id, counted from 1 */
	RT_ALLOC,      /* arg bytes of heap begin at the address */
	RT_FREE,       /* the heap block at the address ends; size = enum rt_free;
			   * arg: its bytes */
	RT_FORGET,     /* arg pages of 4096 bytes (size not 0: arg bytes) from the address have new
			   * contents: a stack, a mapping */
	RT_STACK,      /* arg = thread; the address its stack offsets are measured from */
	RT_MODULE,     /* a module: address = where its offsets count from, arg = bytes of
			   * its text "path NUL build-id", which follow in RT_TEXT records */
	RT_MODULE_END, /* arg = 4096-byte pages it spans */
	RT_DEFAULT,    /* the text, begun as that of a module, is the program's own: arg = enum
			* rt_default; a long one comes in pieces */
	RT_TEXT,       /* arg, loc and the address: 12 bytes of text, in this order */
	RT_NOTE,       /* arg = enum rt_note */
	RT_TASK,       /* an event of tasks: size = enum snag_op, arg = task, promise, update */
	RT_COUNT,      /* arg = fuel left, of the event whose records follow */
	RT_AGAIN,      /* arg accesses more: each follows from two records RT_READ or RT_WRITE,
			* all behind the last RT_AGAIN, the one `size` accesses before it and the
			* one as far before that: as the former, address and arg as far again */
	RT_LABEL,   /* the kind of a task, for reports: arg = task, size = enum rt_label, address =
			* its number; after the task was created; once, except for depend clauses */
	RT_WAITS,   /* a task waits in a deadlock: arg = task, size = enum rt_wait, address =
			* promise or task, loc: where; behind its last event */
	RT_CIRCLE,  /* of a circle of threads that wait for each other: address = thread, loc =
			* where, size = enum rt_circle_kind, arg = lock or thread; each waits for
			* the thread of the next record, the last for that of the first */
	RT_DEPENDS, /* the next branch depends on the read of size bytes, inside one word */
	RT_ANSWER,  /* a thread reads a time: address, and loc << 48, nanoseconds */
	RT_MISUSE,  /* a mistake: size = enum rt_misuse, address = the lock, or the number of the
			* signal or thread; arg = the thread that did it */
	RT_BEFORE,  /* the earlier event of the next RT_MISUSE: arg = thread, loc: where */
	RT_BENIGN, /* races on arg bytes from the address on, at most RT_BENIGN_BYTES, are not to be
		     * reported */
	RT_TOUCH,  /* option touches: the thread looks at an object of synchronisation: size =
			* enum rt_kind, with RT_TOUCH_BLOCKS if it begins to wait for it */
	/* Of threads that run in parallel (ring.h); the recorder's merge takes them out. */
	RT_RING,  /* thread arg has ring number `address`; in the channel */
	RT_ORDER, /* takes number `address` of shard arg; loc = fuel; size = 1: together with the
		   * next record */
	RT_END,	  /* the last record of a thread */
	/* A number and its record in one: of a lock without a number of its own, or an atomic variable,
	 * at the address; arg = the number, its lower half; the shard follows from the address (ring.h) */
	RT_STEP_ACQUIRE, /* size = enum rt_step_lock */
	RT_STEP_RELEASE,
	RT_STEP_READ, /* size = enum rt_step_atomic */
	RT_STEP_WRITE,
	RT_STEP_UPDATE,
	RT_LOCK_ENDS, /* the lock at the address, arg UINT32_MAX, is another one from here on */
	RT_BLOCKS,    /* of the scout: it left out arg records RT_ALLOC */
	RT_OPS
};

/* What threads wait for: runtime/interpose/object.h. */
enum rt_kind {
	RT_MUTEX,
	RT_RWLOCK,
	RT_ANNOTATED, /* a lock that the program implements: annotate.c */
	RT_COND,
	RT_BARRIER,
	RT_TEST_BARRIER, /* of tests: it orders nothing */
	RT_SEM,
	RT_FUTEX,
	RT_ONCE,
	RT_THREAD,
	RT_SYNC, /* __tsan_acquire and __tsan_release */
	RT_FILE, /* a pipe, socket or eventfd, by its number */
};

enum { RT_TOUCH_BLOCKS = 0x80 }; /* with a kind */
enum { RT_BENIGN_BYTES = 1 << 16 };

/* How a block ends. */
enum rt_free {
	RT_FREE_WRITES,	 /* the end is a write of the block */
	RT_FREE_ALONE,	 /* only threads that exist already can race with it */
	RT_FREE_IGNORED, /* the program says that it is no access */
};

/* As enum snag_misuse_kind of trace/misuse.h. */
enum rt_misuse {
#define MISUSE(name, kind, title, act, before, suppression, cwe) RT_MISUSE_##name,
#include "trace/misuses.def"
#undef MISUSE
	RT_MISUSES
};

/* What a thread of a circle waits for. */
enum rt_circle_kind { RT_WAITS_ALONE, RT_WAITS_SHARED, RT_WAITS_THREAD };

/* Texts for ThreadSanitizer that a program defines as functions. */
enum rt_default {
	RT_DEFAULT_OPTIONS,	 /* __tsan_default_options() */
	RT_DEFAULT_SUPPRESSIONS, /* __tsan_default_suppressions() */
	RT_DEFAULTS
};

/* Why the thread whose turn it is cannot run. */
enum rt_stuck {
	RT_STUCK_MISSING, /* it is not created yet, or has ended */
	RT_STUCK_LOCK,	  /* it waits for a lock that another thread holds */
	RT_STUCK_WAITS,	  /* it waits for another thread in another way */
	RT_STUCKS
};

enum { RT_RACE_VALUES = 3 };
enum { RT_NAME_PART = 6, RT_NAME_PARTS = 3 };

enum rt_note {
	RT_NOTE_DEADLOCK, /* the program ended because no thread could run */
	RT_NOTE_DIVERGED, /* an enforced schedule could not be followed; address = turn, size =
			   * enum rt_stuck: why its thread cannot run, loc: where it waits */
	RT_NOTE_TASKS,	  /* the program can launch tasks; before its first event; address =
			   * enum rt_dialect */
	RT_NOTE_LAUNCH,	  /* the program launches tasks */
	RT_NOTE_LAUNCHED, /* all of them have ended */
	RT_NOTE_VALUE,	  /* of the variable of a race: address = a half of it; size = 2 * which
			   * (before, between and behind the accesses) + half; loc = bytes */
	RT_NOTE_HELD,	  /* the schedule is at its end, and the program stands still */
	RT_NOTE_OBSTACLE, /* the program met an obstacle; address = enum rt_obstacle, loc: where.
			   * In tasks only, at least once for each place */
	RT_NOTE_FAULT,	  /* of the next note of a crash: address = the memory that was accessed */
	RT_NOTE_CRASH, /* a signal ends the program: size = its number, address = the thread that it
			   * interrupted, loc: where */
	RT_NOTE_NAMED, /* the program names thread loc: address = RT_NAME_PART bytes of the
			   * name, the first one lowest; size = which of its RT_NAME_PARTS */
};

/* What a task waits for; as enum snag_wait of task/task.h. */
enum rt_wait { RT_WAIT_PROMISE, RT_WAIT_FINISH, RT_WAIT_SYNC, RT_WAIT_OTHER, RT_WAIT_KINDS };

/* How a program of tasks makes them. */
enum rt_dialect {
	RT_DIALECT_SNAG,   /* <snag/task.h>: async, finish, promises */
	RT_DIALECT_OPENMP, /* tasks and loops, depend clauses */
	RT_DIALECTS
};

/* What a task is to the programmer. */
enum rt_label {
	RT_LABEL_NONE,
	RT_LABEL_ITERATION, /* number: the iteration of a loop (of a chunk, its first) */
	RT_LABEL_PART,	    /* some iteration of those that this thread of a team has */
	RT_LABEL_SECTION,   /* number: from 0 */
	RT_LABEL_THREAD,    /* the implicit task of this thread of a team */
	RT_LABEL_TEAM,	    /* this team of a league */
	RT_LABEL_COMBINE,   /* this thread of a team combines its part of a reduction */
	RT_LABEL_IN,	    /* it has a depend clause with this address; these are the last */
	RT_LABEL_OUT,
	RT_LABEL_MUTEX,
	RT_LABEL_SET,
	RT_LABELS
};

_Static_assert(RT_OPS <= 128, "an op has 7 bits");

static inline struct rt_record rt_open_run_record(const struct rt_open_run *run)
{
	return (struct rt_record){.what = (uint64_t)RT_AGAIN << RT_OP_SHIFT |
					  (uint64_t)(run->period & 0xff) << RT_SIZE_SHIFT,
				  .arg = run->events};
}

static inline uint64_t rt_record_address(const struct rt_record *r)
{
	return r->what & RT_ADDRESS_MASK;
}

static inline enum rt_op rt_record_op(const struct rt_record *r)
{
	return (enum rt_op)(r->what >> RT_OP_SHIFT & 0x7f);
}

static inline bool rt_record_is_access(const struct rt_record *r)
{
	return (unsigned)rt_record_op(r) - RT_READ <= RT_WRITE - RT_READ;
}

static inline unsigned rt_record_size(const struct rt_record *r)
{
	return (unsigned)(r->what >> RT_SIZE_SHIFT);
}

#endif
