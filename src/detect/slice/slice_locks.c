/* SPDX-License-Identifier: Apache-2.0
 *
 * slice_locks.c - programs that take locks all the time: counters, and sections without content
 *
 * Idea.   If a thread increments a counter under its lock a thousand times in a row, other
 *         threads can observe only its last value.  So the slice has only those accesses of a
 *         counter (contended.h, rule [counter]) that order two threads.  A section that has
 *         nothing of the slice inside is left out if the thread's previous section is one of the
 *         same lock.
 *
 * Rules.  [counter]  A read that sees a write of another thread is in the slice, and so is that
 *                    write. At the write it is unknown whether it will be read, so it is added
 *                    late.
 *         [section]  A section of a lock, taken by a thread that holds no other, is left out if
 *                    nothing of the slice is inside; and the thread's event before it in the
 *                    slice is the release of the same lock; and no other thread took the lock
 *                    since.
 *         [late]     If a late write was made in a section that was left out, the section is
 *                    added, too.
 *
 * Guarantee.  docs/algorithms/slice.md: m2 decides the same pairs in the same way.
 * Cost.   O(1) per event, and sorting the late ones.  The size of the slice follows the changes
 *         between threads, not the number of acquires.
 */
#include "detect/slice/slice_reading.h"

#include "base/memory.h"

#include <string.h>

enum { GONE = SNAG_OPS }; /* the operation of an event that was taken out again */

void snag_slice_locks_done(struct snag_slice_reading *r)
{
	free(r->thread);
	free(r->taker);
	free(r->counter);
	free(r->late);
}

static struct snag_slice_thread *thread_of(struct snag_slice_reading *r, snag_tid t)
{
	r->thread = snag_grow(r->thread, &r->thread_cap, (size_t)t + 1, sizeof(*r->thread));
	return &r->thread[t];
}

/* Whether the last event of the thread in the slice releases this lock. */
static bool is_behind_release(const struct snag_slice_reading *r, const struct snag_slice_thread *t,
			      uint32_t lock)
{
	const struct snag_event *last = t->last ? &r->slice->trace.ev[t->last - 1] : NULL;
	return last && last->op == SNAG_OP_RELEASE && !(last->flags & SNAG_NESTED) &&
	       last->target == lock;
}

/* Removes the acquire, which is the last event of its thread in the slice. */
static void acquire_remove(struct snag_slice_reading *r, struct snag_slice_thread *t)
{
	struct snag_slice *s = r->slice;
	if (t->last == s->trace.n) {
		s->trace.n--;
	} else {
		s->trace.ev[t->last - 1].op = GONE;
		r->has_gaps = true;
	}
	t->last = t->before;
	t->before = 0;
}

/* [section] ends, and is left out. */
static void section_leave_out(struct snag_slice_reading *r, struct snag_slice_thread *t,
			      const struct snag_event *release)
{
	const struct snag_slice_late acquire = {r->slice->trace.ev[t->acquire - 1],
						r->slice->number[t->acquire - 1]};
	for (uint32_t i = 0; i < t->ncounters; i++) {
		struct snag_slice_counter *c = &r->counter[t->counter[i]];
		c->acquire = acquire;
		c->release = (struct snag_slice_late){*release, (uint32_t)r->event};
		c->has_section = true;
	}
	acquire_remove(r, t);
	r->slice->until[t->last - 1] = (uint32_t)r->event;
	r->slice->trace.ev[t->last - 1].loc = release->loc; /* it stands for both in reports */
	snag_slice_end_section(r, release);
}

void snag_slice_lock(struct snag_slice_reading *r, const struct snag_event *ev)
{
	struct snag_slice_thread *t = thread_of(r, ev->thread);
	const bool counts = !(ev->flags & SNAG_NESTED);
	const bool takes = ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED;
	if (!counts) {
		t->acquire = 0;
		snag_slice_take_in(r, ev);
		return;
	}
	r->taker = snag_grow(r->taker, &r->taker_cap, (size_t)ev->target + 1, sizeof(*r->taker));
	if (takes) {
		bool may_go = ev->op == SNAG_OP_ACQUIRE && t->nheld == 0 &&
			      r->taker[ev->target] == ev->thread + 1 &&
			      is_behind_release(r, t, ev->target);
		t->nheld++;
		t->ncounters = 0;
		r->taker[ev->target] = ev->thread + 1;
		snag_slice_take_in(r, ev);
		t = thread_of(r, ev->thread);
		t->acquire = may_go ? t->last : 0;
		return;
	}
	t->nheld -= t->nheld > 0;
	bool goes = ev->op == SNAG_OP_RELEASE && t->acquire && t->acquire == t->last;
	if (goes)
		section_leave_out(r, t, ev);
	else
		snag_slice_take_in(r, ev);
	thread_of(r, ev->thread)->acquire = 0;
}

