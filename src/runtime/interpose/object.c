/* SPDX-License-Identifier: Apache-2.0
 *
 * object.c - what threads wait for, by address
 *
 * State.  table[]: open addressing by (address, kind); a slot whose object was
 *         removed is a grave until the table is rebuilt.
 */
#include "runtime/interpose/object.h"

#include "runtime/channel/record.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/sched/sched.h"

#define GRAVE ((struct rt_object *)1)

static struct rt_object **table;
static uint32_t nslots, nused; /* used: objects and graves */

static uint32_t start_of(uintptr_t addr, enum rt_kind kind)
{
	return (uint32_t)((addr * 0x9e3779b97f4a7c15u >> 20) + kind) & (nslots - 1);
}

static bool is_object(const struct rt_object *o)
{
	return o && o != GRAVE;
}

struct rt_object *rt_object_find(uintptr_t addr, enum rt_kind kind)
{
	if (rt_unlikely(rt_options.touches) && rt.on)
		rt_put(RT_TOUCH, kind, addr, 0, 0);
	if (!nslots)
		return NULL;
	for (uint32_t i = start_of(addr, kind); table[i]; i = (i + 1) & (nslots - 1))
		if (table[i] != GRAVE && table[i]->addr == addr && table[i]->kind == kind)
			return table[i];
	return NULL;
}

static void table_put(struct rt_object *o)
{
	uint32_t i = start_of(o->addr, o->kind);
	while (table[i])
		i = (i + 1) & (nslots - 1);
	table[i] = o;
	o->slot = i;
	nused++;
}

static void table_rebuild(void)
{
	struct rt_object **old = table;
	uint32_t n = nslots, live = 0;
	for (uint32_t i = 0; i < n; i++)
		live += is_object(old[i]);
	nslots = n ? n : 256;
	while (4 * live >= nslots)
		nslots *= 2;
	table = rt_alloc(nslots * sizeof(*table));
	nused = 0;
	for (uint32_t i = 0; i < n; i++)
		if (is_object(old[i]))
			table_put(old[i]);
	rt_free(old, n * sizeof(*old));
}

struct rt_object *rt_object_get(uintptr_t addr, enum rt_kind kind)
{
	struct rt_object *o = rt_object_find(addr, kind);
	if (o)
		return o;
	if (2 * nused >= nslots)
		table_rebuild();
	o = rt_alloc(sizeof(*o));
	o->addr = addr;
	o->kind = kind;
	o->lock = UINT32_MAX; /* given when first taken */
	o->token = UINT32_MAX;
	table_put(o);
	return o;
}

void rt_object_forget(uintptr_t addr, enum rt_kind kind)
{
	struct rt_object *o = rt_object_find(addr, kind);
	if (!o || o->first_waiter) /* the object is in use: a mistake of the program */
		return;
	table[o->slot] = GRAVE;
	for (struct rt_reader *r = o->readers, *next; r; r = next) {
		next = r->next;
		rt_free(r, sizeof(*r));
	}
	rt_free(o->tokens, o->tokens_cap * sizeof(*o->tokens));
	rt_free(o, sizeof(*o));
}

void rt_object_each(void (*f)(struct rt_object *o))
{
	for (uint32_t i = 0; i < nslots; i++)
		if (is_object(table[i]))
			f(table[i]);
}

void rt_object_enqueue(struct rt_object *o, struct rt_thread *t)
{
	t->wait.next = NULL;
	if (o->last_waiter)
		o->last_waiter->wait.next = t;
	else
		o->first_waiter = t;
	o->last_waiter = t;
}

void rt_object_dequeue(struct rt_object *o, struct rt_thread *t)
{
	struct rt_thread *before = NULL;
	for (struct rt_thread *w = o->first_waiter; w && w != t; w = w->wait.next)
		before = w;
	if (before)
		before->wait.next = t->wait.next;
	else
		o->first_waiter = t->wait.next;
	if (o->last_waiter == t)
		o->last_waiter = before;
}

struct rt_thread *rt_object_wake_one(struct rt_object *o, uint32_t token)
{
	struct rt_thread *t = o->first_waiter;
	if (!t)
		return NULL;
	rt_sched_lock();
	rt_object_dequeue(o, t);
	rt_sched_unlock();
	t->wait.token = token;
	rt_sched_wake(t);
	return t;
}

uint32_t rt_object_wake_all(struct rt_object *o, uint32_t token)
{
	uint32_t n = 0;
	while (rt_object_wake_one(o, token))
		n++;
	return n;
}
