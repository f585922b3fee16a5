/* SPDX-License-Identifier: Apache-2.0
 *
 * bags.c - what is parallel to the current point of a depth-first run of tasks?
 */
#include "order/bags.h"

#include "base/memory.h"

#define NONE SNAG_NO_BAG

void snag_bags_init(struct snag_bags *b)
{
	*b = (struct snag_bags){0};
}

void snag_bags_done(struct snag_bags *b)
{
	snag_huge_free(b->up, b->up_cap, sizeof(*b->up));
	snag_huge_free(b->scope_of, b->scope_of_cap, sizeof(*b->scope_of));
	free(b->scope);
}

void snag_bags_reserve(struct snag_bags *b, size_t ntasks)
{
	b->up = snag_huge_grow(b->up, &b->up_cap, ntasks, sizeof(*b->up));
	b->scope_of = snag_huge_grow(b->scope_of, &b->scope_of_cap, ntasks, sizeof(*b->scope_of));
}

static uint32_t rank(const struct snag_bags *b, uint32_t root)
{
	return b->up[root] & ~SNAG_BAGS_ROOT & ~(uint32_t)SNAG_BAGS_PARALLEL;
}

/* Merges two bags; either may be none.  The caller sets the kind of the result. */
static uint32_t unite(struct snag_bags *b, uint32_t x, uint32_t y)
{
	if (x == NONE || y == NONE)
		return x == NONE ? y : x;
	if (rank(b, x) < rank(b, y)) {
		uint32_t swap = x;
		x = y;
		y = swap;
	}
	if (rank(b, x) == rank(b, y))
		b->up[x] += 2;
	b->up[y] = x;
	return x;
}

static void make_serial(struct snag_bags *b, uint32_t root)
{
	b->up[root] &= ~(uint32_t)SNAG_BAGS_PARALLEL;
}

/* The root may be none. */
static uint32_t make_parallel(struct snag_bags *b, uint32_t root, uint32_t scope)
{
	if (root != NONE) {
		b->up[root] |= SNAG_BAGS_PARALLEL;
		b->scope_of[root] = scope;
	}
	return root;
}

static struct snag_bags_scope *top(struct snag_bags *b)
{
	return &b->scope[b->depth - 1];
}

static void push(struct snag_bags *b, enum snag_bag_scope kind, uint32_t task)
{
	uint32_t at = (uint32_t)b->depth;
	const struct snag_bags_scope *below = at ? top(b) : NULL;
	struct snag_bags_scope s = {.kind = kind, .task = task, .spawned = NONE, .others = NONE};
	s.frame = kind == SNAG_SCOPE_FINISH ? below->frame : at;
	s.spawning = s.below = NONE;
	s.async = kind == SNAG_SCOPE_ASYNC ? at : below ? below->async : NONE;
	b->scope = snag_grow(b->scope, &b->scope_cap, b->depth + 1, sizeof(*b->scope));
	b->scope[b->depth++] = s;
}

/* Moves a bag of tasks that have ended to the scope that is now the top. */
static void collect_spawned(struct snag_bags *b, uint32_t bag)
{
	uint32_t at = (uint32_t)b->depth - 1;
	struct snag_bags_scope *s = top(b), *frame = &b->scope[s->frame];
	if (s->spawned == NONE) {
		s->below = frame->spawning;
		frame->spawning = at;
	}
	s->spawned = make_parallel(b, unite(b, s->spawned, bag), at);
}

static void collect_others(struct snag_bags *b, uint32_t bag)
{
	struct snag_bags_scope *s = top(b);
	if (bag != NONE)
		s->others = make_parallel(b, unite(b, s->others, bag), (uint32_t)b->depth - 1);
}

/* Adds a bag, or none, to what precedes the current point. */
static void join(struct snag_bags *b, uint32_t bag)
{
	if (bag != NONE)
		make_serial(b, unite(b, snag_bags_find(b, top(b)->task), bag));
}

void snag_bags_begin(struct snag_bags *b, uint32_t task, bool is_spawned) /* [begin] */
{
	b->up[task] = SNAG_BAGS_ROOT;
	push(b, is_spawned ? SNAG_SCOPE_SPAWN : SNAG_SCOPE_ASYNC, task);
}

const char *snag_bags_end(struct snag_bags *b) /* [end] */
{
	struct snag_bags_scope s = *top(b);
	if (s.kind != SNAG_SCOPE_ASYNC && s.kind != SNAG_SCOPE_SPAWN)
		return "a task ends inside a finish or a procedure";
	if (s.spawned != NONE)
		return "a task ends without waiting for one that it spawned";
	if (b->depth == 1) /* the first task: nothing comes after it */
		return NULL;
	b->depth--;
	collect_others(b, s.others);
	uint32_t own = snag_bags_find(b, s.task);
	if (s.kind == SNAG_SCOPE_SPAWN)
		collect_spawned(b, own);
	else
		collect_others(b, own);
	return NULL;
}

const char *snag_bags_sync(struct snag_bags *b) /* [sync] */
{
	struct snag_bags_scope *frame = &b->scope[top(b)->frame];
	while (frame->spawning != NONE) {
		struct snag_bags_scope *s = &b->scope[frame->spawning];
		join(b, s->spawned);
		s->spawned = NONE;
		frame->spawning = s->below;
	}
	return NULL;
}

void snag_bags_open(struct snag_bags *b, enum snag_bag_scope kind)
{
	push(b, kind, top(b)->task);
}

const char *snag_bags_close(struct snag_bags *b, enum snag_bag_scope kind) /* [finish], [frame] */
{
	struct snag_bags_scope s = *top(b);
	if (s.kind != kind)
		return "scopes are not nested";
	if (kind == SNAG_SCOPE_FRAME && s.spawned != NONE)
		return "a procedure ends without waiting for a task that it spawned";
	if (s.spawned != NONE) /* then it is the topmost such scope of its frame */
		b->scope[s.frame].spawning = s.below;
	b->depth--;
	if (kind == SNAG_SCOPE_FRAME) {
		collect_others(b, s.others);
	} else {
		join(b, s.spawned);
		join(b, s.others);
	}
	return NULL;
}

bool snag_bags_outlives(struct snag_bags *b, uint32_t task)
{
	uint32_t root = snag_bags_find(b, task);
	uint32_t at = b->scope_of[root], async = top(b)->async;
	if (b->scope[at].spawned != root)
		return true; /* a finish around the current task waits for it */
	return async == NONE || async <= at;
}
