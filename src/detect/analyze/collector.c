/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.c - from what one detector says to its findings
 */
#include "detect/analyze/collector.h"

#include "base/memory.h"
#include "detect/candidates/candidates.h"
#include "trace/deadlock.h"

#include <stdio.h>
#include <string.h>

enum { MOST_REFUSED = 64 };

struct locations {
	snag_loc a, b;
	uint32_t variable; /* 0 unless races are told apart by it */
};

static struct locations locations_of(const struct snag_collector *c, const struct snag_site *first,
				     const struct snag_site *second)
{
	return (struct locations){first->loc, second->loc, c->by_variable ? second->target : 0};
}

static uint64_t locations_hash(struct locations l)
{
	uint64_t both = l.a < l.b ? snag_hash(l.a, l.b) : snag_hash(l.b, l.a);
	return l.variable ? snag_hash(both, l.variable) : both;
}

static uint64_t race_hash(const void *ctx, uint32_t number)
{
	const struct snag_collector *c = ctx;
	const struct snag_race *r = &c->findings->race[number];
	return locations_hash(locations_of(c, &r->first, &r->second));
}

static bool race_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_collector *c = ctx;
	const struct snag_race *r = &c->findings->race[number];
	const struct locations *l = key;
	return ((r->first.loc == l->a && r->second.loc == l->b) ||
		(r->first.loc == l->b && r->second.loc == l->a)) &&
	       locations_of(c, &r->first, &r->second).variable == l->variable;
}

/* The race of two locations, or NULL. */
static struct snag_race *race_find(const struct snag_collector *c, struct locations l)
{
	uint32_t number = snag_slots_find(&c->by_locations, locations_hash(l), race_equals, c, &l);
	return number == SNAG_SLOTS_NONE ? NULL : &c->findings->race[number];
}

static struct snag_race *race_new(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	f->race = snag_grow(f->race, &f->race_cap, f->nraces + 1, sizeof(*f->race));
	return &f->race[f->nraces++];
}

/* A race of two locations that had none, with count 0. */
static struct snag_race *race_add(struct snag_collector *c, struct locations l)
{
	struct snag_race *r = race_new(c);
	r->first.loc = l.a;
	r->second.loc = l.b;
	r->second.target = l.variable;
	snag_slots_add(&c->by_locations, (uint32_t)(r - c->findings->race), race_hash, c);
	return r;
}

static struct snag_race *race_of_locations(struct snag_collector *c, struct locations l)
{
	struct snag_race *r = race_find(c, l);
	return r ? r : race_add(c, l);
}

/* Notes that not all partners of the racy event will be in the races. */
static void abridge(void *ctx, uint32_t event)
{
	struct snag_collector *c = ctx;
	if (c->abridged == event)
		return;
	c->abridged = event;
	c->refused = 0;
	c->findings->abridged++;
}

/* Notes that a race of the racy event is not listed.  Returns whether to look for others that
 * are: the counts of this event are no longer exact. */
static bool refuse(struct snag_collector *c, uint32_t event)
{
	abridge(c, event);
	return ++c->refused < MOST_REFUSED;
}

static void race_fill(struct snag_collector *c, struct snag_race *r,
		      const struct snag_partners_found *found)
{
	r->first = found->first;
	r->second = found->second;
	r->verdict = c->detector->verdict;
	/* A clock's entry is one more than the number of the event that made it known.  If it
	 * belongs to an earlier thread on the seat, nothing is known of this one. */
	uint32_t known = found->before ? snag_vclock_of_thread(found->pool, found->before,
							       found->first.thread)
				       : 0;
	if (known && known <= snag_seats_since(&found->pool->seats, found->first.thread))
		known = 0;
	r->known = (struct snag_site){.event = known ? known - 1 : SNAG_NO_EVENT};
}

static void file_grouped(struct snag_collector *c, struct snag_race *r,
			 const struct snag_partners_found *found)
{
	bool is_nearer =
		r->second.event == found->second.event && r->first.event < found->first.event;
	if (r->count == 0 || is_nearer)
		race_fill(c, r, found);
	if (r->variables.n == 0 && r->second.target != found->second.target)
		snag_variables_add(&r->variables, r->second.target);
	if (r->variables.n)
		snag_variables_add(&r->variables, found->second.target);
	if (c->detector->decide)
		snag_instances_add(&c->instances, (size_t)(r - c->findings->race),
				   found->first.event, found->second.event);
	r->count += found->n;
	c->findings->npairs += found->n;
}

