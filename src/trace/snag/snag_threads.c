/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_threads.c - the layout of a .snag block by threads, and reading it
 *
 * Idea.   For code that walks through data.  A site is (operation, flags, size,
 *         location): a place in the code.  The columns of sites and targets hold the
 *         events thread by thread, so that what a thread does again and again is a
 *         repetition in the column, whatever other threads do in between; the
 *         column of switches tells how the threads are interleaved.  A target is
 *         written as it is or as a difference, as each site says.
 * State.  place     of an event: its index in the columns ordered by thread
 *         last      of each thread: its last target in each name space, and its
 *                   last target at each site with SNAG_BASE_SITE; 0 at first
 * Rules.  [switch]  0: the thread of the event before (of the first: thread number
 *                   0), otherwise thread number switch - 1
 *         [place]   the next one of the thread's share, in the order of THREADS
 *         [target]  base = 0, last[thread, space] or last[thread, site]; the column
 *                   is target - base, as a two's complement number if it has a base
 */
#include "trace/snag/snag_layout.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
	ROOM = SNAG_COLUMN_ROOM,
	RUN = 3,
	NO_SPACE_CELL = SNAG_LAST_SPACES - 1, /* of a row; belongs to no name space */
};

_Static_assert((int)SNAG_SPACE_NONE < (int)NO_SPACE_CELL, "a cell of a row is left over");

struct thread {
	uint32_t id;
	uint32_t cursor, end; /* places: the next one, and behind its last */
	uint32_t last;	      /* where its row starts */
};

struct site {
	uint8_t what[4]; /* see struct snag_layout_site */
	uint32_t limit;
	uint32_t loc;
	uint32_t sign; /* the sign bit of a difference; 0: a whole target */
	/* In the row of a thread.  That of no base is one that stays 0, and the own
	 * one of a site that needs none is that of its space. */
	uint32_t base_cell, space_cell, own_cell;
	uint32_t spare;
};

_Static_assert(sizeof(struct site) == 32, "a site is found with a shift");

struct snag_threads_decoder {
	uint16_t *switches;  /* of each event */
	uint16_t *site_at;   /* each place */
	uint32_t *target_at; /* each place: target or difference */
	unsigned target_planes;
	struct thread *thread;
	uint32_t nthreads;
	struct site *site;
	uint32_t nsites;
	uint32_t *last, row;
	uint32_t n, at;	     /* events, and how many were delivered */
	bool is_alternating; /* see is_alternating() */
	uint32_t t;	     /* number of the thread of the last event */
};

/* A thread with more events than its share reads on behind it: at most ROOM places
 * more, which is found out at the end of the block.  A cell is at most
 * SNAG_LAST_CELLS beyond the start of a row, whatever site and thread. */
struct snag_threads_decoder *snag_threads_decoder_new(void)
{
	struct snag_threads_decoder *dec = snag_calloc(1, sizeof(*dec));
	dec->switches = snag_calloc(ROOM, sizeof(*dec->switches));
	dec->site_at = snag_calloc(2 * ROOM, sizeof(*dec->site_at));
	dec->target_at = snag_calloc(2 * ROOM, sizeof(*dec->target_at));
	dec->thread = snag_calloc(ROOM, sizeof(*dec->thread));
	dec->site = snag_calloc(ROOM, sizeof(*dec->site));
	dec->last =
		snag_calloc((size_t)ROOM * SNAG_LAST_SPACES + SNAG_LAST_CELLS, sizeof(*dec->last));
	return dec;
}

void snag_threads_decoder_free(struct snag_threads_decoder *dec)
{
	if (!dec)
		return;
	free(dec->switches);
	free(dec->site_at);
	free(dec->target_at);
	free(dec->thread);
	free(dec->site);
	free(dec->last);
	free(dec);
}

static bool read_threads(struct snag_threads_decoder *dec, struct snag_span table,
			 const struct snag_counts *counts)
{
	uint32_t n, start = 0;
	if (!snag_span_varint(&table, &n) || n == 0 || n > dec->n)
		return false;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t id, share;
		if (!snag_span_varint(&table, &id) || !snag_span_varint(&table, &share) ||
		    id >= counts->n[SNAG_SPACE_THREAD] || share > dec->n - start)
			return false;
		dec->thread[t] = (struct thread){.id = id, .cursor = start, .end = start + share};
		start += share;
	}
	for (uint32_t t = n; t < dec->nthreads; t++)
		dec->thread[t] = (struct thread){0}; /* those of the last block */
	dec->nthreads = n;
	return start == dec->n && table.at == table.end;
}

