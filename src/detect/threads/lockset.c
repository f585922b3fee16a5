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
 *                             (a write counts only locks held alone)
 *         [modified, C(v) empty]  warn: this access with the last conflicting access of
 *                             another thread, unless the locks of these two exclude each
 *                             other (the discipline is broken elsewhere)
 *
 * Guarantee.  None: reports variables protected by fork and join or handed over in turns,
 *         misses races whose accesses agree on a lock only by luck of the observed run.
 * Cost.   A look-up of recently seen sets per access; 76 bytes a variable.
 * Reference.  Eraser: Savage et al., TOCS 1997.
 */
#include "base/memory.h"
#include "detect/detector.h"
#include "order/lockset.h"

enum state { VIRGIN, EXCLUSIVE, SHARED, MODIFIED };

struct recent {
	uint32_t event; /* + 1; 0: none */
	snag_tid thread;
	snag_loc loc;
	snag_lockset held;
};

struct variable {
	struct recent access[2], write[2]; /* the latest, and the latest of another thread */
	snag_lockset candidates;
	snag_tid owner; /* while exclusive */
	uint8_t state;
};

struct lockset {
	const struct snag_detector_env *env;
	struct snag_locksets sets;
	/* The locks held by a thread, in three sets: all, and the exclusive ones, both as if
	 * held alone, to intersect with; and all as they are held, to compare two accesses. */
	struct held {
		snag_lockset any, alone, real;
	} * thread;
	size_t thread_cap;
	struct variable *x;
	size_t x_cap;
};

static void *lockset_open(const struct snag_detector_env *env)
{
	struct lockset *s = snag_calloc(1, sizeof(*s));
	s->env = env;
	snag_locksets_init(&s->sets);
	return s;
}

static void lockset_close(void *state)
{
	struct lockset *s = state;
	if (!s)
		return;
	snag_locksets_done(&s->sets);
	free(s->thread);
	free(s->x);
	free(s);
}

static void recent_put(struct recent *r, const struct recent *now)
{
	if (r[0].event && r[0].thread != now->thread)
		r[1] = r[0];
	r[0] = *now;
}

static const struct recent *recent_of_other(const struct recent *r, snag_tid thread)
{
	for (int i = 0; i < 2; i++)
		if (r[i].event && r[i].thread != thread)
			return &r[i];
	return NULL;
}

static void state_advance(struct lockset *s, struct variable *x, snag_tid thread, bool is_write)
{
	snag_lockset held = is_write ? s->thread[thread].alone : s->thread[thread].any;
	switch (x->state) {
	case VIRGIN: /* [first access] */
		x->state = EXCLUSIVE;
		x->owner = thread;
		break;
	case EXCLUSIVE: /* [another thread] */
		if (x->owner == thread)
			break;
		x->candidates = held;
		x->state = is_write ? MODIFIED : SHARED;
		break;
	default: /* [later access] */
		x->candidates = snag_lockset_common(&s->sets, x->candidates, held);
		if (is_write)
			x->state = MODIFIED;
	}
}

static struct snag_site site_of(const struct recent *r, uint32_t variable, bool is_write)
{
	return (struct snag_site){.event = r->event - 1,
				  .thread = r->thread,
				  .target = variable,
				  .loc = r->loc,
				  .op = is_write ? SNAG_OP_WRITE : SNAG_OP_READ};
}

/* [modified, C(v) empty] */
static void warn(struct lockset *s, const struct variable *x, uint32_t variable,
		 const struct recent *now, bool is_write)
{
	const struct recent *first = recent_of_other(is_write ? x->access : x->write, now->thread);
	if (!first || snag_lockset_excludes(&s->sets, first->held, now->held))
		return;
	bool first_is_write =
		x->write[0].event == first->event || x->write[1].event == first->event;
	struct snag_site a = site_of(first, variable, first_is_write);
	struct snag_site b = site_of(now, variable, is_write);
	s->env->on_pair(s->env->ctx, &a, &b);
}

static void lockset_access(struct lockset *s, const struct snag_event *ev, uint32_t event,
			   bool is_write)
{
	struct variable *x = &s->x[ev->target];
	struct recent now = {event + 1, ev->thread, ev->loc, s->thread[ev->thread].real};
	state_advance(s, x, ev->thread, is_write);
	if (x->state == MODIFIED && x->candidates == 0)
		warn(s, x, ev->target, &now, is_write);
	recent_put(x->access, &now);
	if (is_write)
		recent_put(x->write, &now);
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
	bool is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED;
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		h->any = snag_lockset_add(&s->sets, h->any, ev->target, false);
		h->real = snag_lockset_add(&s->sets, h->real, ev->target, is_shared);
		if (!is_shared)
			h->alone = snag_lockset_add(&s->sets, h->alone, ev->target, false);
		break;
	case SNAG_OP_RELEASE:
		h->alone = snag_lockset_remove(&s->sets, h->alone, ev->target);
		/* fall through */
	case SNAG_OP_RELEASE_SHARED:
		h->any = snag_lockset_remove(&s->sets, h->any, ev->target);
		h->real = snag_lockset_remove(&s->sets, h->real, ev->target);
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
	.cost = "O(1) per access, 76 bytes a variable",
	.reference = "Eraser, TOCS 1997",
	.ops = SNAG_OPS_BUT_TASKS,
	.verdict = SNAG_UNVERIFIED,
	.open = lockset_open,
	.events = lockset_events,
	.close = lockset_close,
};
