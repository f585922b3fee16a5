/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_flat.c - the flat layout of a .snag block: events in their order
 *
 * Idea.   For data that is used at few places by threads that alternate.  A site is
 *         (thread switch, operation, flags, size, location mode): of these there are
 *         few, and one column says all of it.  Targets are written as they are.
 *         The location is mostly one of the last two that this operation on this
 *         target had, in this block or before; where it is not, it is spelled out.
 * State.  memory   the last two locations of each (operation, target), see
 *                  snag_memory.h; lives from block to block
 * Rules.  [switch]  0: the thread of the event before (of the first: thread 0),
 *                   otherwise thread switch - 1
 *         [loc]     SNAG_LOC_LAST, SNAG_LOC_SECOND: from memory[op, target];
 *                   SNAG_LOC_SPELLED: the next of the LOC column
 *         [learn]   unless it was SNAG_LOC_LAST, the last one becomes the second of
 *                   memory[op, target], and the location the last
 */
#include "trace/snag/snag_layout.h"

#include "base/memory.h"
#include "trace/snag/snag_memory.h"
#include "trace/snag/snag_numbering.h"

#include <assert.h>
#include <string.h>

enum {
	ROOM = SNAG_COLUMN_ROOM,
	MODE_BIT = 56, /* of a site key */
	AHEAD = 16,    /* events, between a look into memory and its use */
};

struct snag_flat_encoder {
	struct snag_numbering sites;
	uint32_t *site, *target, *spelled;
};

struct snag_flat_encoder *snag_flat_encoder_new(void)
{
	struct snag_flat_encoder *enc = snag_calloc(1, sizeof(*enc));
	snag_numbering_init(&enc->sites);
	enc->site = snag_calloc(ROOM, sizeof(*enc->site));
	enc->target = snag_calloc(ROOM, sizeof(*enc->target));
	enc->spelled = snag_calloc(ROOM, sizeof(*enc->spelled));
	return enc;
}

void snag_flat_encoder_free(struct snag_flat_encoder *enc)
{
	if (!enc)
		return;
	snag_numbering_done(&enc->sites);
	free(enc->site);
	free(enc->target);
	free(enc->spelled);
	free(enc);
}

static void put_sites(const struct snag_numbering *sites, struct snag_column_writer *w)
{
	const uint8_t layout = SNAG_LAYOUT_FLAT;
	w->table.n = 0;
	snag_bytes_put(&w->table, &layout, 1);
	snag_bytes_put_varint(&w->table, sites->n);
	for (uint32_t i = 0; i < sites->n; i++) {
		snag_layout_site_put(&w->table, sites->key[i],
				     (uint8_t)(sites->key[i] >> MODE_BIT));
		snag_bytes_put_varint(&w->table, (uint32_t)sites->key[i]);
	}
	snag_column_put(w, SNAG_COLUMN_SITES, w->table.at, w->table.n);
}

void snag_flat_encode(struct snag_flat_encoder *enc, struct snag_column_writer *w, uint64_t *memory,
		      const struct snag_event *ev, size_t n)
{
	uint32_t nspelled = 0, max_target = 0, max_spelled = 0;
	snag_numbering_reset(&enc->sites);
	for (size_t i = 0; i < n; i++) {
		uint32_t target = ev[i].target, loc = ev[i].loc;
		uint64_t *slot = &memory[snag_memory_slot(snag_memory_base(ev[i].op), target)];
		bool stays = i > 0 && ev[i].thread == ev[i - 1].thread;
		enum snag_loc_mode mode = SNAG_LOC_LAST;
		if ((uint32_t)*slot != loc) {
			mode = *slot >> 32 == loc ? SNAG_LOC_SECOND : SNAG_LOC_SPELLED;
			*slot = *slot << 32 | loc;
		}
		if (mode == SNAG_LOC_SPELLED) {
			enc->spelled[nspelled++] = loc;
			max_spelled = loc > max_spelled ? loc : max_spelled;
		}
		uint64_t key = snag_site_key(&ev[i], stays ? 0 : ev[i].thread + 1) |
			       (uint64_t)mode << MODE_BIT;
		enc->site[i] = snag_number_of(&enc->sites, key);
		enc->target[i] = target;
		max_target = target > max_target ? target : max_target;
	}
	put_sites(&enc->sites, w);
	snag_column_put_planes(w, SNAG_COLUMN_SITE, enc->site, n,
			       snag_column_planes(enc->sites.n - 1));
	snag_column_put_planes(w, SNAG_COLUMN_TARGET, enc->target, n,
			       snag_column_planes(max_target));
	/* One plane at least says how many there are. */
	snag_column_put_planes(w, SNAG_COLUMN_LOC, enc->spelled, nspelled,
			       snag_column_planes(max_spelled | (nspelled > 0)));
}

/* Masks are 0 or all ones. */
struct site {
	uint8_t what[4]; /* see struct snag_layout_site */
	uint32_t limit;
	uint32_t slot;			/* of its operation and target 0 */
	uint32_t thread, stays;		/* one of them is 0; stays is a mask */
	uint32_t last, second, spelled; /* masks: where the location comes from */
};

_Static_assert(sizeof(struct site) == 32, "a site is found with a shift");

struct snag_flat_decoder {
	uint16_t *site_of; /* each event */
	uint32_t *target;
	uint32_t *spelled, nspelled, spelled_at;
	struct site *site;
	uint32_t nsites;
	uint32_t n, at;	 /* events, and how many were delivered */
	uint32_t thread; /* of the last event */
};

