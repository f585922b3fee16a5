/* SPDX-License-Identifier: Apache-2.0
 *
 * scout_deliver.c - the records of a run that has ended, of which a trace needs some
 */
#include "scout/scout_state.h"

enum { RECORD_MOST = 3 }; /* records that are delivered for one */

static bool is_needed(struct snag_scout *s, uint64_t address, uint64_t nbytes)
{
	return snag_word_set_has(snag_contended_memory_needed(s->memory), address, nbytes);
}

/* [count] An access is left out, or delivered. */
static void access_pass(struct snag_scout *s, const struct rt_record *r, bool is_delivered)
{
	s->fuel = r->arg;
	s->is_fuel_untold = !is_delivered;
}

/* [branch] Of the running thread. */
static struct snag_branch_filter *branches_of(struct snag_scout *s)
{
	s->branches = snag_grow(s->branches, &s->branches_cap, (size_t)s->thread + 1,
				sizeof(*s->branches));
	return &s->branches[s->thread];
}

/* [branch] Whether a record that is no plain access is left out. */
static bool is_left_out(struct snag_scout *s, const struct rt_record *r)
{
	switch (rt_record_op(r)) {
	case RT_BRANCH:
		return !snag_branch_filter_branch(branches_of(s));
	case RT_DEPENDS:
		return !snag_branch_filter_dep(
			branches_of(s), is_needed(s, rt_record_address(r), rt_record_size(r)));
	case RT_SWITCH:
		s->thread = r->arg;
		return false;
	default: /* it may read */
		snag_branch_filter_read(branches_of(s));
		return false;
	}
}

/* The last access of a run that is left out. */
static void run_skip(struct snag_scout *s)
{
	const uint32_t last = s->again.left - 1;
	const struct snag_again_step *step = &s->again.step[last % s->again.period];
	struct rt_record r = step->next;
	r.arg += step->arg_stride * (last / s->again.period);
	access_pass(s, &r, false);
	s->again.left = 0;
}

/* [run] Whether some access of the run is needed. */
static bool run_is_needed(struct snag_scout *s)
{
	const uint64_t rounds = s->again.left / s->again.period;
	for (uint32_t i = 0; i < s->again.period; i++) {
		const struct snag_again_step *step = &s->again.step[i];
		uint64_t first = rt_record_address(&step->next),
			 last = first + step->stride * rounds;
		uint64_t low = (int64_t)step->stride < 0 ? last : first;
		uint64_t high = (int64_t)step->stride < 0 ? first : last;
		if (is_needed(s, low, high - low + rt_record_size(&step->next)))
			return true;
	}
	return false;
}

/* The run is skipped, or its accesses are delivered behind the places that they refer to. */
static void run_prepare(struct snag_scout *s)
{
	if (!run_is_needed(s)) {
		run_skip(s);
		return;
	}
	snag_branch_filter_read(branches_of(s));
	for (uint32_t i = 0; i < s->again.period; i++)
		snag_scout_place_need(&s->places, s->again.step[i].next.loc);
}

/* Delivers accesses of a run; returns how many. */
static int run_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	int n = 0;
	while (s->again.left > 0 && n < room) {
		struct rt_record r = snag_again_next(&s->again);
		bool is_wanted = is_needed(s, rt_record_address(&r), rt_record_size(&r));
		access_pass(s, &r, is_wanted);
		if (is_wanted)
			ret_record[n++] = r;
	}
	return n;
}

/* [range] Delivers needed parts of a range; returns how many. */
static int range_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	enum { WORD = 8 };
	int n = 0;
	while (s->range.at < s->range.end && n < room) {
		uint64_t at = s->range.at, end = s->range.end;
		if (!is_needed(s, at, end - at)) {
			s->range.at = end;
			break;
		}
		while (!is_needed(s, at, 1))
			at = (at | (WORD - 1)) + 1;
		uint64_t to = at;
		while (to < end && is_needed(s, to, 1))
			to = (to | (WORD - 1)) + 1;
		to = to < end ? to : end;
		struct rt_record r = s->range.record;
		r.what += at - rt_record_address(&r);
		r.arg = (uint32_t)(to - at);
		ret_record[n++] = r;
		s->range.at = to;
	}
	return n;
}

/* [count] Tells the fuel left at the last access, if that access was left out; returns how many
 * records this took. */
static int fuel_tell(struct snag_scout *s, struct rt_record *ret_record)
{
	if (!s->is_fuel_untold)
		return 0;
	s->is_fuel_untold = false;
	*ret_record = (struct rt_record){.what = (uint64_t)RT_COUNT << RT_OP_SHIFT, .arg = s->fuel};
	return 1;
}

/* [block] Tells how many blocks were left out, before a record that begins another one; returns how
 * many records this took. */
