/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.c - run detectors over a trace and collect what they find
 *
 * Idea.   Each batch goes to the history first and then to every detector.  A detector says
 *         that an access is racy; the collector asks the history for its partners and
 *         files them: each pair of its own, or one race per unordered pair of locations
 *         with its count.  The race shown for a pair of locations is the one whose second
 *         access comes first in the trace, with the nearest first access.
 */
#include "detect/analyze.h"

#include "base/memory.h"
#include "detect/history.h"

#include <string.h>
#include <time.h>

struct collector {
	const struct snag_detector *detector;
	struct snag_detector_env env;
	void *state;
	struct snag_history *history;
	struct snag_findings *findings;
	bool pairs;
	/* Open addressing from a pair of locations to a race number + 1. */
	uint32_t *slot;
	size_t nslots;
	/* The racy access whose partners are being filed. */
	const struct snag_event *ev;
	uint32_t event;
	const struct snag_vclock *before;
};

static size_t slot_start(const struct collector *c, snag_loc a, snag_loc b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;
	return (size_t)(((low << 32 | high) * 0x9e3779b97f4a7c15u) >> 20) & (c->nslots - 1);
}

static bool same_locations(const struct snag_race *r, snag_loc a, snag_loc b)
{
	return (r->first.loc == a && r->second.loc == b) ||
	       (r->first.loc == b && r->second.loc == a);
}

static void slots_double(struct collector *c)
{
	free(c->slot);
	c->nslots = c->nslots ? c->nslots * 2 : 64;
	c->slot = snag_calloc(c->nslots, sizeof(*c->slot));
	for (size_t i = 0; i < c->findings->nraces; i++) {
		const struct snag_race *r = &c->findings->race[i];
		size_t s = slot_start(c, r->first.loc, r->second.loc);
		while (c->slot[s])
			s = (s + 1) & (c->nslots - 1);
		c->slot[s] = (uint32_t)i + 1;
	}
}

static struct snag_race *race_new(struct collector *c)
{
	struct snag_findings *f = c->findings;
	f->race = snag_grow(f->race, &f->race_cap, f->nraces + 1, sizeof(*f->race));
	return &f->race[f->nraces++];
}

/* The race of two locations; a new one has count 0. */
static struct snag_race *race_of_locations(struct collector *c, snag_loc a, snag_loc b)
{
	if (c->findings->nraces * 2 >= c->nslots)
		slots_double(c);
	size_t s = slot_start(c, a, b);
	for (; c->slot[s]; s = (s + 1) & (c->nslots - 1))
		if (same_locations(&c->findings->race[c->slot[s] - 1], a, b))
			return &c->findings->race[c->slot[s] - 1];
	struct snag_race *r = race_new(c);
	c->slot[s] = (uint32_t)c->findings->nraces;
	return r;
}

static void race_fill(struct collector *c, struct snag_race *r, const struct snag_site *first)
{
	uint32_t known = c->before ? snag_vclock_get(c->before, first->thread) : 0;
	r->first = *first;
	r->second = (struct snag_site){.event = c->event,
				       .thread = c->ev->thread,
				       .target = c->ev->target,
				       .loc = c->ev->loc,
				       .op = c->ev->op};
	r->verdict = c->detector->verdict;
	r->known = snag_history_last_known(c->history, first->thread, known);
}

static void file_grouped(struct collector *c, const struct snag_site *first, uint64_t count)
{
	struct snag_race *r = race_of_locations(c, first->loc, c->ev->loc);
	bool nearer = r->count && r->second.event == c->event && r->first.event < first->event;
	if (r->count == 0 || nearer)
		race_fill(c, r, first);
	r->count += count;
}

static void file_pair(struct collector *c, const struct snag_site *first)
{
	struct snag_race *r = race_new(c);
	race_fill(c, r, first);
	r->count = 1;
}

static void file_partners(void *ctx, const struct snag_partners *p)
{
	struct collector *c = ctx;
	struct snag_site first = {.event = p->event[p->n - 1],
				  .thread = p->thread,
				  .target = c->ev->target,
				  .loc = p->loc,
				  .op = p->op};
	c->findings->npairs += p->n;
	if (!c->pairs) {
		file_grouped(c, &first, p->n);
		return;
	}
	for (size_t i = 0; i < p->n; i++) {
		first.event = p->event[i];
		file_pair(c, &first);
	}
}

