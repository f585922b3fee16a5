/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_notes.c - what the runtime says about the run: obstacles, crashes, deadlocks, divergence
 *
 * These records make no events.  They become struct snag_convert_notes (convert.h).
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"

void snag_convert_seen_note(struct snag_convert *c, struct snag_convert_seen *s,
			    const struct rt_record *r)
{
	if (c->notes.launched > c->notes.ended && s->n++ == 0)
		s->loc = loc_of(c, r);
}

static void thread_name_add(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t thread = snag_convert_thread(c, r->loc);
	unsigned part = rt_record_size(r);
	c->thread_name = snag_grow(c->thread_name, &c->thread_names, (size_t)thread + 1,
				   sizeof(*c->thread_name));
	for (unsigned i = 0; part < RT_NAME_PARTS && i < RT_NAME_PART; i++)
		c->thread_name[thread].text[part * RT_NAME_PART + i] =
			(char)(rt_record_address(r) >> 8 * i);
}

const char *snag_convert_thread_name(const struct snag_convert *c, snag_tid thread)
{
	return thread < c->thread_names ? c->thread_name[thread].text : "";
}

static void crash_note(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_crash *crash = &c->notes.crash;
	if (r->arg == RT_NOTE_FAULT) {
		crash->has_address = true;
		crash->address = rt_record_address(r);
		return;
	}
	crash->signal = (int)rt_record_size(r);
	crash->thread = snag_convert_thread(c, (uint32_t)rt_record_address(r));
	crash->loc = loc_of(c, r);
	crash->names = &c->names;
}

void snag_convert_note(struct snag_convert *c, const struct rt_record *r)
{
	if (r->arg == RT_NOTE_FAULT || r->arg == RT_NOTE_CRASH)
		crash_note(c, r);
	if (r->arg == RT_NOTE_TASKS && rt_record_address(r) < RT_DIALECTS)
		c->notes.dialect = (enum rt_dialect)rt_record_address(r);
	if (r->arg == RT_NOTE_OBSTACLE && rt_record_address(r) < RT_OBSTACLES)
		snag_convert_seen_note(c, &c->notes.obstacle[rt_record_address(r)], r);
	if (r->arg == RT_NOTE_NAMED)
		thread_name_add(c, r);
	c->notes.was_deadlock |= r->arg == RT_NOTE_DEADLOCK;
	c->is_of_tasks |= r->arg == RT_NOTE_TASKS;
	c->notes.launched += r->arg == RT_NOTE_LAUNCH;
	c->notes.ended += r->arg == RT_NOTE_LAUNCHED;
	c->notes.is_held |= r->arg == RT_NOTE_HELD;
	if (r->arg == RT_NOTE_VALUE && rt_record_size(r) < 2 * RT_RACE_VALUES && r->loc <= 8) {
		unsigned half = rt_record_size(r);
		c->notes.race_value[half / 2] |= (rt_record_address(r) & UINT32_MAX)
						 << 32 * (half % 2);
		c->notes.race_bytes = r->loc;
	}
	if (r->arg == RT_NOTE_DIVERGED) {
		c->notes.diverged = true;
		c->notes.turn = rt_record_address(r);
		c->notes.stuck = (enum rt_stuck)rt_record_size(r);
		c->notes.has_stuck_loc = r->loc > 0 && r->loc < c->nnodes;
		c->notes.stuck_loc = c->notes.has_stuck_loc ? c->loc[r->loc] : 0;
	}
}

void snag_convert_circle(struct snag_convert *c, const struct rt_record *r)
{
	static const enum snag_op op[] = {[RT_WAITS_ALONE] = SNAG_OP_ACQUIRE,
					  [RT_WAITS_SHARED] = SNAG_OP_ACQUIRE_SHARED,
					  [RT_WAITS_THREAD] = SNAG_OP_JOIN};
	struct snag_convert_notes *n = &c->notes;
	unsigned how = rt_record_size(r);
	bool is_join = how == RT_WAITS_THREAD;
	/* A thread waits for the lock, so another one has taken it before. */
	if (n->ncircle == SNAG_CONVERT_WAITS || how > RT_WAITS_THREAD ||
	    (!is_join && (r->arg >= c->lock_cap || !c->lock[r->arg].id)))
		return;
	n->circle[n->ncircle++] = (struct snag_convert_link){
		.thread = snag_convert_thread(c, (uint32_t)rt_record_address(r)),
		.op = op[how],
		.target = is_join ? snag_convert_thread(c, r->arg) : c->lock[r->arg].id - 1,
		.loc = loc_of(c, r)};
}
