/* SPDX-License-Identifier: Apache-2.0
 *
 * origins.h - where threads and blocks of memory came from
 *
 * A report names the stack that created a thread and the one that allocated a block.
 * Both are events of the trace (fork, alloc); this is one reading of it that keeps them.
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
	struct snag_block_origin *block; /* by name */
	size_t nblocks, block_room;
};

/* `wanted`: names of the variables whose blocks are asked for.  Reads the source to its end. */
int snag_origins_read(struct snag_origins *ret_origins, struct snag_source *src,
		      const char *const *wanted, size_t n, struct snag_error *err);
void snag_origins_done(struct snag_origins *origins);

struct snag_origin snag_origin_of_thread(const struct snag_origins *origins, snag_tid thread);
struct snag_origin snag_origin_of_block(const struct snag_origins *origins, const char *variable);

/* How many bytes of a variable's name name the object it is part of: all up to its offset. */
size_t snag_object_name_length(const char *variable);

#endif