static void file_pair(struct snag_collector *c, const struct snag_partners_found *found,
		      uint32_t first)
{
	struct snag_race *r = race_new(c);
	race_fill(c, r, found);
	r->first.event = first;
	r->count = 1;
	c->findings->npairs++;
}

static bool file_pairs(struct snag_collector *c, const struct snag_partners_found *found)
{
	for (size_t i = 0; i < found->n; i++) {
		if (c->findings->nraces >= c->listing.most)
			return refuse(c, found->second.event);
		file_pair(c, found, found->event[i]);
	}
	return true;
}

static bool partners_found(void *ctx, const struct snag_partners_found *found)
{
	struct snag_collector *c = ctx;
	if (c->pairs)
		return file_pairs(c, found);
	struct locations l = locations_of(c, &found->first, &found->second);
	struct snag_race *r = race_find(c, l);
	if (!r && !snag_listing_takes(&c->listing, l.a, l.b))
		return refuse(c, found->second.event);
	file_grouped(c, r ? r : race_add(c, l), found);
	return true;
}

/* A pair that the detector itself has named.  There are no more of these than accesses, so no
 * bound applies. */
static bool pair_found(void *ctx, const struct snag_partners_found *found)
{
	struct snag_collector *c = ctx;
	struct locations l = locations_of(c, &found->first, &found->second);
	if (c->pairs)
		file_pair(c, found, found->event[0]);
	else
		file_grouped(c, race_of_locations(c, l), found);
	return true;
}

static void racy_add(struct snag_collector *c, uint32_t event)
{
	struct snag_findings *f = c->findings;
	if (f->nracy && f->racy[f->nracy - 1] == event)
		return;
	f->racy = snag_grow(f->racy, &f->racy_cap, f->nracy + 1, sizeof(*f->racy));
	f->racy[f->nracy++] = event;
}

static void on_racy(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t since,
		    struct snag_vclock *before, struct snag_vclock_pool *pool)
{
	struct snag_collector *c = ctx;
	racy_add(c, event);
	if (c->decides || c->detector->disjoint_locksets ||
	    !snag_recent_partners(c->recent, ev, event, since, before, pool, partners_found, c))
		snag_partners_ask(&c->partners, ev, event, before, pool);
}

static void on_pair(void *ctx, const struct snag_site *first, const struct snag_site *second)
{
	struct snag_collector *c = ctx;
	struct snag_partners_found found = {
		.first = *first, .second = *second, .event = &first->event, .n = 1};
	racy_add(c, second->event);
	pair_found(c, &found);
}

static void on_race_with(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	struct snag_collector *c = ctx;
	racy_add(c, event);
	snag_pairs_add(&c->incomplete, first, ev, event);
}

static void on_doubt(void *ctx, enum snag_doubt why, const struct snag_event *ev, uint32_t event,
		     uint32_t first)
{
	struct snag_collector *c = ctx;
	struct snag_doubtful *doubt = &c->findings->doubt[why];
	if (doubt->is_there)
		return;
	doubt->is_there = true;
	doubt->first.event = first; /* the rest is looked up with the details of races */
	doubt->second.event = event;
}

static void on_refuse(void *ctx, const struct snag_event *ev, uint32_t event, const char *why)
{
	struct snag_collector *c = ctx;
	if (c->refusal.why[0])
		return;
	c->refusal.event = event;
	snprintf(c->refusal.why, sizeof(c->refusal.why), "%s", why);
}

static bool is_unordered(const struct snag_collector *c, uint32_t e1, uint32_t e2)
{
	const struct snag_question *q = snag_partners_question(&c->partners, e2);
	return q && e1 >= snag_vclock_of_thread(c->partners.pool, q->before,
						snag_index_thread(c->ix, e1));
}

/* A race was decided.  Races of a relation are counted afterwards; m2 has counted its own. */
static void on_race(void *ctx, const struct snag_race *race)
{
	struct snag_collector *c = ctx;
	struct locations l = locations_of(c, &race->first, &race->second);
	bool is_counted = !c->verify || c->pairs || race->is_atomicity || race->is_behind;
	if (c->verify && race->verdict == SNAG_UNVERIFIED &&
	    !is_unordered(c, race->first.event, race->second.event))
		return; /* the relation refutes it */
	struct snag_race *r = is_counted ? race_new(c) : race_of_locations(c, l);
	struct snag_variables variables = r->variables;
	*r = *race;
	r->variables = variables;
	r->count = is_counted ? race->count : 0;
	r->known = (struct snag_site){.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID};
	c->findings->npairs += r->count;
	if (c->verify)
		return;
	if (race->verdict == SNAG_PREDICTED && !race->is_atomicity && !race->is_behind)
		racy_add(c, race->second.event);
	c->is_unsorted = true;
}

