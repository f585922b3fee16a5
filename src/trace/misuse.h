/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse.h - a mistake of a program that is neither a race nor a deadlock, as data
 *
 * The run itself shows it, so there is nothing to analyse: the recorder notes it
 * (record/convert/misuses.h) and reports print it.
 */
#ifndef SNAG_TRACE_MISUSE_H
#define SNAG_TRACE_MISUSE_H

#include "trace/event.h"

#include <stddef.h>

enum snag_misuse_kind {
#define MISUSE(name, kind, title, act, before, suppression, cwe) SNAG_MISUSE_##name,
#include "trace/misuses.def"
#undef MISUSE
	SNAG_MISUSES
};

struct snag_misuse {
	enum snag_misuse_kind kind;
	snag_tid thread; /* the thread that made the mistake; for a leaked thread, its creator */
	snag_loc loc;
	bool has_before; /* the earlier event is known: */
	snag_tid before_thread;
	snag_loc before;
	char *object;	/* the name of the lock, block, thread or signal */
	uint64_t count; /* how often, with these two places */
};

#endif
