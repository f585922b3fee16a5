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

/* `options` is added to SNAG_OPTIONS for the program.  An error if it cannot be run. */
int snag_launch_start(char *const *argv, const char *options, struct snag_launch **ret_launch,
		      struct snag_error *err);

/* What to do with each record; a negative result ends the reading, not the program. */
typedef int snag_launch_reader(void *ctx, const struct rt_record *r, struct snag_error *err);

/* Reads until the program has ended and everything is read, and returns its wait status in
 * *ret_status; negative: the reader's error, after the program has ended. */
int snag_launch_read(struct snag_launch *l, snag_launch_reader *read, void *ctx, int *ret_status,
		     struct snag_error *err);
bool snag_launch_was_claimed(const struct snag_launch *l); /* a runtime has recorded */
void snag_launch_free(struct snag_launch *l);		   /* accepts NULL */

#endif
