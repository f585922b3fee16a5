/* SPDX-License-Identifier: Apache-2.0
 *
 * live.c - a running program as a source of events
 */
#include "record/live.h"

#include "base/memory.h"
#include "record/convert.h"
#include "record/launch.h"

struct live {
	struct snag_source src;
	struct snag_launch *launch;
	struct snag_convert *convert;
	bool has_ended;
};

static int live_end(struct live *l, struct snag_error *err)
{
	l->has_ended = true;
	if (!snag_launch_was_claimed(l->launch))
		return snag_fail(err, SNAG_EINPUT,
				 "%s: was not built with 'snag cc', or did not start", l->src.name);
	return 0;
}

static int live_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct live *l = (struct live *)src;
	struct rt_record r;
	for (;;) {
		int more = 0;
		while (snag_convert_has_room(l->convert) &&
		       (more = snag_launch_next(l->launch, &r)) > 0)
			snag_convert_record(l->convert, &r);
		/* Full, or nothing to read at the moment: what there is goes out. */
		if (snag_convert_take(l->convert, ret_batch))
			return 1;
		if (more < 0)
			return live_end(l, err);
	}
}

static double live_progress(const struct snag_source *src)
{
	return -1;
}

static void live_close(struct snag_source *src)
{
	struct live *l = (struct live *)src;
	if (!l->has_ended)
		snag_launch_abandon(l->launch);
	snag_convert_free(l->convert);
	snag_launch_free(l->launch);
	free(l);
}

static const struct snag_source_ops live_ops = {
	.next = live_next, .progress = live_progress, .close = live_close};

int snag_live_source(char *const *argv, const struct snag_live_options *options,
		     struct snag_source **ret_src, struct snag_error *err)
{
	struct snag_launch *launch;
	int rc = snag_launch_start(argv, options->options, &launch, err);
	if (rc < 0)
		return rc;
	struct live *l = snag_calloc(1, sizeof(*l));
	l->launch = launch;
	l->convert = snag_convert_new(options->schedule);
	l->src = (struct snag_source){
		.ops = &live_ops, .name = argv[0], .names = snag_convert_names(l->convert)};
	*ret_src = &l->src;
	return 0;
}

struct snag_live_end snag_live_end(const struct snag_source *src)
{
	const struct live *l = (const struct live *)src;
	return (struct snag_live_end){.status = snag_launch_status(l->launch),
				      .pid = snag_launch_pid(l->launch),
				      .was_deadlock = snag_convert_was_deadlock(l->convert)};
}
