/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_threads.c - the layout of a .snag block by threads
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
#include "trace/snag_layout.h"

#include "base/memory.h"
#include "trace/snag_numbering.h"

#include <assert.h>
#include <string.h>

enum {
	ROOM = SNAG_COLUMN_ROOM,
	RUN = 3,
	SAMPLE = 128,			      /* events of a site that choose its base */
	NO_SPACE_CELL = SNAG_LAST_SPACES - 1, /* of a row; belongs to no name space */
};

_Static_assert((int)SNAG_SPACE_NONE < (int)NO_SPACE_CELL, "a cell of a row is left over");

/* A run of events of one thread. */
struct stretch {
	uint32_t thread; /* its number in this block */
	uint32_t first, n;
};

/* What is known of a site of the block. */
struct choice {
	uint32_t next;			/* the site that came behind it last */
	uint32_t seen;			/* events looked at for the cost */
	uint32_t cost[SNAG_BASE_MODES]; /* bits, by base */
	uint8_t space;			/* of its targets */
	uint8_t base;			/* chosen */
};

/* Where the encoder remembers targets; of each thread, in a row of its own: */
struct lasts {
	uint32_t *space; /* SNAG_LAST_SPACES for each thread: by name space */
	uint32_t *site;	 /* one for each site and thread: site * threads + thread */
	uint32_t threads;
	bool has_sites; /* there is room for them */
};

struct snag_threads_encoder {
	struct snag_numbering threads, sites;
	struct stretch *stretch;
	uint32_t nstretches;
	uint32_t *switches;	  /* of each event */
	uint32_t *site, *target;  /* at each place; targets become differences */
	uint32_t *share, *cursor; /* of each thread */
	struct choice *choice;	  /* of each site */
	struct lasts last;
};

struct snag_threads_encoder *snag_threads_encoder_new(void)
{
	struct snag_threads_encoder *enc = snag_calloc(1, sizeof(*enc));
	snag_numbering_init(&enc->threads);
	snag_numbering_init(&enc->sites);
	enc->stretch = snag_calloc(ROOM, sizeof(*enc->stretch));
	enc->switches = snag_calloc(ROOM, sizeof(uint32_t));
	enc->site = snag_calloc(ROOM, sizeof(uint32_t));
	enc->target = snag_calloc(ROOM, sizeof(uint32_t));
	enc->share = snag_calloc(ROOM, sizeof(uint32_t));
	enc->cursor = snag_calloc(ROOM, sizeof(uint32_t));
	enc->choice = snag_calloc(ROOM, sizeof(*enc->choice));
	enc->last.space = snag_calloc((size_t)ROOM * SNAG_LAST_SPACES, sizeof(uint32_t));
	enc->last.site = snag_calloc(SNAG_LAST_CELLS, sizeof(uint32_t));
	return enc;
}

void snag_threads_encoder_free(struct snag_threads_encoder *enc)
{
	if (!enc)
		return;
	snag_numbering_done(&enc->threads);
	snag_numbering_done(&enc->sites);
	free(enc->stretch);
	free(enc->switches);
	free(enc->site);
	free(enc->target);
	free(enc->share);
	free(enc->cursor);
	free(enc->choice);
	free(enc->last.space);
	free(enc->last.site);
	free(enc);
}

/* Finds the stretches, fills switches and share, and writes the THREADS table. */
static void find_stretches(struct snag_threads_encoder *enc, struct snag_column_writer *w,
			   const struct snag_event *ev, size_t n)
{
	struct snag_numbering *threads = &enc->threads;
	snag_numbering_reset(threads);
	enc->nstretches = 0;
	memset(enc->switches, 0, n * sizeof(*enc->switches));
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t nthreads = threads->n, t = snag_number_of(threads, ev[i].thread);
		for (end = i + 1; end < n && ev[end].thread == ev[i].thread;)
			end++;
		enc->stretch[enc->nstretches++] =
			(struct stretch){t, (uint32_t)i, (uint32_t)(end - i)};
		enc->switches[i] = t + 1;
		enc->share[t] = (t == nthreads ? 0 : enc->share[t]) + (uint32_t)(end - i);
	}
	w->table.n = 0;
	snag_bytes_put_varint(&w->table, threads->n);
	for (uint32_t t = 0; t < threads->n; t++) {
		snag_bytes_put_varint(&w->table, (uint32_t)threads->key[t]);
		snag_bytes_put_varint(&w->table, enc->share[t]);
	}
	snag_column_put(w, SNAG_COLUMN_THREADS, w->table.at, w->table.n);
}

