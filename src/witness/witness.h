/* SPDX-License-Identifier: Apache-2.0
 *
 * witness.h - a reordering of a trace that ends with a race, and its file
 *
 * A witness is a sequence of event numbers: the first `prefix[t]` events of each
 * thread t, in observed order, and then the listed events.  The last two events
 * of the sequence are the race.  The witness of a deadlock names the requests at
 * which its threads then wait for each other: they are no part of the sequence.  The witness of a
 * broken atomicity names a read, a write of another thread that comes after it, and the write that
 * ends the sequence.  The witness of a use of freed memory names the write that ends a block, and
 * the access that ends the sequence.
 *
 * File: a JSON object {"witness": [3, 4, 5], "prefix": {"T0": 12}}, where "prefix"
 * may be missing and other members are ignored; of a deadlock with a member
 * "deadlock": [6, 9], of a broken atomicity with "atomicity": [0, 7, 4]; of a use of freed memory
 * with "freed": [7, 4]; or a JSON array of numbers; or just numbers separated by white space.
 */
#ifndef SNAG_WITNESS_WITNESS_H
#define SNAG_WITNESS_WITNESS_H

#include "trace/race.h"
#include "trace/trace.h"

struct snag_witness {
	uint32_t *prefix; /* per thread of the trace; NULL: none */
	uint32_t *event;
	size_t n;
	/* Of a deadlock: acquires and joins, each of which waits for the thread of the next
	 * one, the last for that of the first; NULL: the witness is one of a race. */
	uint32_t *request;
	size_t nrequests;
	/* Of a broken atomicity: the read, the write of another thread, the write that ends the
	 * witness; NULL: the witness is another one. */
	uint32_t *unit;
	size_t nunit; /* 3, or the witness is not valid */
	/* Of a use of freed memory: the write that ends the block, the access that ends the
	 * witness; NULL: the witness is another one. */
	uint32_t *freed;
	size_t nfreed; /* 2, or the witness is not valid */
};

void snag_witness_done(struct snag_witness *w); /* accepts NULL */
/* Copies the events and the prefix of a witness, of a trace with so many threads, to a race.  The
 * race owns the copies. */
void snag_witness_copy(const struct snag_witness *w, size_t nthreads, struct snag_race *ret_race);
int snag_witness_read(const char *path, const struct snag_trace *trace,
		      struct snag_witness *ret_witness, struct snag_error *err);

/* Which reads a reordering must keep. */
enum snag_rules {
	SNAG_RULES_AUTO,  /* dependence if the trace has branch events, else reads */
	SNAG_RULES_READS, /* every read keeps its writer (Pavlogiannis, POPL 2020, section 2) */
	/* Only causal reads do (Genç et al., OOPSLA 2019, definition 2.3): reads that a branch in
	 * the reordering depends on, directly or through writes and reads of other threads. */
	SNAG_RULES_DEPENDENCE,
	/* The same with definition 2.2 as printed: any later write of the thread makes a read
	 * causal. */
	SNAG_RULES_LITERAL,
	SNAG_RULES
};

/* The rules that AUTO stands for. */
static inline enum snag_rules snag_rules_of(enum snag_rules rules, bool has_branch)
{
	if (rules != SNAG_RULES_AUTO)
		return rules;
	return has_branch ? SNAG_RULES_DEPENDENCE : SNAG_RULES_READS;
}

/* Checks a witness; 0: valid.  Otherwise SNAG_EINPUT, and err says which rule the
 * first wrong event breaks.  See check.c. */
int snag_witness_check(const struct snag_trace *trace, const struct snag_witness *w,
		       enum snag_rules rules, struct snag_error *err);

#endif
