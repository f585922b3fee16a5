/* SPDX-License-Identifier: Apache-2.0
 *
 * origins.h - which code created a thread or allocated a block of memory
 *
 * A report names the stack that created a thread and the one that allocated a block.  The first
 * is an event of the trace (fork, async, spawn), found in one reading.  The second is in the
 * name of the block (record/convert/regions.h).
 */
#ifndef SNAG_REPORT_ORIGINS_H
#define SNAG_REPORT_ORIGINS_H

#include "trace/source.h"

struct snag_origin {
	snag_tid thread; /* SNAG_NO_ID: not known */
	snag_loc loc;
};

struct snag_origins {
	struct snag_origin *thread; /* by thread: who created it */
	size_t nthreads;
};

/* Reads the origins of at least the threads that were created up to event `last`. */
int snag_origins_read(struct snag_origins *ret_origins, struct snag_source *src, uint64_t last,
		      struct snag_error *err);
void snag_origins_done(struct snag_origins *origins);

struct snag_origin snag_origin_of_thread(const struct snag_origins *origins, snag_tid thread);

/* What the name of a variable says about its object. */
enum snag_object_kind {
	SNAG_OBJECT_GLOBAL,
	SNAG_OBJECT_HEAP,
	SNAG_OBJECT_STACK,
	SNAG_OBJECT_OTHER
};
struct snag_object_name {
	enum snag_object_kind kind;
	size_t length;	 /* the length of its name: the variable's name up to the offset */
	uint64_t nbytes; /* heap */
	snag_tid thread; /* heap: the thread that allocated it; stack: its owner */
	snag_loc loc;	 /* heap: where it was allocated */
};
struct snag_object_name snag_object_name(const char *variable);

/* Writes the name of a variable for people: a heap block has only its number, `heap#3+0x8`.
 * Returns as snprintf. */
int snag_variable_text(const char *variable, char *buf, size_t room);

#endif
