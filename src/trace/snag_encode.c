/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_encode.c - a block of events to its columns; see snag_codec.h
 *
 * State.  switches[i]  event i: 0, or 1 + number in this block of another thread
 *         thread[i]    event i: number of its thread in this block
 *         place[i]     event i: its place among all, ordered by thread
 *         target[p]    the target of the event at place p
 *         remembered   table of the last location of each (operation, target)
 *         plan[]       the two ways to give locations, see enum plan_kind
 */
#include "trace/snag_codec.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
	SLOTS_LOG = 17,	  /* twice the events of a block */
	LEARN_BLOCKS = 8, /* both plans are tried for this many blocks, */
	RETRY_BLOCKS = 8, /* and then for one in this many */
	NONE_SPACES = SNAG_SPACES + 1,
};

/* Numbers 64-bit keys from 0 in order of appearance, afresh for each block. */
struct numbering {
	struct numbering_slot {
		uint64_t key;
		uint32_t stamp, number;
	} * slot;
	uint32_t stamp; /* slots with another one are empty */
	uint32_t n;
	uint64_t *key; /* of each number */
};

enum plan_kind {
	PLAN_FIXED,	 /* a site is code: operation and location */
	PLAN_REMEMBERED, /* a site is an operation, the target tells the location */
	PLANS
};

struct plan {
	struct numbering sites;
	uint32_t *site;		   /* at each place */
	uint8_t *base;		   /* of each site: enum snag_base_mode */
	struct snag_bytes columns; /* those that depend on the plan */
};

struct snag_encoder {
	ZSTD_CCtx *zstd;
	uint64_t blocks; /* done */
	enum plan_kind winner;
	struct numbering threads;
	uint32_t *switches, *thread, *place, *target, *cursor;
	uint32_t *spelled, nspelled; /* locations that PLAN_REMEMBERED has to spell out */
	uint32_t *remembered;
	uint32_t *difference; /* target column of the plan being written */
	uint32_t *last_site, *last_thread;
	uint32_t (*cost)[SNAG_BASE_MODES]; /* bits, by site and base */
	uint8_t *plane;
	struct snag_bytes table; /* of threads or sites, being written */
	struct plan plan[PLANS];
	struct snag_bytes payload;
};

static void numbering_init(struct numbering *nu)
{
	nu->slot = snag_calloc((size_t)1 << SLOTS_LOG, sizeof(*nu->slot));
	nu->key = snag_calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(*nu->key));
}

static void numbering_reset(struct numbering *nu)
{
	nu->n = 0;
	if (++nu->stamp == 0) { /* wrapped: old stamps would come back to life */
		memset(nu->slot, 0, sizeof(*nu->slot) << SLOTS_LOG);
		nu->stamp = 1;
	}
}

static void numbering_done(struct numbering *nu)
{
	free(nu->slot);
	free(nu->key);
}

static inline uint32_t number_of(struct numbering *nu, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - SLOTS_LOG));
	for (;; i = (i + 1) & ((1u << SLOTS_LOG) - 1)) {
		struct numbering_slot *slot = &nu->slot[i];
		if (slot->stamp != nu->stamp) {
			*slot = (struct numbering_slot){key, nu->stamp, nu->n};
			nu->key[nu->n] = key;
			return nu->n++;
		}
		if (slot->key == key)
			return slot->number;
	}
}

/* A site as a key: 56 mode | 48 size | 40 flags | 32 op | 0 location */
static inline uint64_t site_key(const struct snag_event *ev, enum snag_loc_mode mode, uint32_t loc)
{
	return (uint64_t)mode << 56 | (uint64_t)ev->size << 48 | (uint64_t)ev->flags << 40 |
	       (uint64_t)ev->op << 32 | loc;
}

static uint8_t key_op(uint64_t key)
{
	return (uint8_t)(key >> 32);
}

