/* SPDX-License-Identifier: Apache-2.0
 *
 * refine.c - a recorded trace as if no variable had been split during the run
 *
 * State.  last[v]    1 + the last split off v that matters; 0: there is none
 *         before[i]  the same for the one before split i, off the same variable
 *         number[v]  1 + its new number, and HAS_PARTS if something was split off it; 0: none yet
 *         called[v]  whose name it has
 *         nnamed     variables of the inner source that have been looked at
 *         used       variables below, by their new numbers: the sink has asked for their names
 *         from, at   a batch of the inner source, and how many events of it are done
 */
#include "record/refine.h"

#include "base/memory.h"
#include "trace/input.h"

#include <string.h>

enum {
	MOST = 8,   /* parts of an access: its cell has no more bytes */
	AHEAD = 16, /* events, between a look at a number and its use */
};
static const uint32_t HAS_PARTS = UINT32_C(1) << 31;

struct refined {
	struct snag_source src;
	struct snag_source *inner;
	const struct snag_splits *splits;
	struct snag_names names;
	uint32_t *last, *before, *number, *called;
	size_t nlast, number_cap, ncalled;
	uint32_t nnamed, used;
	bool asks_once; /* the sink does, for a name */
	struct snag_batch from;
	size_t at;
	uint64_t first; /* number of ev[0] */
	size_t n;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	uint64_t origin[SNAG_BATCH_EVENTS]; /* the number of each in the inner source */
};

static void splits_index(struct refined *r)
{
	const struct snag_splits *s = r->splits;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].matters && s->at[i].from >= r->nlast)
			r->nlast = s->at[i].from + (size_t)1;
	r->last = snag_calloc(r->nlast, sizeof(*r->last));
	r->before = snag_calloc(s->n, sizeof(*r->before));
	for (size_t i = 0; i < s->n; i++) {
		if (!s->at[i].matters)
			continue;
		r->before[i] = r->last[s->at[i].from];
		r->last[s->at[i].from] = (uint32_t)i + 1;
	}
}

/* [name] */
static void names_exchange(struct refined *r)
{
	const struct snag_splits *s = r->splits;
	r->ncalled = s->n ? s->at[s->n - 1].variable + (size_t)1 : 0;
	r->called = snag_calloc(r->ncalled, sizeof(*r->called));
	for (uint32_t v = 0; v < r->ncalled; v++)
		r->called[v] = v;
	for (size_t i = 0; i < s->n; i++) {
		const struct snag_split *split = &s->at[i];
		uint32_t name = r->called[split->from];
		if (!split->matters || !split->is_lower)
			continue;
		r->called[split->from] = r->called[split->variable];
		r->called[split->variable] = name;
	}
}

/* Of a variable that was just read, or of a part of it. */
static const char *name_of(const struct refined *r, uint32_t variable)
{
	const struct snag_strtab *words = &r->inner->names->space[SNAG_SPACE_VARIABLE];
	variable = variable < r->ncalled ? r->called[variable] : variable;
	const struct snag_split *split =
		variable < r->ncalled ? snag_splits_find(r->splits, variable) : NULL;
	return split ? snag_strtab_get(&r->splits->names, (uint32_t)(split - r->splits->at))
		     : snag_strtab_get(words, variable);
}

/* [number] */
static void variable_number(struct refined *r, uint32_t variable)
{
	r->number = snag_grow(r->number, &r->number_cap, (size_t)variable + 1, sizeof(*r->number));
	if (r->number[variable])
		return; /* a part */
	const char *name = name_of(r, variable);
	uint32_t last = variable < r->nlast ? r->last[variable] : 0;
	r->number[variable] =
		(last ? HAS_PARTS : 0) |
		(1 + snag_strtab_append(&r->names.space[SNAG_SPACE_VARIABLE], name, strlen(name)));
	for (; last; last = r->before[last - 1])
		variable_number(r, r->splits->at[last - 1].variable);
}

static void event_put(struct refined *r, const struct snag_event *ev, uint64_t number)
{
	r->origin[r->n] = number;
	r->ev[r->n++] = *ev;
}

/* [parts] The depth is bounded by the bytes of a cell. */
static void parts_put(struct refined *r, const struct snag_event *ev, uint64_t number,
		      uint32_t variable)
{
	struct snag_event part = *ev;
	part.target = (r->number[variable] & ~HAS_PARTS) - 1;
	r->used = part.target < r->used ? r->used : part.target + 1;
	event_put(r, &part, number);
	uint32_t i = r->number[variable] & HAS_PARTS ? r->last[variable] : 0;
	for (; i && r->splits->at[i - 1].event > number; i = r->before[i - 1])
		parts_put(r, ev, number, r->splits->at[i - 1].variable);
}

