/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sections.c - what critical sections of OpenMP tell each other
 */
#include "runtime/tasks/omp_sections.h"

#include "omp/hooks.h"
#include "runtime/table.h"
#include "runtime/channel/record.h"
#include "runtime/tasks/tasks.h"
#include "trace/event.h"

struct word {
	uint64_t number; /* address / 8 */
	uint32_t lock;
	uint32_t promise;
};

static struct snag_keyed last = {.elem = sizeof(struct word)}; /* by number */
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
	if (!is_write) { /* [read] */
		const struct word *w = snag_keyed_find(&last, addr / 8);
		bool is_own = w && s->has_promise && w->promise == s->promise;
		if (w && w->lock == s->lock && !is_own && s->nnoted < RT_NOTED)
			s->noted[s->nnoted++] = (struct rt_noted){addr / 8, w->promise};
		return;
	}
	if (!s->has_promise)
		s->promise = promises++;
	s->has_promise = true;
	if (!is_asked)
		note_forget(s, addr / 8);
	struct word *w = rt_table_get(&last, addr / 8);
	w->lock = s->lock; /* [write] */
	w->promise = s->promise;
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
