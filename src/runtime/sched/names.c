/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - names of threads that are the same in every schedule
 */
#include "runtime/sched/names.h"

#include "runtime/table.h"
#include "runtime/interpose/thread.h"

/* A thread that the schedule declares. */
struct pair {
	uint64_t key; /* pair_key() of its creator and index */
	uint32_t name;
};

static struct snag_keyed by_pair = {.elem = sizeof(struct pair)};
static uint32_t room; /* declarations that still fit */
static uint32_t *tid_of, ntids;

static uint64_t pair_key(uint32_t creator, uint32_t index)
{
	return ((uint64_t)creator << 32 | index) + 1;
}

void rt_names_expect(uint32_t n)
{
	room = n;
}

bool rt_names_declare(uint32_t name, uint32_t creator, uint32_t index)
{
	if (!room || name == 0 || name > RT_NAME_MAX || creator > RT_NAME_MAX)
		return false;
	room--;
	if (name >= ntids) {
		uint32_t n = 2 * name;
		tid_of = rt_grow(tid_of, ntids * sizeof(*tid_of), n * sizeof(*tid_of));
		ntids = n;
	}
	((struct pair *)rt_table_get(&by_pair, pair_key(creator, index)))->name = name;
	return true;
}

void rt_names_created(struct rt_thread *creator, struct rt_thread *t)
{
	uint32_t index = creator->life.ncreated++;
	if (!by_pair.n) /* [old] */
		return;
	const struct pair *p = snag_keyed_find(&by_pair, pair_key(creator->name, index));
	t->name = p ? p->name : RT_NAMELESS;
	if (p)
		tid_of[p->name] = t->tid;
}

struct rt_thread *rt_names_find(uint32_t name)
{
	if (!by_pair.n || name == 0)
		return rt_thread_at(name);
	uint32_t tid = name < ntids ? tid_of[name] : 0;
	return tid ? rt_thread_at(tid) : NULL;
}
