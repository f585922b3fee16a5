/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.h - runs a program with a channel, and reads its records
 *
 * The program is a child of the tool.  It inherits standard input and output, the process group
 * and the signals of the terminal.  Or the program already runs and has started the tool: then
 * the tool neither waits for it nor passes signals on.  Address randomisation is off for the
 * program where the system allows it, so that runs repeat.
 */
#ifndef SNAG_RECORD_LAUNCH_H
#define SNAG_RECORD_LAUNCH_H

#include "base/error.h"
#include "runtime/channel/channel.h"

#include <stdbool.h>

struct snag_launch;

/* A program that started the tool (runtime/observe.c). */
struct snag_attached {
	int channel; /* the descriptor of the channel */
	int ready;   /* the descriptor on which the program waits for its options */
	int pid;
	bool is_forked;	       /* it is a child of fork, not a program from its beginning */
	struct rt_channel *at; /* the channel, once it is mapped */
};

/* Which of the tool's input and output the program has; the rest is empty. */
enum snag_launch_io {
	SNAG_LAUNCH_SHARES,
	SNAG_LAUNCH_READS,
	SNAG_LAUNCH_SILENT,
	SNAG_LAUNCH_OURS, /* silent, and the tool gets Ctrl-C while it runs */
};

/* Starts the program.  `options` are for its runtime, and precede those in SNAG_OPTIONS.  It is
 * an error if it cannot be run. */
int snag_launch_start(char *const *argv, const char *options, enum snag_launch_io io,
		      struct snag_launch **ret_launch, struct snag_error *err);
/* Descriptors of the tool that the program gets, besides the channel. */
struct snag_launch_files {
	int output, error; /* its standard output and error, if it is silent; -1: empty */
	int inherited[2];  /* under the same numbers; -1: none */
};
/* The same; the program also gets these files (NULL: none). */
int snag_launch_start_with(char *const *argv, const char *options, enum snag_launch_io io,
			   const struct snag_launch_files *files, struct snag_launch **ret_launch,
			   struct snag_error *err);
/* From now on, silent programs read what is left of the tool's standard input, if that is a
 * file. */
void snag_launch_repeat_input(void);
/* The same for a program that waits for its options and then begins. */
int snag_launch_attach(struct snag_attached *to, const char *options,
		       struct snag_launch **ret_launch, struct snag_error *err);
/* From now on, these options hold for the tools of children that programs make by fork: `n` words,
 * each with a NUL behind it.  `words` has RT_FORKED_WORDS bytes and must stay. */
void snag_launch_forked_words(const char *words, uint32_t n);
/* Ends the program with this status.  The program waits at its end until this is called. */
void snag_attached_answer(const struct snag_attached *to, int status);
void snag_launch_kill(struct snag_launch *l);
/* Makes the runtime end the program with this status. */
void snag_launch_halt(struct snag_launch *l, int status);

/* Reads the next records, at most `room` of them.  Returns their number; 0 if there is none yet;
 * -1 if the program has ended and all was read.  If there is none, waits a little, longer each
 * time. */
int snag_launch_next(struct snag_launch *l, struct rt_record *ret_record, int room);
/* Reads records without waiting, at most `room` of them; returns their number. */
int snag_launch_take(struct snag_launch *l, struct rt_record *ret_record, int room);
/* Reads the channel from its beginning again. */
void snag_launch_rewind(struct snag_launch *l);
struct rt_channel *snag_launch_channel(const struct snag_launch *l);
/* Whether the program has ended; does not wait. */
bool snag_launch_has_ended(struct snag_launch *l);
/* Stops reading: waits for the end of the program, which continues unrecorded. */
void snag_launch_abandon(struct snag_launch *l);
int snag_launch_status(const struct snag_launch *l); /* once it has ended: as of waitpid */
int snag_launch_pid(const struct snag_launch *l);
bool snag_launch_was_claimed(const struct snag_launch *l); /* a runtime has recorded */
/* Returns the findings of a detector inside the program, once it has ended. */
const struct rt_verdict *snag_launch_verdict(const struct snag_launch *l);
/* Returns what the program read that differs from run to run: bits 1 << enum rt_input. */
uint32_t snag_launch_inputs(const struct snag_launch *l);
/* Whether a thread that is not observed has allocated memory. */
bool snag_launch_has_unseen_heap(const struct snag_launch *l);
/* Returns the counts of a program that was compiled to count, once it has ended (channel.h). */
const uint64_t *snag_launch_executed(const struct snag_launch *l);
/* Returns the libraries compiled with snag that the program opened itself: NUL-terminated paths,
 * followed by an empty one; at most RT_OPENED bytes. */
const char *snag_launch_opened(const struct snag_launch *l);
void snag_launch_free(struct snag_launch *l); /* accepts NULL */

#endif
