/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.h - run a program with a channel, and read what it tells
 *
 * The program is a child; it inherits standard input and output, the group and the
 * signals of the terminal.  Its addresses are not randomised where the system allows it,
 * so that runs repeat.
 */
#ifndef SNAG_RECORD_LAUNCH_H
#define SNAG_RECORD_LAUNCH_H

#include "base/error.h"
#include "runtime/channel.h"

#include <stdbool.h>

struct snag_launch;

/* Which of our input and output the program has; the rest is empty. */
enum snag_launch_io {
	SNAG_LAUNCH_SHARES,
	SNAG_LAUNCH_READS,
	SNAG_LAUNCH_SILENT,
	SNAG_LAUNCH_OURS, /* silent, and we hear Ctrl-C while it runs */
};

/* `options` is for the runtime in the program, in front of SNAG_OPTIONS.  An error if it cannot be run. */
int snag_launch_start(char *const *argv, const char *options, enum snag_launch_io io,
		      struct snag_launch **ret_launch, struct snag_error *err);
void snag_launch_kill(struct snag_launch *l);

/* The next records, at most `room` of them; returns how many.  0: none was written yet, ask
 * again; -1: the program has ended and all was read.  Waits a little if there is none, longer
 * each time. */
int snag_launch_next(struct snag_launch *l, struct rt_record *ret_record, int room);
/* Nobody reads any more: waits for the end of the program, which goes on unrecorded. */
void snag_launch_abandon(struct snag_launch *l);
int snag_launch_status(const struct snag_launch *l); /* once it has ended: as of waitpid */
int snag_launch_pid(const struct snag_launch *l);
bool snag_launch_was_claimed(const struct snag_launch *l); /* a runtime has recorded */
/* What a detector inside it found; once it has ended. */
const struct rt_verdict *snag_launch_verdict(const struct snag_launch *l);
/* As counted by programs compiled so, until they ended (channel.h). */
const uint64_t *snag_launch_executed(const struct snag_launch *l);
/* The libraries compiled with snag that it opened by itself: paths, each with a NUL behind it, at most
 * RT_OPENED bytes with that of an empty one. */
const char *snag_launch_opened(const struct snag_launch *l);
void snag_launch_free(struct snag_launch *l); /* accepts NULL */

#endif
