/* SPDX-License-Identifier: Apache-2.0
 *
 * history.c - every access so far
 */
#include "detect/history.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX
#define IS_SYNC 0x80000000u /* in entry.link; event and place numbers have 31 bits */

enum {
	AHEAD = 8,	    /* how many events the look-up of chains runs ahead */
	MIN_SLOTS = 1 << 10 /* of a hash table */
};

struct entry {
	uint32_t prev;
	uint32_t link; /* access: the sync event, NO_SYNC: none; sync: IS_SYNC + place */
};

#define NO_SYNC (IS_SYNC - 1)

struct chain {
	uint32_t variable, thread;
	snag_loc loc;
	uint32_t last;	  /* event */
	uint32_t sibling; /* the next chain of the variable, or NONE */
	uint32_t row;	  /* its sorted array, or NONE */
	uint32_t is_write;
};

struct row {
	uint32_t *event;
	size_t n, cap;
};

struct place {
	struct snag_event ev; /* thread, op, target, loc */
	uint32_t depth;	      /* locks held after it */
};

/* Open addressing from a hash to a number + 1. */
struct index {
	uint32_t *slot;
	uint32_t nslots;
};

struct thread {
	uint32_t sync; /* last synchronisation, or NO_SYNC */
	uint32_t depth;
};

struct snag_history {
	struct entry *log;
	size_t nlog, log_cap;
	struct chain *chain;
	size_t nchains, chain_cap;
	struct index chains;
	uint32_t *first_chain; /* of each variable: number + 1, 0: none */
	size_t variable_cap;
	struct row *row;
	size_t nrows, row_cap;
	struct place *place;
	size_t nplaces, place_cap;
	struct index places;
	struct thread *thread;
	size_t thread_cap, nthreads;
	struct lock_list {
		uint32_t sync;
		uint32_t *lock;
	} * list; /* the lock lists handed out, one per synchronisation they follow */
	size_t nlists, list_cap;
	struct index lists;
};

static void index_init(struct index *index)
{
	index->nslots = MIN_SLOTS;
	index->slot = snag_calloc(MIN_SLOTS, sizeof(*index->slot));
}

struct snag_history *snag_history_new(void)
{
	struct snag_history *h = snag_calloc(1, sizeof(*h));
	index_init(&h->chains);
	index_init(&h->places);
	index_init(&h->lists);
	return h;
}

void snag_history_free(struct snag_history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nrows; i++)
		free(h->row[i].event);
	for (size_t i = 0; i < h->nlists; i++)
		free(h->list[i].lock);
	free(h->log);
	free(h->chain);
	free(h->chains.slot);
	free(h->first_chain);
	free(h->row);
	free(h->place);
	free(h->places.slot);
	free(h->thread);
	free(h->list);
	free(h->lists.slot);
	free(h);
}

static uint32_t hash4(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
	x ^= ((uint64_t)c << 32 | d) * 0xc2b2ae3d27d4eb4fu;
	x ^= x >> 29;
	return (uint32_t)((x * 0xff51afd7ed558ccdu) >> 32);
}

static uint32_t chain_hash(uint32_t variable, uint32_t thread, snag_loc loc, uint32_t is_write)
{
	return hash4(variable, thread * 2 + is_write, loc, 0);
}

static uint32_t place_hash(const struct place *p)
{
	return hash4(p->ev.thread, p->ev.target, p->ev.loc, p->depth * SNAG_OPS + p->ev.op);
}

static void index_insert(struct index *index, uint32_t hash, uint32_t number)
{
	uint32_t i = hash & (index->nslots - 1);
	while (index->slot[i])
		i = (i + 1) & (index->nslots - 1);
	index->slot[i] = number + 1;
}

static void index_resize(struct index *index)
{
	free(index->slot);
	index->nslots *= 2;
	index->slot = snag_calloc(index->nslots, sizeof(*index->slot));
}

static void chains_grow(struct snag_history *h)
{
	index_resize(&h->chains);
	for (uint32_t i = 0; i < h->nchains; i++) {
		const struct chain *c = &h->chain[i];
		index_insert(&h->chains, chain_hash(c->variable, c->thread, c->loc, c->is_write),
			     i);
	}
}

static void places_grow(struct snag_history *h)
{
	index_resize(&h->places);
	for (uint32_t i = 0; i < h->nplaces; i++)
		index_insert(&h->places, place_hash(&h->place[i]), i);
}

static struct chain *chain_new(struct snag_history *h, const struct snag_event *ev, uint32_t hash)
{
	if (h->nchains * 2 >= h->chains.nslots)
		chains_grow(h);
	h->chain = snag_grow(h->chain, &h->chain_cap, h->nchains + 1, sizeof(*h->chain));
	uint32_t number = (uint32_t)h->nchains++;
	index_insert(&h->chains, hash, number);
	uint32_t *first = &h->first_chain[ev->target];
	h->chain[number] = (struct chain){
		.variable = ev->target,
		.thread = ev->thread,
		.loc = ev->loc,
		.is_write = ev->op == SNAG_OP_WRITE,
		.last = NONE,
		.sibling = *first - 1,
		.row = NONE,
	};
	*first = number + 1;
	return &h->chain[number];
}