struct snag_encoder *snag_encoder_new(void)
{
	struct snag_encoder *enc = snag_calloc(1, sizeof(*enc));
	uint32_t **const column[] = {&enc->switches, &enc->thread,  &enc->place,     &enc->target,
				     &enc->cursor,   &enc->spelled, &enc->difference};
	enc->zstd = snag_column_compressor();
	numbering_init(&enc->threads);
	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
		*column[i] = snag_calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(uint32_t));
	enc->remembered = snag_calloc(SNAG_LOC_SLOTS, sizeof(uint32_t));
	enc->last_site = snag_calloc(SNAG_SITE_SLOTS, sizeof(uint32_t));
	enc->last_thread =
		snag_calloc((size_t)SNAG_BLOCK_MAX_EVENTS * NONE_SPACES, sizeof(uint32_t));
	enc->cost = snag_calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(*enc->cost));
	enc->plane = snag_calloc(SNAG_BLOCK_MAX_EVENTS, 1);
	for (int k = 0; k < PLANS; k++) {
		numbering_init(&enc->plan[k].sites);
		enc->plan[k].site = snag_calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(uint32_t));
		enc->plan[k].base = snag_calloc(SNAG_BLOCK_MAX_EVENTS, 1);
	}
	return enc;
}

void snag_encoder_free(struct snag_encoder *enc)
{
	if (!enc)
		return;
	ZSTD_freeCCtx(enc->zstd);
	numbering_done(&enc->threads);
	free(enc->switches);
	free(enc->thread);
	free(enc->place);
	free(enc->target);
	free(enc->cursor);
	free(enc->spelled);
	free(enc->difference);
	free(enc->remembered);
	free(enc->last_site);
	free(enc->last_thread);
	free(enc->cost);
	free(enc->plane);
	snag_bytes_done(&enc->table);
	snag_bytes_done(&enc->payload);
	for (int k = 0; k < PLANS; k++) {
		numbering_done(&enc->plan[k].sites);
		free(enc->plan[k].site);
		free(enc->plan[k].base);
		snag_bytes_done(&enc->plan[k].columns);
	}
	free(enc);
}

/* Fills switches, thread, place and target, and the THREADS table. */
static void order_by_thread(struct snag_encoder *enc, const struct snag_event *ev, size_t n)
{
	struct numbering *threads = &enc->threads;
	uint32_t t = 0;
	numbering_reset(threads);
	memset(enc->cursor, 0, n * sizeof(enc->cursor[0]));
	for (size_t i = 0; i < n; i++) {
		bool same = i > 0 && ev[i].thread == ev[i - 1].thread;
		if (!same)
			t = number_of(threads, ev[i].thread);
		enc->switches[i] = same ? 0 : t + 1;
		enc->thread[i] = t;
		enc->cursor[t]++;
	}

	enc->table.n = 0;
	snag_bytes_put_varint(&enc->table, threads->n);
	uint32_t start = 0;
	for (t = 0; t < threads->n; t++) {
		uint32_t count = enc->cursor[t];
		snag_bytes_put_varint(&enc->table, (uint32_t)threads->key[t]);
		snag_bytes_put_varint(&enc->table, count);
		enc->cursor[t] = start;
		start += count;
	}
	for (size_t i = 0; i < n; i++) {
		enc->place[i] = enc->cursor[enc->thread[i]]++;
		enc->target[enc->place[i]] = ev[i].target;
	}
}

static void number_fixed_sites(struct snag_encoder *enc, const struct snag_event *ev, size_t n)
{
	struct plan *plan = &enc->plan[PLAN_FIXED];
	numbering_reset(&plan->sites);
	for (size_t i = 0; i < n; i++)
		plan->site[enc->place[i]] =
			number_of(&plan->sites, site_key(&ev[i], SNAG_LOC_FIXED, ev[i].loc));
}

/* Also moves the memory of locations on, whichever plan the block will use. */
static void number_remembered_sites(struct snag_encoder *enc, const struct snag_event *ev, size_t n)
{
	struct plan *plan = &enc->plan[PLAN_REMEMBERED];
	numbering_reset(&plan->sites);
	enc->nspelled = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t slot = snag_loc_slot(snag_loc_slot_base(ev[i].op), ev[i].target);
		enum snag_loc_mode mode = SNAG_LOC_REMEMBERED;
		if (enc->remembered[slot] != ev[i].loc) {
			mode = SNAG_LOC_SPELLED;
			enc->spelled[enc->nspelled++] = ev[i].loc;
			enc->remembered[slot] = ev[i].loc;
		}
		plan->site[enc->place[i]] = number_of(&plan->sites, site_key(&ev[i], mode, 0));
	}
}

