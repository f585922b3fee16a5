/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_decode.c - the columns of a block to its events; see snag_codec.h
 *
 * Rules.  The loop over events does not branch on their values.  What it indexes
 *         with is either checked before (switches and sites, while their planes
 *         are put together; the tables, while they are read) or cannot leave the
 *         arrays: a thread with more events than its share reads into the next
 *         thread's, or into zeros behind the last (site and target have twice the
 *         room of a block), and is found out at the end of the block.  Ids are
 *         compared with their limits after each call, before anybody sees them.
 */
#include "trace/snag_codec.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
	GROUP = 32,			  /* planes are put together in such groups */
	ROOM = SNAG_BLOCK_MAX_EVENTS + 1, /* a multiple of GROUP */
	PLANES = 4,
	NONE_SPACES = SNAG_SPACES + 1,
};

_Static_assert(ROOM % GROUP == 0, "columns are whole groups");

struct site {
	uint8_t what[4]; /* op, flags, size, spare: the end of its events */
	uint32_t limit;	 /* its targets are below */
	uint32_t loc;	 /* SNAG_LOC_FIXED */
	uint32_t loc_slot;
	uint32_t sign; /* the sign bit of a difference; 0: a whole target */
	uint8_t loc_mode, base, space;
};

struct snag_decoder {
	ZSTD_DCtx *zstd;
	uint8_t *plane[PLANES];
	struct snag_bytes names, threads, sites; /* columns of tables */

	/* The block being delivered. */
	uint32_t n, at;	    /* events, and how many were delivered */
	uint16_t *switches; /* of each event, see snag_encode.c */
	uint16_t *site_at;  /* by place */
	uint32_t *target;   /* by place: target, or difference */
	uint32_t *spelled;  /* locations */
	uint32_t nspelled, spelled_at;
	uint32_t max_switch, max_site;
	unsigned target_planes;
	struct site *site;
	size_t nsites, site_cap;
	bool has_differences, has_remembered;
	uint32_t nlocs;
	uint32_t t; /* the thread that goes on */
	uint32_t nthreads;
	uint32_t *thread_id, *cursor, *end; /* of each thread of the block */
	uint32_t *last_site, *last_thread;

	uint32_t *remembered; /* lives from block to block */
};

struct snag_decoder *snag_decoder_new(void)
{
	struct snag_decoder *dec = snag_calloc(1, sizeof(*dec));
	dec->zstd = ZSTD_createDCtx();
	if (!dec->zstd)
		abort();
	for (int k = 0; k < PLANES; k++)
		dec->plane[k] = snag_calloc(ROOM, 1);
	dec->switches = snag_calloc(ROOM, sizeof(*dec->switches));
	dec->site_at = snag_calloc(2 * ROOM, sizeof(*dec->site_at));
	dec->target = snag_calloc(2 * ROOM, sizeof(*dec->target));
	dec->spelled = snag_calloc(ROOM, sizeof(*dec->spelled));
	dec->thread_id = snag_calloc(ROOM, sizeof(*dec->thread_id));
	dec->cursor = snag_calloc(ROOM, sizeof(*dec->cursor));
	dec->end = snag_calloc(ROOM, sizeof(*dec->end));
	dec->last_site = snag_calloc(SNAG_SITE_SLOTS, sizeof(uint32_t));
	dec->last_thread = snag_calloc((size_t)ROOM * NONE_SPACES, sizeof(uint32_t));
	dec->remembered = snag_calloc(SNAG_LOC_SLOTS, sizeof(uint32_t));
	return dec;
}

void snag_decoder_free(struct snag_decoder *dec)
{
	if (!dec)
		return;
	ZSTD_freeDCtx(dec->zstd);
	for (int k = 0; k < PLANES; k++)
		free(dec->plane[k]);
	snag_bytes_done(&dec->names);
	snag_bytes_done(&dec->threads);
	snag_bytes_done(&dec->sites);
	free(dec->switches);
	free(dec->site_at);
	free(dec->target);
	free(dec->spelled);
	free(dec->site);
	free(dec->thread_id);
	free(dec->cursor);
	free(dec->end);
	free(dec->last_site);
	free(dec->last_thread);
	free(dec->remembered);
	free(dec);
}

