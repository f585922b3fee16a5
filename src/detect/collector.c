/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.c - from what one detector says to its findings
 */
#include "detect/collector.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* The verdict of a race that is being decided. */
#define UNKNOWN SNAG_VERDICTS

/* The variable races are told apart by, if they are. */
static uint32_t group_of(const struct snag_collector *c, const struct snag_site *site)
{
	return c->by_variable ? site->target : 0;
}

static size_t slot_start(const struct snag_collector *c, const struct snag_site *first,
			 const struct snag_site *second)
{
	snag_loc a = first->loc, b = second->loc;
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	uint64_t key = (low << 32 | high) + group_of(c, second) * 0xd6e8feb86659fd93u;
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (c->nslots - 1);
}

static bool is_same_group(const struct snag_collector *c, const struct snag_race *r,
			  const struct snag_site *first, const struct snag_site *second)
{
	snag_loc a = first->loc, b = second->loc;
	return ((r->first.loc == a && r->second.loc == b) ||
		(r->first.loc == b && r->second.loc == a)) &&
	       group_of(c, &r->second) == group_of(c, second);
}

static void slots_double(struct snag_collector *c)
{
	free(c->slot);
	c->nslots = c->nslots ? c->nslots * 2 : 64;
	c->slot = snag_calloc(c->nslots, sizeof(*c->slot));
	for (size_t i = 0; i < c->findings->nraces; i++) {
		const struct snag_race *r = &c->findings->race[i];
		size_t s = slot_start(c, &r->first, &r->second);
		while (c->slot[s])
			s = (s + 1) & (c->nslots - 1);
		c->slot[s] = (uint32_t)i + 1;
	}
}

static struct snag_race *race_new(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	f->race = snag_grow(f->race, &f->race_cap, f->nraces + 1, sizeof(*f->race));
	return &f->race[f->nraces++];
}

/* The race of two locations; a new one has count 0. */
static struct snag_race *race_of_locations(struct snag_collector *c, const struct snag_site *first,
					   const struct snag_site *second)
{
	if (c->findings->nraces * 2 >= c->nslots)
		slots_double(c);
	size_t s = slot_start(c, first, second);
	for (; c->slot[s]; s = (s + 1) & (c->nslots - 1))
		if (is_same_group(c, &c->findings->race[c->slot[s] - 1], first, second))
			return &c->findings->race[c->slot[s] - 1];
	struct snag_race *r = race_new(c);
	c->slot[s] = (uint32_t)c->findings->nraces;
	return r;
}

static void race_fill(struct snag_collector *c, struct snag_race *r,
		      const struct snag_partners_found *found)
{
	r->first = found->first;
	r->second = found->second;
	r->verdict = c->verify ? UNKNOWN : c->detector->verdict;
	/* A clock's entry is one more than the number of the event that made it known. */
	uint32_t known = found->before ? snag_vclock_get(found->before, found->first.thread) : 0;
	r->known = (struct snag_site){.event = known ? known - 1 : SNAG_NO_EVENT};
}

static void file_grouped(struct snag_collector *c, const struct snag_partners_found *found)
{
	struct snag_race *r = race_of_locations(c, &found->first, &found->second);
	bool is_nearer =
		r->second.event == found->second.event && r->first.event < found->first.event;
	if (r->count == 0 || is_nearer)
		race_fill(c, r, found);
	r->count += found->n;
}

/* Of a stretch of partners the first and the last are enough to begin with, if one race of two
 * locations will do. */
static void file_candidates(struct snag_collector *c, const struct snag_partners_found *found)
{
	uint32_t second = found->second.event;
	const bool *wanted = c->is_second_round ? snag_verify_locations(c->verify) : NULL;
	if (wanted && !(wanted[found->first.loc] && wanted[found->second.loc]))
		return;
	if (!c->pairs && !c->is_second_round) {
		file_grouped(c, found);
		snag_verify_add(c->verify, found->event[0], second);
		if (found->n > 1)
			snag_verify_add(c->verify, found->event[found->n - 1], second);
		return;
	}
	for (size_t i = 0; i < found->n; i++)
		if (!snag_verify_add(c->verify, found->event[i], second))
			return;
}

static void partners_found(void *ctx, const struct snag_partners_found *found)
{
	struct snag_collector *c = ctx;
	if (c->verify) {
		file_candidates(c, found);
		return;
	}
	c->findings->npairs += found->n;
	if (!c->pairs) {
		file_grouped(c, found);
		return;
	}
	for (size_t i = 0; i < found->n; i++) {
		struct snag_race *r = race_new(c);
		race_fill(c, r, found);
		r->first.event = found->event[i];
		r->count = 1;
	}
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
	    !snag_recent_partners(c->recent, ev, event, since, before, partners_found, c))
		snag_partners_ask(&c->partners, ev, event, before, pool);
}