/* Begins a pass over the stretches: every thread at its first place, no target known.
 * Sites are known unless they are numbered in this pass. */
static void pass_begin(struct snag_threads_encoder *enc, uint32_t nsites)
{
	struct lasts *last = &enc->last;
	uint32_t start = 0;
	last->threads = enc->threads.n;
	last->has_sites = (uint64_t)last->threads * (SNAG_LAST_SPACES + nsites) <= SNAG_LAST_CELLS;
	for (uint32_t t = 0; t < enc->threads.n; start += enc->share[t++])
		enc->cursor[t] = start;
	memset(last->space, 0, (size_t)last->threads * SNAG_LAST_SPACES * sizeof(*last->space));
	if (last->has_sites)
		memset(last->site, 0, (size_t)last->threads * nsites * sizeof(*last->site));
}

static inline uint32_t bit_length(uint32_t v)
{
	return 63 - (uint32_t)__builtin_clzll((uint64_t)v << 1 | 1);
}

/* A two's complement number so that few bits are those of a small one. */
static inline uint32_t folded(uint32_t v)
{
	return v << 1 ^ (uint32_t)((int32_t)v >> 31);
}

/* The number of a site, mostly the one that came behind `before` the last time. */
static uint32_t number_of(struct snag_threads_encoder *enc, uint64_t key)
{
	struct lasts *last = &enc->last;
	uint32_t known = enc->sites.n, s = snag_number_of(&enc->sites, key);
	if (s < known)
		return s;
	enc->choice[s] = (struct choice){.space = snag_op_info[(uint8_t)(key >> 32)].space};
	last->has_sites &= (uint64_t)last->threads * (SNAG_LAST_SPACES + s + 1) <= SNAG_LAST_CELLS;
	if (last->has_sites)
		memset(last->site + (size_t)s * last->threads, 0,
		       last->threads * sizeof(*last->site));
	return s;
}

/* Numbers the sites of a stretch, takes its targets, and adds up what each base would cost
 * at the first events of each site. */
static void stretch_take(struct snag_threads_encoder *enc, const struct stretch *stretch,
			 const struct snag_event *ev)
{
	struct lasts *last = &enc->last;
	uint32_t *space = last->space + (size_t)stretch->thread * SNAG_LAST_SPACES;
	uint32_t place = enc->cursor[stretch->thread], dummy = 0, before = 0;
	const uint64_t *key = enc->sites.key;
	ev += stretch->first;
	for (uint32_t i = 0; i < stretch->n; i++, place++) {
		uint64_t wanted = snag_site_key(&ev[i], ev[i].loc);
		uint32_t target = ev[i].target, s = enc->choice[before].next;
		if (s >= enc->sites.n || key[s] != wanted) {
			s = number_of(enc, wanted);
			enc->choice[before].next = s;
		}
		struct choice *c = &enc->choice[s];
		uint32_t *of_site =
			last->has_sites ? &last->site[s * last->threads + stretch->thread] : &dummy;
		if (c->seen < SAMPLE) {
			c->seen++;
			c->cost[SNAG_BASE_ZERO] += bit_length(target);
			c->cost[SNAG_BASE_THREAD] += bit_length(folded(target - space[c->space]));
			c->cost[SNAG_BASE_SITE] += bit_length(folded(target - *of_site));
		}
		space[c->space] = *of_site = target;
		enc->site[place] = before = s;
		enc->target[place] = target;
	}
	enc->cursor[stretch->thread] = place;
}

