/* SPDX-License-Identifier: Apache-2.0
 *
 * stretches.c - which thread made which events of a trace
 */
#include "trace/stretches.h"

#include "base/memory.h"

#include <string.h>

void snag_stretches_done(struct snag_stretches *s)
{
	free(s->at);
	free(s->length);
	free(s->begin);
	free(s->last);
	memset(s, 0, sizeof(*s));
}

void snag_stretches_add(struct snag_stretches *s, snag_tid thread, uint32_t n)
{
	if (thread >= s->nthreads) {
		s->nthreads = (size_t)thread + 1;
		s->length = snag_grow(s->length, &s->length_cap, s->nthreads, sizeof(*s->length));
		s->begin = snag_grow(s->begin, &s->begin_cap, s->nthreads, sizeof(*s->begin));
		s->last = snag_grow(s->last, &s->last_cap, s->nthreads, sizeof(*s->last));
	}
	if (s->n == 0 || s->at[s->n - 1].thread != thread) {
		if (s->last[thread])
			s->at[s->last[thread] - 1].next = (uint32_t)s->n;
		else
			s->begin[thread] = (uint32_t)s->n + 1;
		s->at = snag_grow(s->at, &s->cap, s->n + 1, sizeof(*s->at));
		s->at[s->n++] = (struct snag_stretch){.first = (uint32_t)s->nevents,
						      .thread = thread,
						      .position = s->length[thread]};
		s->last[thread] = (uint32_t)s->n;
	}
	s->length[thread] += n;
	s->nevents += n;
}

void snag_stretches_of_trace(struct snag_stretches *ret_stretches, const struct snag_trace *trace)
{
	struct snag_stretches s = {0};
	for (size_t i = 0, end; i < trace->n; i = end) {
		for (end = i + 1; end < trace->n && trace->ev[end].thread == trace->ev[i].thread;)
			end++;
		snag_stretches_add(&s, trace->ev[i].thread, (uint32_t)(end - i));
	}
	*ret_stretches = s;
}

uint32_t snag_stretches_find(const struct snag_stretches *s, uint32_t event)
{
	size_t low = 0, high = s->n; /* the one asked for is in [low, high) */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (s->at[middle].first <= event)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

uint32_t snag_stretches_position(const struct snag_stretches *s, uint32_t event)
{
	const struct snag_stretch *at = &s->at[snag_stretches_find(s, event)];
	return at->position + (event - at->first);
}

uint32_t snag_stretch_end(const struct snag_stretches *s, uint32_t stretch)
{
	return stretch + 1 < s->n ? s->at[stretch + 1].first : (uint32_t)s->nevents;
}

void snag_stretches_before(const struct snag_stretches *s, uint32_t event, uint32_t *ret_prefix)
{
	memset(ret_prefix, 0, s->nthreads * sizeof(*ret_prefix));
	for (uint32_t i = 0; i < s->n && s->at[i].first < event; i++) {
		uint32_t end = snag_stretch_end(s, i);
		ret_prefix[s->at[i].thread] += (end < event ? end : event) - s->at[i].first;
	}
}

size_t snag_stretches_prefix(const struct snag_stretches *s, const uint32_t *prefix,
			     uint32_t *ret_event)
{
	size_t n = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct snag_stretch *at = &s->at[i];
		uint32_t have = snag_stretch_end(s, i) - at->first;
		uint32_t wanted =
			prefix[at->thread] > at->position ? prefix[at->thread] - at->position : 0;
		for (uint32_t k = 0; k < wanted && k < have; k++)
			ret_event[n++] = at->first + k;
	}
	return n;
}