static int blocks_tell(struct snag_scout *s, enum rt_op op, struct rt_record *ret_record)
{
	if (!s->nblocks || (op != RT_ALLOC && op != RT_FORGET))
		return 0;
	*ret_record =
		(struct rt_record){.what = (uint64_t)RT_BLOCKS << RT_OP_SHIFT, .arg = s->nblocks};
	s->nblocks = 0;
	return 1;
}

/* [block] Whether a record is left out, because it is the beginning or end of a block of which
 * nothing is needed.  More bytes can end than began, so the end looks at what became of the
 * beginning. */
static bool is_idle_block(struct snag_scout *s, const struct rt_record *r)
{
	const enum rt_op op = rt_record_op(r);
	const uint64_t address = rt_record_address(r);
	if (op != RT_ALLOC && op != RT_FREE)
		return false;
	const bool was_idle = snag_word_set_has_word(&s->idle, address);
	const bool is_idle =
		(was_idle && op == RT_FREE) || !is_needed(s, address, r->arg ? r->arg : 1);
	if (is_idle && op == RT_ALLOC) {
		s->nblocks++;
		snag_word_set_add(&s->idle, address, 1);
	} else if (was_idle) {
		snag_word_set_remove(&s->idle, address);
	}
	return is_idle;
}

/* [place] Returns whether places have to be delivered before this record. */
static bool has_to_wait(struct snag_scout *s, const struct rt_record *r)
{
	if (rt_record_op(r) == RT_MODULE)
		snag_scout_places_need_all(&s->places);
	else
		snag_scout_place_need(&s->places, r->loc);
	return snag_scout_places_are_due(&s->places);
}

/* Delivers the accesses at the beginning of the records ahead, or leaves them out; returns how many
 * were delivered.  It stops before one that has to wait. */
static int accesses_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	struct snag_word_set *needed = snag_contended_memory_needed(s->memory);
	int n = 0;
	for (; s->at < s->n && n < room; s->at++) {
		const struct rt_record *r = &s->ahead[s->at];
		if (!rt_record_is_access(r))
			break;
		const bool is_wanted = snag_word_set_has_word(needed, rt_record_address(r));
		if (is_wanted && has_to_wait(s, r))
			break;
		snag_again_add(&s->again, r);
		access_pass(s, r, is_wanted);
		if (!is_wanted)
			continue;
		snag_branch_filter_read(branches_of(s));
		ret_record[n++] = *r;
	}
	return n;
}

/* Delivers a record that is no access, or prepares what is left of it; returns how many records
 * were delivered, at most RECORD_MOST, or -1: it has to wait. */
static int other_deliver(struct snag_scout *s, const struct rt_record *r,
			 struct rt_record *ret_record)
{
	const enum rt_op op = rt_record_op(r);
	if (op == RT_NODE) {
		snag_scout_place_add(&s->places, r);
		return 0;
	}
	if (op == RT_COUNT) {
		s->fuel = r->arg;
		s->is_fuel_untold = true;
		return 0;
	}
	if (op == RT_AGAIN) {
		if (snag_again_begin(&s->again, r))
			run_prepare(s);
		return 0;
	}
	const bool is_range = op == RT_READ_RANGE || op == RT_WRITE_RANGE;
	if (is_idle_block(s, r) || (is_range && !is_needed(s, rt_record_address(r), r->arg)))
		return 0;
	if (has_to_wait(s, r))
		return -1;
	if (is_left_out(s, r))
		return 0;
	int n = fuel_tell(s, ret_record);
	if (!is_range) {
		n += blocks_tell(s, op, ret_record + n);
		ret_record[n++] = *r;
		return n;
	}
	s->range.at = rt_record_address(r);
	s->range.end = s->range.at + r->arg;
	s->range.record = *r;
	return n;
}

/* Delivers some of the records ahead; returns how many. */
static int ahead_deliver(struct snag_scout *s, struct rt_record *ret_record, int room)
{
	if (s->takes_all) {
		ret_record[0] = s->ahead[s->at++];
		return 1;
	}
	const int n = accesses_deliver(s, ret_record, room);
	const struct rt_record *r = &s->ahead[s->at];
	if (s->at == s->n || rt_record_is_access(r) || n + RECORD_MOST > room)
		return n;
	const int more = other_deliver(s, r, ret_record + n);
	s->at += more >= 0;
	return more > 0 ? n + more : n;
}

int scout_deliver(void *ctx, struct rt_record *ret_record, int room)
{
	struct snag_scout *s = ctx;
	int n = 0;
	for (;;) {
		n += snag_scout_places_deliver(&s->places, ret_record + n, room - n);
		if (n < room)
			n += run_deliver(s, ret_record + n, room - n);
		if (n < room)
			n += range_deliver(s, ret_record + n, room - n);
		if (n + RECORD_MOST > room)
			break;
		if (s->at == s->n) {
			s->at = 0;
			s->n = snag_spool_next(s->needs_nothing ? s->about : s->spool, s->ahead,
					       SCOUT_AHEAD);
			if (s->n == 0)
				break;
		}
		n += ahead_deliver(s, ret_record + n, room - n);
	}
	return n;
}