static void names_follow(struct refined *r)
{
	for (int space = 0; space < SNAG_SPACES; space++) {
		const struct snag_strtab *from = &r->inner->names->space[space];
		struct snag_strtab *to = &r->names.space[space];
		while (space != SNAG_SPACE_VARIABLE && to->n < from->n) {
			const char *name = snag_strtab_get(from, to->n);
			snag_strtab_append(to, name, strlen(name));
		}
	}
	while (r->nnamed < r->inner->names->space[SNAG_SPACE_VARIABLE].n)
		variable_number(r, r->nnamed++);
}

static int refined_next(struct snag_source *src, struct snag_batch *ret_batch,
			struct snag_error *err)
{
	struct refined *r = (struct refined *)src;
	if (r->at == r->from.n) {
		int rc = snag_source_next(r->inner, &r->from, err);
		if (rc <= 0)
			return rc;
		r->at = 0;
		if (r->asks_once)
			snag_strtab_forget(&r->names.space[SNAG_SPACE_VARIABLE], r->used);
		names_follow(r);
	}
	r->first += r->n;
	r->n = 0;
	for (; r->at < r->from.n && r->n + MOST <= SNAG_BATCH_EVENTS; r->at++) {
		const struct snag_event *ev = &r->from.ev[r->at];
		size_t ahead = r->at + AHEAD < r->from.n ? r->at + AHEAD : r->at;
		if (r->from.ev[ahead].target < r->nnamed)
			__builtin_prefetch(&r->number[r->from.ev[ahead].target]);
		if (snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE)
			parts_put(r, ev, r->from.first + r->at, ev->target);
		else
			event_put(r, ev, r->from.first + r->at);
	}
	*ret_batch = (struct snag_batch){
		.ev = r->ev, .n = r->n, .first = r->first, .counts = snag_names_counts(&r->names)};
	return 1;
}

static double refined_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct refined *)src)->inner);
}

static void refined_close(struct snag_source *src)
{
	struct refined *r = (struct refined *)src;
	snag_source_close(r->inner);
	snag_names_done(&r->names);
	free(r->last);
	free(r->before);
	free(r->number);
	free(r->called);
	free(r);
}

static const struct snag_source_ops refined_ops = {
	.next = refined_next, .progress = refined_progress, .close = refined_close};

static struct snag_source *refined_source(struct snag_source *inner,
					  const struct snag_splits *splits, bool asks_once)
{
	struct refined *r = snag_calloc(1, sizeof(*r));
	r->inner = inner;
	r->splits = splits;
	r->asks_once = asks_once;
	snag_names_init(&r->names);
	splits_index(r);
	names_exchange(r);
	r->src = (struct snag_source){.ops = &refined_ops, .name = inner->name, .names = &r->names};
	return &r->src;
}

/* Notes what becomes of the events of a batch. */
static void events_follow(struct snag_refining *how, const uint64_t old[2], const struct refined *r)
{
	if (!how->step && !how->event)
		return;
	if (how->step)
		how->ret_step = snag_huge_grow(how->ret_step, &how->step_cap, r->first + r->n,
					       sizeof(*how->ret_step));
	for (size_t i = r->n; i-- > 0;) { /* so that of several the first remains */
		if (how->step)
			how->ret_step[r->first + i] = how->step[r->origin[i]];
		for (int k = 0; k < 2 && how->event; k++)
			if (old[k] == r->origin[i])
				how->event[k] = r->first + i;
	}
}

int snag_refine(struct snag_refining *how, const char *path, struct snag_sink *sink,
		struct snag_error *err)
{
	const uint64_t old[2] = {how->event ? how->event[0] : 0, how->event ? how->event[1] : 0};
	struct snag_source *src = NULL;
	struct snag_input *in;
	struct snag_batch batch;
	int rc = snag_input_open(path, &in, err);
	if (rc == 0)
		rc = snag_binary_source(
			in, &(struct snag_source_options){.forgets_variables = true}, &src, err);
	src = rc == 0 ? refined_source(src, how->splits, sink->ops->takes_runs) : NULL;
	while (rc >= 0 && (rc = snag_source_next(src, &batch, err)) > 0) {
		events_follow(how, old, (const struct refined *)src);
		rc = snag_sink_write(sink, &batch, src->names, err);
	}
	if (rc < 0)
		snag_sink_abort(sink);
	else
		rc = snag_sink_commit(sink, err);
	snag_source_close(src);
	return rc;
}
