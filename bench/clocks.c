/* SPDX-License-Identifier: Apache-2.0
 *
 * clocks.c - plain vector clocks, as in a textbook, for comparison
 *
 * Reference.  Flanagan and Freund, FastTrack, PLDI 2009.
 */
#include "bench/clocks.h"

#include "base/memory.h"

#include <string.h>

struct past {
	uint32_t writer, written; /* 0: none */
	uint32_t reader, read;
	uint32_t *reads; /* by thread; NULL: at most one */
};

struct clocks {
	uint32_t n;
	uint32_t **of; /* by thread; NULL: it has not begun, or was joined */
	uint32_t *lock;
	struct past *x;
};

static uint32_t *clock_of(struct clocks *c, uint32_t t)
{
	if (!c->of[t]) {
		c->of[t] = snag_calloc(c->n, sizeof(uint32_t));
		c->of[t][t] = 1;
	}
	return c->of[t];
}

static void join(struct clocks *c, uint32_t *to, const uint32_t *from)
{
	for (uint32_t i = 0; i < c->n; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

static bool is_unordered(const uint32_t *clock, uint32_t thread, uint32_t time)
{
	return time > clock[thread];
}

static bool read_races(struct clocks *c, struct past *x, uint32_t t)
{
	const uint32_t *clock = clock_of(c, t);
	if (!x->reads && is_unordered(clock, x->reader, x->read)) {
		x->reads = snag_calloc(c->n, sizeof(uint32_t));
		x->reads[x->reader] = x->read;
	}
	if (x->reads)
		x->reads[t] = clock[t];
	x->reader = t;
	x->read = clock[t];
	return is_unordered(clock, x->writer, x->written);
}

static bool write_races(struct clocks *c, struct past *x, uint32_t t)
{
	const uint32_t *clock = clock_of(c, t);
	bool races = is_unordered(clock, x->writer, x->written) ||
		     is_unordered(clock, x->reader, x->read);
	for (uint32_t i = 0; x->reads && i < c->n; i++)
		races |= is_unordered(clock, i, x->reads[i]);
	free(x->reads);
	*x = (struct past){.writer = t, .written = clock[t]};
	return races;
}

static void sync_event(struct clocks *c, const struct snag_event *ev)
{
	uint32_t *clock = clock_of(c, ev->thread);
	switch (ev->op) {
	case SNAG_OP_FORK:
		join(c, clock_of(c, ev->target), clock);
		clock[ev->thread]++;
		break;
	case SNAG_OP_JOIN:
		join(c, clock, clock_of(c, ev->target));
		free(c->of[ev->target]);
		c->of[ev->target] = NULL;
		break;
	case SNAG_OP_ACQUIRE:
		join(c, clock, c->lock);
		break;
	case SNAG_OP_RELEASE:
		memcpy(c->lock, clock, c->n * sizeof(*clock));
		clock[ev->thread]++;
		break;
	default:
		break;
	}
}

uint64_t snag_plain_clocks(const struct snag_event *ev, size_t n, uint32_t nthreads,
			   uint32_t nvariables)
{
	struct clocks c = {.n = nthreads,
			   .of = snag_calloc(nthreads, sizeof(*c.of)),
			   .lock = snag_calloc(nthreads, sizeof(*c.lock)),
			   .x = snag_calloc(nvariables, sizeof(*c.x))};
	uint64_t races = 0;
	for (size_t i = 0; i < n; i++)
		if (ev[i].op == SNAG_OP_READ)
			races += read_races(&c, &c.x[ev[i].target], ev[i].thread);
		else if (ev[i].op == SNAG_OP_WRITE)
			races += write_races(&c, &c.x[ev[i].target], ev[i].thread);
		else
			sync_event(&c, &ev[i]);
	for (uint32_t t = 0; t < nthreads; t++)
		free(c.of[t]);
	for (uint32_t v = 0; v < nvariables; v++)
		free(c.x[v].reads);
	free(c.of);
	free(c.lock);
	free(c.x);
	return races;
}
