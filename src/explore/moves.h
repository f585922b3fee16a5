/* SPDX-License-Identifier: Apache-2.0
 *
 * moves.h - a run as a list of moves: what each thread did between two places where another could
 * run
 *
 * Idea.   A move is one event of a thread (as the runtime counts events), or the rest of an event
 *         whose thread had to wait in it.  Its touches say which memory and which objects of
 *         synchronisation it read or changed.  Two moves of different threads depend on each other
 *         if they touch the same thing and one changes it.
 *
 * Rules.  [memory]   a plain or atomic access touches bytes of a word of 8 bytes
 *         [lock]     taking and releasing a lock are touches of their own kind: two sections of one
 *                    lock depend on each other as wholes
 *         [attempt]  a thread that waits for a lock does nothing: its move is the one in which it
 *                    gets the lock.  If the run ends first, the attempt is a move that is pending
 *         [object]   any other use of an object (condition variable, semaphore, failed trylock ...)
 *                    changes the object
 *         [token]    what the runtime records to order a wait behind what ended it only orders
 *         [place]    the place of a move is its return address with those of its nearest callers: a
 *                    function that takes a lock for its callers is not one place
 *         Threads have the names of schedules: the creator, and the index among its threads.
 */
#ifndef SNAG_EXPLORE_MOVES_H
#define SNAG_EXPLORE_MOVES_H

#include "record/turns.h"
#include "runtime/channel/channel.h"

enum snag_touch_kind {
	SNAG_TOUCH_MEMORY,
	SNAG_TOUCH_OBJECT,  /* changes it */
	SNAG_TOUCH_ACQUIRE, /* a lock; is_write: alone */
	SNAG_TOUCH_RELEASE,
	SNAG_TOUCH_LOOK,    /* at a lock, without taking it */
	SNAG_TOUCH_PENDING, /* waits for a lock when the run ends; is_write: alone */
	SNAG_TOUCH_TOKEN,   /* only orders; is_write: those that read it later come later */
	SNAG_TOUCH_FORK,    /* key: the thread */
	SNAG_TOUCH_JOIN,
};

struct snag_touch {
	uint64_t key;  /* address of the word or object; with `space`, unique */
	uint8_t kind;  /* enum snag_touch_kind */
	uint8_t space; /* of an object or lock: its kind in the runtime */
	uint8_t mask;  /* of memory: the bytes */
	bool is_write;
	bool may_fail; /* ACQUIRE: a trylock, or with a deadline */
};

struct snag_move {
	uint64_t count; /* the event of its thread, from 1 */
	uint32_t thread;
	uint32_t first, n; /* its touches */
	uint64_t place;	   /* number of the place of its first touch, [place]; 0: unknown */
};

struct snag_moves { /* all 0, but for `limit`: empty */
	struct snag_move *at;
	size_t n, room, limit; /* not more moves than this are kept, if it is not 0 */
	bool is_cut;	       /* there were more */
	struct snag_touch *touch;
	size_t ntouches, touch_room;
	uint32_t nthreads;
	struct snag_turns turns; /* of the run, with the creators and answers */
	uint64_t events;	 /* of all threads */
	/* How the run ended, as far as the runtime knows. */
	bool has_deadlock, diverged, has_launched;
	uint64_t circle; /* threads that waited for each other */
	/* While it is read: */
	uint64_t *done; /* events of each thread in turns before */
	size_t done_room;
	struct snag_move_node { /* by node */
		uint64_t pc, place;
		uint32_t parent;
	} * node;
	size_t node_room;
	uint32_t thread, turn_fuel, fuel;
	bool has_begun, is_open; /* the last move goes on */
};

/* Adds the next records of the run. */
void snag_moves_add(struct snag_moves *m, const struct rt_record *record, int n);
/* The run has ended. */
void snag_moves_end(struct snag_moves *m);
void snag_moves_done(struct snag_moves *m);

#endif
