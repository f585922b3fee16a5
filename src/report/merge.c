/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.c - the races of several detectors, each once
 *
 * Idea.  Sort all races of all detectors by what makes them the same, keep of
 *        each run the strongest verdict (of equal ones, the detector named
 *        first) and a witness, and sort what is left for reading.  The races of one detector
 *        are different and, with one verdict, in that order already.
 * Cost.  O(n log n), or O(n) for one detector with one verdict.
 */
#include "report/report.h"

#include "base/memory.h"

#include <assert.h>

struct entry {
	uint64_t key;
	uint32_t read; /* of a broken atomicity, plus 1; 0: a race */
	struct snag_merged_race merged;
};

static uint32_t read_key(const struct snag_race *race, bool pairs)
{
	return race->is_atomicity ? 1 + (pairs ? race->read.event : race->read.loc) : 0;
}

static uint64_t race_key(const struct snag_race *race, bool pairs)
{
	uint32_t a = pairs ? race->first.event : race->first.loc;
	uint32_t b = pairs ? race->second.event : race->second.loc;
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_key(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int c = compare(a->key, b->key);
	if (c == 0)
		c = compare(a->read, b->read);
	if (c == 0)
		c = compare(a->merged.race->verdict, b->merged.race->verdict);
	return c ? c : compare(a->merged.part, b->merged.part);
}

static int for_reading(const void *pa, const void *pb)
{
	const struct snag_race *a = ((const struct snag_merged_race *)pa)->race;
	const struct snag_race *b = ((const struct snag_merged_race *)pb)->race;
	int c = compare(a->verdict, b->verdict);
	if (c == 0)
		c = compare(a->second.event, b->second.event);
	return c ? c : compare(a->first.event, b->first.event);
}

static struct entry *collect(const struct snag_report *report, size_t *ret_n)
{
	size_t n = 0;
	for (size_t i = 0; i < report->nparts; i++)
		n += report->part[i].findings->nraces;
	struct entry *all = snag_calloc(n, sizeof(*all));
	n = 0;
	for (size_t i = 0; i < report->nparts; i++) {
		const struct snag_findings *f = report->part[i].findings;
		for (size_t r = 0; r < f->nraces; r++)
			all[n++] = (struct entry){
				race_key(&f->race[r], report->pairs),
				read_key(&f->race[r], report->pairs),
				{.race = &f->race[r], .part = i, .found_by = (uint32_t)1 << i}};
	}
	*ret_n = n;
	return all;
}

static void proof_take(struct snag_merged_race *m, const struct snag_race *race, size_t part)
{
	if (m->proof || !race->nwitness)
		return;
	m->proof = race;
	m->proof_part = part;
}

static void take_several(const struct snag_report *report, struct snag_merged *m)
{
	size_t nall;
	struct entry *all = collect(report, &nall);
	qsort(all, nall, sizeof(*all), by_key);
	m->race = snag_calloc(nall, sizeof(*m->race));
	for (size_t i = 0; i < nall; i++) {
		if (i > 0 && all[i].key == all[i - 1].key && all[i].read == all[i - 1].read)
			m->race[m->n - 1].found_by |= all[i].merged.found_by;
		else
			m->race[m->n++] = all[i].merged;
		proof_take(&m->race[m->n - 1], all[i].merged.race, all[i].merged.part);
	}
	free(all);
}

static void take_one(const struct snag_report *report, struct snag_merged *m)
{
	const struct snag_findings *f = report->part[0].findings;
	m->race = snag_calloc(f->nraces, sizeof(*m->race));
	for (; m->n < f->nraces; m->n++) {
		m->race[m->n] = (struct snag_merged_race){.race = &f->race[m->n], .found_by = 1};
		proof_take(&m->race[m->n], &f->race[m->n], 0);
	}
}

static bool is_for_reading(const struct snag_merged *m)
{
	for (size_t i = 1; i < m->n; i++)
		if (for_reading(&m->race[i - 1], &m->race[i]) > 0)
			return false;
	return true;
}

void snag_report_merge(const struct snag_report *report, struct snag_merged *ret_merged)
{
	assert(report->nparts <= 32); /* the bits of found_by */
	struct snag_merged m = {0};
	if (report->nparts == 1)
		take_one(report, &m);
	else
		take_several(report, &m);
	if (!is_for_reading(&m))
		qsort(m.race, m.n, sizeof(*m.race), for_reading);

	uint32_t witnesses = 0;
	for (size_t i = 0; i < m.n; i++) {
		m.by_verdict[m.race[i].race->verdict]++;
		if (m.race[i].proof)
			m.race[i].witness = ++witnesses;
	}
	*ret_merged = m;
}

void snag_merged_done(struct snag_merged *merged)
{
	free(merged->race);
	*merged = (struct snag_merged){0};
}