static void on_pair(void *ctx, const struct snag_site *first, const struct snag_site *second)
{
	struct snag_collector *c = ctx;
	struct snag_partners_found found = {
		.first = *first, .second = *second, .event = &first->event, .n = 1};
	racy_add(c, second->event);
	partners_found(c, &found);
}

static void on_race_with(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	struct snag_collector *c = ctx;
	racy_add(c, event);
	snag_pairs_add(&c->incomplete, first, ev, event);
}

static void on_refuse(void *ctx, const struct snag_event *ev, uint32_t event, const char *why)
{
	struct snag_collector *c = ctx;
	if (c->refusal.why[0])
		return;
	c->refusal.event = event;
	snprintf(c->refusal.why, sizeof(c->refusal.why), "%s", why);
}

/* A race was decided; without filing its locations before, whoever decides has grouped. */
static void on_race(void *ctx, const struct snag_race *race)
{
	struct snag_collector *c = ctx;
	bool is_filed = c->verify && !c->pairs;
	struct snag_race *r =
		is_filed ? race_of_locations(c, &race->first, &race->second) : race_new(c);
	uint64_t count = is_filed ? r->count : race->count;
	*r = *race;
	r->count = count;
	r->known = (struct snag_site){.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID};
	if (!is_filed)
		c->findings->npairs += count;
	if (!c->verify && race->verdict == SNAG_PREDICTED)
		racy_add(c, race->second.event);
	c->is_unsorted = true;
}

static void on_uncertain(void *ctx, uint64_t n)
{
	struct snag_collector *c = ctx;
	c->findings->uncertain = n;
}

void snag_collector_init(struct snag_collector *c, const struct snag_detector *detector,
			 struct snag_recent *recent, struct snag_findings *findings, bool pairs)
{
	*c = (struct snag_collector){.env = {.on_racy = on_racy,
					     .on_pair = on_pair,
					     .on_race_with = on_race_with,
					     .on_refuse = on_refuse,
					     .on_race = on_race,
					     .on_uncertain = on_uncertain,
					     .ctx = c,
					     .pairs = pairs},
				     .detector = detector,
				     .recent = recent,
				     .findings = findings,
				     .pairs = pairs};
	snag_partners_init(&c->partners, detector->disjoint_locksets, partners_found, c);
	snag_pairs_init(&c->incomplete, partners_found, c);
	c->decides = detector->decide != SNAG_DECIDE_NOT;
	findings->name = detector->name;
}

void snag_collector_done(struct snag_collector *c)
{
	snag_verify_free(c->verify);
	snag_partners_done(&c->partners);
	snag_pairs_done(&c->incomplete);
	free(c->slot);
}

void snag_collector_decide(struct snag_collector *c, const struct snag_index *ix,
			   enum snag_mode mode)
{
	enum snag_procedure procedure = SNAG_DECIDE_EXACTLY;
	if (c->env.stages == SNAG_STAGES_PAPER)
		procedure = c->detector->decide == SNAG_DECIDE_READS ? SNAG_RACE_DECISION
								     : SNAG_VINDICATE;
	c->verify = snag_verify_new(&c->env, ix, mode, procedure);
}

bool snag_collector_round(struct snag_collector *c)
{
	c->is_second_round = snag_verify_round(c->verify);
	return c->is_second_round;
}

void snag_collector_settle(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	size_t n = 0;
	f->npairs = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		if (f->race[i].verdict == UNKNOWN)
			continue;
		f->race[n++] = f->race[i];
		f->npairs += f->race[i].count;
	}
	f->nraces = n;
	f->complete = c->detector->is_complete && snag_verify_is_complete(c->verify);
}

static int race_compare(const void *a, const void *b)
{
	const struct snag_race *x = a, *y = b;
	if (x->second.event != y->second.event)
		return x->second.event < y->second.event ? -1 : 1;
	return x->first.event < y->first.event ? -1 : x->first.event > y->first.event;
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
	qsort(f->racy, f->nracy, sizeof(*f->racy), event_compare);
	for (size_t i = 0; i < f->nracy; i++)
		if (n == 0 || f->racy[n - 1] != f->racy[i])
			f->racy[n++] = f->racy[i];
	f->nracy = n;
}

void snag_collector_sort(struct snag_collector *c)
{
	struct snag_findings *f = c->findings;
	if (c->is_unsorted)
		racy_sort(f);
	if (f->nraces)
		qsort(f->race, f->nraces, sizeof(*f->race), race_compare);
}
