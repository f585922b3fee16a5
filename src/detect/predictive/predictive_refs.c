/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_refs.c - who refers to a section
 */
#include "detect/predictive/predictive_refs.h"

typedef void visit_fn(uint32_t *of, uint32_t *ref); /* of[]: by section */

static void ref_mark(uint32_t *marks, uint32_t *ref)
{
	marks[*ref] |= SNAG_REFERRED;
}

static void ref_renumber(uint32_t *number, uint32_t *ref)
{
	*ref = number[*ref];
}

static void conflict_visit(struct snag_predictive *p, struct snag_conflict *c, visit_fn *visit,
			   uint32_t *of)
{
	visit(of, &c->write);
	visit(of, &c->read[0]);
	visit(of, &c->read[1]);
	for (uint32_t i = c->more; i; i = p->nodes.node[i].next)
		visit(of, &p->nodes.node[i].section);
}

static void conflicts_visit(struct snag_predictive *p, const struct snag_conflicts *table,
			    visit_fn *visit, uint32_t *of)
{
	struct snag_conflict *slot = snag_conflict_slots(&p->conflicts, table);
	for (uint32_t k = 0; k < table->nslots; k++)
		if (slot[k].lock != UINT32_MAX)
			conflict_visit(p, &slot[k], visit, of);
}

static void variables_visit(struct snag_predictive *p, const struct snag_order_rules *rules,
			    visit_fn *visit, uint32_t *of)
{
	for (size_t v = 0; v < p->nx; v++) {
		if (rules->sections == SNAG_CONFLICTING)
			conflicts_visit(p, &p->x[v].conflicts, visit, of);
		for (uint32_t i = p->x[v].owed; i; i = p->owed[i].next)
			visit(of, &p->owed[i].section);
	}
}

/* Forgets the sections that every holder knows: all later conflicts come after them. */
static void known_forget(struct snag_predictive *p)
{
	for (size_t v = 0; v < p->nx; v++) {
		const struct snag_conflicts *table = &p->x[v].conflicts;
		struct snag_conflict *c = snag_conflict_slots(&p->conflicts, table);
		for (const struct snag_conflict *end = c + table->nslots; c < end; c++) {
			if (c->lock == UINT32_MAX)
				continue;
			uint32_t known = c->lock == SNAG_ATOMIC_LOCK ? p->atomic[v].known
								     : p->lock[c->lock].known;
			c->write *= c->write > known;
			c->read[0] *= c->read[0] > known;
			c->read[1] *= c->read[1] > known;
		}
	}
}

static void owed_visit(const struct snag_owed_sections *owed, visit_fn *visit, uint32_t *of)
{
	for (size_t i = 0; i < owed->n; i++)
		visit(of, &owed->at[i]);
}

static void threads_visit(struct snag_predictive *p, visit_fn *visit, uint32_t *of)
{
	for (struct snag_predictive_thread *t = p->thread; t < p->thread + p->nthreads; t++) {
		visit(of, &t->innermost);
		visit(of, &t->deep);
		owed_visit(&t->pending, visit, of);
		owed_visit(&t->unnamed, visit, of);
	}
	for (size_t i = 1; i < p->sections.n; i++)
		if (p->sections.section[i].release == SNAG_NO_EVENT) {
			visit(of, &p->sections.rest[i].outer);
			visit(of, &p->sections.rest[i].inner);
		}
	for (size_t i = 1; i < p->held.n; i++)
		if (p->held.at[i].refs)
			visit(of, &p->held.at[i].section);
}

static void locks_visit(struct snag_predictive_lock *l, size_t n, visit_fn *visit, uint32_t *of)
{
	for (size_t i = 0; i < n; i++) {
		visit(of, &l[i].holder);
		visit(of, &l[i].last);
		visit(of, &l[i].known);
	}
}

static void refs_visit(struct snag_predictive *p, const struct snag_order_rules *rules,
		       visit_fn *visit, uint32_t *of)
{
	variables_visit(p, rules, visit, of);
	threads_visit(p, visit, of);
	locks_visit(p->lock, p->lock_cap, visit, of);
	locks_visit(p->atomic, p->atomic_cap, visit, of);
}

static void filed_mark(const struct snag_predictive_lock *l, size_t n, uint32_t *marks)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < l[i].nruns; k++)
			for (size_t f = 0; f < l[i].run[k].n; f++)
				marks[l[i].run[k].at[f].section] |= SNAG_FILED;
}

/* Leaves out the sections that no longer exist. */
static void run_renumber(struct snag_section_run *run, const uint32_t *number)
{
	size_t kept = 0;
	for (size_t i = 0; i < run->n; i++) {
		run->at[kept] = run->at[i];
		run->at[kept].section = number[run->at[i].section];
		kept += run->at[kept].section != 0;
	}
	run->n = kept;
}

static void filed_renumber(struct snag_predictive_lock *l, size_t n, const uint32_t *number)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < l[i].nruns; k++)
			run_renumber(&l[i].run[k], number);
		run_renumber(&l[i].deep, number);
	}
}

void snag_predictive_mark(struct snag_predictive *p, const struct snag_order_rules *rules,
			  uint32_t *marks)
{
	if (snag_order_hands_on(rules))
		known_forget(p);
	refs_visit(p, rules, ref_mark, marks);
	for (size_t i = 1; i < p->sections.n; i++)
		if (p->sections.section[i].release == SNAG_NO_EVENT)
			marks[i] |= SNAG_REFERRED;
	filed_mark(p->lock, p->lock_cap, marks);
	filed_mark(p->atomic, p->atomic_cap, marks);
	marks[0] = 0;
}

void snag_predictive_renumber(struct snag_predictive *p, const struct snag_order_rules *rules,
			      uint32_t *number)
{
	refs_visit(p, rules, ref_renumber, number);
	filed_renumber(p->lock, p->lock_cap, number);
	filed_renumber(p->atomic, p->atomic_cap, number);
	size_t nseen = p->held.seen_cap < p->held.n ? p->held.seen_cap : p->held.n;
	for (size_t i = 0; i < nseen; i++)
		p->held.seen[i].found = number[p->held.seen[i].found];
}
