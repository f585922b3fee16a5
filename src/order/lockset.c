/* SPDX-License-Identifier: Apache-2.0
 *
 * lockset.c - sets of locks as small numbers
 */
#include "order/lockset.h"

#include "base/memory.h"

#include <string.h>

enum { MIN_NODES = 64, STEPS = 1 << 12, ANSWERS = 1 << 12, LARGE = 16 };

struct snag_lockset_node {
	uint32_t lock; /* a leaf's lock; of a branch the bits above `bit` that all agree in */
	uint32_t bit;  /* 0: a leaf */
	snag_lockset child[2]; /* without and with the bit; of a leaf child[0]: is it shared? */
	uint64_t signature;
	uint32_t size;
	bool has_alone;	 /* some lock is held alone */
	bool has_shared; /* some lock is held shared */
};

struct snag_lockset_step {
	snag_lockset from, to;
	uint32_t lock;
	uint8_t kind; /* 0: none, ADD, ADD_SHARED, REMOVE */
};

enum { ADD = 1, ADD_SHARED, REMOVE };

struct snag_lockset_answer {
	snag_lockset a, b;
	uint8_t question; /* 0: none */
	bool is_yes;
};

enum { EXCLUDES = 1, WITHIN };

void snag_locksets_init(struct snag_locksets *s)
{
	memset(s, 0, sizeof(*s));
	s->n = 1;
	s->node = snag_grow(NULL, &s->cap, MIN_NODES, sizeof(*s->node));
	s->step = snag_calloc(STEPS, sizeof(*s->step));
	s->answer = snag_calloc(ANSWERS, sizeof(*s->answer));
}

void snag_locksets_done(struct snag_locksets *s)
{
	free(s->node);
	snag_slots_done(&s->slots);
	free(s->step);
	free(s->answer);
}

static uint64_t node_hash(const struct snag_lockset_node *n)
{
	uint64_t a = n->bit ? n->child[0] : (uint64_t)n->lock << 32 | 1u << 31;
	return snag_hash(a, n->bit ? n->child[1] : n->child[0]);
}

static uint64_t hash_of(const void *ctx, uint32_t set)
{
	return node_hash(&((const struct snag_locksets *)ctx)->node[set]);
}

static bool node_is(const void *ctx, uint32_t set, const void *key)
{
	const struct snag_lockset_node *a = &((const struct snag_locksets *)ctx)->node[set];
	const struct snag_lockset_node *b = key;
	return a->lock == b->lock && a->bit == b->bit && a->child[0] == b->child[0] &&
	       a->child[1] == b->child[1];
}

static snag_lockset node_of(struct snag_locksets *s, const struct snag_lockset_node *n)
{
	snag_lockset set = snag_slots_find(&s->slots, node_hash(n), node_is, s, n);
	if (set != SNAG_SLOTS_NONE)
		return set;
	set = (snag_lockset)s->n++;
	s->node = snag_grow(s->node, &s->cap, s->n, sizeof(*s->node));
	s->node[set] = *n;
	snag_slots_add(&s->slots, set, hash_of, s);
	return set;
}

static snag_lockset leaf(struct snag_locksets *s, uint32_t lock, bool is_shared)
{
	struct snag_lockset_node n = {.lock = lock,
				      .child = {is_shared},
				      .signature = (uint64_t)1 << (lock & 63),
				      .size = 1,
				      .has_alone = !is_shared,
				      .has_shared = is_shared};
	return node_of(s, &n);
}

static uint32_t above(uint32_t lock, uint32_t bit) /* the bits above `bit` */
{
	return lock & ~(bit | (bit - 1));
}

/* Neither child is empty. */
static snag_lockset branch(struct snag_locksets *s, uint32_t bit, snag_lockset zero,
			   snag_lockset one)
{
	const struct snag_lockset_node *a = &s->node[zero], *b = &s->node[one];
	struct snag_lockset_node n = {.lock = above(a->lock, bit),
				      .bit = bit,
				      .child = {zero, one},
				      .signature = a->signature | b->signature,
				      .size = a->size + b->size,
				      .has_alone = a->has_alone || b->has_alone,
				      .has_shared = a->has_shared || b->has_shared};
	return node_of(s, &n);
}

/* As branch(), where a child may be empty. */
static snag_lockset branch_if(struct snag_locksets *s, uint32_t bit, snag_lockset zero,
			      snag_lockset one)
{
	if (!zero || !one)
		return zero ? zero : one;
	return branch(s, bit, zero, one);
}

/* Two tries whose locks differ above their own bits. */
static snag_lockset join(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	uint32_t differ = s->node[a].lock ^ s->node[b].lock;
	uint32_t bit = (uint32_t)1 << (31 - __builtin_clz(differ));
	return s->node[a].lock & bit ? branch(s, bit, b, a) : branch(s, bit, a, b);
}

static snag_lockset insert(struct snag_locksets *s, snag_lockset set, snag_lockset new)
{
	uint32_t lock = s->node[new].lock;
	struct snag_lockset_node n = s->node[set];
	if (!set || (!n.bit && n.lock == lock))
		return new;
	if (!n.bit || above(lock, n.bit) != n.lock)
		return join(s, set, new);
	snag_lockset *child = &n.child[(lock & n.bit) != 0];
	*child = insert(s, *child, new);
	return branch(s, n.bit, n.child[0], n.child[1]);
}

