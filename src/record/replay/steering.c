/* SPDX-License-Identifier: Apache-2.0
 *
 * steering.c - runs a program again, steered by a schedule
 */
#include "record/replay/steering.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int snag_steer(const struct snag_steering *how, struct snag_live_options more, snag_steered *f,
	       void *ctx, struct snag_error *err)
{
	char options[256];
	struct snag_source *live;
	int schedule = snag_turns_share(how->turns, err);
	if (schedule < 0)
		return schedule;
	snprintf(options, sizeof(options), "seed=%" PRIu64 ":hold=%d:%s:schedule=/proc/self/fd/%d",
		 how->seed, how->stops, more.options, schedule);
	more.options = options;
	more.io = how->is_quiet ? more.io : SNAG_LAUNCH_SHARES;
	more.seconds = how->seconds;
	more.stop = how->interrupt;
	more.ends_held = how->stops;
	int rc = snag_live_source(how->argv, &more, &live, err);
	if (rc == 0) {
		rc = f(ctx, live, err);
		snag_source_close(live);
	}
	close(schedule);
	return rc;
}
