/* SPDX-License-Identifier: Apache-2.0
 *
 * chrome.c - a trace in Chrome's trace event format
 *
 * Each event is a slice of one microsecond on the track of its thread.  A lock that a thread holds
 * is an asynchronous slice: locks need not be given back in the order in which they were taken.
 * Arrows (flow events) show what orders threads: from the creation of a thread to its first event,
 * from its last event to the join, and from an unlock to the next lock by another thread.
 */
#include "report/chrome.h"

#include "base/memory.h"
#include "report/json_writer.h"
#include "report/source/origins.h"
#include "trace/callstack.h"

#include <stdio.h>
#include <stdlib.h>

enum { PROCESS = 1 };

/* Where an arrow may begin: an event of a thread.  1 + its time, so that 0 says that there is
 * none. */
struct arrow_from {
	uint64_t after;
	snag_tid thread;
};

/* A lock that a thread holds. */
struct hold {
	snag_tid thread;
	uint32_t lock;
};

struct holds {
	struct hold *at;
	size_t n, cap;
};

struct arrows {
	struct arrow_from *last, *created, *unlocked; /* by thread, by thread, by lock */
	size_t nlast, ncreated, nunlocked;
	uint64_t n; /* arrows so far */
};

/* The place of an id in a table that grows. */
static struct arrow_from *from_of(struct arrow_from **table, size_t *n, uint32_t id)
{
	if (id >= *n) {
		size_t more = (size_t)id * 2 + 16;
		*table = snag_realloc(*table, more, sizeof(**table));
		for (size_t i = *n; i < more; i++)
			(*table)[i] = (struct arrow_from){0};
		*n = more;
	}
	return &(*table)[id];
}

static void common(struct snag_json *j, const char *phase, snag_tid thread)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "ph", phase);
	snag_json_uint(j, "pid", PROCESS);
	snag_json_uint(j, "tid", thread + 1);
}

static void thread_name(struct snag_json *j, snag_tid thread, const char *name)
{
	common(j, "M", thread);
	snag_json_string(j, "name", "thread_name");
	snag_json_object(j, "args");
	snag_json_string(j, "name", name);
	snag_json_end(j);
	snag_json_end(j);
}

static void arrow_end(struct snag_json *j, const char *phase, snag_tid thread, uint64_t at,
		      uint64_t id)
{
	common(j, phase, thread);
	snag_json_string(j, "cat", "order");
	snag_json_string(j, "name", "before");
	snag_json_uint(j, "id", id);
	snag_json_uint(j, "ts", at);
	if (phase[0] == 'f')
		snag_json_string(j, "bp", "e"); /* it ends at the slice around it */
	snag_json_end(j);
}

/* Draws an arrow to an event, if it has a beginning in another thread. */
static void arrow(struct snag_json *j, struct arrows *a, const struct arrow_from *from,
		  snag_tid thread, uint64_t at)
{
	if (!from->after || from->thread == thread)
		return;
	a->n++;
	arrow_end(j, "s", from->thread, from->after - 1, a->n);
	arrow_end(j, "f", thread, at, a->n);
}

static void arrows_of(struct snag_json *j, struct arrows *a, const struct snag_event *ev,
		      uint64_t at)
{
	const struct arrow_from here = {at + 1, ev->thread};
	struct arrow_from *last = from_of(&a->last, &a->nlast, ev->thread);
	if (!last->after)
		arrow(j, a, from_of(&a->created, &a->ncreated, ev->thread), ev->thread, at);
	*last = here;
	switch (ev->op) {
	case SNAG_OP_FORK:
		*from_of(&a->created, &a->ncreated, ev->target) = here;
		break;
	case SNAG_OP_JOIN:
		arrow(j, a, from_of(&a->last, &a->nlast, ev->target), ev->thread, at);
		break;
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		arrow(j, a, from_of(&a->unlocked, &a->nunlocked, ev->target), ev->thread, at);
		break;
	case SNAG_OP_RELEASE:
	case SNAG_OP_RELEASE_SHARED:
		*from_of(&a->unlocked, &a->nunlocked, ev->target) = here;
		break;
	default:
		break;
	}
}

