/* SPDX-License-Identifier: Apache-2.0
 *
 * threads.c - the events of a trace by thread and position
 */
#include "trace/threads.h"

#include "base/memory.h"

#include <string.h>

void snag_threads_init(struct snag_threads *threads, const struct snag_trace *trace)
{
	uint32_t n = trace->names.space[SNAG_SPACE_THREAD].n;
	threads->n = n;
	threads->first = snag_calloc((size_t)n + 2, sizeof(*threads->first));
	threads->event = snag_realloc(NULL, trace->n, sizeof(*threads->event));
	/* Counted two places ahead, summed one ahead, so that filling leaves the beginnings. */
	for (size_t e = 0; e < trace->n; e++)
		threads->first[trace->ev[e].thread + 2]++;
	for (uint32_t t = 2; t <= n; t++)
		threads->first[t] += threads->first[t - 1];
	for (size_t e = 0; e < trace->n; e++)
		threads->event[threads->first[trace->ev[e].thread + 1]++] = (uint32_t)e;
}

void snag_threads_done(struct snag_threads *threads)
{
	if (!threads)
		return;
	free(threads->first);
	free(threads->event);
	memset(threads, 0, sizeof(*threads));
}

/* A thread that takes part in a merge. */
struct part {
	const uint32_t *next, *end;
};

/* Restores the heap below place i; the part with the smallest next event is on top. */
static void sift_down(struct part *heap, uint32_t n, uint32_t i)
{
	struct part moved = heap[i];
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && *heap[child + 1].next < *heap[child].next)
			child++;
		if (*moved.next < *heap[child].next)
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

size_t snag_threads_merge(const struct snag_threads *threads, const uint32_t *from,
			  const uint32_t *to, uint32_t *ret_event)
{
	struct part *heap = snag_alloc(threads->n * sizeof(*heap));
	uint32_t nparts = 0;
	size_t n = 0;
	for (snag_tid t = 0; t < threads->n; t++) {
		const uint32_t *event = threads->event + threads->first[t];
		if ((from ? from[t] : 0) < to[t])
			heap[nparts++] = (struct part){event + (from ? from[t] : 0), event + to[t]};
	}
	for (uint32_t i = nparts / 2; i-- > 0;)
		sift_down(heap, nparts, i);
	while (nparts) {
		ret_event[n++] = *heap[0].next++;
		if (heap[0].next == heap[0].end)
			heap[0] = heap[--nparts];
		if (nparts)
			sift_down(heap, nparts, 0);
	}
	free(heap);
	return n;
}
