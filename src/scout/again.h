/* SPDX-License-Identifier: Apache-2.0
 *
 * again.h - the accesses that a record RT_AGAIN stands for (runtime/channel/run.h)
 *
 * Each follows from two records: the one `period` accesses before it, and the one as far before
 * that.  Address and arg move on as they did between these two.
 */
#ifndef SNAG_SCOUT_AGAIN_H
#define SNAG_SCOUT_AGAIN_H

#include "runtime/channel/channel.h"

#include <stdbool.h>

struct snag_again_step {
	struct rt_record next;
	uint64_t stride; /* of the address */
	uint32_t arg_stride;
};

struct snag_again {			       /* all 0: no access yet */
	struct rt_record seen[2 * RT_RUN_MAX]; /* accesses since the last run, a ring */
	uint64_t nseen;
	struct snag_again_step step[RT_RUN_MAX];
	uint32_t period, at; /* of the run; the step of its next access */
	uint32_t left;	     /* accesses; 0: no run is left */
};

static inline void snag_again_add(struct snag_again *a, const struct rt_record *access)
{
	a->seen[a->nseen++ % (2 * RT_RUN_MAX)] = *access;
}

/* Begins the run of a record RT_AGAIN; false: it follows from nothing. */
static inline bool snag_again_begin(struct snag_again *a, const struct rt_record *r)
{
	const uint64_t period = rt_record_size(r), n = a->nseen, ring = 2 * RT_RUN_MAX;
	a->nseen = 0;
	if (period == 0 || period > RT_RUN_MAX || n < 2 * period || r->arg == 0)
		return false;
	a->period = (uint32_t)period;
	a->at = 0;
	a->left = r->arg;
	for (uint64_t i = 0; i < period; i++) {
		const struct rt_record *now = &a->seen[(n - period + i) % ring];
		const struct rt_record *before = &a->seen[(n - 2 * period + i) % ring];
		struct snag_again_step *s = &a->step[i];
		s->stride = rt_record_address(now) - rt_record_address(before);
		s->arg_stride = now->arg - before->arg;
		s->next = *now;
		s->next.what += s->stride;
		s->next.arg += s->arg_stride;
	}
	return true;
}

static inline struct rt_record snag_again_next(struct snag_again *a)
{
	struct snag_again_step *s = &a->step[a->at];
	const struct rt_record r = s->next;
	s->next.what += s->stride;
	s->next.arg += s->arg_stride;
	a->at = a->at + 1 == a->period ? 0 : a->at + 1;
	a->left--;
	return r;
}

#endif
