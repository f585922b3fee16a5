/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_threads_write.c - the layout of a .snag block by threads: writing it
 *
 * Idea.   See snag_threads.c.  The events are taken as stretches of one thread; which base
 *         a site has is chosen by what the targets of its first events would cost, in this block or
 *         in one shortly before.
 * State.  row     what a thread remembers of targets: | by name space | by site | NEVER | EVER |;
 *                 NEVER is 0 at all times, and EVER is there to be written only
 */
#include "trace/snag/snag_layout.h"

#include "base/memory.h"
#include "trace/snag/snag_numbering.h"

#include <string.h>

enum {
	ROOM = SNAG_COLUMN_ROOM,
	SAMPLE = 128,	     /* events of a site that choose its base */
	REMEMBERED_LOG = 12, /* sites whose base is known from blocks before, a cache */
	RELEARN_BLOCKS = 8,  /* one in so many looks at all its sites again */
	SPACES = SNAG_LAST_SPACES,
	MORE = 2, /* places of a row that are neither of a space nor of a site */
};

/* A run of events of one thread. */
struct stretch {
	uint32_t thread; /* its number in this block */
	uint32_t first, n;
};

/* What is known of a site of the block. */
struct choice {
	uint32_t seen;			/* events looked at for the cost */
	uint32_t cost[SNAG_BASE_MODES]; /* bits, by base */
	uint8_t space;			/* of its targets */
	uint8_t base;			/* chosen */
	bool is_remembered;		/* from a block before */
};

/* How the targets of a site become differences. */
struct way {
	uint32_t from, to, space; /* places in the row: of the base; where the target goes, too */
	uint32_t is_signed;	  /* all ones: differences are */
};

struct remembered {
	uint64_t key;
	uint8_t base;
};

