/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_state.h - what launch.c, launch_start.c and launch_signals.c share
 */
#ifndef SNAG_RECORD_LAUNCH_STATE_H
#define SNAG_RECORD_LAUNCH_STATE_H

#include "record/launch.h"

#include <signal.h>
#include <sys/types.h>

enum { SNAG_PASSED = 4 }; /* signals that are passed on to the program */

struct snag_launch {
	pid_t pid;
	int pidfd; /* of a program that is not a child of the tool; -1: it is a child */
	int fd;
	struct rt_channel *channel;
	uint64_t n;		  /* how many records of the channel were read */
	struct rt_ring *rings;	  /* of threads that run in parallel; NULL: threads take turns */
	struct snag_merge *merge; /* merges the rings */
	uint64_t read;		  /* how many records were read, including those of rings */
	int status;		  /* of the program */
	bool has_ended;
	long pause_ns;			   /* the next wait for records */
	uint64_t waited;		   /* `read` at the last wait */
	bool passes;			   /* signals to the tool go to the program, too */
	struct sigaction was[SNAG_PASSED]; /* the tool's own actions for those signals */
};

struct snag_launch *snag_launch_new(void);

/* From here on, signals that another process sends to the tool go to the program too. */
void snag_launch_signals_pass(struct snag_launch *l);
/* From here on, these signals are for the tool alone. */
void snag_launch_signals_keep(struct snag_launch *l);
/* Blocks these signals in the tool; *ret_mask is the mask from before. */
void snag_launch_signals_block(sigset_t *ret_mask);
/* In the child, before it becomes the program: a signal must not run the handlers of the tool in
 * the memory of the tool.  Restores the mask. */
void snag_launch_signals_reset(const sigset_t *mask);

#endif
