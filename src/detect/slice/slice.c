/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.c - reading the contended slice of a trace
 *
 * State.  wanted     a bit for each variable of the whole trace
 *         some       a bit for each PAGE of variables: one of them is wanted
 *         renamed[v] the number of a wanted variable in the slice
 */
#include "detect/slice/slice_reading.h"

#include "base/memory.h"

#include <string.h>

enum { PAGE_LOG = 10, WORD = 64 };

void snag_slice_init(struct snag_slice *s)
{
	memset(s, 0, sizeof(*s));
	snag_trace_init(&s->trace);
}

void snag_slice_done(struct snag_slice *s)
{
	snag_trace_done(&s->trace);
	snag_huge_free(s->number, s->number_cap, sizeof(*s->number));
	snag_huge_free(s->until, s->until_cap, sizeof(*s->until));
	free(s->variable);
	free(s->wanted);
	snag_stretches_done(&s->stretches);
	memset(s, 0, sizeof(*s));
}

static inline bool bit_has(const uint64_t *bits, size_t i)
{
	return bits[i / WORD] >> i % WORD & 1;
}

static inline void bit_set(uint64_t *bits, size_t i)
{
	bits[i / WORD] |= UINT64_C(1) << i % WORD;
}

/* Asks about the variables up to n. */
static void variables_ask(struct snag_slice_reading *r, uint32_t n)
{
	struct snag_slice *s = r->slice;
	r->wanted = snag_grow(r->wanted, &r->wanted_cap, (size_t)n / WORD + 1, sizeof(*r->wanted));
	r->some = snag_grow(r->some, &r->some_cap, ((size_t)n >> PAGE_LOG) / WORD + 1,
			    sizeof(*r->some));
	for (; r->nvariables < n; r->nvariables++) {
		uint32_t v = r->nvariables;
		const struct snag_contended *contended = r->options->contended;
		if (contended && !snag_contended_is_in_slice(contended, v))
			continue;
		bit_set(r->wanted, v);
		bit_set(r->some, v >> PAGE_LOG);
		r->renamed = snag_huge_grow(r->renamed, &r->renamed_cap, (size_t)v + 1,
					    sizeof(*r->renamed));
		s->variable = snag_grow(s->variable, &s->variable_cap, s->nvariables + 1,
					sizeof(*s->variable));
		s->wanted =
			snag_grow(s->wanted, &s->wanted_cap, s->nvariables + 1, sizeof(*s->wanted));
		s->wanted[s->nvariables] =
			contended ? (uint8_t)snag_contended_wanted(contended, v) : SNAG_WANTS;
		r->counter = snag_grow(r->counter, &r->counter_cap, s->nvariables + 1,
				       sizeof(*r->counter));
		r->counter[s->nvariables].is_counter =
			contended && snag_contended_is_counter(contended, v);
		r->renamed[v] = (uint32_t)s->nvariables;
		s->variable[s->nvariables++] = v;
	}
}

/* Copies the new names of the source, some of which may be valid only for this batch. */
static void names_take(struct snag_slice_reading *r)
{
	const struct snag_strtab *from = &r->names->space[SNAG_SPACE_VARIABLE];
	struct snag_strtab *to = &r->slice->trace.names.space[SNAG_SPACE_VARIABLE];
	for (; r->nnamed < from->n; r->nnamed++) {
		if (r->nnamed >= r->nvariables || !bit_has(r->wanted, r->nnamed))
			continue;
		const char *name = snag_strtab_get(from, r->nnamed);
		snag_strtab_append(to, name, strlen(name)); /* ids of the slice ascend, too */
	}
}

static void tell(struct snag_slice_reading *r, const struct snag_followed *some)
{
	snag_stretches_add(&r->slice->stretches, some->thread, some->n);
	if (r->options->follow)
		r->options->follow(r->options->ctx, some);
}

static void left_out_report(struct snag_slice_reading *r)
{
	if (r->left_out.n)
		tell(r, &r->left_out);
	r->left_out.n = r->left_out.parts = 0;
}

void snag_slice_leave_out(struct snag_slice_reading *r, snag_tid thread, uint32_t n, uint32_t parts)
{
	if (thread != r->left_out.thread)
		left_out_report(r);
	if (r->left_out.n == 0)
		r->left_out.first = (uint32_t)r->event;
	r->left_out.thread = thread;
	r->left_out.n += n;
	r->left_out.parts += parts;
	r->event += n;
}

void snag_slice_end_section(struct snag_slice_reading *r, const struct snag_event *release)
{
	left_out_report(r);
	tell(r, &(struct snag_followed){.first = (uint32_t)r->event++,
					.n = 1,
					.thread = release->thread,
					.ends_section = true});
}

void snag_slice_take_in(struct snag_slice_reading *r, const struct snag_event *ev)
{
	struct snag_slice *s = r->slice;
	left_out_report(r);
	if (r->options->most && s->trace.n >= r->options->most &&
	    !(r->options->on_full && r->options->on_full(r->options->full_ctx, s))) {
		r->is_full = true;
		r->limit = r->event;
		return;
	}
	tell(r, &(struct snag_followed){.first = (uint32_t)r->event,
					.n = 1,
					.parts = ev->part,
					.thread = ev->thread,
					.is_in_slice = true,
					.op = ev->op});
	s->trace.ev =
		snag_huge_grow(s->trace.ev, &s->trace.cap, s->trace.n + 1, sizeof(*s->trace.ev));
	s->number = snag_huge_grow(s->number, &s->number_cap, s->trace.n + 1, sizeof(*s->number));
	s->until = snag_huge_grow(s->until, &s->until_cap, s->trace.n + 1, sizeof(*s->until));
	s->number[s->trace.n] = s->until[s->trace.n] = (uint32_t)r->event++;
	s->trace.ev[s->trace.n++] = *ev;
	r->thread =
		snag_grow(r->thread, &r->thread_cap, (size_t)ev->thread + 1, sizeof(*r->thread));
	r->thread[ev->thread].before = r->thread[ev->thread].last;
	r->thread[ev->thread].last = (uint32_t)s->trace.n;
}

