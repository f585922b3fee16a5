/* SPDX-License-Identifier: Apache-2.0
 *
 * details.c - what reports say about single events
 */
#include "detect/partners/details.h"

#include "base/memory.h"

#include <string.h>

struct held {
	struct snag_held_lock *lock; /* outermost first; the first `gone` have been released, */
	size_t gone;		     /* then follow n */
	size_t n, cap;
	struct snag_lock_list *list; /* handed out since the last change, or NULL */
};

struct reading {
	struct snag_details *details;
	struct held *held; /* per thread */
	size_t nheld;
	struct snag_site **next, **end; /* sites to come, by event */
};

void snag_details_init(struct snag_details *d)
{
	d->lists = NULL;
}

void snag_details_done(struct snag_details *d)
{
	while (d->lists) {
		struct snag_lock_list *next = d->lists->next;
		free(d->lists);
		d->lists = next;
	}
}

static void held_acquire(struct held *h, struct snag_held_lock lock)
{
	if (h->n == 0)
		h->gone = 0;
	h->lock = snag_grow(h->lock, &h->cap, h->gone + h->n + 1, sizeof(*h->lock));
	h->lock[h->gone + h->n++] = lock;
	h->list = NULL;
}

/* Searches from both ends: locks are mostly released in the order of acquiring, or in reverse. */
static void held_release(struct held *h, uint32_t lock)
{
	struct snag_held_lock *at = h->lock + h->gone;
	size_t i = 0, last = h->n;
	while (i < last && at[i].lock != lock && at[last - 1].lock != lock) {
		i++;
		last--;
	}
	if (i >= last)
		return;
	h->n--;
	h->list = NULL;
	if (at[last - 1].lock == lock) {
		memmove(at + last - 1, at + last, (h->n + 1 - last) * sizeof(*at));
	} else {
		memmove(at + 1, at, i * sizeof(*at));
		h->gone++;
	}
}

static const struct snag_held_lock *held_list(struct snag_details *d, struct held *h)
{
	if (!h->list && h->n) {
		h->list = snag_alloc(sizeof(*h->list) + h->n * sizeof(*h->lock));
		memcpy(h->list->lock, h->lock + h->gone, h->n * sizeof(*h->lock));
		h->list->next = d->lists;
		d->lists = h->list;
	}
	return h->n ? h->list->lock : NULL;
}

static void site_fill(struct reading *r, struct snag_site *site, const struct snag_event *ev)
{
	struct held *h = &r->held[ev->thread];
	site->thread = ev->thread;
	site->target = ev->target;
	site->loc = ev->loc;
	site->op = ev->op;
	site->size = ev->size;
	site->locks = held_list(r->details, h);
	site->nlocks = (uint32_t)h->n;
}

static void reading_batch(struct reading *r, const struct snag_batch *batch)
{
	r->held =
		snag_grow(r->held, &r->nheld, batch->counts.n[SNAG_SPACE_THREAD], sizeof(*r->held));
	for (size_t i = 0; i < batch->n && r->next < r->end; i++) {
		const struct snag_event *ev = &batch->ev[i];
		for (; r->next < r->end && (*r->next)->event == batch->first + i; r->next++)
			site_fill(r, *r->next, ev);
		if (ev->flags & SNAG_NESTED)
			continue;
		if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
			held_acquire(&r->held[ev->thread],
				     (struct snag_held_lock){ev->target,
							     ev->op == SNAG_OP_ACQUIRE_SHARED});
		else if (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED)
			held_release(&r->held[ev->thread], ev->target);
	}
}

static int site_compare(const void *a, const void *b)
{
	uint32_t x = (*(struct snag_site *const *)a)->event,
		 y = (*(struct snag_site *const *)b)->event;
	return x < y ? -1 : x > y;
}

int snag_details_fill(struct snag_details *d, struct snag_site **site, size_t n,
		      struct snag_source *src, struct snag_error *err)
{
	if (n)
		qsort(site, n, sizeof(*site), site_compare);
	while (n && site[n - 1]->event == SNAG_NO_EVENT)
		n--;
	struct reading r = {.details = d, .next = site, .end = site + n};
	struct snag_batch batch;
	int rc = 1;
	while (r.next < r.end && (rc = snag_source_next(src, &batch, err)) > 0)
		reading_batch(&r, &batch);
	if (rc == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: changed while it was read", src->name);
	for (size_t i = 0; i < r.nheld; i++)
		free(r.held[i].lock);
	free(r.held);
	return rc < 0 ? rc : 0;
}
