/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory.h - which memory of a running program a detector has to look at
 *
 * Idea.   The same pass as contended.h, but over addresses instead of the variables of a trace.
 *         So nothing has to be named, split or stored for the accesses that decide nothing.  The
 *         answer is a set of words of 8 bytes, the *needed* ones: all accesses that a detector
 *         has to look at touch one of them.  Only these become events of a trace.
 *
 * State.  shadow    maps bytes to variables (shadow/shadow.h); memory with one past is one variable
 *         state     that of contended.h, by variable
 *         needed    by page: its needed words, of memory that was used again, and in the end of all
 *
 * Rules.  Where an access covers part of a variable, the pass errs on the safe side.  It may find
 *         too many conflicts and too few edges of K, so the needed words are a superset.
 *         [read]    a read of some bytes of a part counts as a read of the part.  All of these
 *                   bytes were last written together, so the edge from that write is right
 *         [write]   a write to some bytes divides the part into grains, as large as they can be
 *         [buffer]  but where many parts of a page are divided, a thread that is the only user of
 *                   a part writes to all of it.  The part is PARTIAL then: its last write orders
 *                   no read, because that may have been another write
 *         [atomic]  each byte of an atomic access is a variable that has such accesses; the first
 *                   one stands for all in happens-before and K
 *         [lock]    memory that begins anew has new locks: LOCK is a flag of the variable where the
 *                   lock begins, and the word is needed
 *         [time]    the accesses of a loop or range share a time, an odd one.  A read that sees one
 *                   of these writes keeps the order of what came before all of them
 *         [freed]   the end of a block is a write to all of it, and marks it FREED until memory
 *                   begins there anew.  An access to what is FREED is needed and wanted
 *         [reuse]   what is needed of memory is noted before it begins anew.  The word is needed
 *                   then in all of its lives
 *
 * Guarantee.  Let a trace have an event for each access to a needed word, and all synchronisation.
 *         Its slice (slice.h) is one of the whole trace: accesses that are left out are ordered by
 *         K, and by happens-before if that counts, with all that they conflict with.
 *         docs/algorithms/slice.md has the proof.
 * Cost.   20 bytes per part of 8 (or 4) bytes that is accessed by itself, per line of 64 and per
 *         page otherwise.  5 to 25 ns per access, less in runs; a range costs what its pages cost.
 */
#ifndef SNAG_DETECT_CONTENDED_MEMORY_H
#define SNAG_DETECT_CONTENDED_MEMORY_H

#include "detect/slice/word_set.h"
#include "trace/event.h"

struct snag_contended_memory;

/* `wants`: which rules apply, as for snag_contended_new(). */
struct snag_contended_memory *snag_contended_memory_new(unsigned wants);
void snag_contended_memory_free(struct snag_contended_memory *m); /* accepts NULL */

/* The thread that acts from here on. */
void snag_contended_memory_thread(struct snag_contended_memory *m, snag_tid t);

/* Bytes of memory that are accessed. */
struct snag_bytes_at {
	uint64_t address, nbytes;
	bool is_write;
	snag_loc loc;
};
void snag_contended_memory_access(struct snag_contended_memory *m, const struct snag_bytes_at *p);
/* The same for n accesses, one after the other. */
void snag_contended_memory_accesses(struct snag_contended_memory *m, const struct snag_bytes_at *p,
				    size_t n);

/* Accesses of a loop: place i of every round, `stride` bytes after that of the round before. */
struct snag_bytes_step {
	struct snag_bytes_at next;
	int64_t stride;
};
enum { SNAG_BYTES_STEPS = 16 }; /* at most */
/* n accesses, `period` to a round; advances the steps past the whole rounds. */
void snag_contended_memory_run(struct snag_contended_memory *m, struct snag_bytes_step *step,
			       uint32_t period, uint32_t n);

/* An atomic access; ev->target is not used. */
void snag_contended_memory_atomic(struct snag_contended_memory *m, struct snag_event ev,
				  uint64_t address, unsigned size);
/* Other synchronisation.  Atomics of things without memory have a target from
 * snag_contended_memory_token(). */
void snag_contended_memory_sync(struct snag_contended_memory *m, const struct snag_event *ev);
uint32_t snag_contended_memory_token(struct snag_contended_memory *m);
/* [lock] Returns whether the lock at an address was not seen since its memory began. */
bool snag_contended_memory_lock_is_new(struct snag_contended_memory *m, uint64_t address);

/* Memory begins anew. */
void snag_contended_memory_begin(struct snag_contended_memory *m, uint64_t address,
				 uint64_t nbytes);
/* Makes the words that these bytes touch needed. */
void snag_contended_memory_need(struct snag_contended_memory *m, uint64_t address, uint64_t nbytes);
/* A block ends.  Returns whether it had ended before; its first word is needed then. */
bool snag_contended_memory_freed(struct snag_contended_memory *m, const struct snag_bytes_at *p);

/* How many variables have had conflicting accesses so far that happens-before does not order.  As
 * the needed words, they can be too many. */
uint64_t snag_contended_memory_observed(const struct snag_contended_memory *m);
/* No more events come.  Returns how many variables are wanted: if none, no detector can find
 * anything. */
uint64_t snag_contended_memory_end(struct snag_contended_memory *m);
/* The needed words; complete after the end. */
struct snag_word_set *snag_contended_memory_needed(struct snag_contended_memory *m);
/* Returns memory that is no longer needed after the end. */
void snag_contended_memory_rest(struct snag_contended_memory *m);
/* Returns whether there are almost more events than can be numbered. */
bool snag_contended_memory_is_hopeless(const struct snag_contended_memory *m);

#endif
