/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - whether a run has a data race
 */
#include "explore/judge.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void place_note(struct snag_judge *j, uint64_t place)
{
	for (size_t i = 0; i < j->nracy && i < SNAG_JUDGE_PLACES; i++)
		if (j->racy[i] == place)
			return;
	if (j->nracy < SNAG_JUDGE_PLACES)
		j->racy[j->nracy] = place;
	j->nracy++;
}

static void race_note(struct snag_judge *j, snag_loc loc)
{
	place_note(j, loc < j->npc ? j->pc[loc] : 0);
	if (j->races++ > 0)
		return;
	j->loc = loc;
	j->place = loc < j->npc ? j->pc[loc] : 0;
}

static void on_racy(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t since,
		    struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	(void)event;
	(void)since;
	(void)before;
	(void)pool;
	race_note(ctx, ev->loc);
}

static void on_race_with(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	(void)event;
	(void)first;
	race_note(ctx, ev->loc);
}

void snag_judge_begin(struct snag_judge *j, bool has_records)
{
	static const char *const name[SNAG_JUDGES] = {"hb", "mixed"};
	*j = (struct snag_judge){.convert = NULL};
	if (has_records)
		j->convert = snag_convert_new(&(struct snag_convert_options){.is_nameless = true});
	j->env = (struct snag_detector_env){
		.on_racy = on_racy, .on_race_with = on_race_with, .ctx = j, .jobs = 1};
	for (int i = 0; i < SNAG_JUDGES; i++) {
		j->detector[i] = snag_detector_find(name[i], strlen(name[i]));
		j->state[i] = j->detector[i]->open(&j->env);
	}
}

void snag_judge_events(struct snag_judge *j, const struct snag_batch *batch)
{
	for (int i = 0; i < SNAG_JUDGES; i++)
		j->detector[i]->events(j->state[i], batch);
}

/* The locations of a nameless run are its nodes, in their order. */
static void node_note(struct snag_judge *j, const struct rt_record *r)
{
	if (rt_record_op(r) != RT_NODE)
		return;
	j->pc = snag_grow(j->pc, &j->pc_room, j->npc + 1, sizeof(*j->pc));
	j->pc[j->npc++] = rt_record_address(r);
}

void snag_judge_records(struct snag_judge *j, const struct rt_record *record, int n)
{
	struct snag_batch batch;
	for (int i = 0; i < n; i++)
		node_note(j, &record[i]);
	for (int at = 0; at < n || !snag_convert_is_done(j->convert);) {
		at += snag_convert_records(j->convert, record + at, n - at);
		if (snag_convert_take(j->convert, &batch))
			snag_judge_events(j, &batch);
	}
}

void snag_judge_misuses(struct snag_judge *j, const struct snag_misuse *misuse, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool is_use = misuse[i].kind == SNAG_MISUSE_USE_AFTER_FREE,
		     is_free = misuse[i].kind == SNAG_MISUSE_DOUBLE_FREE;
		if ((is_use || is_free) && !j->has_used_freed && !j->has_freed_twice)
			j->freed_place = misuse[i].loc < j->npc ? j->pc[misuse[i].loc] : 0;
		j->has_used_freed |= is_use;
		j->has_freed_twice |= is_free;
	}
}

bool snag_judge_is_split(const struct snag_judge *j)
{
	return j->convert && snag_convert_splits(j->convert)->matter;
}

void snag_judge_end(struct snag_judge *j)
{
	for (int i = 0; i < SNAG_JUDGES; i++)
		j->detector[i]->close(j->state[i]);
	snag_convert_free(j->convert);
	free(j->pc);
	j->convert = NULL;
	j->pc = NULL;
}
