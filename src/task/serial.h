/* SPDX-License-Identifier: Apache-2.0
 *
 * serial.h - <snag/task.h> under a detector: depth first on one worker
 *
 * Each function of <snag/task.h> tests whether snag_serial is set, and if so calls its
 * counterpart here.
 */
#ifndef SNAG_TASK_SERIAL_H
#define SNAG_TASK_SERIAL_H

#include <snag/task.h>
#include "task/hooks.h"
#include "task/task.h"

#include <stdbool.h>

extern struct snag_tasks *snag_serial; /* the run under a detector; NULL: none */
extern const void **snag_serial_place;

/* Tests whether there is one, and records where the function was called. */
#define snag_serial_called() \
	(snag_serial && (*snag_serial_place = __builtin_return_address(0), true))

bool snag_serial_is_wanted(void); /* a detector is there */
int snag_serial_launch(const struct snag_launch_options *options, snag_task_function *function,
		       void *arg, const void *place); /* called there */

enum snag_serial_kind {
	SNAG_SERIAL_SPAWNED = 1,
	SNAG_SERIAL_UNSEEN = 2, /* the copied memory has not escaped */
};

/* With `copy`, the argument is a copy of these `nbytes` bytes; otherwise it is `arg`. */
void snag_serial_create(snag_task_function *function, void *arg, const void *copy, size_t nbytes,
			unsigned kind);
void snag_serial_sync(void);
void snag_serial_finish_begin(void);
void snag_serial_finish_end(void);
void snag_serial_frame_begin(void);
void snag_serial_frame_end(void);
void snag_serial_get(struct snag_promise *promise);
void snag_serial_set(struct snag_promise *promise);
void snag_serial_isolated_begin(void);
void snag_serial_isolated_end(void);
void snag_serial_obstacle(enum snag_task_obstacle what);
/* Reports memory that the library gives to the program, perhaps reused. */
void snag_serial_memory(const void *at, size_t nbytes);

#endif