struct snag_flat_decoder *snag_flat_decoder_new(void)
{
	struct snag_flat_decoder *dec = snag_calloc(1, sizeof(*dec));
	dec->site_of = snag_calloc(ROOM, sizeof(*dec->site_of));
	dec->target = snag_calloc(ROOM + AHEAD, sizeof(*dec->target));
	dec->spelled = snag_calloc(ROOM, sizeof(*dec->spelled));
	dec->site = snag_calloc(ROOM, sizeof(*dec->site));
	return dec;
}

void snag_flat_decoder_free(struct snag_flat_decoder *dec)
{
	if (!dec)
		return;
	free(dec->site_of);
	free(dec->target);
	free(dec->spelled);
	free(dec->site);
	free(dec);
}

static bool read_site(struct snag_span *table, const struct snag_counts *counts, struct site *site)
{
	struct snag_layout_site head;
	uint32_t thread;
	if (!snag_layout_site_read(table, counts, &head) || head.mode >= SNAG_LOC_MODES ||
	    !snag_span_varint(table, &thread) || thread > counts->n[SNAG_SPACE_THREAD])
		return false;
	*site = (struct site){
		.limit = head.limit,
		.slot = snag_memory_base(head.what[0]),
		.thread = thread ? thread - 1 : 0,
		.stays = thread ? 0 : UINT32_MAX,
		.last = head.mode == SNAG_LOC_LAST ? UINT32_MAX : 0,
		.second = head.mode == SNAG_LOC_SECOND ? UINT32_MAX : 0,
		.spelled = head.mode == SNAG_LOC_SPELLED ? UINT32_MAX : 0,
	};
	memcpy(site->what, head.what, sizeof(site->what));
	return true;
}

static bool read_sites(struct snag_flat_decoder *dec, struct snag_span table,
		       const struct snag_counts *counts)
{
	uint32_t n;
	if (!snag_span_varint(&table, &n) || n > dec->n)
		return false;
	for (uint32_t i = n; i < dec->nsites; i++)
		dec->site[i].limit = 0; /* those of the last block */
	dec->nsites = n;
	for (uint32_t i = 0; i < n; i++)
		if (!read_site(&table, counts, &dec->site[i]))
			return false;
	return table.at == table.end;
}

static bool load_columns(struct snag_flat_decoder *dec, struct snag_column_reader *r, size_t n)
{
	unsigned planes;
	dec->nspelled = r->column[SNAG_COLUMN_LOC].plain;
	return !r->column[SNAG_COLUMN_THREADS].bytes && !r->column[SNAG_COLUMN_SWITCH].bytes &&
	       snag_column_load16(r, SNAG_COLUMN_SITE, dec->site_of, n) &&
	       snag_column_load32(r, SNAG_COLUMN_TARGET, dec->target, n, &planes) &&
	       dec->nspelled <= n &&
	       snag_column_load32(r, SNAG_COLUMN_LOC, dec->spelled, dec->nspelled, &planes);
}

const char *snag_flat_begin(struct snag_flat_decoder *dec, struct snag_column_reader *r,
			    struct snag_span sites, const struct snag_counts *counts, size_t n)
{
	if (!load_columns(dec, r, n))
		return "bad column";
	dec->n = (uint32_t)n;
	dec->at = dec->spelled_at = dec->thread = 0;
	if (!read_sites(dec, sites, counts))
		return "bad table of sites";
	/* The first event may be of thread 0, and memory starts with location 0. */
	uint32_t nlocs = counts->n[SNAG_SPACE_LOCATION];
	bool bad = nlocs == 0 || counts->n[SNAG_SPACE_THREAD] == 0;
	for (uint32_t i = 0; i < dec->nspelled; i++)
		bad |= dec->spelled[i] >= nlocs;
	return bad ? "an id without a name" : NULL;
}

const char *snag_flat_events(struct snag_flat_decoder *dec, uint64_t *memory, struct snag_event *ev,
			     size_t n)
{
	const uint16_t *site_of = dec->site_of + dec->at;
	const uint32_t *target_of = dec->target + dec->at;
	const uint32_t *spelled = dec->spelled + dec->spelled_at;
	const struct site *site = dec->site;
	uint32_t thread = dec->thread, bad = 0;

	assert(n <= dec->n - dec->at);
	for (size_t i = 0; i < n; i++) {
		/* The slot of a read: that of a write is its neighbour. */
		__builtin_prefetch(&memory[snag_memory_slot(0, target_of[i + AHEAD])], 1);
		const struct site *s = &site[site_of[i]];
		uint32_t target = target_of[i];
		thread = (thread & s->stays) | s->thread; /* [switch] */
		uint64_t *slot = &memory[snag_memory_slot(s->slot, target)], known = *slot;
		uint32_t loc = ((uint32_t)known & s->last) | (known >> 32 & s->second) |
			       (*spelled & s->spelled); /* [loc] */
		spelled += s->spelled & 1;
		*slot = known << (~s->last & 32) | loc; /* [learn] */
		bad |= target >= s->limit;
		ev[i].thread = thread;
		ev[i].target = target;
		ev[i].loc = loc;
		memcpy((char *)&ev[i] + offsetof(struct snag_event, op), s->what, sizeof(s->what));
	}
	dec->thread = thread;
	dec->spelled_at = (uint32_t)(spelled - dec->spelled);
	dec->at += (uint32_t)n;
	if (bad)
		return "an id without a name";
	if (dec->at == dec->n && dec->spelled_at != dec->nspelled)
		return "columns that contradict each other";
	return NULL;
}