static void forget_targets(struct snag_encoder *enc)
{
	memset(enc->last_site, 0, SNAG_SITE_SLOTS * sizeof(uint32_t));
	memset(enc->last_thread, 0, (size_t)enc->threads.n * NONE_SPACES * sizeof(uint32_t));
}

/* The bases of event i under a plan; the caller puts the target into both. */
static inline uint32_t *site_last(struct snag_encoder *enc, uint32_t t, uint32_t site)
{
	return &enc->last_site[snag_site_slot(t, site)];
}

static inline uint32_t *thread_last(struct snag_encoder *enc, uint32_t t, uint8_t op)
{
	return &enc->last_thread[(size_t)t * NONE_SPACES + snag_op_info[op].space];
}

static inline uint32_t bit_length(uint32_t v)
{
	return v ? 32 - (uint32_t)__builtin_clz(v) : 0;
}

static inline uint32_t signed_bit_length(uint32_t difference)
{
	return bit_length(difference << 1 ^ (uint32_t)((int32_t)difference >> 31));
}

/* For each site, the base that leaves the fewest bits. */
static void choose_bases(struct snag_encoder *enc, struct plan *plan, size_t n)
{
	memset(enc->cost, 0, plan->sites.n * sizeof(enc->cost[0]));
	forget_targets(enc);
	for (size_t i = 0; i < n; i++) {
		uint32_t site = plan->site[enc->place[i]], target = enc->target[enc->place[i]];
		uint32_t *of_site = site_last(enc, enc->thread[i], site);
		uint32_t *of_thread =
			thread_last(enc, enc->thread[i], key_op(plan->sites.key[site]));
		enc->cost[site][SNAG_BASE_ZERO] += bit_length(target);
		enc->cost[site][SNAG_BASE_SITE] += signed_bit_length(target - *of_site);
		enc->cost[site][SNAG_BASE_THREAD] += signed_bit_length(target - *of_thread);
		*of_site = *of_thread = target;
	}
	for (uint32_t s = 0; s < plan->sites.n; s++) {
		const uint32_t *cost = enc->cost[s];
		uint8_t best = SNAG_BASE_ZERO;
		for (uint8_t base = SNAG_BASE_SITE; base < SNAG_BASE_MODES; base++)
			if (cost[base] < cost[best])
				best = base;
		/* Whole targets decode faster: differences must be worth it. */
		if (cost[best] > cost[SNAG_BASE_ZERO] - cost[SNAG_BASE_ZERO] / 8)
			best = SNAG_BASE_ZERO;
		plan->base[s] = best;
	}
}

/* Fills enc->difference; returns how many byte planes hold it. */
static unsigned take_differences(struct snag_encoder *enc, const struct plan *plan, size_t n)
{
	uint32_t bits = 0;
	forget_targets(enc);
	for (size_t i = 0; i < n; i++) {
		uint32_t p = enc->place[i], site = plan->site[p], target = enc->target[p];
		uint32_t *of_site = site_last(enc, enc->thread[i], site);
		uint32_t *of_thread =
			thread_last(enc, enc->thread[i], key_op(plan->sites.key[site]));
		const uint32_t base[] = {0, *of_site, *of_thread};
		uint32_t difference = target - base[plan->base[site]];
		uint32_t length = plan->base[site] == SNAG_BASE_ZERO
					  ? bit_length(difference)
					  : signed_bit_length(difference);
		bits = length > bits ? length : bits;
		enc->difference[p] = difference;
		*of_site = *of_thread = target;
	}
	return (bits + 7) / 8;
}

static void put_planes(struct snag_encoder *enc, struct snag_bytes *to, enum snag_column_id id,
		       const uint32_t *v, size_t n, unsigned planes)
{
	for (unsigned k = 0; k < planes; k++) {
		for (size_t i = 0; i < n; i++)
			enc->plane[i] = (uint8_t)(v[i] >> 8 * k);
		snag_column_put(to, enc->zstd, id + k, enc->plane, n);
	}
}