static inline struct chain *chain_of(struct snag_history *h, const struct snag_event *ev,
				     uint32_t hash)
{
	uint32_t mask = h->chains.nslots - 1, is_write = ev->op == SNAG_OP_WRITE;
	for (uint32_t i = hash & mask; h->chains.slot[i]; i = (i + 1) & mask) {
		struct chain *c = &h->chain[h->chains.slot[i] - 1];
		if (c->variable == ev->target && c->thread == ev->thread && c->loc == ev->loc &&
		    c->is_write == is_write)
			return c;
	}
	return chain_new(h, ev, hash);
}

static uint32_t place_of(struct snag_history *h, const struct snag_event *ev, uint32_t depth)
{
	struct place p = {
		{.thread = ev->thread, .target = ev->target, .loc = ev->loc, .op = ev->op}, depth};
	uint32_t hash = place_hash(&p), mask = h->places.nslots - 1, slot;
	for (uint32_t i = hash & mask; (slot = h->places.slot[i]) != 0; i = (i + 1) & mask) {
		const struct place *q = &h->place[slot - 1];
		if (q->ev.thread == ev->thread && q->ev.target == ev->target &&
		    q->ev.loc == ev->loc && q->ev.op == ev->op && q->depth == depth)
			return slot - 1;
	}
	if (h->nplaces * 2 >= h->places.nslots)
		places_grow(h);
	h->place = snag_grow(h->place, &h->place_cap, h->nplaces + 1, sizeof(*h->place));
	h->place[h->nplaces] = p;
	index_insert(&h->places, hash, (uint32_t)h->nplaces);
	return (uint32_t)h->nplaces++;
}

static void log_reserve(struct snag_history *h, size_t n)
{
	if (n <= h->log_cap)
		return;
	/* Not snag_grow: pages that were never written should not become resident. */
	h->log_cap = h->log_cap * 2 > n ? h->log_cap * 2 : n;
	h->log = snag_realloc(h->log, h->log_cap, sizeof(*h->log));
}

static void reserve(struct snag_history *h, const struct snag_batch *batch)
{
	size_t nthreads = batch->counts.n[SNAG_SPACE_THREAD];
	log_reserve(h, batch->first + batch->n);
	h->first_chain = snag_grow(h->first_chain, &h->variable_cap,
				   batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*h->first_chain));
	h->thread = snag_grow(h->thread, &h->thread_cap, nthreads, sizeof(*h->thread));
	for (; h->nthreads < nthreads; h->nthreads++)
		h->thread[h->nthreads].sync = NO_SYNC;
}

static void sync_add(struct snag_history *h, const struct snag_event *ev, uint32_t event)
{
	struct thread *t = &h->thread[ev->thread];
	if (ev->flags & SNAG_NESTED)
		return;
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
		t->depth++;
	else if ((ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED) && t->depth > 0)
		t->depth--;
	h->log[event] = (struct entry){t->sync, IS_SYNC + place_of(h, ev, t->depth)};
	t->sync = event;
}

void snag_history_add(struct snag_history *h, const struct snag_batch *batch)
{
	uint32_t hash[SNAG_BATCH_EVENTS];
	assert(batch->n <= SNAG_BATCH_EVENTS && batch->first == h->nlog);
	reserve(h, batch);
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		hash[i] = chain_hash(ev->target, ev->thread, ev->loc, ev->op == SNAG_OP_WRITE);
	}
	uint32_t event = (uint32_t)batch->first;
	for (size_t i = 0; i < batch->n; i++, event++) {
		const struct snag_event *ev = &batch->ev[i];
		if (i + AHEAD * 2 < batch->n)
			__builtin_prefetch(
				&h->chains.slot[hash[i + AHEAD * 2] & (h->chains.nslots - 1)]);
		if (i + AHEAD < batch->n) {
			uint32_t number = h->chains.slot[hash[i + AHEAD] & (h->chains.nslots - 1)];
			if (number)
				__builtin_prefetch(&h->chain[number - 1]);
		}
		if (snag_op_is_access(ev->op)) {
			struct chain *c = chain_of(h, ev, hash[i]);
			h->log[event] = (struct entry){c->last, h->thread[ev->thread].sync};
			c->last = event;
		} else if (ev->op != SNAG_OP_BRANCH && ev->op != SNAG_OP_BEGIN &&
			   ev->op != SNAG_OP_END) {
			sync_add(h, ev, event);
		}
	}
	h->nlog = batch->first + batch->n;
}