static void on_counted(void *ctx, uint32_t second)
{
	racy_add(ctx, second);
}

static void on_at_least(void *ctx)
{
	struct snag_collector *c = ctx;
	c->findings->at_least = true;
}

static void on_deadlock(void *ctx, const struct snag_deadlock *deadlock)
{
	struct snag_findings *f = ((struct snag_collector *)ctx)->findings;
	f->deadlock =
		snag_grow(f->deadlock, &f->deadlock_cap, f->ndeadlocks + 1, sizeof(*f->deadlock));
	f->deadlock[f->ndeadlocks++] = *deadlock;
}

static void on_uncertain(void *ctx, uint64_t n)
{
	struct snag_collector *c = ctx;
	c->findings->uncertain = n;
}

static void on_abridged(void *ctx, uint64_t n)
{
	struct snag_collector *c = ctx;
	c->findings->abridged = n;
}

void snag_collector_init(struct snag_collector *c, const struct snag_detector *detector,
			 struct snag_recent *recent, struct snag_findings *findings, bool pairs)
{
	*c = (struct snag_collector){.env = {.on_racy = on_racy,
					     .on_pair = on_pair,
					     .on_race_with = on_race_with,
					     .on_doubt = on_doubt,
					     .on_refuse = on_refuse,
					     .on_race = on_race,
					     .on_counted = on_counted,
					     .on_at_least = on_at_least,
					     .on_deadlock = on_deadlock,
					     .on_uncertain = on_uncertain,
					     .on_abridged = on_abridged,
					     .max_races = SNAG_ALL_RACES,
					     .ctx = c,
					     .pairs = pairs},
				     .detector = detector,
				     .recent = recent,
				     .findings = findings,
				     .pairs = pairs};
	snag_listing_init(&c->listing, SNAG_ALL_RACES);
	c->abridged = SNAG_NO_EVENT;
	snag_partners_init(&c->partners, detector->disjoint_locksets, partners_found, abridge, c);
	snag_pairs_init(&c->incomplete, pair_found, c);
	c->decides = detector->decide != SNAG_DECIDE_NOT;
	findings->name = detector->name;
	findings->finds_deadlocks = detector->finds_deadlocks;
	findings->finds_atomicity = detector->finds_atomicity;
	findings->finds_freed = detector->finds_freed;
}

void snag_collector_bound(struct snag_collector *c, uint64_t most)
{
	c->listing.most = c->env.max_races = most;
	c->partners.spare = most == SNAG_ALL_RACES ? UINT64_MAX : SNAG_CHAINS_SPARE;
}

void snag_collector_done(struct snag_collector *c)
{
	snag_listing_done(&c->listing);
	snag_verify_free(c->verify);
	snag_walk_done(&c->walk);
	snag_partners_done(&c->partners);
	snag_pairs_done(&c->incomplete);
	snag_slots_done(&c->by_locations);
	snag_instances_done(&c->instances);
}

static enum snag_procedure procedure_of(const struct snag_collector *c)
{
	if (c->env.stages != SNAG_STAGES_PAPER)
		return SNAG_DECIDE_EXACTLY;
	return c->detector->decide == SNAG_DECIDE_READS && !c->detector->vindicates_dc
		       ? SNAG_RACE_DECISION
		       : SNAG_VINDICATE;
}

/* For a complete relation: all predictable races are its pairs.  If one race per pair of
 * locations is wanted, the first round sees one candidate for all that are alike, whichever it
 * is. Otherwise pairs that the relation orders need no decision. */
static bool on_candidate(void *ctx, uint32_t e1, uint32_t e2)
{
	struct snag_collector *c = ctx;
	bool is_any = !c->pairs && !snag_verify_locations(c->verify);
	return (!is_any && !is_unordered(c, e1, e2)) || snag_verify_add(c->verify, e1, e2);
}