static bool load_table(struct snag_decoder *dec, struct snag_bytes *table,
		       const struct snag_column *column)
{
	table->n = 0;
	uint8_t *to = snag_bytes_room(table, column->plain + 1);
	table->n = column->plain;
	return snag_column_load(column, dec->zstd, to);
}

/* Puts planes together, and returns the largest value. */
static uint32_t join16(uint16_t *to, uint8_t *const plane[PLANES], unsigned planes, size_t n)
{
	uint16_t max[GROUP] = {0};
	if (planes == 0) {
		memset(to, 0, n * sizeof(*to));
		return 0;
	}
	for (size_t i = 0; i < n; i += GROUP)
		for (size_t k = 0; k < GROUP; k++) {
			uint16_t v = plane[0][i + k];
			if (planes > 1)
				v |= (uint16_t)(plane[1][i + k] << 8);
			to[i + k] = v;
			max[k] = v > max[k] ? v : max[k];
		}
	uint32_t result = 0;
	for (size_t k = 0; k < GROUP; k++)
		result = max[k] > result ? max[k] : result;
	return result;
}

static inline __attribute__((always_inline)) void
join32_planes(uint32_t *to, uint8_t *const plane[PLANES], const unsigned planes, size_t n)
{
	for (size_t i = 0; i < n; i += GROUP)
		for (size_t k = 0; k < GROUP; k++) {
			uint32_t v = 0;
			for (unsigned j = 0; j < planes; j++)
				v |= (uint32_t)plane[j][i + k] << 8 * j;
			to[i + k] = v;
		}
}

static void join32(uint32_t *to, uint8_t *const plane[PLANES], unsigned planes, size_t n)
{
	switch (planes) {
	case 0:
		memset(to, 0, n * sizeof(*to));
		break;
	case 1:
		join32_planes(to, plane, 1, n);
		break;
	case 2:
		join32_planes(to, plane, 2, n);
		break;
	case 3:
		join32_planes(to, plane, 3, n);
		break;
	default:
		join32_planes(to, plane, 4, n);
	}
}

static bool load_tables(struct snag_decoder *dec, const struct snag_column *column)
{
	dec->names.n = dec->threads.n = dec->sites.n = 0;
	return load_table(dec, &dec->names, &column[SNAG_COLUMN_NAMES]) &&
	       load_table(dec, &dec->threads, &column[SNAG_COLUMN_THREADS]) &&
	       load_table(dec, &dec->sites, &column[SNAG_COLUMN_SITES]);
}

/* Loads the planes of one column of n values, those that exist; the rest of the
 * last group is zero. */
static bool load_planes(struct snag_decoder *dec, const struct snag_column *column, unsigned most,
			size_t n, unsigned *ret_planes)
{
	unsigned planes = 0;
	for (unsigned k = 0; k < most; k++) {
		if (!column[k].bytes)
			continue;
		if (planes != k || column[k].plain != n ||
		    !snag_column_load(&column[k], dec->zstd, dec->plane[k]))
			return false;
		memset(dec->plane[k] + n, 0, (GROUP - n % GROUP) % GROUP);
		planes++;
	}
	*ret_planes = planes;
	return true;
}

static bool load_events(struct snag_decoder *dec, const struct snag_column *column, size_t n)
{
	unsigned planes;
	if (!load_planes(dec, column + SNAG_COLUMN_THREAD, 2, n, &planes))
		return false;
	dec->max_switch = join16(dec->switches, dec->plane, planes, n);

	if (!load_planes(dec, column + SNAG_COLUMN_SITE, 2, n, &planes))
		return false;
	dec->max_site = join16(dec->site_at, dec->plane, planes, n);
	memset(dec->site_at + n, 0, n * sizeof(*dec->site_at));

	if (!load_planes(dec, column + SNAG_COLUMN_TARGET, 4, n, &planes))
		return false;
	join32(dec->target, dec->plane, planes, n);
	dec->target_planes = planes;

	dec->nspelled = column[SNAG_COLUMN_LOC].plain;
	if (dec->nspelled > n ||
	    !load_planes(dec, column + SNAG_COLUMN_LOC, 4, dec->nspelled, &planes))
		return false;
	join32(dec->spelled, dec->plane, planes, dec->nspelled);
	return true;
}

