/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.c - the isolated blocks of a run of tasks, and which of them must keep their order
 *
 * State.  task[t]     its path, the number of tasks it created and of blocks it entered; its
 *                     block and its update
 *         step[s]     the step (order/dpst.h) of each block
 *         use[]       accesses of blocks, in a list for each variable; one for each block and
 *                     kind of access
 * Rules.  [flag]      a promise that a task sets or gets inside a block of a lock says which
 *                     block came first in this run (runtime/tasks/omp_sections.h): it is no
 *                     structure
 *         [mixed]     Blocks that do not exclude each other may conflict by their atomics.  Then
 *                     one of them may run in the middle of the other, which no order of blocks
 *                     shows
 *         [weak]      Updates read the last value, whatever their order.  Reads and writes of one
 *                     variable have one order in which they take effect.  With several variables
 *                     they may have none, unless all are seq_cst
 * Cost.   A block: all earlier ones, by structure.  An access: earlier ones to its variable.
 */
#include "detect/tasks/blocks.h"

#include "base/memory.h"
#include "detect/tasks/task_event.h"
#include "trace/task_path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 8, NAME = SNAG_USE_KINDS, EVERYTHING = 4 * NAME }; /* no name of name_of() */

struct member {
	uint64_t path;
	uint32_t children, sections;
	uint32_t depth, inside; /* locks it has, or isolated; its block, if so */
	uint32_t update;	/* the kind of the update that it is in; 0: none */
};

struct use {
	uint32_t section;
	uint32_t next; /* of the same variable, or 0 */
	uint32_t kind;
};

struct reading {
	struct snag_task_order order;
	struct snag_block *at;
	size_t n, cap;
	uint32_t *step;
	size_t step_cap;
	struct pair { /* a before b */
		uint32_t a, b;
		bool is_mixed; /* [mixed] */
	} * structure, *conflict;
	size_t nstructure, structure_cap, nconflict, conflict_cap;
	struct member *task;
	size_t task_cap;
	struct use *use; /* from 1 on */
	size_t nuses, use_cap;
	uint32_t *of; /* by variable: its last use, or 0 */
	size_t of_cap;
	const struct snag_names *names;
	struct snag_blocks_options options;
	bool has_begun, is_nested, is_cut;
};

bool snag_uses_commute(uint32_t kind, uint32_t other)
{
	return kind == other && kind != SNAG_USE_WRITES;
}