static unsigned planes_for(uint32_t max)
{
	return (bit_length(max) + 7) / 8;
}

static uint32_t max_of(const uint32_t *v, size_t n)
{
	uint32_t max = 0;
	for (size_t i = 0; i < n; i++)
		max = v[i] > max ? v[i] : max;
	return max;
}

static void put_sites(struct snag_encoder *enc, struct plan *plan)
{
	enc->table.n = 0;
	snag_bytes_put_varint(&enc->table, plan->sites.n);
	for (uint32_t s = 0; s < plan->sites.n; s++) {
		uint64_t key = plan->sites.key[s];
		uint8_t mode = (uint8_t)(key >> 56);
		const uint8_t fixed[] = {key_op(key), (uint8_t)(key >> 40), (uint8_t)(key >> 48),
					 (uint8_t)(mode | plan->base[s] << 4)};
		snag_bytes_put(&enc->table, fixed, sizeof(fixed));
		if (mode == SNAG_LOC_FIXED)
			snag_bytes_put_varint(&enc->table, (uint32_t)key);
	}
	snag_column_put(&plan->columns, enc->zstd, SNAG_COLUMN_SITES, enc->table.at, enc->table.n);
}

static void write_plan(struct snag_encoder *enc, enum plan_kind kind, size_t n)
{
	struct plan *plan = &enc->plan[kind];
	plan->columns.n = 0;
	choose_bases(enc, plan, n);
	unsigned target_planes = take_differences(enc, plan, n);
	unsigned site_planes = planes_for(plan->sites.n - 1);
	put_sites(enc, plan);
	put_planes(enc, &plan->columns, SNAG_COLUMN_SITE, plan->site, n, site_planes);
	put_planes(enc, &plan->columns, SNAG_COLUMN_TARGET, enc->difference, n, target_planes);
	if (kind == PLAN_REMEMBERED)
		put_planes(enc, &plan->columns, SNAG_COLUMN_LOC, enc->spelled, enc->nspelled,
			   planes_for(max_of(enc->spelled, enc->nspelled)));
}

/* Writes the columns of the plan that makes them smaller. */
static void write_events(struct snag_encoder *enc, const struct snag_event *ev, size_t n)
{
	bool try_both = enc->blocks < LEARN_BLOCKS || enc->blocks % RETRY_BLOCKS == 0;
	enc->blocks++;
	order_by_thread(enc, ev, n);
	snag_column_put(&enc->payload, enc->zstd, SNAG_COLUMN_THREADS, enc->table.at, enc->table.n);
	put_planes(enc, &enc->payload, SNAG_COLUMN_THREAD, enc->switches, n,
		   enc->threads.n > 1 ? planes_for(enc->threads.n) : 0);

	number_remembered_sites(enc, ev, n);
	if (try_both || enc->winner == PLAN_REMEMBERED)
		write_plan(enc, PLAN_REMEMBERED, n);
	if (try_both || enc->winner == PLAN_FIXED) {
		number_fixed_sites(enc, ev, n);
		write_plan(enc, PLAN_FIXED, n);
	}
	if (try_both)
		enc->winner = enc->plan[PLAN_REMEMBERED].columns.n < enc->plan[PLAN_FIXED].columns.n
				      ? PLAN_REMEMBERED
				      : PLAN_FIXED;
	const struct snag_bytes *columns = &enc->plan[enc->winner].columns;
	snag_bytes_put(&enc->payload, columns->at, columns->n);
}

const struct snag_bytes *snag_encoder_block(struct snag_encoder *enc, const struct snag_event *ev,
					    size_t n, const struct snag_bytes *names,
					    uint32_t *ret_plain)
{
	assert(n <= SNAG_BLOCK_MAX_EVENTS);
	enc->payload.n = 0;
	if (names->n)
		snag_column_put(&enc->payload, enc->zstd, SNAG_COLUMN_NAMES, names->at, names->n);
	if (n)
		write_events(enc, ev, n);

	struct snag_span columns = {enc->payload.at, enc->payload.at + enc->payload.n};
	struct snag_column column;
	*ret_plain = 0;
	while (columns.at < columns.end && snag_column_next(&columns, &column))
		*ret_plain += column.plain;
	return &enc->payload;
}
