/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_threads_write.c - the layout of a .snag block by threads: writing it
 *
 * Idea.   See snag_threads.c.  The events are taken as stretches of one thread; which base
 *         a site has is chosen by what the targets of its first events would cost.
 */
#include "trace/snag_layout.h"

#include "base/memory.h"
#include "trace/snag_numbering.h"

#include <string.h>

enum {
	ROOM = SNAG_COLUMN_ROOM,
	SAMPLE = 128, /* events of a site that choose its base */
};

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

/* Adds up what each base would cost at the first events of a site. */
static inline void cost_add(struct choice *c, uint32_t target, uint32_t of_space, uint32_t of_site)
{
	c->seen++;
	c->cost[SNAG_BASE_ZERO] += bit_length(target);
	c->cost[SNAG_BASE_THREAD] += bit_length(folded(target - of_space));
	c->cost[SNAG_BASE_SITE] += bit_length(folded(target - of_site));
}

/* Numbers the sites of a stretch and takes its targets. */
static void stretch_take(struct snag_threads_encoder *enc, const struct stretch *stretch,
			 const struct snag_event *ev)
{
	struct lasts *last = &enc->last;
	struct choice *const choice = enc->choice;
	const uint64_t *const key = enc->sites.key;
	const uint32_t thread = stretch->thread, threads = last->threads, n = stretch->n;
	uint32_t *space = last->space + (size_t)thread * SNAG_LAST_SPACES;
	uint32_t *restrict site = enc->site + enc->cursor[thread];
	uint32_t *restrict to = enc->target + enc->cursor[thread];
	uint32_t dummy = 0, before = 0;
	ev += stretch->first;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t wanted = snag_site_key_loc(&ev[i]);
		uint32_t target = ev[i].target, s = choice[before].next;
		if (s >= enc->sites.n || key[s] != wanted) {
			s = number_of(enc, wanted);
			choice[before].next = s;
		}
		struct choice *c = &choice[s];
		uint32_t *of_site = last->has_sites ? &last->site[s * threads + thread] : &dummy;
		if (c->seen < SAMPLE)
			cost_add(c, target, space[c->space], *of_site);
		space[c->space] = *of_site = target;
		site[i] = before = s;
		to[i] = target;
	}
	enc->cursor[thread] += n;
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
	const struct choice *const choice = enc->choice;
	const uint32_t thread = stretch->thread, threads = enc->last.threads, n = stretch->n;
	uint32_t *space = enc->last.space + (size_t)thread * SNAG_LAST_SPACES;
	uint32_t *own = enc->last.site + thread, used = 0;
	const uint32_t *restrict site = enc->site + enc->cursor[thread];
	uint32_t *restrict to = enc->target + enc->cursor[thread];
	for (uint32_t i = 0; i < n; i++) {
		const struct choice *c = &choice[site[i]];
		uint32_t target = to[i], difference = target, *of_space = &space[c->space];
		if (c->base == SNAG_BASE_SITE) {
			uint32_t *cell = &own[site[i] * threads];
			difference -= *cell;
			*cell = target;
		} else if (c->base == SNAG_BASE_THREAD) {
			difference -= *of_space;
		}
		*of_space = target;
		used |= c->base == SNAG_BASE_ZERO ? difference : folded(difference);
		to[i] = difference;
	}
	enc->cursor[thread] += n;
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