void snag_block_use(struct snag_block *b, uint64_t name, uint32_t kind)
{
	b->use = snag_grow(b->use, &b->use_cap, b->nuses + 1, sizeof(*b->use));
	b->use[b->nuses++] = (name & ~(uint64_t)(NAME - 1)) | kind;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void snag_block_uses_sort(struct snag_block *b)
{
	size_t n = 0;
	if (b->nuses)
		qsort(b->use, b->nuses, sizeof(*b->use), compare);
	for (size_t i = 0; i < b->nuses; i++)
		if (n == 0 || b->use[n - 1] != b->use[i])
			b->use[n++] = b->use[i];
	b->nuses = n;
}

bool snag_block_uses_conflict(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	for (size_t i = 0, k = 0; i < na; i++) {
		while (k < nb && b[k] / NAME < a[i] / NAME)
			k++;
		for (size_t m = k; m < nb && b[m] / NAME == a[i] / NAME; m++)
			if (!snag_uses_commute(a[i] % NAME, b[m] % NAME))
				return true;
	}
	return false;
}

/* Returns a name for the cell of a variable.  The name of a global is the same in every
 * schedule. All allocated memory shares one name, and so do all stacks. */
static uint64_t name_of(const char *variable)
{
	static const char *const other[] = {"heap#", "0x", "sync#"};
	const char *plus = strrchr(variable, '+');
	size_t length = plus ? (size_t)(plus - variable) : strlen(variable);
	uint64_t name = plus ? strtoull(plus + 1, NULL, 0) / CELL + 1 : 1;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (strncmp(variable, other[i], strlen(other[i])) == 0)
			return NAME * (i + 1);
	if (variable[0] == 'T' && strstr(variable, "-0x"))
		return 0;
	for (size_t i = 0; i < length && variable[i] != '#'; i++)
		name = snag_mix(name + (unsigned char)variable[i]);
	return name | UINT64_C(1) << 63;
}

/* Returns the kind of an update, which is the same in every schedule.  An update of unknown kind
 * is a write. */
static uint32_t update_kind(const char *name)
{
	size_t begin = strlen(SNAG_UPDATE_NAME);
	unsigned long number = strncmp(name, SNAG_UPDATE_NAME, begin) == 0
				       ? strtoul(name + begin, NULL, 10)
				       : SNAG_USE_KINDS;
	return number < SNAG_USE_KINDS - SNAG_USE_UPDATES ? SNAG_USE_UPDATES + (uint32_t)number
							  : SNAG_USE_WRITES;
}

static void pair_add(struct pair **pairs, size_t *n, size_t *cap, struct pair pair)
{
	*pairs = snag_grow(*pairs, cap, *n + 1, sizeof(**pairs));
	(*pairs)[(*n)++] = pair;
}

static void section_begin(struct reading *r, const struct snag_event *ev)
{
	struct member *m = &r->task[ev->thread];
	uint32_t step = snag_task_order_step(&r->order, ev->thread);
	uint32_t list = snag_task_order_list(&r->order, ev->thread);
	for (size_t a = 0; a < r->n; a++)
		if (snag_dpst_precedes(&r->order.tree, r->step[a], step) ||
		    snag_joins_has(&r->order.joins, list, r->step[a]))
			pair_add(&r->structure, &r->nstructure, &r->structure_cap,
				 (struct pair){(uint32_t)a, (uint32_t)r->n, false});
	r->at = snag_grow(r->at, &r->cap, r->n + 1, sizeof(*r->at));
	r->step = snag_grow(r->step, &r->step_cap, r->n + 1, sizeof(*r->step));
	r->step[r->n] = step;
	r->at[r->n++] =
		(struct snag_block){snag_block_id(m->path, m->sections++), ev->thread, ev->loc};
	m->inside = (uint32_t)r->n - 1;
	if (!r->options.all_conflict)
		return;
	snag_block_use(&r->at[m->inside], EVERYTHING, SNAG_USE_WRITES);
	for (uint32_t a = 0; a < m->inside; a++)
		pair_add(&r->conflict, &r->nconflict, &r->conflict_cap,
			 (struct pair){a, m->inside, false});
}

static void section_access(struct reading *r, const struct snag_event *ev)
{
	uint32_t now = r->task[ev->thread].inside, *first = &r->of[ev->target];
	uint32_t update = r->task[ev->thread].update;
	uint32_t kind = update ? update : snag_op_writes(ev->op) ? SNAG_USE_WRITES : SNAG_USE_READS;
	bool is_inside =
		r->options.of_atomics && snag_op_is_atomic(ev->op) && r->task[ev->thread].depth;
	bool is_known = false;
	for (uint32_t u = *first; u; u = r->use[u].next) {
		const struct use *use = &r->use[u];
		if (use->section == now)
			is_known |= use->kind == kind;
		else if (use->section > now) /* it began, and ended, within this one */
			r->is_nested |= !snag_uses_commute(use->kind, kind);
		else if (!snag_uses_commute(use->kind, kind)) {
			bool is_mixed =
				is_inside || !r->at[use->section].atomic != !r->at[now].atomic;
			pair_add(&r->conflict, &r->nconflict, &r->conflict_cap,
				 (struct pair){use->section, now, is_mixed});
		}
	}
	if (is_known)
		return;
	snag_block_use(&r->at[now], name_of(snag_name(r->names, SNAG_SPACE_VARIABLE, ev->target)),
		       kind);
	r->use = snag_grow(r->use, &r->use_cap, r->nuses + 1, sizeof(*r->use));
	r->use[r->nuses] = (struct use){now, *first, kind};
	*first = (uint32_t)r->nuses++;
}

static bool is_full(const struct reading *r)
{
	return r->n == (r->options.of_atomics ? SNAG_MAX_ATOMIC_BLOCKS : SNAG_MAX_BLOCKS);
}

/* An atomic operation outside of blocks is one. */
static void atomic_take(struct reading *r, const struct snag_event *ev)
{
	bool is_cut = is_full(r);
	if (!ev->part) {
		r->is_cut |= is_cut;
		if (is_cut)
			return;
		section_begin(r, ev);
		r->at[r->n - 1].atomic = ev->target + 1;
		r->at[r->n - 1].is_weak = ev->op != SNAG_OP_ATOMIC_UPDATE &&
					  (ev->flags & SNAG_ORDER_MASK) != SNAG_SEQ_CST;
	}
	section_access(r, ev);
}

/* Whether the event begins or ends a block, or part of one. */
static bool is_boundary(struct reading *r, const struct snag_event *ev)
{
	struct member *m = &r->task[ev->thread];
	bool is_lock = r->options.of_locks && SNAG_OPS_OF_LOCKS >> ev->op & 1;
	bool takes = ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED;
	if (ev->op == SNAG_OP_ISOLATED_BEGIN || (is_lock && takes)) {
		r->is_cut = is_full(r);
		if (m->depth++ == 0 && !r->is_cut)
			section_begin(r, ev);
		else
			r->is_nested = true;
	} else if (ev->op == SNAG_OP_ISOLATED_END || is_lock) {
		m->depth -= m->depth > 0;
	} else {
		return false;
	}
	return true;
}

static void event_take(struct reading *r, const struct snag_event *ev)
{
	bool is_atomic = snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE;
	bool is_access = snag_op_is_access(ev->op) || is_atomic;
	bool is_promise = ev->op == SNAG_OP_PROMISE_SET || ev->op == SNAG_OP_PROMISE_GET;
	if (!r->has_begun)
		snag_task_order_first(&r->order, ev->thread);
	r->has_begun = true;
	uint32_t depth = r->task[ev->thread].depth;
	if (is_access && depth) {
		section_access(r, ev);
	} else if (is_atomic && r->options.of_atomics) {
		atomic_take(r, ev);
	} else if (is_boundary(r, ev) || (is_promise && depth)) { /* [flag] */
		return;
	} else if (SNAG_OPS_OF_UPDATES >> ev->op & 1) {
		const char *name = snag_name(r->names, SNAG_SPACE_LOCK, ev->target);
		bool begins = ev->op == SNAG_OP_UPDATE_BEGIN && !r->options.ordered_updates;
		r->task[ev->thread].update = begins ? update_kind(name) : 0;
	} else if (snag_op_is_of_tasks(ev->op)) {
		if (ev->op == SNAG_OP_TASK_CREATE || ev->op == SNAG_OP_TASK_SPAWN) {
			struct member *m = &r->task[ev->thread];
			r->task[ev->target].path = snag_task_path(m->path, m->children++);
		}
		bool has_room = snag_task_order_more(&r->order);
		assert(has_room);
		snag_task_event(&r->order, ev);
	}
}

static void rows_fill(struct snag_block_rows *rows, const struct pair *pair, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snag_block_row_add(rows, pair[i].b, pair[i].a);
}

/* Whether an atomic operation in a block conflicts with another block, and structure does not order
 * them. */
static bool is_mixed(const struct snag_blocks *s, const struct pair *pair, size_t n) /* [mixed] */
{
	for (size_t i = 0; i < n; i++)
		if (pair[i].is_mixed && !snag_block_row_has(&s->structure, pair[i].b, pair[i].a))
			return true;
	return false;
}

/* Whether atomics of different variables, some of them weak, depend on an order that structure does
 * not decide. */
static bool is_weak(const struct snag_blocks *s, const struct pair *pair, size_t n) /* [weak] */
{
	bool has_weak = false;
	uint32_t variable = 0;
	bool has_several = false;
	for (size_t i = 0; i < n; i++) {
		const struct snag_block *a = &s->at[pair[i].a], *b = &s->at[pair[i].b];
		if (!a->atomic || !b->atomic ||
		    snag_block_row_has(&s->structure, pair[i].b, pair[i].a))
			continue;
		has_weak |= a->is_weak || b->is_weak;
		has_several |= variable && variable != a->atomic;
		variable = a->atomic;
	}
	return has_weak && has_several;
}

void snag_blocks_init(struct snag_blocks *s, size_t n)
{
	size_t nwords = (n + 63) / 64;
	*s = (struct snag_blocks){.at = snag_calloc(n, sizeof(*s->at)), .n = n};
	s->structure.nwords = s->conflict.nwords = nwords;
	s->structure.bits = snag_calloc(n * nwords, sizeof(uint64_t));
	s->conflict.bits = snag_calloc(n * nwords, sizeof(uint64_t));
}

void snag_blocks_done(struct snag_blocks *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].use);
	free(s->at);
	free(s->structure.bits);
	free(s->conflict.bits);
	*s = (struct snag_blocks){0};
}