/* How many of the partners every witness puts before the racy access. */
static size_t necessarily_before(struct snag_collector *c, const struct snag_partners_found *found)
{
	const struct snag_rows *rows = &c->ix->rows[c->mode];
	struct snag_point before = snag_point_before(c->ix, rows, found->second.event);
	size_t low = 0, high = found->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (snag_rows_has(c->ix, rows, &c->walk, &before, found->event[mid]))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* For an incomplete relation: its own pairs are candidates.  If one race per pair of locations
 * is wanted, the first and the last of a stretch of partners are enough to begin with.  A
 * published procedure also gets pairs that cannot be a race. */
static bool candidates_found(void *ctx, const struct snag_partners_found *found)
{
	struct snag_collector *c = ctx;
	bool is_any = !c->pairs && !snag_verify_locations(c->verify);
	size_t i = procedure_of(c) == SNAG_DECIDE_EXACTLY ? necessarily_before(c, found) : 0;
	size_t step = is_any && found->n - i > 2 ? found->n - i - 1 : 1;
	for (; i < found->n; i += step)
		if (!snag_verify_add(c->verify, found->event[i], found->second.event))
			return false;
	return true;
}

static void on_cut(void *ctx, uint32_t event)
{
	struct snag_collector *c = ctx;
	snag_verify_cut(c->verify, event);
}

static void partners_answer(struct snag_collector *c, snag_partners_handler *handler,
			    const bool *locations)
{
	snag_collector_bound(c, c->listing.most); /* each time anew */
	c->partners.handler = handler;
	c->partners.on_cut = handler == candidates_found ? on_cut : abridge;
	snag_partners_answer_indexed(&c->partners, c->ix, locations);
}

static bool round_run(struct snag_collector *c)
{
	const bool *locations = snag_verify_locations(c->verify);
	struct snag_candidates_options options = {.mode = c->mode,
						  .by_class = !c->pairs && !locations,
						  .locations = locations,
						  .is_bounded = c->listing.most != SNAG_ALL_RACES,
						  .on_cut = on_cut};
	if (snag_collector_is_complete(c) && procedure_of(c) == SNAG_DECIDE_EXACTLY) {
		snag_candidates(c->ix, &options, on_candidate, c);
	} else {
		partners_answer(c, candidates_found, locations);
	}
	return snag_verify_round(c->verify);
}

static bool pairs_found(void *ctx, const struct snag_partners_found *found)
{
	struct snag_collector *c = ctx;
	struct snag_race *r = race_find(c, locations_of(c, &found->first, &found->second));
	if (r)
		r->count += found->n;
	return true;
}

/* Counts the pairs of the relation that the races stand for. */
static void pairs_count(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	bool *locations =
		snag_calloc(c->ix->trace->names.space[SNAG_SPACE_LOCATION].n, sizeof(*locations));
	for (size_t i = 0; i < f->nraces; i++)
		locations[f->race[i].first.loc] = locations[f->race[i].second.loc] = true;
	uint64_t undecided = f->abridged; /* mostly the same accesses */
	f->abridged = 0;
	partners_answer(c, pairs_found, locations);
	f->abridged = undecided > f->abridged ? undecided : f->abridged;
	free(locations);
	for (size_t i = 0; i < f->nraces; i++)
		f->npairs += f->race[i].count;
}

void snag_collector_decide(struct snag_collector *c, const struct snag_index *ix,
			   enum snag_mode mode)
{
	c->ix = ix;
	c->mode = mode;
	c->verify = snag_verify_new(&c->env, ix, mode, procedure_of(c));
	snag_walk_init(&c->walk, &ix->rows[c->mode]);
	if (round_run(c))
		round_run(c);
	c->findings->complete = snag_collector_is_complete(c) && snag_verify_is_complete(c->verify);
	if (!c->pairs && c->findings->nraces)
		pairs_count(c);
}

static int race_compare(const void *a, const void *b)
{
	const struct snag_race *x = a, *y = b;
	if (x->second.event != y->second.event)
		return x->second.event < y->second.event ? -1 : 1;
	if (x->first.event != y->first.event)
		return x->first.event < y->first.event ? -1 : 1;
	return x->read.event < y->read.event ? -1 : x->read.event > y->read.event;
}

static int event_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Racy events of races that came in any order. */
static void racy_sort(struct snag_findings *f)
{
	size_t n = 0;
	if (f->nracy == 0)
		return;
	qsort(f->racy, f->nracy, sizeof(*f->racy), event_compare);
	for (size_t i = 0; i < f->nracy; i++)
		if (n == 0 || f->racy[n - 1] != f->racy[i])
			f->racy[n++] = f->racy[i];
	f->nracy = n;
}

/* By their requests, in the order of the circle. */
static int deadlock_compare(const void *a, const void *b)
{
	const struct snag_deadlock *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	for (size_t i = 0; i < n; i++)
		if (x->wait[i].at.event != y->wait[i].at.event)
			return x->wait[i].at.event < y->wait[i].at.event ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

void snag_collector_sort(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	if (f->ndeadlocks)
		qsort(f->deadlock, f->ndeadlocks, sizeof(*f->deadlock), deadlock_compare);
	if (c->is_unsorted)
		racy_sort(f);
	if (f->nraces)
		qsort(f->race, f->nraces, sizeof(*f->race), race_compare);
}