static bool read_site(struct snag_threads_decoder *dec, struct snag_span *table,
		      const struct snag_counts *counts, struct site *site)
{
	struct snag_layout_site head;
	uint32_t loc;
	if (!snag_layout_site_read(table, counts, &head) || head.mode >= SNAG_BASE_MODES ||
	    !snag_span_varint(table, &loc) || loc >= counts->n[SNAG_SPACE_LOCATION])
		return false;
	*site = (struct site){
		.limit = head.limit,
		.loc = loc,
		.base_cell = NO_SPACE_CELL,
		.space_cell = head.space,
		.own_cell = head.space,
	};
	memcpy(site->what, head.what, sizeof(site->what));
	if (head.mode != SNAG_BASE_ZERO && dec->target_planes > 0)
		site->sign = 1u << (8 * dec->target_planes - 1);
	if (head.mode == SNAG_BASE_THREAD)
		site->base_cell = site->space_cell;
	if (head.mode == SNAG_BASE_SITE)
		site->base_cell = site->own_cell = dec->row++;
	return true;
}

static bool read_sites(struct snag_threads_decoder *dec, struct snag_span table,
		       const struct snag_counts *counts)
{
	uint32_t n;
	if (!snag_span_varint(&table, &n) || n > dec->n)
		return false;
	for (uint32_t i = n; i < dec->nsites; i++)
		dec->site[i].limit = 0; /* those of the last block */
	dec->nsites = n;
	dec->row = SNAG_LAST_SPACES;
	for (uint32_t i = 0; i < n; i++)
		if (!read_site(dec, &table, counts, &dec->site[i]))
			return false;
	if (dec->row > SNAG_LAST_SPACES && (uint64_t)dec->row * dec->nthreads > SNAG_LAST_CELLS)
		return false;
	return table.at == table.end;
}

static bool load_columns(struct snag_threads_decoder *dec, struct snag_column_reader *r, size_t n)
{
	return !r->column[SNAG_COLUMN_LOC].bytes &&
	       snag_column_load16(r, SNAG_COLUMN_SWITCH, dec->switches, n) &&
	       snag_column_load16(r, SNAG_COLUMN_SITE, dec->site_at, n) &&
	       snag_column_load32(r, SNAG_COLUMN_TARGET, dec->target_at, n, &dec->target_planes);
}

/* Whether the thread changes at more than one event in RUN; the rest of the last
 * group does not matter. */
static bool is_alternating(const uint16_t *switches, size_t n)
{
	uint32_t nswitches = 0;
	for (size_t i = 0; i + SNAG_COLUMN_GROUP <= n; i += SNAG_COLUMN_GROUP) {
		uint16_t in_group = 0;
		for (size_t k = i; k < i + SNAG_COLUMN_GROUP; k++)
			in_group += switches[k] != 0;
		nswitches += in_group;
	}
	return nswitches > n / RUN;
}

const char *snag_threads_begin(struct snag_threads_decoder *dec, struct snag_column_reader *r,
			       struct snag_span threads, struct snag_span sites,
			       const struct snag_counts *counts, size_t n)
{
	if (!load_columns(dec, r, n))
		return "bad column";
	dec->n = (uint32_t)n;
	dec->at = dec->t = 0;
	if (!read_threads(dec, threads, counts))
		return "bad table of threads";
	if (!read_sites(dec, sites, counts))
		return "bad table of sites";
	dec->is_alternating = is_alternating(dec->switches, n);
	for (uint32_t t = 0; t < dec->nthreads; t++)
		dec->thread[t].last = t * dec->row;
	memset(dec->last, 0, (size_t)dec->nthreads * dec->row * sizeof(*dec->last));
	return NULL;
}

static bool is_finished(const struct snag_threads_decoder *dec)
{
	for (uint32_t t = 0; t < dec->nthreads; t++)
		if (dec->thread[t].cursor != dec->thread[t].end)
			return false;
	return true;
}

/* False: the target is not below its limit. */
static inline bool deliver_one(struct snag_event *ev, const struct site *s, uint32_t value,
			       uint32_t thread, uint32_t *row)
{
	uint32_t target = (value ^ s->sign) - s->sign + row[s->base_cell]; /* [target] */
	row[s->space_cell] = target;
	row[s->own_cell] = target;
	ev->thread = thread;
	ev->target = target;
	ev->loc = s->loc;
	memcpy((char *)ev + offsetof(struct snag_event, op), s->what, sizeof(s->what));
	return target < s->limit;
}

