/* SPDX-License-Identifier: Apache-2.0
 *
 * seats.c - which thread owns which entry of the clocks
 */
#include "order/seats.h"

#include "base/memory.h"
#include "order/vclock.h"

enum { MOST_TRIED = 64 };

void snag_seats_done(struct snag_seats *s, struct snag_vclock_pool *pool)
{
	for (size_t i = 0; i < s->nthreads; i++)
		snag_vclock_drop(pool, s->thread[i].last);
	free(s->thread);
	free(s->occupant);
	free(s->left);
}

size_t snag_seats_reserve(struct snag_seats *s, size_t nthreads, size_t nevents)
{
	s->thread = snag_grow(s->thread, &s->thread_cap, nthreads, sizeof(*s->thread));
	for (; s->nthreads < nthreads; s->nthreads++)
		s->thread[s->nthreads] = (struct snag_seated){.seat = SNAG_NO_SEAT};
	size_t most = s->n + 2 * nevents; /* an event names at most two threads */
	return most < nthreads ? most : nthreads;
}

uint32_t snag_seats_new(struct snag_seats *s, uint32_t thread)
{
	uint32_t seat = (uint32_t)s->n++;
	s->occupant = snag_grow(s->occupant, &s->occupant_cap, s->n, sizeof(*s->occupant));
	s->occupant[seat] = thread;
	s->thread[thread].seat = seat;
	return seat;
}

uint32_t snag_seats_take(struct snag_seats *s, uint32_t thread, const struct snag_vclock *clock,
			 uint32_t *ret_before)
{
	*ret_before = thread;
	if (s->thread[thread].seat != SNAG_NO_SEAT)
		return s->thread[thread].seat;
	for (size_t tried = 0; tried < MOST_TRIED && tried < s->nleft; tried++) {
		s->next = s->next ? s->next - 1 : s->nleft - 1;
		size_t i = s->next;
		uint32_t seat = s->left[i], before = s->occupant[seat];
		if (snag_vclock_get(clock, seat) < s->thread[before].end)
			continue;
		s->left[i] = s->left[--s->nleft];
		s->occupant[seat] = thread;
		s->thread[thread].seat = seat;
		s->thread[thread].since = s->thread[before].end;
		*ret_before = before;
		return seat;
	}
	return snag_seats_new(s, thread);
}

void snag_seats_leave(struct snag_seats *s, uint32_t thread, uint32_t event)
{
	struct snag_seated *t = &s->thread[thread];
	if (t->end)
		return;
	t->end = event + 1;
	s->left = snag_grow(s->left, &s->left_cap, s->nleft + 1, sizeof(*s->left));
	s->left[s->nleft++] = t->seat;
	s->next = s->nleft; /* most likely the joining thread forks next */
}