/* Brings the sorted array of a chain up to date. */
static const struct row *chain_row(struct snag_history *h, struct chain *c)
{
	if (c->row == NONE) {
		h->row = snag_grow(h->row, &h->row_cap, h->nrows + 1, sizeof(*h->row));
		c->row = (uint32_t)h->nrows++;
	}
	struct row *r = &h->row[c->row];
	uint32_t have = r->n ? r->event[r->n - 1] : NONE;
	size_t more = 0;
	for (uint32_t e = c->last; e != have; e = h->log[e].prev)
		more++;
	r->event = snag_grow(r->event, &r->cap, r->n + more, sizeof(*r->event));
	r->n += more;
	size_t i = r->n;
	for (uint32_t e = c->last; e != have; e = h->log[e].prev)
		r->event[--i] = e;
	return r;
}

/* How many of the chain's events have a number below `limit`. */
static size_t row_below(const struct row *r, uint32_t limit)
{
	size_t low = 0, high = r->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->event[mid] < limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void snag_history_partners(struct snag_history *h, const struct snag_event *ev, uint32_t event,
			   const struct snag_vclock *before,
			   void (*found)(void *ctx, const struct snag_partners *partners),
			   void *ctx)
{
	bool is_write = ev->op == SNAG_OP_WRITE;
	for (uint32_t i = h->first_chain[ev->target] - 1; i != NONE; i = h->chain[i].sibling) {
		struct chain *c = &h->chain[i];
		uint32_t from = snag_vclock_get(before, c->thread);
		if (c->thread == ev->thread || !(c->is_write || is_write) || c->last < from)
			continue;
		const struct row *r = chain_row(h, c);
		size_t low = row_below(r, from), high = row_below(r, event);
		if (low >= high)
			continue;
		struct snag_partners p = {.event = r->event + low,
					  .n = high - low,
					  .thread = c->thread,
					  .loc = c->loc,
					  .op = c->is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
		found(ctx, &p);
	}
}

static const struct place *place_at(const struct snag_history *h, uint32_t sync)
{
	return &h->place[h->log[sync].link - IS_SYNC];
}

/* The `n` locks held after synchronisation `sync`, outermost first: walking back, an
 * acquire that no later release has cancelled is one of them, until all are found. */
static uint32_t *locks_after(const struct snag_history *h, uint32_t sync, uint32_t n)
{
	uint32_t *lock = snag_alloc(n * sizeof(*lock)), *released = NULL;
	size_t nreleased = 0, released_cap = 0;
	for (uint32_t e = sync; n > 0; e = h->log[e].prev) {
		const struct snag_event *ev = &place_at(h, e)->ev;
		if (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED) {
			released = snag_grow(released, &released_cap, nreleased + 1,
					     sizeof(*released));
			released[nreleased++] = ev->target;
		} else if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED) {
			size_t i = nreleased;
			while (i > 0 && released[i - 1] != ev->target)
				i--;
			if (i > 0)
				released[i - 1] = released[--nreleased];
			else
				lock[--n] = ev->target;
		}
	}
	free(released);
	return lock;
}

static const uint32_t *lock_list(struct snag_history *h, uint32_t sync, uint32_t n)
{
	uint32_t hash = hash4(sync, 0, 0, 0), slot;
	for (uint32_t i = hash & (h->lists.nslots - 1); (slot = h->lists.slot[i]) != 0;
	     i = (i + 1) & (h->lists.nslots - 1))
		if (h->list[slot - 1].sync == sync)
			return h->list[slot - 1].lock;
	if (h->nlists * 2 >= h->lists.nslots) {
		index_resize(&h->lists);
		for (uint32_t i = 0; i < h->nlists; i++)
			index_insert(&h->lists, hash4(h->list[i].sync, 0, 0, 0), i);
	}
	h->list = snag_grow(h->list, &h->list_cap, h->nlists + 1, sizeof(*h->list));
	h->list[h->nlists] = (struct lock_list){sync, locks_after(h, sync, n)};
	index_insert(&h->lists, hash, (uint32_t)h->nlists);
	return h->list[h->nlists++].lock;
}

void snag_history_locks_at(struct snag_history *h, struct snag_site *site)
{
	uint32_t sync = h->log[site->event].link;
	site->nlocks = sync == NO_SYNC ? 0 : place_at(h, sync)->depth;
	site->locks = site->nlocks ? lock_list(h, sync, site->nlocks) : NULL;
}

struct snag_site snag_history_last_known(struct snag_history *h, snag_tid thread, uint32_t until)
{
	struct snag_site site = {
		.event = SNAG_NO_EVENT, .thread = thread, .target = SNAG_NO_ID, .loc = SNAG_NO_ID};
	if (until == 0)
		return site;
	site.event = until - 1;
	site.op = SNAG_OP_WRITE;
	if (h->log[site.event].link & IS_SYNC) {
		const struct snag_event *ev = &place_at(h, site.event)->ev;
		site.op = ev->op;
		site.target = ev->target;
		site.loc = ev->loc;
	}
	return site;
}
