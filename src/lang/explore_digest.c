/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_digest.c - digests of states and computation graphs
 *
 * Memory.  The declared variables that have changed, in order.  This walk numbers promises and
 *          cells as it meets them, and the contents of the cells follow.  So two memories that
 *          differ only in the numbers that the run gave to promises and cells have the same
 *          digest.
 * Graph.   Its nodes are the actions of the tasks, and its edges follow from their operands: the
 *          name of the child, of the promise that is set or got.  So the digest is the sum, over
 *          all tasks, of the digest of the sequence of their actions with the values that were
 *          read. In isolated blocks each access also names the earlier isolated accesses that it
 *          conflicts with; updates of one kind do not.
 */
#include "lang/explore_digest.h"

#include "base/memory.h"

#include <string.h>

static uint64_t value_digest(const struct world *w, struct snag_value v)
{
	uint64_t x = (uint64_t)v.v;
	if (v.kind == SNAG_PROMISE)
		x = w->promise[v.v].name;
	else if (v.kind == SNAG_CELL)
		x = w->slot[w->nslots + (uint32_t)v.v].name;
	return digest_pair(x, v.kind);
}

/* Kinds of isolated accesses; those of updates begin behind them. */
enum { NONE, WRITES, READS, UPDATES };

/* The order of conflicting isolated accesses to one slot. */
static uint64_t isolated_digest(struct world_slot *s, uint64_t self, uint32_t kind)
{
	if (kind != s->last_kind || kind == WRITES) {
		s->before = digest_pair(digest_pair(s->before, s->last_kind), s->last);
		s->last_kind = kind;
		s->last = 0;
	}
	s->last += self;
	return s->before;
}

void digest_action(struct world *w, struct world_task *t)
{
	const struct snag_action *a = &t->next;
	uint64_t operand = 0;
	if (a->kind == SNAG_ACT_READ || a->kind == SNAG_ACT_WRITE) {
		struct world_slot *s = &w->slot[a->target];
		bool is_write = a->kind == SNAG_ACT_WRITE;
		uint8_t update = world_update_of(a, t->is_isolated);
		uint32_t kind = update ? UPDATES + update : is_write ? WRITES : READS;
		/* The values of an update depend on the order.  It may fail before it writes. */
		bool is_update_read = update && !is_write;
		operand = update ? 0 : value_digest(w, is_write ? a->value : s->value);
		operand = digest_pair(s->name, operand);
		if (t->is_isolated && !is_update_read)
			operand = digest_pair(operand, isolated_digest(s, t->graph, kind));
	} else if (a->kind == SNAG_ACT_SET || a->kind == SNAG_ACT_GET) {
		operand = w->promise[a->target].name;
	} else if (a->kind == SNAG_ACT_END && t->spawned_in != WORLD_NONE) {
		operand = 1;
	}
	t->graph = digest_pair(t->graph, digest_pair(a->kind, operand));
	if (a->kind != SNAG_ACT_READ && a->kind != SNAG_ACT_WRITE)
		t->structure = digest_pair(t->structure, digest_pair(a->kind, operand));
}

uint64_t world_structure_digest(const struct world *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->ntasks; i++)
		sum += digest_mix(w->task[i].structure);
	return sum;
}

uint64_t world_graph_digest(const struct world *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->ntasks; i++)
		sum += digest_mix(w->task[i].graph);
	return sum;
}

uint64_t world_task_digest(const struct world *w, uint32_t task)
{
	const struct snag_machine *m = &w->task[task].machine;
	const struct snag_action *next = &w->task[task].next; /* it has taken its operands */
	uint64_t d = digest_pair(digest_pair(m->pc, m->fp), next->target);
	d = digest_pair(d, digest_pair((uint64_t)next->value.v, next->value.kind));
	d = digest_pair(d, m->scopes);
	for (uint32_t i = 0; i < m->sp; i++)
		d = digest_pair(d, digest_pair((uint64_t)m->stack[i].v, m->stack[i].kind));
	return d;
}

/* The walk over what can be reached. */
struct walk {
	uint32_t *promise, *cell; /* numbers given, from 1; 0: not met */
	uint32_t npromises, ncells;
	uint32_t *met; /* the cells, by number */
};

static uint64_t walk_value(struct walk *k, struct snag_value v)
{
	uint64_t x = (uint64_t)v.v;
	if (v.kind == SNAG_PROMISE) {
		if (!k->promise[v.v])
			k->promise[v.v] = ++k->npromises;
		x = k->promise[v.v];
	} else if (v.kind == SNAG_CELL) {
		if (!k->cell[v.v]) {
			k->met[k->ncells] = (uint32_t)v.v;
			k->cell[v.v] = ++k->ncells;
		}
		x = k->cell[v.v];
	}
	return digest_pair(x, v.kind);
}

/* The places of the tasks that have not ended. */
static uint64_t unfinished_digest(const struct world *w)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < w->ntasks; i++)
		if (w->task[i].state != WORLD_ENDED)
			sum += digest_pair(w->task[i].name, w->task[i].next.loc);
	return sum;
}

static int compare_slots(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

uint64_t world_memory_digest(const struct world *w)
{
	size_t ncells = w->nall - w->nslots;
	struct walk k = {.promise = snag_calloc(w->npromises, sizeof(*k.promise)),
			 .cell = snag_calloc(ncells, sizeof(*k.cell)),
			 .met = snag_calloc(ncells, sizeof(*k.met))};
	uint64_t d = 0;
	/* The promises that are declared have names of their own. */
	for (uint32_t i = 0; i < snag_program_promises(w->program); i++)
		k.promise[i] = ++k.npromises;
	if (w->ntouched)
		qsort(w->touched, w->ntouched, sizeof(*w->touched), compare_slots);
	for (size_t i = 0; i < w->ntouched; i++) {
		struct snag_value value = w->slot[w->touched[i]].value;
		struct snag_value initial = snag_program_initial(w->program, w->touched[i]);
		if (memcmp(&value, &initial, sizeof(value)) != 0)
			d = digest_pair(digest_pair(d, w->touched[i]), walk_value(&k, value));
	}
	for (uint32_t i = 0; i < k.ncells; i++)
		d = digest_pair(d, walk_value(&k, w->slot[w->nslots + k.met[i]].value));
	free(k.promise);
	free(k.cell);
	free(k.met);
	return digest_pair(d, unfinished_digest(w));
}

void digest_set_add(struct digest_set *set, uint64_t digest)
{
	set->digests.elem = sizeof(digest);
	snag_keyed_get(&set->digests, digest + (digest == 0));
}

bool digest_set_has(const struct digest_set *set, uint64_t digest)
{
	return snag_keyed_find(&set->digests, digest + (digest == 0)) != NULL;
}

void digest_set_done(struct digest_set *set)
{
	snag_keyed_done(&set->digests);
}
