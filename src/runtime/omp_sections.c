/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sections.c - what critical sections of OpenMP tell each other
 */
#include "runtime/omp_sections.h"

#include "omp/hooks.h"
#include "runtime/memory.h"
#include "runtime/record.h"
#include "runtime/tasks.h"
#include "trace/event.h"

enum { LEAST_ROOM = 1024 };

struct word {
	uintptr_t number; /* address / 8; 0: unused */
	uint32_t lock;
	uint32_t promise;
};

static struct word *last;
static size_t room, used;
static uint32_t promises;
static bool is_asked;

uint32_t rt_promise_new(void)
{
	return __snag_omp_yield ? promises++ : rt_tasks_promise_new();
}

void rt_sections_asked(bool was_asked)
{
	is_asked = was_asked;
}

bool rt_sections_were_asked(void)
{
	return is_asked;
}

static struct word *word_at(uintptr_t number)
{
	size_t i = (number * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
	while (last[i].number && last[i].number != number)
		i = (i + 1) & (room - 1);
	return &last[i];
}

static void words_grow(void)
{
	struct word *old = last;
	size_t old_room = room;
	room = room ? 2 * room : LEAST_ROOM;
	last = rt_alloc(room * sizeof(*last));
	for (size_t i = 0; i < old_room; i++)
		if (old[i].number)
			*word_at(old[i].number) = old[i];
	rt_free(old, old_room * sizeof(*old));
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

static void note_forget(struct rt_section *s, uintptr_t number)
{
	for (unsigned i = 0; i < s->nnoted; i++)
		if (s->noted[i].number == number)
			s->noted[i--] = s->noted[--s->nnoted];
}

void rt_section_access(uintptr_t addr, bool is_write)
{
	struct rt_section *s = &rt_hot.self->section;
	if (2 * (used + 1) > room)
		words_grow();
	struct word *w = word_at(addr / 8);
	bool is_own = s->has_promise && w->promise == s->promise;
	if (!is_write) { /* [read] */
		if (w->number && w->lock == s->lock && !is_own && s->nnoted < RT_NOTED)
			s->noted[s->nnoted++] = (struct rt_noted){addr / 8, w->promise};
		return;
	}
	if (!s->has_promise)
		s->promise = promises++;
	s->has_promise = true;
	if (!is_asked)
		note_forget(s, addr / 8);
	used += w->number == 0;
	*w = (struct word){addr / 8, s->lock, s->promise}; /* [write] */
}

/* Who looks again and again sees the same one. */
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