static snag_lockset delete (struct snag_locksets *s, snag_lockset set, uint32_t lock)
{
	struct snag_lockset_node n = s->node[set];
	if (!set || !n.bit)
		return set && n.lock == lock ? 0 : set;
	if (above(lock, n.bit) != n.lock)
		return set;
	snag_lockset *child = &n.child[(lock & n.bit) != 0];
	*child = delete (s, *child, lock);
	return branch_if(s, n.bit, n.child[0], n.child[1]);
}

static snag_lockset transition(struct snag_locksets *s, snag_lockset set, uint32_t lock,
			       uint8_t kind)
{
	struct snag_lockset_step *step = &s->step[snag_hash(set, lock * 4u + kind) & (STEPS - 1)];
	if (step->kind == kind && step->from == set && step->lock == lock)
		return step->to;
	snag_lockset to = kind == REMOVE ? delete (s, set, lock)
					 : insert(s, set, leaf(s, lock, kind == ADD_SHARED));
	*step = (struct snag_lockset_step){.from = set, .to = to, .lock = lock, .kind = kind};
	return to;
}

snag_lockset snag_lockset_add(struct snag_locksets *s, snag_lockset set, uint32_t lock,
			      bool is_shared)
{
	return transition(s, set, lock, is_shared ? ADD_SHARED : ADD);
}

snag_lockset snag_lockset_remove(struct snag_locksets *s, snag_lockset set, uint32_t lock)
{
	return transition(s, set, lock, REMOVE);
}

/* The leaf of the lock, or NULL. */
static const struct snag_lockset_node *find(const struct snag_locksets *s, snag_lockset set,
					    uint32_t lock)
{
	const struct snag_lockset_node *n = &s->node[set];
	while (n->bit)
		n = &s->node[n->child[(lock & n->bit) != 0]];
	return n->lock == lock ? n : NULL;
}

static bool ask(struct snag_locksets *s, snag_lockset a, snag_lockset b, uint8_t question);

static bool excludes(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	const struct snag_lockset_node *x = &s->node[a], *y = &s->node[b];
	if (!(x->signature & y->signature) || !(x->has_alone || y->has_alone))
		return false;
	if (a == b)
		return x->has_alone;
	if (x->bit < y->bit) { /* the other way round: x is the wider one */
		const struct snag_lockset_node *z = x;
		snag_lockset c = a;
		x = y, y = z, a = b, b = c;
	}
	if (!y->bit) {
		const struct snag_lockset_node *same = find(s, a, y->lock);
		return same && (same->has_alone || y->has_alone);
	}
	if (above(y->lock, x->bit) != x->lock)
		return false;
	if (x->bit > y->bit)
		return ask(s, x->child[(y->lock & x->bit) != 0], b, EXCLUDES);
	snag_lockset x1 = x->child[1], y1 = y->child[1];
	return ask(s, x->child[0], y->child[0], EXCLUDES) || ask(s, x1, y1, EXCLUDES);
}

static bool within(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	const struct snag_lockset_node *x = &s->node[a], *y = &s->node[b];
	if (a == b)
		return true;
	if (x->signature & ~y->signature || x->size > y->size)
		return false;
	if (!x->bit) {
		const struct snag_lockset_node *same = find(s, b, x->lock);
		return same && (!x->has_alone || same->has_alone);
	}
	if (x->bit > y->bit || above(x->lock, y->bit) != y->lock)
		return false;
	if (x->bit < y->bit)
		return ask(s, a, y->child[(x->lock & y->bit) != 0], WITHIN);
	snag_lockset x1 = x->child[1], y1 = y->child[1];
	return ask(s, x->child[0], y->child[0], WITHIN) && ask(s, x1, y1, WITHIN);
}

/* Remembers answers about sets that are large enough to make asking again expensive. */
static bool ask(struct snag_locksets *s, snag_lockset a, snag_lockset b, uint8_t question)
{
	bool is_large = s->node[a].size >= LARGE && s->node[b].size >= LARGE;
	struct snag_lockset_answer *kept =
		&s->answer[snag_hash(a, b * 4ull + question) & (ANSWERS - 1)];
	if (is_large && kept->question == question && kept->a == a && kept->b == b)
		return kept->is_yes;
	bool is_yes = (question == EXCLUDES ? excludes : within)(s, a, b);
	if (is_large)
		*kept = (struct snag_lockset_answer){a, b, question, is_yes};
	return is_yes;
}

bool snag_lockset_excludes(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	return a && b && ask(s, a, b, EXCLUDES);
}

bool snag_lockset_within(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	return !a || a == b || (b && ask(s, a, b, WITHIN));
}

snag_lockset snag_lockset_common(struct snag_locksets *s, snag_lockset a, snag_lockset b)
{
	struct snag_lockset_node x = s->node[a], y = s->node[b];
	if (!a || !b || !x.has_alone || !y.has_alone || !(x.signature & y.signature))
		return 0;
	if (a == b && !x.has_shared) /* large sets that differ little share most of their tries */
		return a;
	if (!x.bit) {
		const struct snag_lockset_node *same = find(s, b, x.lock);
		return same && same->has_alone ? a : 0;
	}
	if (!y.bit || x.bit < y.bit)
		return snag_lockset_common(s, b, a);
	if (above(y.lock, x.bit) != x.lock)
		return 0;
	if (x.bit > y.bit)
		return snag_lockset_common(s, x.child[(y.lock & x.bit) != 0], b);
	snag_lockset zero = snag_lockset_common(s, x.child[0], y.child[0]);
	return branch_if(s, x.bit, zero, snag_lockset_common(s, x.child[1], y.child[1]));
}
