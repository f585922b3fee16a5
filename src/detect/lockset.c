/* SPDX-License-Identifier: Apache-2.0
 *
 * lockset.c - variables that no lock protects consistently
 *
 * Idea.   A shared variable should be protected by some lock that is held at every access.
 *         Intersect the locks held at the accesses, once the variable is shared; when
 *         nothing is left and the variable is written, warn.
 *
 * State.  held[t]   the locks thread t holds, and which of them only shared
 *         x[v]      virgin, exclusive to one thread, shared (read only since), or modified;
 *                   and the candidate locks C(v) from the second thread's first access on;
 *                   the last two accesses and writes by different threads, to name a pair
 *
 * Rules.  [first access]      exclusive
 *         [another thread]    C(v) = locks held; shared if it reads, modified if it writes
 *         [later access]      C(v) &= locks held; a write makes it modified
 *                             (a write counts only locks held exclusively)
 *         [modified, C(v) empty]  warn: this access with the last conflicting access of
 *                             another thread
 *
 * Guarantee.  None: reports variables protected by fork and join or handed over in turns,
 *         misses races whose accesses agree on a lock only by luck of the observed run.
 * Cost.   O(locks held) per access; one small list per shared variable.
 * Reference.  Eraser: Savage et al., TOCS 1997.
 */
#include "base/memory.h"
#include "detect/detector.h"

#include <string.h>

enum state { VIRGIN, EXCLUSIVE, SHARED, MODIFIED };

struct held {
	struct held_lock {
		uint32_t lock;
		bool is_shared;
	} * lock;
	size_t n, cap;
};

struct recent {
	bool is_set;
	struct snag_site site;
};

struct variable {
	uint8_t state;
	uint32_t owner; /* while exclusive */
	uint32_t *candidate;
	size_t ncandidates;
	struct recent access[2], write[2]; /* the latest, and the latest of another thread */
};

struct lockset {
	const struct snag_detector_env *env;
	struct held *thread;
	size_t thread_cap;
	struct variable *x;
	size_t x_cap;
};

static void *lockset_open(const struct snag_detector_env *env)
{
	struct lockset *s = snag_calloc(1, sizeof(*s));
	s->env = env;
	return s;
}

static void lockset_close(void *state)
{
	struct lockset *s = state;
	if (!s)
		return;
	for (size_t i = 0; i < s->thread_cap; i++)
		free(s->thread[i].lock);
	for (size_t i = 0; i < s->x_cap; i++)
		free(s->x[i].candidate);
	free(s->thread);
	free(s->x);
	free(s);
}

static struct snag_site site_of(const struct snag_event *ev, uint32_t event)
{
	return (struct snag_site){.event = event,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op};
}

static void recent_put(struct recent *r, const struct snag_site *site)
{
	if (r[0].is_set && r[0].site.thread != site->thread)
		r[1] = r[0];
	r[0] = (struct recent){true, *site};
}

static const struct snag_site *recent_of_other(const struct recent *r, snag_tid thread)
{
	for (int i = 0; i < 2; i++)
		if (r[i].is_set && r[i].site.thread != thread)
			return &r[i].site;
	return NULL;
}

static bool holds(const struct held *h, uint32_t lock, bool is_write)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->lock[i].lock == lock)
			return !(is_write && h->lock[i].is_shared);
	return false;
}

static void candidates_init(struct variable *x, const struct held *h, bool is_write)
{
	x->candidate = snag_alloc(h->n * sizeof(*x->candidate));
	for (size_t i = 0; i < h->n; i++)
		if (!(is_write && h->lock[i].is_shared))
			x->candidate[x->ncandidates++] = h->lock[i].lock;
}

static void candidates_refine(struct variable *x, const struct held *h, bool is_write)
{
	size_t n = 0;
	for (size_t i = 0; i < x->ncandidates; i++)
		if (holds(h, x->candidate[i], is_write))
			x->candidate[n++] = x->candidate[i];
	x->ncandidates = n;
	if (n == 0) {
		free(x->candidate);
		x->candidate = NULL;
	}
}

static void state_advance(struct variable *x, const struct held *h, snag_tid thread, bool is_write)
{
	switch (x->state) {
	case VIRGIN: /* [first access] */
		x->state = EXCLUSIVE;
		x->owner = thread;
		break;
	case EXCLUSIVE: /* [another thread] */
		if (x->owner == thread)
			break;
		candidates_init(x, h, is_write);
		x->state = is_write ? MODIFIED : SHARED;
		break;
	default: /* [later access] */
		candidates_refine(x, h, is_write);
		if (is_write)
			x->state = MODIFIED;
	}
}

static void lockset_access(struct lockset *s, const struct snag_event *ev, uint32_t event,
			   bool is_write)
{
	struct variable *x = &s->x[ev->target];
	struct snag_site second = site_of(ev, event);
	state_advance(x, &s->thread[ev->thread], ev->thread, is_write);
	if (x->state == MODIFIED && x->ncandidates == 0) {
		const struct snag_site *first =
			recent_of_other(is_write ? x->access : x->write, ev->thread);
		if (first)
			s->env->on_pair(s->env->ctx, first, &second);
	}
	recent_put(x->access, &second);
	if (is_write)
		recent_put(x->write, &second);
}

static void lockset_read(void *state, const struct snag_event *ev, uint32_t event)
{
	lockset_access(state, ev, event, false);
}

static void lockset_write(void *state, const struct snag_event *ev, uint32_t event)
{
	lockset_access(state, ev, event, true);
}

static void lockset_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct lockset *s = state;
	struct held *h = &s->thread[ev->thread];
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		h->lock = snag_grow(h->lock, &h->cap, h->n + 1, sizeof(*h->lock));
		h->lock[h->n++] = (struct held_lock){ev->target, ev->op == SNAG_OP_ACQUIRE_SHARED};
		break;
	case SNAG_OP_RELEASE:
	case SNAG_OP_RELEASE_SHARED:
		for (size_t i = h->n; i-- > 0;)
			if (h->lock[i].lock == ev->target) {
				memmove(h->lock + i, h->lock + i + 1,
					(--h->n - i) * sizeof(*h->lock));
				break;
			}
		break;
	default:
		break;
	}
}

static void lockset_events(void *state, const struct snag_batch *batch)
{
	static const struct snag_handlers handlers = {
		.read = lockset_read, .write = lockset_write, .sync = lockset_sync};
	struct lockset *s = state;
	s->thread = snag_grow(s->thread, &s->thread_cap, batch->counts.n[SNAG_SPACE_THREAD],
			      sizeof(*s->thread));
	s->x = snag_grow(s->x, &s->x_cap, batch->counts.n[SNAG_SPACE_VARIABLE], sizeof(*s->x));
	snag_handlers_run(&handlers, s, batch);
}

const struct snag_detector snag_detector_lockset = {
	.name = "lockset",
	.summary = "written variables that no lock protects at every access",
	.kind = "lockset",
	.guarantee = "neither sound nor complete",
	.cost = "O(locks held) per access",
	.reference = "Eraser, TOCS 1997",
	.verdict = SNAG_UNVERIFIED,
	.open = lockset_open,
	.events = lockset_events,
	.close = lockset_close,
};
