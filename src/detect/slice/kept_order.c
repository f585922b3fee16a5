/* SPDX-License-Identifier: Apache-2.0
 *
 * kept_order.c - K, the order that every valid reordering keeps
 */
#include "detect/slice/kept_order.h"

#include "base/memory.h"

#include <string.h>

enum { VERSIONS = 4096 };

void snag_kept_order_init(struct snag_kept_order *k)
{
	memset(k, 0, sizeof(*k));
	snag_vclock_pool_init(&k->pool);
}

void snag_kept_order_done(struct snag_kept_order *k)
{
	for (size_t t = 0; t < k->nthreads; t++) {
		struct snag_kept_thread *thread = &k->thread[t];
		for (size_t i = 0; i < thread->nversions; i++)
			snag_vclock_drop(&k->pool, thread->version[i].clock);
		snag_vclock_drop(&k->pool, thread->now);
		free(thread->version);
	}
	free(k->thread);
	snag_vclock_pool_done(&k->pool);
}

void snag_kept_order_reserve(struct snag_kept_order *k, size_t nthreads)
{
	snag_seats_reserve(&k->pool.seats, nthreads, 0);
	k->thread = snag_grow(k->thread, &k->thread_cap, nthreads, sizeof(*k->thread));
	for (; k->nthreads < nthreads; k->nthreads++)
		k->thread[k->nthreads].now = snag_vclock_share(k->pool.empty);
}

/* Drops every second clock of the older half. */
static void versions_thin(struct snag_kept_order *k, struct snag_kept_thread *t)
{
	size_t half = t->nversions / 2, to = 0;
	for (size_t i = 0; i < t->nversions; i++) {
		if (i < half && i % 2)
			snag_vclock_drop(&k->pool, t->version[i].clock);
		else
			t->version[to++] = t->version[i];
	}
	t->nversions = to;
}

/* Notes that the clock of the thread changed at this event. */
static void version_add(struct snag_kept_order *k, struct snag_kept_thread *t, uint32_t event)
{
	if (t->nversions == VERSIONS)
		versions_thin(k, t);
	t->version = snag_grow(t->version, &t->version_cap, t->nversions + 1, sizeof(*t->version));
	t->version[t->nversions++] = (struct snag_kept_version){snag_vclock_share(t->now), event};
}

/* Returns the clock that the thread had at an event, or an older one. */
static const struct snag_vclock *version_at(const struct snag_kept_order *k,
					    const struct snag_kept_thread *t, uint32_t event)
{
	size_t low = 0, high = t->nversions;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->version[middle].since <= event)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? t->version[low - 1].clock : k->pool.empty;
}

static void fork_thread(struct snag_kept_order *k, snag_tid t, snag_tid u, uint32_t event)
{
	struct snag_seats *seats = &k->pool.seats;
	uint32_t before, seat = snag_seats_acting(seats, t);
	snag_seats_take(seats, u, k->thread[t].now, &before);
	snag_vclock_join(&k->pool, &k->thread[u].now, k->thread[t].now, seat, event + 1);
	version_add(k, &k->thread[u], event);
}

static void join_thread(struct snag_kept_order *k, snag_tid t, snag_tid u, uint32_t event)
{
	struct snag_seats *seats = &k->pool.seats;
	uint32_t seat = snag_seats_acting(seats, u);
	snag_seats_leave(seats, u, event);
	snag_vclock_join(&k->pool, &k->thread[t].now, k->thread[u].now, seat, seats->thread[u].end);
	version_add(k, &k->thread[t], event);
}

void snag_kept_order_sync(struct snag_kept_order *k, const struct snag_event *ev, uint32_t event)
{
	snag_seats_acting(&k->pool.seats, ev->thread);
	if (ev->op == SNAG_OP_FORK)
		fork_thread(k, ev->thread, ev->target, event);
	else if (ev->op == SNAG_OP_JOIN)
		join_thread(k, ev->thread, ev->target, event);
}

void snag_kept_order_reads(struct snag_kept_order *k, snag_tid t, uint32_t event, snag_tid u,
			   uint32_t time)
{
	const struct snag_vclock *clock = version_at(k, &k->thread[u], time - 1);
	uint32_t seat = snag_seats_acting(&k->pool.seats, u);
	snag_vclock_join(&k->pool, &k->thread[t].now, clock, seat, time);
	version_add(k, &k->thread[t], event);
}