static void late_add(struct snag_slice_reading *r, const struct snag_slice_late *late)
{
	r->late = snag_grow(r->late, &r->late_cap, r->nlate + 1, sizeof(*r->late));
	r->late[r->nlate++] = *late;
}

static void counter_write(struct snag_slice_reading *r, struct snag_slice_counter *c,
			  const struct snag_event *ev)
{
	struct snag_slice_thread *t = thread_of(r, ev->thread);
	bool is_noted = false;
	c->write = (struct snag_slice_late){*ev, (uint32_t)r->event};
	c->has_write = true;
	c->is_in_slice = c->has_section = false;
	c->reader = ev->thread;
	for (uint32_t i = 0; i < t->ncounters; i++)
		is_noted |= t->counter[i] == ev->target;
	if (!is_noted && t->ncounters == SNAG_SECTION_COUNTERS)
		t->acquire = 0; /* too many: the section stays */
	else if (!is_noted)
		t->counter[t->ncounters++] = ev->target;
	snag_slice_leave_out(r, ev->thread, 1, ev->part);
}

void snag_slice_counter(struct snag_slice_reading *r, const struct snag_event *ev)
{
	struct snag_slice_counter *c = &r->counter[ev->target];
	if (ev->op == SNAG_OP_WRITE) {
		counter_write(r, c, ev);
		return;
	}
	if (!c->has_write || c->reader == ev->thread || c->write.ev.thread == ev->thread) {
		snag_slice_leave_out(r, ev->thread, 1, ev->part);
		return;
	}
	if (!c->is_in_slice) { /* [late] */
		late_add(r, &c->write);
		if (c->has_section) {
			late_add(r, &c->acquire);
			late_add(r, &c->release);
		}
		c->is_in_slice = true;
	}
	c->reader = ev->thread;
	snag_slice_take_in(r, ev);
}

static int late_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct snag_slice_late *)a)->number,
		 y = ((const struct snag_slice_late *)b)->number;
	return x < y ? -1 : x > y;
}

static void gaps_close(struct snag_slice *s)
{
	size_t to = 0;
	for (size_t i = 0; i < s->trace.n; i++) {
		if (s->trace.ev[i].op == GONE)
			continue;
		s->number[to] = s->number[i];
		s->until[to] = s->until[i];
		s->trace.ev[to++] = s->trace.ev[i];
	}
	s->trace.n = to;
}

/* Sections that were left out after a late section count for its release. */
static void until_settle(struct snag_slice_reading *r)
{
	struct snag_slice *s = r->slice;
	for (size_t i = 0; i < r->thread_cap; i++)
		r->thread[i].last = 0; /* from here on: how far its last release goes */
	for (size_t i = 0; i < s->trace.n; i++) {
		uint32_t *until = &r->thread[s->trace.ev[i].thread].last;
		if (s->trace.ev[i].op != SNAG_OP_RELEASE)
			continue;
		if (*until > s->until[i])
			s->until[i] = *until;
		*until = s->until[i];
	}
}

void snag_slice_settle(struct snag_slice_reading *r)
{
	struct snag_slice *s = r->slice;
	if (r->has_gaps)
		gaps_close(s);
	if (r->nlate == 0)
		return;
	qsort(r->late, r->nlate, sizeof(*r->late), late_compare);
	size_t n = 0; /* a section is late once, whatever the number of its writes */
	for (size_t i = 0; i < r->nlate; i++)
		if (i == 0 || r->late[i].number != r->late[i - 1].number)
			r->late[n++] = r->late[i];
	size_t from = s->trace.n, to = from + n;
	s->trace.ev = snag_huge_grow(s->trace.ev, &s->trace.cap, to, sizeof(*s->trace.ev));
	s->number = snag_huge_grow(s->number, &s->number_cap, to, sizeof(*s->number));
	s->until = snag_huge_grow(s->until, &s->until_cap, to, sizeof(*s->until));
	s->trace.n = to;
	while (n > 0) { /* from the back, in place */
		if (from > 0 && s->number[from - 1] > r->late[n - 1].number) {
			s->number[--to] = s->number[--from];
			s->until[to] = s->until[from];
			s->trace.ev[to] = s->trace.ev[from];
		} else {
			to--;
			s->number[to] = s->until[to] = r->late[--n].number;
			s->trace.ev[to] = r->late[n].ev;
		}
	}
	until_settle(r);
}