static void event_take(struct snag_slice_reading *r, const struct snag_event *ev)
{
	bool is_access = snag_op_is_access(ev->op);
	if (r->event == r->limit)
		return;
	if (is_access ? !bit_has(r->wanted, ev->target)
		      : ev->op == SNAG_OP_BRANCH || ev->op == SNAG_OP_BEGIN ||
				ev->op == SNAG_OP_END || ev->op == SNAG_OP_DEPENDS) {
		snag_slice_leave_out(r, ev->thread, 1, ev->part);
		return;
	}
	struct snag_event kept = *ev;
	if (snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE)
		kept.target = r->renamed[ev->target];
	if (r->reduces && SNAG_OPS_OF_LOCKS >> ev->op & 1)
		snag_slice_lock(r, &kept);
	else if (r->reduces && is_access && r->counter[kept.target].is_counter)
		snag_slice_counter(r, &kept);
	else
		snag_slice_take_in(r, &kept);
}

/* Whether a wanted variable may be among those of a run: looks at pages. */
static bool run_may_be_wanted(const struct snag_slice_reading *r, const struct snag_steps *s,
			      uint32_t n)
{
	for (uint32_t i = 0; i < s->period && i < n; i++) {
		uint32_t rounds = (n - i + s->period - 1) / s->period, first = s->next[i].target;
		uint32_t last = first + s->stride[i] * (rounds - 1);
		uint32_t low = first < last ? first : last, high = first < last ? last : first;
		for (uint32_t page = low >> PAGE_LOG; page <= high >> PAGE_LOG; page++)
			if (bit_has(r->some, page))
				return true;
	}
	return false;
}

static void run_take(struct snag_slice_reading *r, struct snag_steps s, uint32_t n)
{
	if (n > r->limit - r->event)
		n = (uint32_t)(r->limit - r->event);
	if (n == 0)
		return;
	if (!run_may_be_wanted(r, &s, n)) {
		snag_slice_leave_out(r, s.next[0].thread, n, 0);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct snag_event ev = snag_steps_next(&s);
		event_take(r, &ev);
	}
}

static inline void walk_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	(void)number;
	event_take(ctx, ev);
}

static void walk_run(void *ctx, const struct snag_steps *steps, uint32_t n, uint64_t number)
{
	(void)number;
	run_take(ctx, *steps, n);
}

uint32_t snag_slice_find(const struct snag_slice *s, uint32_t number)
{
	size_t low = s->head, high = s->trace.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* The names of all but variables. */
static void names_copy(struct snag_names *to, const struct snag_names *from)
{
	for (int space = 0; space < SNAG_SPACES; space++)
		for (uint32_t i = 0; space != SNAG_SPACE_VARIABLE && i < from->space[space].n;
		     i++) {
			const char *name = snag_name(from, (enum snag_space)space, i);
			snag_strtab_append(&to->space[space], name, strlen(name));
		}
}

void snag_slice_names(const struct snag_slice *s, uint32_t nvariables, struct snag_names *ret_names)
{
	const struct snag_strtab *from = &s->trace.names.space[SNAG_SPACE_VARIABLE];
	struct snag_strtab *to = &ret_names->space[SNAG_SPACE_VARIABLE];
	snag_names_init(ret_names);
	names_copy(ret_names, &s->trace.names);
	snag_strtab_sparse(to, nvariables);
	for (uint32_t i = 0; i < from->n; i++) {
		const char *name = snag_strtab_get(from, i);
		snag_strtab_set(to, s->variable[i], name, strlen(name));
	}
}

int snag_slice_read(struct snag_slice *s, const struct snag_slice_options *options,
		    struct snag_source *src, struct snag_error *err)
{
	struct snag_slice_reading r = {.slice = s,
				       .options = options,
				       .names = src->names,
				       .reduces = !options->on_full && !options->keeps_locks,
				       .limit = options->events ? options->events : UINT64_MAX};
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0 && r.event < r.limit) {
		r.names = src->names;
		s->counts = batch.counts;
		variables_ask(&r, batch.counts.n[SNAG_SPACE_VARIABLE]);
		names_take(&r);
		snag_walk_batch(&r.walk, &batch, walk_event, walk_run, &r);
	}
	left_out_report(&r);
	snag_slice_settle(&r);
	snag_slice_locks_done(&r);
	while (s->trace.names.space[SNAG_SPACE_VARIABLE].n <
	       s->nvariables) /* if it was cut short */
		snag_strtab_append(&s->trace.names.space[SNAG_SPACE_VARIABLE], "?", 1);
	if (rc >= 0)
		names_copy(&s->trace.names, src->names);
	free(r.wanted);
	free(r.some);
	snag_huge_free(r.renamed, r.renamed_cap, sizeof(*r.renamed));
	return rc < 0 ? rc : r.is_full ? SNAG_SLICE_FULL : 0;
}
