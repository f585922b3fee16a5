/* SPDX-License-Identifier: Apache-2.0
 *
 * replay_atomicity.c - runs a program again, steered to a write between a read and a write
 *
 * Idea.   Two numbers for each variable answer the question at a write W of thread A: which event
 *         was the last write at the place of the write between, and which was the last access of A,
 *         if it was a read at the expected place.  If the former is larger, it came between: an
 *         access of A itself would have been the last one.
 * State.  entry   by variable and thread: the number of the read, plus 1; 0: A's last access is
 *                 another.  By variable and no thread: that of the write between
 */
#include "record/replay/replay_atomicity.h"

#include "base/memory.h"
#include "base/slots.h"
#include "record/replay/divergence.h"
#include "trace/callstack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 4096 };
enum { READ = 1, BETWEEN = 2, WRITE = 4, KNOWN = 8 };

struct entry {
	uint32_t variable;
	snag_tid thread; /* SNAG_NO_ID: none */
	uint64_t number; /* plus 1; 0: none */
};

struct watch {
	const struct snag_atomicity_plan *plan;
	const struct snag_names *names;
	uint8_t *place; /* by location: which of the accesses are expected there, and KNOWN */
	size_t place_cap;
	struct entry *entry;
	size_t n, cap;
	struct snag_slots slots;
	uint64_t event[3]; /* where */
	bool is_found;
};

static unsigned expected(struct watch *w, snag_loc loc)
{
	w->place = snag_grow(w->place, &w->place_cap, (size_t)loc + 1, sizeof(*w->place));
	if (!w->place[loc]) {
		char place[PLACE];
		w->place[loc] = KNOWN;
		snag_location_text(w->names, loc, place, sizeof(place));
		for (int i = 0; i < 3; i++)
			if (strcmp(place, w->plan->place[i]) == 0)
				w->place[loc] |= (uint8_t)(READ << i);
	}
	return w->place[loc];
}

static uint64_t entry_hash(const void *ctx, uint32_t number)
{
	const struct entry *e = &((const struct watch *)ctx)->entry[number];
	return snag_hash(e->variable, e->thread);
}

static bool entry_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct entry *e = &((const struct watch *)ctx)->entry[number], *k = key;
	return e->variable == k->variable && e->thread == k->thread;
}

static uint64_t *entry_of(struct watch *w, uint32_t variable, snag_tid thread)
{
	const struct entry key = {variable, thread, 0};
	uint32_t at =
		snag_slots_find(&w->slots, snag_hash(variable, thread), entry_equals, w, &key);
	if (at != SNAG_SLOTS_NONE)
		return &w->entry[at].number;
	w->entry = snag_grow(w->entry, &w->cap, w->n + 1, sizeof(*w->entry));
	w->entry[w->n] = key;
	snag_slots_add(&w->slots, (uint32_t)w->n, entry_hash, w);
	return &w->entry[w->n++].number;
}

static void watch_event(struct watch *w, const struct snag_event *ev, uint64_t number)
{
	bool reads = snag_op_reads(ev->op), writes = snag_op_writes(ev->op);
	if (w->is_found || (!reads && !writes))
		return;
	unsigned at = expected(w, ev->loc);
	uint64_t read = *entry_of(w, ev->target, ev->thread);
	uint64_t between = *entry_of(w, ev->target, SNAG_NO_ID);
	if (writes && at & WRITE && read && between > read) {
		w->is_found = true;
		w->event[0] = read - 1;
		w->event[1] = between - 1;
		w->event[2] = number;
	}
	*entry_of(w, ev->target, ev->thread) = at & READ && !writes ? number + 1 : 0;
	if (writes && at & BETWEEN)
		*entry_of(w, ev->target, SNAG_NO_ID) = number + 1;
}

static void result_fill(const struct watch *w, const struct snag_live_end *end,
			struct snag_replay_result *result)
{
	result->is_confirmed = w->is_found;
	snag_replay_end_take(result, end);
	if (w->is_found)
		snprintf(result->words, sizeof(result->words),
			 "event %" PRIu64 " of the replay is the write between events %" PRIu64
			 " and %" PRIu64,
			 w->event[1], w->event[0], w->event[2]);
	else
		snag_divergence_fill(result, end, w->plan->how.turns, w->names,
				     "the write did not come between");
}

static int watch_run(struct watch *w, struct snag_source *live, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	w->names = live->names;
	while ((rc = snag_source_next(live, &batch, err)) > 0) {
		for (size_t i = 0; i < batch.n; i++)
			watch_event(w, &batch.ev[i], batch.first + i);
		if (w->plan->how.stops && w->is_found)
			snag_live_kill(live);
	}
	return rc;
}

struct atomicity_run {
	const struct snag_atomicity_plan *plan;
	struct snag_replay_result *result;
};

static int run_read(void *ctx, struct snag_source *live, struct snag_error *err)
{
	const struct atomicity_run *r = ctx;
	struct watch w = {.plan = r->plan};
	int rc = watch_run(&w, live, err);
	if (rc == 0) {
		struct snag_live_end end = snag_live_end(live);
		result_fill(&w, &end, r->result);
	}
	free(w.place);
	free(w.entry);
	snag_slots_done(&w.slots);
	return rc;
}

int snag_replay_atomicity(const struct snag_atomicity_plan *plan,
			  struct snag_replay_result *ret_result, struct snag_error *err)
{
	const struct snag_live_options more = {.options = "forget=1", .io = SNAG_LAUNCH_OURS};
	struct atomicity_run r = {plan, ret_result};
	return snag_steer(&plan->how, more, run_read, &r, err);
}