/* For each site, the base that leaves the fewest bits. */
static void choose_bases(struct snag_threads_encoder *enc)
{
	uint8_t modes = enc->last.has_sites ? SNAG_BASE_MODES : SNAG_BASE_SITE;
	for (uint32_t s = 0; s < enc->sites.n; s++) {
		struct choice *c = &enc->choice[s];
		for (uint8_t base = SNAG_BASE_THREAD; base < modes; base++)
			if (c->cost[base] < c->cost[c->base])
				c->base = base;
	}
}

/* Targets of a stretch to differences; returns the bits that any of them needs. */
static uint32_t stretch_subtract(struct snag_threads_encoder *enc, const struct stretch *stretch)
{
	const struct lasts *last = &enc->last;
	uint32_t *space = last->space + (size_t)stretch->thread * SNAG_LAST_SPACES;
	uint32_t *own = last->site + stretch->thread, place = enc->cursor[stretch->thread];
	uint32_t used = 0, end = place + stretch->n;
	for (; place < end; place++) {
		const struct choice *c = &enc->choice[enc->site[place]];
		uint32_t target = enc->target[place], difference = target;
		if (c->base == SNAG_BASE_SITE) {
			uint32_t *cell = &own[enc->site[place] * last->threads];
			difference -= *cell;
			*cell = target;
		} else if (c->base == SNAG_BASE_THREAD) {
			difference -= space[c->space];
		}
		space[c->space] = target;
		used |= c->base == SNAG_BASE_ZERO ? difference : folded(difference);
		enc->target[place] = difference;
	}
	enc->cursor[stretch->thread] = end;
	return used;
}

static void put_sites(const struct snag_threads_encoder *enc, struct snag_column_writer *w,
		      enum snag_layout layout)
{
	const uint8_t layout_byte = (uint8_t)layout;
	w->table.n = 0;
	snag_bytes_put(&w->table, &layout_byte, 1);
	snag_bytes_put_varint(&w->table, enc->sites.n);
	for (uint32_t i = 0; i < enc->sites.n; i++) {
		snag_site_put(&w->table, enc->sites.key[i], enc->choice[i].base);
		snag_bytes_put_varint(&w->table, (uint32_t)enc->sites.key[i]);
	}
	snag_column_put(w, SNAG_COLUMN_SITES, w->table.at, w->table.n);
}

void snag_threads_encode(struct snag_threads_encoder *enc, struct snag_column_writer *w,
			 enum snag_layout layout, const struct snag_event *ev, size_t n)
{
	uint32_t used = 0;
	find_stretches(enc, w, ev, n);
	snag_numbering_reset(&enc->sites);
	pass_begin(enc, 0);
	for (uint32_t i = 0; i < enc->nstretches; i++)
		stretch_take(enc, &enc->stretch[i], ev);
	choose_bases(enc);
	pass_begin(enc, enc->sites.n);
	for (uint32_t i = 0; i < enc->nstretches; i++)
		used |= stretch_subtract(enc, &enc->stretch[i]);
	if (enc->threads.n > 1)
		snag_column_put_planes(w, SNAG_COLUMN_SWITCH, enc->switches, n,
				       snag_column_planes(enc->threads.n));
	put_sites(enc, w, layout);
	snag_column_put_planes(w, SNAG_COLUMN_SITE, enc->site, n,
			       snag_column_planes(enc->sites.n - 1));
	snag_column_put_planes(w, SNAG_COLUMN_TARGET, enc->target, n, snag_column_planes(used));
}

struct thread {
	uint32_t id;
	uint32_t cursor, end; /* places: the next one, and behind its last */
	uint32_t last;	      /* where its row starts */
};

struct site {
	uint8_t what[4]; /* see struct snag_site */
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
	struct snag_site head;
	uint32_t loc;
	if (!snag_site_read(table, counts, &head) || head.mode >= SNAG_BASE_MODES ||
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