const char *snag_decoder_load(struct snag_decoder *dec, struct snag_span payload, uint32_t events,
			      uint32_t plain, struct snag_span *ret_names)
{
	struct snag_column column[SNAG_COLUMNS] = {0};
	uint64_t total = 0;
	int last = -1;
	if (events > SNAG_BLOCK_MAX_EVENTS || plain > SNAG_BLOCK_MAX_BYTES)
		return "block too large";
	while (payload.at < payload.end) {
		struct snag_column c;
		if (!snag_column_next(&payload, &c) || c.id >= SNAG_COLUMNS || c.id <= last)
			return "bad column header";
		last = c.id;
		total += c.plain;
		column[c.id] = c;
	}
	if (total != plain)
		return "columns of a wrong size";
	if (!load_tables(dec, column) || !load_events(dec, column, events))
		return "bad column";
	dec->n = events;
	dec->at = 0;
	*ret_names = (struct snag_span){dec->names.at, dec->names.at + dec->names.n};
	return NULL;
}

static bool read_threads(struct snag_decoder *dec, const struct snag_counts *counts)
{
	struct snag_span s = {dec->threads.at, dec->threads.at + dec->threads.n};
	uint32_t n, start = 0;
	if (!snag_span_varint(&s, &n) || n == 0 || n > dec->n || dec->max_switch > n)
		return false;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t events;
		if (!snag_span_varint(&s, &dec->thread_id[t]) || !snag_span_varint(&s, &events) ||
		    dec->thread_id[t] >= counts->n[SNAG_SPACE_THREAD] || events > dec->n - start)
			return false;
		dec->cursor[t] = start;
		start += events;
		dec->end[t] = start;
	}
	dec->nthreads = n;
	dec->t = 0;
	return start == dec->n && s.at == s.end;
}

static bool read_site(struct snag_decoder *dec, struct snag_span *s,
		      const struct snag_counts *counts, struct site *site)
{
	if (s->end - s->at < 4)
		return false;
	uint8_t op = s->at[0], flags = s->at[1], mode = s->at[3];
	memcpy(site->what, s->at, 3);
	site->what[3] = 0;
	s->at += 4;
	site->loc_mode = mode & 0xf;
	site->base = mode >> 4;
	if (op >= SNAG_OPS || flags & ~(SNAG_ORDER_MASK | SNAG_NESTED) ||
	    (flags & SNAG_ORDER_MASK) >= SNAG_ORDERS || site->loc_mode >= SNAG_LOC_MODES ||
	    site->base >= SNAG_BASE_MODES)
		return false;
	site->space = (uint8_t)snag_op_info[op].space;
	site->limit = site->space == SNAG_SPACE_NONE ? 1 : counts->n[site->space];
	site->loc_slot = snag_loc_slot_base(op);
	site->loc = 0;
	site->sign = 0;
	if (site->base != SNAG_BASE_ZERO && dec->target_planes > 0)
		site->sign = 1u << (8 * dec->target_planes - 1);
	return site->loc_mode != SNAG_LOC_FIXED || snag_span_varint(s, &site->loc);
}

static bool read_sites(struct snag_decoder *dec, const struct snag_counts *counts)
{
	struct snag_span s = {dec->sites.at, dec->sites.at + dec->sites.n};
	uint32_t n;
	if (!snag_span_varint(&s, &n) || n > dec->n || dec->max_site >= n)
		return false;
	dec->site = snag_grow(dec->site, &dec->site_cap, n, sizeof(*dec->site));
	dec->has_differences = dec->has_remembered = false;
	for (uint32_t i = 0; i < n; i++) {
		if (!read_site(dec, &s, counts, &dec->site[i]))
			return false;
		dec->has_differences |= dec->site[i].base != SNAG_BASE_ZERO;
		dec->has_remembered |= dec->site[i].loc_mode != SNAG_LOC_FIXED;
	}
	return s.at == s.end;
}

