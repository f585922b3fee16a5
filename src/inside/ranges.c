/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges.c - merges accesses before they are judged
 */
#include "inside/ranges.h"

#include "inside/access.h"

enum { WAITING = 16, FEW = 64 /* bytes */ };

struct judge_streams judge_streams;

static struct range {
	uint64_t address, size;
	int64_t step; /* positive; 0: one place */
	uint64_t count;
	bool is_write;
	bool lasts; /* need not be judged: judge_range_lasts() */
} waiting[WAITING];

static unsigned next; /* the one that goes when there is no room */

/* Places that touch or overlap are one. */
static struct range range_simple(struct range r)
{
	if (r.step < 0) {
		r.address += (uint64_t)r.step * (r.count - 1);
		r.step = -r.step;
	}
	if (r.count > 1 && r.size >= (uint64_t)r.step)
		r = (struct range){.address = r.address,
				   .size = (uint64_t)r.step * (r.count - 1) + r.size,
				   .count = 1,
				   .is_write = r.is_write};
	if (r.count == 1)
		r.step = 0;
	return r;
}

static void range_judge(struct range r)
{
	if (r.lasts)
		return;
	r = range_simple(r);
	judge_places(r.address, r.size, r.step, r.count, r.is_write);
}

static bool range_join(struct range *to, const struct range *r) /* [join] */
{
	uint64_t last = r->address + (uint64_t)r->step * (r->count - 1);
	if (r->is_write && !to->is_write) {
		bool is_all = r->count == 1 && to->count == 1 && to->address >= r->address &&
			      to->address + to->size <= r->address + r->size;
		if (is_all)
			*to = *r;
		return is_all;
	}
	if (to->count == 1 && r->address >= to->address && last + r->size <= to->address + to->size)
		return true;
	if (to->is_write != r->is_write || to->step != r->step || to->count != r->count ||
	    to->lasts)
		return false;
	if (r->address == to->address + to->size) {
		to->size += r->size;
	} else if (r->address + r->size == to->address) {
		to->address = r->address;
		to->size += r->size;
	} else {
		return r->address >= to->address && r->address + r->size <= to->address + to->size;
	}
	return true;
}

void judge_ranges_add(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write)
{
	struct range r = range_simple((struct range){address, size, step, count, is_write, false});
	for (unsigned i = 0; i < judge_streams.nranges; i++)
		if (range_join(&waiting[i], &r))
			return;
	r.lasts = !r.is_write && r.count == 1 && judge_range_lasts(r.address, r.size);
	if (r.count == 1 && !r.lasts)
		judge_expect(r.address, r.size);
	if (judge_streams.nranges < WAITING) {
		waiting[judge_streams.nranges++] = r;
		return;
	}
	range_judge(waiting[next]);
	waiting[next] = r;
	next = (next + 1) % WAITING;
}

static void stream_judge(unsigned number)
{
	const struct judge_stream *s = &judge_streams.stream[number];
	uint64_t n = s->high - s->low;
	if (n <= FEW)
		judge_access(s->low, (unsigned)n, number >= JUDGE_STREAMS);
	else
		judge_range(s->low, n, number >= JUDGE_STREAMS);
}

/* Extends the stream, or begins it if it has no bytes. */
static bool stream_go_on(unsigned number, uint64_t address, unsigned size)
{
	struct judge_stream *s = &judge_streams.stream[number];
	if (!(judge_streams.used >> number & 1))
		*s = (struct judge_stream){address, address + size};
	else if (address == s->high)
		s->high += size;
	else if (address + size == s->low)
		s->low = address;
	else
		return address >= s->low && address + size <= s->high;
	judge_streams.used |= UINT32_C(1) << number;
	return true;
}

void judge_stream_begin(unsigned number, uint64_t address, unsigned size) /* [two] */
{
	if (stream_go_on(number, address, size) || stream_go_on(number ^ 1, address, size))
		return;
	stream_judge(number);
	judge_streams.stream[number] = (struct judge_stream){address, address + size};
}

/* A stream that is part of a waiting range need not be judged. */
static bool stream_join(unsigned number)
{
	const struct judge_stream *s = &judge_streams.stream[number];
	const struct range r = {s->low, s->high - s->low, 0, 1, number >= JUDGE_STREAMS, false};
	for (unsigned i = 0; i < judge_streams.nranges; i++)
		if (range_join(&waiting[i], &r))
			return true;
	return false;
}

void judge_ranges_flush(void) /* [flush] */
{
	for (; judge_streams.used; judge_streams.used &= judge_streams.used - 1) {
		unsigned number = (unsigned)__builtin_ctz(judge_streams.used);
		if (!stream_join(number))
			stream_judge(number);
		judge_streams.stream[number] = (struct judge_stream){0};
	}
	for (unsigned i = 0; i < judge_streams.nranges; i++)
		range_judge(waiting[i]);
	judge_streams.nranges = next = 0;
}
