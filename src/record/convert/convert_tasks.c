/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_tasks.c - the records of tasks: their events and labels
 *
 * The label of a task says which construct made it: an iteration, a section or a thread.  If the
 * task has depend clauses, the label refers to the first of them.
 */
#include "record/convert/convert_state.h"

#include "base/memory.h"
#include "record/convert/regions.h"

#include <inttypes.h>

struct snag_label snag_convert_label(const struct snag_convert *c, snag_tid task)
{
	return task < c->label_cap ? c->label[task] : (struct snag_label){RT_LABEL_NONE, 0};
}

const struct snag_depend *snag_convert_depend(const struct snag_convert *c, uint64_t n,
					      const char **ret_name)
{
	if (n >= c->ndepends)
		return NULL;
	*ret_name = snag_strtab_get(&c->depend_names, c->depend[n].name);
	return &c->depend[n];
}

static uint32_t promise_named(struct snag_convert *c, uint32_t promise)
{
	struct snag_strtab *words = &c->names.space[SNAG_SPACE_PROMISE];
	char text[16];
	while (words->n <= promise)
		snag_strtab_intern(words, text,
				   (size_t)snprintf(text, sizeof(text), "p%" PRIu32, words->n));
	return promise;
}

static uint32_t update_named(struct snag_convert *c, uint32_t kind)
{
	char text[sizeof(SNAG_UPDATE_NAME) + 10];
	int n = snprintf(text, sizeof(text), SNAG_UPDATE_NAME "%" PRIu32, kind);
	return snag_strtab_intern(&c->names.space[SNAG_SPACE_LOCK], text, (size_t)n);
}

void snag_convert_task(struct snag_convert *c, const struct rt_record *r)
{
	unsigned op = rt_record_size(r);
	uint32_t target = 0;
	if (op >= SNAG_OPS || !snag_op_is_of_tasks((uint8_t)op))
		return;
	if (snag_op_info[op].space == SNAG_SPACE_THREAD)
		target = snag_convert_thread(c, r->arg);
	else if (snag_op_info[op].space == SNAG_SPACE_PROMISE)
		target = promise_named(c, r->arg);
	else if (snag_op_info[op].space == SNAG_SPACE_LOCK)
		target = update_named(c, r->arg);
	event_put(c, op, target, r, 0, 0);
}

void snag_convert_task_waits(struct snag_convert *c, const struct rt_record *r)
{
	struct snag_convert_notes *notes = &c->notes;
	enum rt_wait why = (enum rt_wait)rt_record_size(r);
	uint32_t target = (uint32_t)rt_record_address(r);
	if (notes->nwaits == SNAG_CONVERT_WAITS || why >= RT_WAIT_KINDS)
		return;
	if (why == RT_WAIT_PROMISE)
		target = promise_named(c, target);
	else if (why != RT_WAIT_OTHER)
		target = snag_convert_thread(c, target);
	event_put(c, SNAG_OP_BEGIN, 0, r, 0, 0); /* so that a trace has the name of the place */
	notes->wait[notes->nwaits++] = (struct snag_convert_wait){snag_convert_thread(c, r->arg),
								  why, target, loc_of(c, r)};
}

static void depend_add(struct snag_convert *c, uint32_t task, enum rt_label kind, uint64_t at)
{
	char name[SNAG_REGION_NAME];
	size_t n = snag_regions_name(c->regions, at, name, NULL);
	c->depend = snag_grow(c->depend, &c->depend_cap, c->ndepends + 1, sizeof(*c->depend));
	c->depend[c->ndepends++] =
		(struct snag_depend){task, kind, snag_strtab_intern(&c->depend_names, name, n)};
}

void snag_convert_task_label(struct snag_convert *c, const struct rt_record *r)
{
	uint32_t task = snag_convert_thread(c, r->arg);
	if (rt_record_size(r) >= RT_LABELS)
		return;
	enum rt_label kind = (enum rt_label)rt_record_size(r);
	uint64_t number = rt_record_address(r);
	c->label = snag_grow(c->label, &c->label_cap, (size_t)task + 1, sizeof(*c->label));
	if (kind >= RT_LABEL_IN) {
		depend_add(c, task, kind, number);
		if (c->label[task].kind >= RT_LABEL_IN)
			return;
		number = c->ndepends - 1;
	}
	c->label[task] = (struct snag_label){kind, number};
}