struct snag_threads_encoder {
	struct snag_numbering threads, sites;
	struct stretch *stretch;
	uint32_t nstretches;
	uint32_t *switches;	  /* of each event */
	uint32_t *site, *target;  /* at each place; targets become differences */
	uint32_t *share, *cursor; /* of each thread */
	struct choice *choice;	  /* of each site */
	struct way *way;	  /* the same */
	struct remembered *remembered;
	uint32_t blocks;	  /* so far */
	uint32_t *row, row_sites; /* of all threads, with so many places for sites */
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
	enc->way = snag_calloc(ROOM, sizeof(*enc->way));
	enc->remembered = snag_calloc(1 << REMEMBERED_LOG, sizeof(*enc->remembered));
	for (size_t i = 0; i < 1 << REMEMBERED_LOG; i++)
		enc->remembered[i].key = UINT64_MAX; /* of no site */
	enc->row = snag_calloc((size_t)ROOM * (SPACES + MORE) + SNAG_LAST_CELLS, sizeof(uint32_t));
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
	free(enc->way);
	free(enc->remembered);
	free(enc->row);
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

/* Begins a pass over the stretches: every thread at its first place. */
static void pass_begin(struct snag_threads_encoder *enc)
{
	uint32_t start = 0;
	for (uint32_t t = 0; t < enc->threads.n; start += enc->share[t++])
		enc->cursor[t] = start;
}

/* Forgets all targets; there are places for sites if there is room. */
static void rows_begin(struct snag_threads_encoder *enc)
{
	uint64_t cells = (uint64_t)enc->threads.n * (SPACES + enc->sites.n);
	enc->row_sites = cells <= SNAG_LAST_CELLS ? enc->sites.n : 0;
	memset(enc->row, 0,
	       (size_t)enc->threads.n * (SPACES + MORE + enc->row_sites) * sizeof(*enc->row));
}

static uint32_t *row_of(struct snag_threads_encoder *enc, uint32_t thread)
{
	return enc->row + (size_t)thread * (SPACES + MORE + enc->row_sites);
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

static struct remembered *remembered_at(struct snag_threads_encoder *enc, uint64_t key)
{
	return &enc->remembered[key * 0x9e3779b97f4a7c15u >> (64 - REMEMBERED_LOG)];
}

/* A site that is new in the block; true: its base is not known. */
static bool site_begins(struct snag_threads_encoder *enc, uint32_t s, uint64_t key)
{
	const struct remembered *known = remembered_at(enc, key);
	struct choice *c = &enc->choice[s];
	*c = (struct choice){.space = snag_op_info[(uint8_t)(key >> 32)].space};
	if (known->key != key || enc->blocks % RELEARN_BLOCKS == 0)
		return true;
	c->base = known->base;
	c->is_remembered = true;
	return false;
}

/* Numbers the sites of a stretch and takes its targets; true: some base is not known. */
static bool stretch_take(struct snag_threads_encoder *enc, const struct stretch *stretch,
			 const struct snag_event *ev)
{
	uint32_t *restrict site = enc->site + enc->cursor[stretch->thread];
	uint32_t *restrict to = enc->target + enc->cursor[stretch->thread];
	const struct snag_numbering_slot *const slot = enc->sites.slot;
	const uint32_t stamp = enc->sites.stamp;
	bool is_unknown = false;
	ev += stretch->first;
	for (uint32_t i = 0, n = stretch->n; i < n; i++) {
		uint64_t key = snag_site_key_loc(&ev[i]);
		const struct snag_numbering_slot *home = &slot[snag_number_home(key)];
		to[i] = ev[i].target;
		if (home->stamp == stamp && home->key == key) { /* nearly always */
			site[i] = home->number;
			continue;
		}
		uint32_t known = enc->sites.n;
		site[i] = snag_number_of(&enc->sites, key);
		if (site[i] == known)
			is_unknown |= site_begins(enc, known, key);
	}
	enc->cursor[stretch->thread] += stretch->n;
	return is_unknown;
}

/* Adds up what each base would cost at the first events of a site. */
static void stretch_sample(struct snag_threads_encoder *enc, const struct stretch *stretch)
{
	const uint32_t *site = enc->site + enc->cursor[stretch->thread];
	const uint32_t *target = enc->target + enc->cursor[stretch->thread];
	uint32_t *row = row_of(enc, stretch->thread);
	for (uint32_t i = 0; i < stretch->n; i++) {
		struct choice *c = &enc->choice[site[i]];
		uint32_t *of_space = &row[c->space];
		uint32_t *of_site = &row[SPACES + (enc->row_sites ? site[i] : 0)];
		if (c->seen < SAMPLE && !c->is_remembered) {
			c->seen++;
			c->cost[SNAG_BASE_ZERO] += bit_length(target[i]);
			c->cost[SNAG_BASE_THREAD] += bit_length(folded(target[i] - *of_space));
			c->cost[SNAG_BASE_SITE] += bit_length(folded(target[i] - *of_site));
		}
		*of_space = *of_site = target[i];
	}
	enc->cursor[stretch->thread] += stretch->n;
}

/* For each site that was looked at, the base that leaves the fewest bits. */
static void choose_bases(struct snag_threads_encoder *enc)
{
	uint8_t modes = enc->row_sites ? SNAG_BASE_MODES : SNAG_BASE_SITE;
	for (uint32_t s = 0; s < enc->sites.n; s++) {
		struct choice *c = &enc->choice[s];
		if (c->is_remembered)
			continue;
		for (uint8_t base = SNAG_BASE_THREAD; base < modes; base++)
			if (c->cost[base] < c->cost[c->base])
				c->base = base;
		*remembered_at(enc, enc->sites.key[s]) =
			(struct remembered){enc->sites.key[s], c->base};
	}
}

static void ways_find(struct snag_threads_encoder *enc)
{
	const uint32_t never = SPACES + enc->row_sites, ever = never + 1;
	for (uint32_t s = 0; s < enc->sites.n; s++) {
		struct choice *c = &enc->choice[s];
		if (c->base == SNAG_BASE_SITE && !enc->row_sites)
			c->base = SNAG_BASE_THREAD;
		uint32_t at = c->base == SNAG_BASE_SITE	    ? SPACES + s
			      : c->base == SNAG_BASE_THREAD ? c->space
							    : never;
		enc->way[s] = (struct way){.from = at,
					   .to = at == never ? ever : at,
					   .space = c->space,
					   .is_signed = at == never ? 0 : UINT32_MAX};
	}
}

/* Targets of a stretch to differences; returns the bits that any of them needs. */
static uint32_t stretch_subtract(struct snag_threads_encoder *enc, const struct stretch *stretch)
{
	const struct way *const way = enc->way;
	const uint32_t *restrict site = enc->site + enc->cursor[stretch->thread];
	uint32_t *restrict to = enc->target + enc->cursor[stretch->thread];
	uint32_t *restrict row = row_of(enc, stretch->thread), used = 0;
	for (uint32_t i = 0, n = stretch->n; i < n; i++) {
		const struct way *w = &way[site[i]];
		uint32_t target = to[i], difference = target - row[w->from];
		row[w->to] = target;
		row[w->space] = target;
		to[i] = difference;
		/* folded, if it is signed */
		used |= (difference + (difference & w->is_signed)) ^
			((uint32_t)((int32_t)difference >> 31) & w->is_signed);
	}
	enc->cursor[stretch->thread] += stretch->n;
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
		snag_layout_site_put(&w->table, enc->sites.key[i], enc->choice[i].base);
		snag_bytes_put_varint(&w->table, (uint32_t)enc->sites.key[i]);
	}
	snag_column_put(w, SNAG_COLUMN_SITES, w->table.at, w->table.n);
}

void snag_threads_encode(struct snag_threads_encoder *enc, struct snag_column_writer *w,
			 enum snag_layout layout, const struct snag_event *ev, size_t n)
{
	uint32_t used = 0;
	bool is_unknown = false;
	find_stretches(enc, w, ev, n);
	snag_numbering_reset(&enc->sites);
	pass_begin(enc);
	for (uint32_t i = 0; i < enc->nstretches; i++)
		is_unknown |= stretch_take(enc, &enc->stretch[i], ev);
	if (is_unknown) {
		rows_begin(enc);
		pass_begin(enc);
		for (uint32_t i = 0; i < enc->nstretches; i++)
			stretch_sample(enc, &enc->stretch[i]);
		choose_bases(enc);
	}
	rows_begin(enc);
	ways_find(enc);
	pass_begin(enc);
	for (uint32_t i = 0; i < enc->nstretches; i++)
		used |= stretch_subtract(enc, &enc->stretch[i]);
	enc->blocks++;
	if (enc->threads.n > 1)
		snag_column_put_planes(w, SNAG_COLUMN_SWITCH, enc->switches, n,
				       snag_column_planes(enc->threads.n));
	put_sites(enc, w, layout);
	snag_column_put_planes(w, SNAG_COLUMN_SITE, enc->site, n,
			       snag_column_planes(enc->sites.n - 1));
	snag_column_put_planes(w, SNAG_COLUMN_TARGET, enc->target, n, snag_column_planes(used));
}
