/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sections.c - how critical sections of OpenMP order each other
 */
#include "runtime/tasks/omp_sections.h"

#include "omp/hooks.h"
#include "runtime/table.h"
#include "runtime/channel/record.h"
#include "runtime/tasks/tasks.h"
#include "trace/event.h"

enum { WORD = 8 };

struct word {
	uint64_t number; /* address / WORD */
	struct {
		uint32_t lock;
		uint32_t promise; /* + 1; 0: no section wrote it */
	} byte[WORD];
};

static struct snag_keyed last = {.elem = sizeof(struct word)}; /* by number */
static uint32_t promises;
static bool orders_all;

uint32_t rt_promise_new(void)
{
	return __snag_omp_yield ? promises++ : rt_tasks_promise_new();
}

void rt_sections_order_all(bool orders)
{
	orders_all = orders;
}

bool rt_sections_orders_all(void)
{
	return orders_all;
}

void rt_section_begin(uint32_t lock)
{
	struct rt_section *s = &rt_hot.self->section;
	if (s->depth++ > 0)
		return;
	s->lock = lock;
	s->has_promise = false;
	s->nnoted = 0;
}

static void note_add(struct rt_section *s, uintptr_t addr, uint32_t promise)
{
	const uint8_t byte = (uint8_t)(1u << addr % WORD);
	for (unsigned i = 0; i < s->nnoted; i++)
		if (s->noted[i].number == addr / WORD && s->noted[i].promise == promise) {
			s->noted[i].bytes |= byte;
			return;
		}
	if (s->nnoted < RT_NOTED)
		s->noted[s->nnoted++] = (struct rt_noted){addr / WORD, promise, byte};
}

static void note_forget(struct rt_section *s, uintptr_t addr)
{
	for (unsigned i = 0; i < s->nnoted; i++) {
		struct rt_noted *n = &s->noted[i];
		if (n->number != addr / WORD)
			continue;
		n->bytes &= (uint8_t) ~(1u << addr % WORD);
		if (!n->bytes)
			s->noted[i--] = s->noted[--s->nnoted];
	}
}

static void byte_read(struct rt_section *s, const struct word *w, uintptr_t addr)
{
	const uint32_t lock = w->byte[addr % WORD].lock, promise = w->byte[addr % WORD].promise;
	bool is_own = s->has_promise && promise == s->promise + 1;
	if (promise && lock == s->lock && !is_own)
		note_add(s, addr, promise - 1);
}

void rt_section_access(uintptr_t addr, size_t nbytes, bool is_write)
{
	struct rt_section *s = &rt_hot.self->section;
	if (is_write && !s->has_promise) {
		s->promise = promises++;
		s->has_promise = true;
	}
	for (uintptr_t at = addr; at < addr + nbytes; at++) {
		if (!is_write) { /* [read] */
			const struct word *w = snag_keyed_find(&last, at / WORD);
			if (w)
				byte_read(s, w, at);
			continue;
		}
		if (!orders_all)
			note_forget(s, at);
		struct word *w = rt_table_get(&last, at / WORD);
		w->byte[at % WORD].lock = s->lock; /* [write] */
		w->byte[at % WORD].promise = s->promise + 1;
	}
}

/* A task that reads a flag again and again gets the same promise once. */
static void promise_get(struct rt_section *s, uint32_t promise, uint32_t loc)
{
	rt_record_settle(); /* so that it is known which task this is */
	if (s->got == promise + 1 && s->got_as == rt_hot.self->as)
		return;
	s->got = promise + 1;
	s->got_as = rt_hot.self->as;
	rt_put(RT_TASK, SNAG_OP_PROMISE_GET, 0, loc, promise);
}

void rt_section_end(uint32_t lock, uint32_t loc) /* [end] */
{
	struct rt_section *s = &rt_hot.self->section;
	if (s->depth == 0 || --s->depth > 0)
		return;
	for (unsigned i = 0; i < s->nnoted; i++)
		promise_get(s, s->noted[i].promise, loc);
	if (s->has_promise)
		rt_put(RT_TASK, SNAG_OP_PROMISE_SET, 0, loc, s->promise);
}
