/* SPDX-License-Identifier: Apache-2.0
 *
 * lock_rules.c - the rules of locks, of threads or tasks
 */
#include "trace/lock_rules.h"

#include "base/memory.h"

void snag_lock_rules_done(struct snag_lock_rules *r)
{
	free(r->lock);
	free(r->share);
}

void snag_lock_rules_reserve(struct snag_lock_rules *r, const struct snag_counts *counts)
{
	r->lock = snag_grow(r->lock, &r->lock_cap, counts->n[SNAG_SPACE_LOCK], sizeof(*r->lock));
}

static bool fault(struct snag_lock_fault *f, const char *what, const char *why)
{
	*f = (struct snag_lock_fault){.what = what, .why = why};
	return false;
}

static bool fault_held(struct snag_lock_fault *f, const char *what, snag_tid holder, bool is_shared,
		       uint64_t since)
{
	*f = (struct snag_lock_fault){
		.what = what, .holder = holder, .is_shared = is_shared, .since = since};
	return false;
}

/* The link (lock.shares or share.next) to the thread's share of the lock, or NULL. */
static uint32_t *share_find(struct snag_lock_rules *r, struct snag_ruled_lock *lock, snag_tid t)
{
	for (uint32_t *link = &lock->shares; *link; link = &r->share[*link - 1].next)
		if (r->share[*link - 1].thread == t)
			return link;
	return NULL;
}

static void share_add(struct snag_lock_rules *r, struct snag_ruled_lock *lock, snag_tid t,
		      uint64_t since)
{
	uint32_t link = r->free_shares;
	if (link) {
		r->free_shares = r->share[link - 1].next;
	} else {
		r->share = snag_grow(r->share, &r->share_cap, r->nshares + 1, sizeof(*r->share));
		link = (uint32_t)++r->nshares;
	}
	r->share[link - 1] = (struct snag_ruled_share){
		.thread = t, .depth = 1, .next = lock->shares, .since = since};
	lock->shares = link;
}

static void share_remove(struct snag_lock_rules *r, uint32_t *link)
{
	uint32_t gone = *link;
	*link = r->share[gone - 1].next;
	r->share[gone - 1].next = r->free_shares;
	r->free_shares = gone;
}

static bool check_acquire(struct snag_lock_rules *r, struct snag_event *ev, uint64_t place,
			  struct snag_lock_fault *f) /* [acquire], [nested] */
{
	struct snag_ruled_lock *lock = &r->lock[ev->target];
	if (lock->depth && lock->holder != ev->thread)
		return fault_held(f, "acquire", lock->holder, false, lock->since);
	if (lock->shares) {
		uint32_t *own = share_find(r, lock, ev->thread);
		const struct snag_ruled_share *share = &r->share[(own ? *own : lock->shares) - 1];
		return fault_held(f, "acquire", share->thread, true, share->since);
	}
	if (lock->depth++) {
		ev->flags |= SNAG_NESTED;
		return true;
	}
	lock->holder = ev->thread;
	lock->since = place;
	return true;
}

static bool check_release(struct snag_lock_rules *r, struct snag_event *ev,
			  struct snag_lock_fault *f) /* [release], [nested] */
{
	struct snag_ruled_lock *lock = &r->lock[ev->target];
	if (!lock->depth || lock->holder != ev->thread)
		return fault(f, "release",
			     share_find(r, lock, ev->thread) ? "holds it shared"
							     : "does not hold it");
	if (lock->depth == 1 && lock->shared_depth)
		return fault(f, "release", "still holds it shared inside");
	if (--lock->depth)
		ev->flags |= SNAG_NESTED;
	return true;
}

static bool check_acquire_shared(struct snag_lock_rules *r, struct snag_event *ev, uint64_t place,
				 struct snag_lock_fault *f) /* [shared], [nested] */
{
	struct snag_ruled_lock *lock = &r->lock[ev->target];
	if (lock->depth && lock->holder != ev->thread)
		return fault_held(f, "shared acquire", lock->holder, false, lock->since);
	if (lock->depth) {
		lock->shared_depth++;
		ev->flags |= SNAG_NESTED;
		return true;
	}
	uint32_t *own = share_find(r, lock, ev->thread);
	if (own) {
		r->share[*own - 1].depth++;
		ev->flags |= SNAG_NESTED;
	} else {
		share_add(r, lock, ev->thread, place);
	}
	return true;
}

static bool check_release_shared(struct snag_lock_rules *r, struct snag_event *ev,
				 struct snag_lock_fault *f) /* [release], [nested] */
{
	struct snag_ruled_lock *lock = &r->lock[ev->target];
	if (lock->depth && lock->holder == ev->thread) {
		if (!lock->shared_depth)
			return fault(f, "shared release", "holds it alone");
		lock->shared_depth--;
		ev->flags |= SNAG_NESTED;
		return true;
	}
	uint32_t *own = share_find(r, lock, ev->thread);
	if (!own)
		return fault(f, "shared release", "does not hold it");
	if (--r->share[*own - 1].depth)
		ev->flags |= SNAG_NESTED;
	else
		share_remove(r, own);
	return true;
}

bool snag_lock_rules_check(struct snag_lock_rules *r, struct snag_event *ev, uint64_t place,
			   struct snag_lock_fault *ret_fault)
{
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
		return check_acquire(r, ev, place, ret_fault);
	case SNAG_OP_RELEASE:
		return check_release(r, ev, ret_fault);
	case SNAG_OP_ACQUIRE_SHARED:
		return check_acquire_shared(r, ev, place, ret_fault);
	case SNAG_OP_RELEASE_SHARED:
		return check_release_shared(r, ev, ret_fault);
	default:
		return true;
	}
}
