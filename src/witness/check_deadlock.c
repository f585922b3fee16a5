/* SPDX-License-Identifier: Apache-2.0
 *
 * check_deadlock.c - do these threads wait for each other?
 *
 * Idea.   The replay has brought every thread to some place.  One walk through the trace tells, for
 *         each request, whether its thread stands there, and what the thread holds.
 *
 * Rules.  [request]  each is an acquire that may wait, and is not nested, or a join
 *         [next]     it is the next event of its thread, which has started
 *         [circle]   the threads differ, and each request waits for the thread of the request after
 *                    it, the last for that of the first: the lock is held by that thread, by one
 *                    of the two alone; or a join waits for that thread
 *
 * Cost.   O(events x requests).
 */
#include "witness/check_deadlock.h"

#include "base/memory.h"
#include "trace/race.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct waiter {
	uint32_t event;
	snag_tid thread;
	uint32_t pit;		/* of the event, once the walk has come to it */
	uint32_t alone, shared; /* how often it has what the request before it asks for */
	bool is_started;
};

struct check {
	const struct snag_trace *trace;
	struct waiter *waiter;
	size_t n;
	uint32_t *nevents; /* by thread: of the walk so far */
	struct snag_error *err;
};

__attribute__((format(printf, 3, 4))) static int wrong(const struct check *c, uint32_t event,
						       const char *fmt, ...)
{
	char why[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return snag_fail(c->err, SNAG_EINPUT, "deadlock: request %u: %s", event, why);
}

static int check_requests(const struct check *c) /* [request], [circle]: threads differ */
{
	if (c->n < 2)
		return snag_fail(c->err, SNAG_EINPUT,
				 "a deadlock has at least two requests, this one %zu", c->n);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t e = c->waiter[i].event;
		if (e >= c->trace->n)
			return wrong(c, e, "there is no such event, the trace has %zu",
				     c->trace->n);
		const struct snag_event *ev = &c->trace->ev[e];
		bool is_acquire = ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED;
		if (!is_acquire && ev->op != SNAG_OP_JOIN)
			return wrong(c, e, "%s is neither an acquire nor a join",
				     snag_op_info[ev->op].text);
		if (ev->flags & (SNAG_NESTED | SNAG_NO_WAIT))
			return wrong(c, e, "it never waits, or not without end");
		for (size_t k = 0; k < i; k++)
			if (c->waiter[k].thread == c->waiter[i].thread)
				return wrong(c, e, "is of the same thread as request %u",
					     c->waiter[k].event);
	}
	return 0;
}

/* The next event of the walk, as far as it concerns the i-th waiter. */
static void waiter_see(struct check *c, size_t i, uint32_t e, const uint32_t *done)
{
	struct waiter *w = &c->waiter[i];
	const struct snag_event *ev = &c->trace->ev[e];
	const struct snag_event *asked = &c->trace->ev[c->waiter[(i + c->n - 1) % c->n].event];
	uint32_t pit = c->nevents[ev->thread];
	if (ev->op == SNAG_OP_FORK && ev->target == w->thread)
		w->is_started = pit < done[ev->thread];
	if (e == w->event)
		w->pit = pit;
	if (ev->thread != w->thread || pit >= done[w->thread] || ev->flags & SNAG_NESTED ||
	    asked->op == SNAG_OP_JOIN || ev->target != asked->target)
		return;
	w->alone += ev->op == SNAG_OP_ACQUIRE;
	w->alone -= ev->op == SNAG_OP_RELEASE;
	w->shared += ev->op == SNAG_OP_ACQUIRE_SHARED;
	w->shared -= ev->op == SNAG_OP_RELEASE_SHARED;
}

static int check_waits(const struct check *c, size_t i, const uint32_t *done) /* [next], [circle] */
{
	const struct waiter *w = &c->waiter[i], *next = &c->waiter[(i + 1) % c->n];
	const struct snag_event *ev = &c->trace->ev[w->event];
	const char *other = snag_name(&c->trace->names, SNAG_SPACE_THREAD, next->thread);
	if (!w->is_started)
		return wrong(c, w->event, "its thread has not started");
	if (w->pit != done[w->thread])
		return wrong(c, w->event, "is number %u of its thread, which has done %u", w->pit,
			     done[w->thread]);
	if (ev->op == SNAG_OP_JOIN && ev->target != next->thread)
		return wrong(c, w->event, "does not wait for %.60s", other);
	bool is_held = next->alone || (next->shared && ev->op == SNAG_OP_ACQUIRE);
	if (ev->op != SNAG_OP_JOIN && !is_held)
		return wrong(c, w->event, "%.60s does not keep it waiting", other);
	return 0;
}

int snag_check_deadlock(const struct snag_trace *trace, const struct snag_witness *w,
			const uint32_t *done, struct snag_error *err)
{
	struct check c = {.trace = trace, .n = w->nrequests, .err = err};
	c.waiter = snag_calloc(c.n + 1, sizeof(*c.waiter));
	c.nevents = snag_filled(trace->names.space[SNAG_SPACE_THREAD].n, 0);
	for (size_t i = 0; i < c.n; i++) {
		uint32_t e = w->request[i];
		c.waiter[i] = (struct waiter){.event = e, .is_started = true};
		c.waiter[i].thread = e < trace->n ? trace->ev[e].thread : SNAG_NO_ID;
	}
	int rc = check_requests(&c);
	for (uint32_t e = 0; rc == 0 && e < trace->n; e++) {
		for (size_t i = 0; i < c.n; i++)
			waiter_see(&c, i, e, done);
		c.nevents[trace->ev[e].thread]++;
	}
	for (size_t i = 0; rc == 0 && i < c.n; i++)
		rc = check_waits(&c, i, done);
	free(c.waiter);
	free(c.nevents);
	return rc;
}
