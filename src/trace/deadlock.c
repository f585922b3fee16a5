/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.c - THE deadlock: threads that wait for each other, as data
 */
#include "trace/deadlock.h"

#include "base/memory.h"

#include <stdlib.h>

void snag_deadlock_done(struct snag_deadlock *d)
{
	free(d->wait);
	snag_race_done(&d->proof);
	*d = (struct snag_deadlock){0};
}