/* Where threads alternate, a branch on it would be mispredicted too often. */
static bool deliver_alternating(struct snag_threads_decoder *dec, struct snag_event *ev, size_t n)
{
	const uint16_t *switches = dec->switches + dec->at, *site_at = dec->site_at;
	const uint32_t *target_at = dec->target_at;
	const struct site *site = dec->site;
	struct thread *thread = dec->thread;
	uint32_t *last = dec->last;
	uint32_t t = dec->t;
	bool ok = true;
	for (size_t i = 0; i < n; i++) {
		uint32_t other = switches[i], stays = other ? 0 : UINT32_MAX;
		t = (t & stays) | ((other - 1) & ~stays); /* [switch] */
		uint32_t place = thread[t].cursor++;	  /* [place] */
		ok &= deliver_one(&ev[i], &site[site_at[place]], target_at[place], thread[t].id,
				  last + thread[t].last);
	}
	dec->t = t;
	return ok;
}

/* How many of n events, from the first, are of one thread and at one site. */
static inline size_t same_site(const uint16_t *switches, const uint16_t *site_at, size_t n)
{
	const uint64_t four = site_at[0] * UINT64_C(0x0001000100010001);
	size_t i = 1;
	for (; i + 4 <= n; i += 4) {
		uint64_t switched, sites;
		memcpy(&switched, switches + i, sizeof(switched));
		memcpy(&sites, site_at + i, sizeof(sites));
		if (switched | (sites ^ four))
			break;
	}
	while (i < n && !switches[i] && site_at[i] == site_at[0])
		i++;
	return i;
}

/* n events of one thread at one site.  Each is a difference to the one before, if to any, so the
 * row is needed at the beginning and at the end only. */
static inline bool deliver_site(struct snag_event *ev, const struct site *s, const uint32_t *value,
				size_t n, uint32_t thread, uint32_t *row)
{
	const struct site at = *s;
	const uint32_t carry = at.base_cell == NO_SPACE_CELL ? 0 : UINT32_MAX;
	uint32_t target = row[at.base_cell];
	bool ok = true;
	for (size_t i = 0; i < n; i++) {
		target = (value[i] ^ at.sign) - at.sign + (target & carry); /* [target] */
		struct snag_event e = {.thread = thread, .target = target, .loc = at.loc};
		memcpy((char *)&e + offsetof(struct snag_event, op), at.what, sizeof(at.what));
		ev[i] = e;
		ok &= target < at.limit;
	}
	row[at.space_cell] = target;
	row[at.own_cell] = target;
	return ok;
}

static bool deliver_runs(struct snag_threads_decoder *dec, struct snag_event *ev, size_t n)
{
	const uint16_t *switches = dec->switches + dec->at;
	const struct site *site = dec->site;
	bool ok = true;
	for (size_t i = 0; i < n;) {
		if (switches[i])
			dec->t = switches[i] - 1u; /* [switch] */
		struct thread *thread = &dec->thread[dec->t];
		const uint16_t *site_at = dec->site_at + thread->cursor;
		const uint32_t *target_at = dec->target_at + thread->cursor;
		uint32_t id = thread->id, *row = dec->last + thread->last;
		size_t first = i;
		do { /* [place] */
			size_t run = 1;
			if (i + 1 < n && site_at[1] == site_at[0])
				run = same_site(switches + i, site_at, n - i);
			if (run == 1)
				ok &= deliver_one(&ev[i], &site[*site_at], *target_at, id, row);
			else
				ok &= deliver_site(&ev[i], &site[*site_at], target_at, run, id,
						   row);
			i += run;
			site_at += run;
			target_at += run;
		} while (i < n && !switches[i]);
		thread->cursor += (uint32_t)(i - first);
	}
	return ok;
}

const char *snag_threads_events(struct snag_threads_decoder *dec, struct snag_event *ev, size_t n)
{
	assert(n <= dec->n - dec->at);
	bool ok = dec->is_alternating ? deliver_alternating(dec, ev, n) : deliver_runs(dec, ev, n);
	dec->at += (uint32_t)n;
	if (!ok)
		return "an id without a name";
	if (dec->at == dec->n && !is_finished(dec))
		return "columns that contradict each other";
	return NULL;
}