int snag_blocks_read(struct snag_blocks *ret, struct snag_source *src,
		     const struct snag_blocks_options *options, struct snag_error *err)
{
	struct reading r = {.nuses = 1, .names = src->names, .options = *options};
	struct snag_batch batch;
	int rc = 0;
	snag_task_order_init(&r.order);
	while (!r.is_cut && (rc = snag_source_next(src, &batch, err)) > 0) {
		const uint32_t *n = batch.counts.n;
		snag_task_order_reserve(&r.order, n[SNAG_SPACE_THREAD], n[SNAG_SPACE_PROMISE]);
		r.task = snag_grow(r.task, &r.task_cap, n[SNAG_SPACE_THREAD], sizeof(*r.task));
		r.of = snag_grow(r.of, &r.of_cap, n[SNAG_SPACE_VARIABLE], sizeof(*r.of));
		for (size_t i = 0; i < batch.n && !r.is_cut; i++)
			event_take(&r, &batch.ev[i]);
	}
	if (rc >= 0) {
		snag_blocks_init(ret, r.n);
		ret->is_nested = r.is_nested;
		ret->is_cut = r.is_cut;
		for (size_t i = 0; i < r.n; i++) {
			ret->at[i] = r.at[i];
			snag_block_uses_sort(&ret->at[i]);
		}
		rows_fill(&ret->structure, r.structure, r.nstructure);
		rows_fill(&ret->conflict, r.conflict, r.nconflict);
		ret->is_nested |= is_mixed(ret, r.conflict, r.nconflict);
		ret->is_weak = is_weak(ret, r.conflict, r.nconflict);
	}
	snag_task_order_done(&r.order);
	for (size_t i = 0; i < r.n && rc < 0; i++)
		free(r.at[i].use);
	free(r.at);
	free(r.step);
	free(r.structure);
	free(r.conflict);
	free(r.task);
	free(r.use);
	free(r.of);
	return rc < 0 ? rc : 0;
}
