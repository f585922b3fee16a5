/* SPDX-License-Identifier: Apache-2.0
 *
 * partners_index.c - partners when the whole trace is in memory, indexed
 *
 * Idea.   Sort the questions by variable, and in one pass over the trace also the accesses to
 *         these variables.  Then handle each variable by itself (partners_variable.h), in the
 *         cache. Sorting handles as many variables at once as a share of the trace's accesses
 *         allows, so it needs little memory.
 * Cost.   A pass over the trace for each share, and 16 bytes for each access of a share.
 */
#include "base/memory.h"
#include "detect/partners/partners.h"
#include "detect/partners/partners_variable.h"

#include <string.h>

enum { SHARES = 3, MIN_SHARE = 1 << 20 };

struct answering {
	struct snag_partners *p;
	const struct snag_index *ix;
	const bool *locations;
	struct snag_locksets locksets;
	snag_lockset *locks; /* by node of held locks; NULL: they do not count */
	uint32_t *asked;     /* by variable, and one more: where its questions begin */
	uint32_t *order;     /* questions by variable, then event */
	struct snag_variable_access *access;
	size_t access_cap;
	uint32_t *end; /* by variable: where its accesses end, so far */
	struct snag_variable_partners variable;
};

static void locks_number(struct answering *a)
{
	const struct snag_index *ix = a->ix;
	a->locks = snag_calloc(ix->nnodes, sizeof(*a->locks));
	for (size_t i = 1; i < ix->nnodes; i++) {
		const struct snag_event *acquire = &ix->trace->ev[ix->node[i].acquire];
		a->locks[i] =
			snag_lockset_add(&a->locksets, a->locks[ix->node[i].below], acquire->target,
					 acquire->op == SNAG_OP_ACQUIRE_SHARED);
	}
}

static void questions_sort(struct answering *a)
{
	const struct snag_partners *p = a->p;
	size_t nvariables = a->ix->nvariables;
	a->asked = snag_calloc(nvariables + 2, sizeof(*a->asked));
	a->order = snag_realloc(NULL, p->n, sizeof(*a->order));
	for (size_t i = 0; i < p->n; i++)
		a->asked[p->question[i].variable + 2]++;
	for (size_t x = 2; x <= nvariables + 1; x++)
		a->asked[x] += a->asked[x - 1];
	for (uint32_t i = 0; i < p->n; i++)
		a->order[a->asked[p->question[i].variable + 1]++] = i;
}

static uint32_t lanes_events(const struct snag_lanes *lanes, uint32_t x)
{
	return lanes->lane[lanes->first[x + 1]].begin - lanes->lane[lanes->first[x]].begin;
}

/* At most how many accesses the variable has; 0: there is no question about it. */
static uint32_t accesses_of(const struct answering *a, uint32_t x)
{
	if (a->asked[x] == a->asked[x + 1])
		return 0;
	return lanes_events(&a->ix->reads, x) + lanes_events(&a->ix->writes, x);
}

/* Puts the accesses of variables from `low` to below `high` where end[] says. */
static void accesses_gather(struct answering *a, uint32_t low, uint32_t high)
{
	const struct snag_index *ix = a->ix;
	for (uint32_t e = 0; e < ix->nevents; e++) {
		const struct snag_event *ev = &ix->trace->ev[e];
		uint32_t x = ev->target;
		if ((a->locations && !a->locations[ev->loc]) || !snag_op_is_access(ev->op) ||
		    x < low || x >= high || a->asked[x] == a->asked[x + 1])
			continue;
		a->access[a->end[x]++] = (struct snag_variable_access){
			.event = e,
			.loc = ev->loc,
			.who = 2 * ev->thread + (ev->op == SNAG_OP_WRITE),
			.locks = a->locks ? a->locks[ix->held[e]] : 0,
		};
	}
}

/* Answers for variables from `low` on, as many as fit; returns the first that is left. */
static uint32_t share_answer(struct answering *a, uint32_t low, uint64_t share)
{
	uint64_t n = 0;
	uint32_t high = low, begin = 0;
	while (high < a->ix->nvariables && (n == 0 || n + accesses_of(a, high) <= share)) {
		a->end[high] = (uint32_t)n;
		n += accesses_of(a, high++);
	}
	if (n == 0)
		return high;
	a->access = snag_huge_grow(a->access, &a->access_cap, n, sizeof(*a->access));
	accesses_gather(a, low, high);
	for (uint32_t x = low; x < high; begin += accesses_of(a, x), x++)
		if (a->end[x] > begin)
			snag_variable_partners_answer(&a->variable, a->p, &a->locksets, x,
						      a->access + begin, a->end[x] - begin,
						      a->order + a->asked[x],
						      a->asked[x + 1] - a->asked[x]);
	return high;
}

void snag_partners_answer_indexed(struct snag_partners *p, const struct snag_index *ix,
				  const bool *locations)
{
	struct answering a = {.p = p, .ix = ix, .locations = locations};
	uint64_t total = 0;
	snag_locksets_init(&a.locksets);
	if (p->disjoint_locksets)
		locks_number(&a);
	questions_sort(&a);
	a.end = snag_calloc(ix->nvariables, sizeof(*a.end));
	for (uint32_t x = 0; x < ix->nvariables; x++)
		total += accesses_of(&a, x);
	uint64_t share = total / SHARES + 1 > MIN_SHARE ? total / SHARES + 1 : MIN_SHARE;
	for (uint32_t x = 0; x < ix->nvariables;)
		x = share_answer(&a, x, share);
	snag_huge_free(a.access, a.access_cap, sizeof(*a.access));
	snag_variable_partners_done(&a.variable);
	snag_locksets_done(&a.locksets);
	free(a.locks);
	free(a.asked);
	free(a.order);
	free(a.end);
}
