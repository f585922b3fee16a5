/* SPDX-License-Identifier: Apache-2.0
 *
 * log.c - the events seen so far
 */
#include "detect/log.h"

#include "base/memory.h"

#include <string.h>

void snag_log_init(struct snag_log *log)
{
	memset(log, 0, sizeof(*log));
}

void snag_log_done(struct snag_log *log)
{
	while (log->locks) {
		struct snag_log_locks *next = log->locks->next;
		free(log->locks->lock);
		free(log->locks);
		log->locks = next;
	}
	snag_huge_free(log->at, log->cap, sizeof(*log->at));
	snag_log_init(log);
}

void snag_log_add(struct snag_log *log, const struct snag_batch *batch)
{
	log->at = snag_huge_grow(log->at, &log->cap, log->n + batch->n, sizeof(*log->at));
	struct snag_log_entry *to = log->at + log->n;
	for (size_t i = 0; i < batch->n; i++) {
		const struct snag_event *ev = &batch->ev[i];
		uint32_t op = ev->flags & SNAG_NESTED ? SNAG_LOG_NESTED : ev->op;
		to[i] = (struct snag_log_entry){ev->target, ev->loc, ev->thread, op};
	}
	log->n += batch->n;
}

struct snag_site snag_log_site(const struct snag_log *log, uint32_t event)
{
	const struct snag_log_entry *e = &log->at[event];
	return (struct snag_site){.event = event,
				  .thread = e->thread,
				  .target = e->target,
				  .loc = e->loc,
				  .op = (uint8_t)e->op};
}

struct held {
	uint32_t *lock;
	size_t n, cap;
	struct snag_log_locks *list; /* handed out since the last change, or NULL */
};

static void held_apply(struct held *h, const struct snag_log_entry *e)
{
	h->list = NULL;
	if (e->op == SNAG_OP_ACQUIRE || e->op == SNAG_OP_ACQUIRE_SHARED) {
		h->lock = snag_grow(h->lock, &h->cap, h->n + 1, sizeof(*h->lock));
		h->lock[h->n++] = e->target;
		return;
	}
	for (size_t i = h->n; i-- > 0;)
		if (h->lock[i] == e->target) {
			memmove(h->lock + i, h->lock + i + 1, (--h->n - i) * sizeof(*h->lock));
			return;
		}
}

static void held_fill(struct snag_log *log, struct held *h, struct snag_site *site)
{
	site->nlocks = (uint32_t)h->n;
	if (h->n == 0)
		return;
	if (!h->list) {
		h->list = snag_alloc(sizeof(*h->list));
		h->list->lock = snag_alloc(h->n * sizeof(*h->lock));
		memcpy(h->list->lock, h->lock, h->n * sizeof(*h->lock));
		h->list->next = log->locks;
		log->locks = h->list;
	}
	site->locks = h->list->lock;
}

static int site_compare(const void *a, const void *b)
{
	uint32_t x = (*(struct snag_site *const *)a)->event,
		 y = (*(struct snag_site *const *)b)->event;
	return x < y ? -1 : x > y;
}

void snag_log_fill_locks(struct snag_log *log, struct snag_site **site, size_t n)
{
	struct held *held = NULL;
	size_t held_cap = 0, next = 0;
	if (n)
		qsort(site, n, sizeof(*site), site_compare);
	for (uint32_t event = 0; next < n; event++) {
		const struct snag_log_entry *e = &log->at[event];
		if (e->op == SNAG_OP_ACQUIRE || e->op == SNAG_OP_RELEASE ||
		    e->op == SNAG_OP_ACQUIRE_SHARED || e->op == SNAG_OP_RELEASE_SHARED) {
			held = snag_grow(held, &held_cap, (size_t)e->thread + 1, sizeof(*held));
			held_apply(&held[e->thread], e);
		}
		for (; next < n && site[next]->event == event; next++)
			if (e->thread < held_cap)
				held_fill(log, &held[e->thread], site[next]);
	}
	for (size_t i = 0; i < held_cap; i++)
		free(held[i].lock);
	free(held);
}