static void held(struct snag_json *j, const char *phase, struct hold hold, const char *lock,
		 uint64_t at)
{
	char id[32];
	snprintf(id, sizeof(id), "%u.%u", hold.thread, hold.lock);
	common(j, phase, hold.thread);
	snag_json_string(j, "cat", "lock");
	snag_json_string(j, "id", id);
	snag_json_string(j, "name", lock);
	snag_json_uint(j, "ts", at);
	snag_json_end(j);
}

/* A lock that is given back was taken: a cut trace may begin between the two. */
static void lock_event(struct snag_json *j, struct holds *h, const struct snag_event *ev,
		       const char *lock, uint64_t at)
{
	const struct hold hold = {ev->thread, ev->target};
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED) {
		h->at = snag_grow(h->at, &h->cap, h->n + 1, sizeof(*h->at));
		h->at[h->n++] = hold;
		held(j, "b", hold, lock, at);
		return;
	}
	for (size_t i = h->n; i-- > 0;) {
		if (h->at[i].thread != hold.thread || h->at[i].lock != hold.lock)
			continue;
		h->at[i] = h->at[--h->n];
		held(j, "e", hold, lock, at);
		return;
	}
}

/* Locks that are still held at the end of the trace. */
static void holds_end(struct snag_json *j, struct holds *h, const struct snag_names *names,
		      uint64_t at)
{
	for (size_t i = 0; i < h->n; i++) {
		char lock[300];
		snag_variable_text(snag_name(names, SNAG_SPACE_LOCK, h->at[i].lock), lock,
				   sizeof(lock));
		held(j, "e", h->at[i], lock, at);
	}
	free(h->at);
}

static void event(struct snag_json *j, const struct snag_names *names, struct holds *h,
		  const struct snag_event *ev, uint64_t at)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	char target[300] = "", words[400], place[1024];
	if (op->space != SNAG_SPACE_NONE)
		snag_variable_text(snag_name(names, op->space, ev->target), target, sizeof(target));
	snprintf(words, sizeof(words), "%s%s%s", op->text, target[0] ? " " : "", target);
	snag_location_text(names, ev->loc, place, sizeof(place));
	common(j, "X", ev->thread);
	snag_json_string(j, "name", words);
	snag_json_string(j, "cat", op->name);
	snag_json_uint(j, "ts", at);
	snag_json_uint(j, "dur", 1);
	snag_json_object(j, "args");
	snag_json_string(j, "place", place);
	snag_json_uint(j, "event", at);
	snag_json_end(j);
	snag_json_end(j);
	if (op->space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED))
		lock_event(j, h, ev, target, at);
}

int snag_chrome_write(struct snag_source *src, struct snag_printer *to, struct snag_error *err)
{
	struct arrows arrows = {0};
	struct holds holds = {0};
	uint64_t end = 0;
	struct snag_batch batch;
	struct snag_json j;
	snag_tid named = 0;
	int rc;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_json_string(&j, "displayTimeUnit", "ns");
	snag_json_array(&j, "traceEvents");
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		for (; named < batch.counts.n[SNAG_SPACE_THREAD]; named++)
			thread_name(&j, named, snag_name(src->names, SNAG_SPACE_THREAD, named));
		for (size_t i = 0; i < batch.n; i++) {
			event(&j, src->names, &holds, &batch.ev[i], batch.first + i);
			arrows_of(&j, &arrows, &batch.ev[i], batch.first + i);
		}
		end = batch.first + batch.n;
	}
	holds_end(&j, &holds, src->names, end);
	snag_json_end(&j);
	snag_json_end(&j);
	free(arrows.last);
	free(arrows.created);
	free(arrows.unlocked);
	return rc;
}