const char *snag_decoder_begin(struct snag_decoder *dec, const struct snag_counts *counts)
{
	if (dec->n == 0)
		return dec->threads.n || dec->sites.n ? "tables for no events" : NULL;
	if (!read_threads(dec, counts))
		return "bad table of threads";
	if (!read_sites(dec, counts))
		return "bad table of sites";
	dec->nlocs = counts->n[SNAG_SPACE_LOCATION];
	dec->spelled_at = 0;
	if (dec->has_differences) {
		memset(dec->last_site, 0, SNAG_SITE_SLOTS * sizeof(uint32_t));
		memset(dec->last_thread, 0, (size_t)dec->nthreads * NONE_SPACES * sizeof(uint32_t));
	}
	return NULL;
}

/* Delivers n events; false: an id is not below its limit. */
static inline __attribute__((always_inline)) bool deliver(struct snag_decoder *dec,
							  struct snag_event *ev, size_t n,
							  const bool differences,
							  const bool remembered)
{
	const uint16_t *switches = dec->switches + dec->at, *site_at = dec->site_at;
	const uint32_t *target_at = dec->target, *spelled = dec->spelled;
	const uint32_t *thread_id = dec->thread_id;
	const struct site *site = dec->site;
	uint32_t *cursor = dec->cursor, *memory = dec->remembered;
	uint32_t t = dec->t, spelled_at = dec->spelled_at, nlocs = dec->nlocs, bad = 0;

	for (size_t i = 0; i < n; i++) {
		t = switches[i] ? switches[i] - 1u : t;
		uint32_t place = cursor[t]++;
		uint32_t number = site_at[place], target = target_at[place];
		const struct site *s = &site[number];
		if (differences) {
			uint32_t *of_site = &dec->last_site[snag_site_slot(t, number)];
			uint32_t *of_thread = &dec->last_thread[t * NONE_SPACES + s->space];
			const uint32_t base = s->base == SNAG_BASE_SITE ? *of_site : *of_thread;
			target = (target ^ s->sign) - s->sign + (s->base ? base : 0);
			*of_site = *of_thread = target;
		}
		uint32_t *slot = &memory[snag_loc_slot(s->loc_slot, target)];
		uint32_t loc = s->loc;
		if (remembered) {
			uint32_t is_spelled = s->loc_mode == SNAG_LOC_SPELLED;
			loc = s->loc_mode == SNAG_LOC_REMEMBERED ? *slot : loc;
			loc = is_spelled ? spelled[spelled_at] : loc;
			spelled_at += is_spelled;
		}
		*slot = loc;
		bad |= (target >= s->limit) | (loc >= nlocs);
		ev[i].thread = thread_id[t];
		ev[i].target = target;
		ev[i].loc = loc;
		memcpy((char *)&ev[i] + offsetof(struct snag_event, op), s->what, sizeof(s->what));
	}
	dec->t = t;
	dec->spelled_at = spelled_at;
	return !bad;
}

static bool is_finished(const struct snag_decoder *dec)
{
	for (uint32_t t = 0; t < dec->nthreads; t++)
		if (dec->cursor[t] != dec->end[t])
			return false;
	return dec->spelled_at == dec->nspelled;
}

const char *snag_decoder_events(struct snag_decoder *dec, struct snag_event *ev, size_t n)
{
	bool ok;
	assert(n <= dec->n - dec->at);
	if (dec->has_differences)
		ok = dec->has_remembered ? deliver(dec, ev, n, true, true)
					 : deliver(dec, ev, n, true, false);
	else
		ok = dec->has_remembered ? deliver(dec, ev, n, false, true)
					 : deliver(dec, ev, n, false, false);
	dec->at += (uint32_t)n;
	if (!ok)
		return "an id without a name";
	if (dec->at == dec->n && !is_finished(dec))
		return "columns that contradict each other";
	return NULL;
}