static void racy_add(struct collector *c)
{
	struct snag_findings *f = c->findings;
	if (f->nracy && f->racy[f->nracy - 1] == c->event)
		return;
	f->racy = snag_grow(f->racy, &f->racy_cap, f->nracy + 1, sizeof(*f->racy));
	f->racy[f->nracy++] = c->event;
}

static void on_racy(void *ctx, const struct snag_event *ev, uint32_t event,
		    const struct snag_vclock *before)
{
	struct collector *c = ctx;
	c->ev = ev;
	c->event = event;
	c->before = before;
	racy_add(c);
	snag_history_partners(c->history, ev, event, before, file_partners, c);
}

static void on_pair(void *ctx, const struct snag_event *first_ev, uint32_t first,
		    const struct snag_event *ev, uint32_t event)
{
	struct collector *c = ctx;
	struct snag_partners p = {.event = &first,
				  .n = 1,
				  .thread = first_ev->thread,
				  .loc = first_ev->loc,
				  .op = first_ev->op};
	c->ev = ev;
	c->event = event;
	c->before = NULL;
	racy_add(c);
	file_partners(c, &p);
}

static int race_compare(const void *a, const void *b)
{
	const struct snag_race *x = a, *y = b;
	if (x->second.event != y->second.event)
		return x->second.event < y->second.event ? -1 : 1;
	return x->first.event < y->first.event ? -1 : x->first.event > y->first.event;
}

static void collector_finish(struct collector *c)
{
	struct snag_findings *f = c->findings;
	for (size_t i = 0; i < f->nraces; i++) {
		snag_history_locks_at(c->history, &f->race[i].first);
		snag_history_locks_at(c->history, &f->race[i].second);
	}
	if (f->nraces)
		qsort(f->race, f->nraces, sizeof(*f->race), race_compare);
}

static double seconds_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void batch_run(struct collector *collector, size_t n, const struct snag_batch *batch)
{
	double begin = seconds_now();
	for (size_t i = 0; i < n; i++) {
		collector[i].detector->events(collector[i].state, batch);
		double end = seconds_now();
		collector[i].findings->seconds += end - begin;
		begin = end;
	}
}

static int source_run(struct snag_source *src, const struct snag_analyze_options *options,
		      struct collector *collector, struct snag_analysis *a, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		snag_history_add(a->history, &batch);
		batch_run(collector, a->n, &batch);
		a->events += batch.n;
		a->counts = batch.counts;
		if (options->progress)
			options->progress(options->progress_ctx, a->events,
					  snag_source_progress(src));
		if (options->stop && *options->stop) {
			a->interrupted = true;
			return 0;
		}
	}
	return rc;
}

int snag_analyze(struct snag_source *src, const struct snag_analyze_options *options,
		 struct snag_analysis *ret_analysis, struct snag_error *err)
{
	struct snag_analysis *a = ret_analysis;
	struct collector collector[SNAG_MAX_DETECTORS];
	memset(a, 0, sizeof(*a));
	a->history = snag_history_new();
	a->n = options->ndetectors;
	for (size_t i = 0; i < a->n; i++) {
		struct collector *c = &collector[i];
		*c = (struct collector){.detector = options->detector[i],
					.history = a->history,
					.findings = &a->findings[i],
					.pairs = options->pairs};
		c->env = (struct snag_detector_env){
			.on_racy = on_racy, .on_pair = on_pair, .ctx = c};
		c->findings->name = c->detector->name;
		c->state = c->detector->open(&c->env);
	}
	int rc = source_run(src, options, collector, a, err);
	for (size_t i = 0; i < a->n; i++) {
		collector[i].detector->close(collector[i].state);
		collector_finish(&collector[i]);
		free(collector[i].slot);
	}
	if (rc < 0)
		snag_analysis_done(a);
	return rc;
}

void snag_analysis_done(struct snag_analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		snag_findings_done(&a->findings[i]);
	snag_history_free(a->history);
	memset(a, 0, sizeof(*a));
}
