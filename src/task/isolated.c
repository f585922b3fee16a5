/* SPDX-License-Identifier: Apache-2.0
 *
 * isolated.c - one isolated block at a time
 *
 * There is one lock for the process.  No task waits for another inside an isolated block, so a
 * worker waits for the lock only for a short time, and may block its thread.
 */
#include "task/parallel.h"
#include "task/serial.h"

#include <assert.h>

static pthread_mutex_t isolated = PTHREAD_MUTEX_INITIALIZER;

void snag_isolated_begin(void)
{
	if (snag_serial_called()) {
		snag_serial_isolated_begin();
		return;
	}
	struct task_worker *w = snag_worker_in_task();
	pthread_mutex_lock(&isolated);
	w->is_isolated = true;
}

void snag_isolated_end(void)
{
	if (snag_serial_called()) {
		snag_serial_isolated_end();
		return;
	}
	struct task_worker *w = snag_worker_self();
	assert(w && w->is_isolated && "no isolated block is open");
	w->is_isolated = false;
	pthread_mutex_unlock(&isolated);
}
