/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c - the report for people
 *
 * The verdict comes first and last, because logs get cut at either end.  Every race begins with
 * a line that can be searched for,
 *
 *     RACE <verdict> <variable>: <location> / <location>
 *
 * or, if a write of another thread comes between a read and a write,
 *
 *     ATOMICITY <verdict> <variable>: <read> / <write between> / <write>
 *
 * followed by an explanation: which thread did what where, under which locks, and why nothing
 * orders the two.  One line per detector sums up.
 */
#include "report/report.h"

#include "base/memory.h"
#include "report/deadlocks.h"
#include "report/stats.h"
#include "trace/callstack.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_LOCKS = 8, SHOWN_WITNESS = 20, TABLE_PARTS = 4 /* so many are a table */ };

#define RED "\033[1;31m"
#define PLAIN "\033[0m"

static void name(struct snag_printer *to, const struct snag_report *r, enum snag_space space,
		 uint32_t id)
{
	snag_print_name(to, snag_name(r->names, space, id));
}

static void location(struct snag_printer *to, const struct snag_report *r, snag_loc loc)
{
	char text[SNAG_SHOWN_BYTES + 2]; /* longer ones are cut in any case */
	snag_location_text(r->names, loc, text, sizeof(text));
	snag_print_name(to, text);
}

/* Two and more: "a, b and c". */
static const char *separator(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

static bool is_abridged(const struct snag_report *r)
{
	for (size_t i = 0; i < r->nparts; i++)
		if (r->part[i].findings->abridged)
			return true;
	return false;
}

/* "2 races", then " and no deadlock". */
static void number_of(struct snag_printer *to, size_t *told, size_t n, const char *what,
		      bool is_least)
{
	snag_print(to, (*told)++ ? " and " : "");
	if (n == 0)
		snag_printf(to, "no %s", what);
	else
		snag_printf(to, "%s%zu %s%s", is_least ? "at least " : "", n, what, snag_plural(n));
}

void snag_report_verdict(const struct snag_report *r, const struct snag_merged *m,
			 struct snag_printer *to)
{
	const struct snag_findings *deadlocks = snag_report_deadlocks(r);
	size_t ndeadlocks = deadlocks ? deadlocks->ndeadlocks : 0, nviolations = 0, nfreed = 0,
	       told = 0;
	bool finds_races = false, finds_atomicity = false, finds_freed = false;
	for (size_t i = 0; i < r->nparts; i++) {
		const struct snag_findings *f = r->part[i].findings;
		finds_races |= !f->finds_deadlocks && !f->finds_atomicity && !f->finds_freed;
		finds_atomicity |= f->finds_atomicity;
		finds_freed |= f->finds_freed;
	}
	for (size_t i = 0; i < m->n; i++) {
		nviolations += m->race[i].race->is_atomicity;
		nfreed += m->race[i].race->is_behind;
	}
	if (finds_races)
		number_of(to, &told, m->n - nviolations - nfreed, "race", is_abridged(r));
	if (finds_freed)
		number_of(to, &told, nfreed, "use-after-free", false);
	if (finds_atomicity)
		number_of(to, &told, nviolations, "atomicity violation", false);
	if (deadlocks)
		number_of(to, &told, ndeadlocks, "deadlock", false);
	snag_print(to, " found in ");
	snag_print_name(to, r->trace);
	for (size_t i = 0; m->n + ndeadlocks == 0 && i < r->nparts; i++)
		snag_printf(to, "%s%s", i ? separator(i, r->nparts) : " by ",
			    r->part[i].findings->name);
	const char *before = ": ";
	for (int v = 0; v < SNAG_VERDICTS; v++) {
		if (!m->by_verdict[v])
			continue;
		snag_printf(to, "%s%zu %s", before, m->by_verdict[v], snag_verdict_text[v]);
		before = ", ";
	}
	if (r->interrupted)
		snag_printf(to, " (interrupted after %llu events)", (unsigned long long)r->events);
}

static void locks_held(struct snag_printer *to, const struct snag_report *r,
		       const struct snag_site *site)
{
	if (site->nlocks == 0) {
		snag_print(to, "no lock");
		return;
	}
	uint32_t shown = site->nlocks <= SHOWN_LOCKS ? site->nlocks : SHOWN_LOCKS;
	for (uint32_t i = 0; i < shown; i++) {
		snag_print(to, separator(i, site->nlocks));
		name(to, r, SNAG_SPACE_LOCK, site->locks[i].lock);
		if (site->locks[i].is_shared)
			snag_print(to, " (read)");
	}
	if (shown < site->nlocks)
		snag_printf(to, " and %u more", site->nlocks - shown);
}

/* "  T1 writes x at bank.c:17 (event 8), holding m" */
static void access_line(struct snag_printer *to, const struct snag_report *r,
			const struct snag_site *site)
{
	snag_print(to, "  ");
	name(to, r, SNAG_SPACE_THREAD, site->thread);
	snag_print(to, snag_op_writes(site->op) ? " writes " : " reads ");
	name(to, r, SNAG_SPACE_VARIABLE, site->target);
	snag_print(to, " at ");
	location(to, r, site->loc);
	snag_printf(to, " (event %u), holding ", site->event);
	locks_held(to, r, site);
	snag_print(to, "\n");
}

/* Returns a lock that both hold, or NULL.  It uses a set, because there may be many locks. */
static const struct snag_held_lock *common_lock(const struct snag_report *r,
						const struct snag_race *race)
{
	const struct snag_site *a = &race->first, *b = &race->second;
	const struct snag_held_lock *common = NULL;
	if (a->nlocks == 0 || b->nlocks == 0)
		return NULL;
	bool *is_held = snag_calloc(r->names->space[SNAG_SPACE_LOCK].n, sizeof(*is_held));
	for (uint32_t i = 0; i < b->nlocks; i++)
		is_held[b->locks[i].lock] = true;
	for (uint32_t i = 0; i < a->nlocks && !common; i++)
		common = is_held[a->locks[i].lock] ? &a->locks[i] : NULL;
	free(is_held);
	return common;
}

static bool is_relation(const struct snag_report *r, const struct snag_merged_race *m)
{
	return strcmp(r->part[m->part].kind, "relation") == 0;
}

static void locks_line(struct snag_printer *to, const struct snag_report *r,
		       const struct snag_merged_race *m)
{
	const struct snag_race *race = m->race;
	const struct snag_held_lock *lock = common_lock(r, race);
	if (lock) {
		snag_print(to, "  Both hold ");
		name(to, r, SNAG_SPACE_LOCK, lock->lock);
		snag_print(to, is_relation(r, m)
				       ? ", but at least one of them together with other readers.\n"
				       : ", but not every access of the variable does.\n");
	} else if (race->first.nlocks || race->second.nlocks) {
		snag_print(to, "  They hold no lock in common.\n");
	}
}

/* "event 5, rel(m) at bank.c:12" */
static void site_words(struct snag_printer *to, const struct snag_report *r,
		       const struct snag_site *site)
{
	const struct snag_op_info *op = &snag_op_info[site->op];
	snag_printf(to, "event %u, %s", site->event, op->text);
	if (op->space != SNAG_SPACE_NONE) {
		snag_print(to, "(");
		name(to, r, op->space, site->target);
		snag_print(to, ")");
	}
	snag_print(to, " at ");
	location(to, r, site->loc);
}

static void order_line(struct snag_printer *to, const struct snag_report *r,
		       const struct snag_merged_race *m)
{
	const struct snag_race *race = m->race;
	const struct snag_report_part *part = &r->part[m->part];
	if (race->nwitness) /* the witness explains it better */
		return;
	if (race->known.thread == SNAG_NO_ID) {
		snag_printf(
			to,
			"  %s could not decide%s whether some reordering puts them side by side.\n",
			part->findings->name, part->findings->by_paper ? "" : " within its budget");
		return;
	}
	if (!is_relation(r, m)) {
		snag_printf(to,
			    "  %s ignores some synchronisation, which may keep the two apart.\n",
			    part->findings->name);
		return;
	}
	snag_print(to, "  Nothing orders them: ");
	if (race->known.event == SNAG_NO_EVENT) {
		name(to, r, SNAG_SPACE_THREAD, race->second.thread);
		snag_print(to, " had not synchronised with ");
		name(to, r, SNAG_SPACE_THREAD, race->first.thread);
		snag_printf(to, " before event %u.\n", race->second.event);
		return;
	}
	snag_print(to, "the last event of ");
	name(to, r, SNAG_SPACE_THREAD, race->first.thread);
	snag_printf(to, " that comes before event %u is ", race->second.event);
	site_words(to, r, &race->known);
	snag_print(to, ".\n");
}

static void witness_line(struct snag_printer *to, const struct snag_report *r,
			 const struct snag_merged_race *m, const char *dir)
{
	const struct snag_race *race = m->race;
	if (!race->nwitness)
		return;
	uint64_t n = snag_report_witness_length(r, race);
	snag_printf(to, "  A valid reordering of %llu event%s ends with %s", (unsigned long long)n,
		    snag_plural(n),
		    race->is_atomicity ? "the third"
		    : race->is_behind  ? "the access"
				       : "both");
	if (dir) {
		snag_print(to, ": ");
		snag_print_name(to, dir);
		snag_printf(to, "/race-%u.json\n", m->witness);
	} else if (n <= SHOWN_WITNESS) {
		uint32_t *event = snag_report_witness_events(r, race);
		snag_print(to, ":");
		for (uint64_t i = 0; i < n; i++)
			snag_printf(to, " %u", event[i]);
		snag_print(to, "\n");
		free(event);
	} else {
		snag_print(to, " (--witness DIR writes it to a file).\n");
	}
}

static void found_by_line(struct snag_printer *to, const struct snag_report *r,
			  const struct snag_merged_race *m)
{
	size_t n = (size_t)__builtin_popcount(m->found_by), at = 0;
	snag_print(to, "  Found by ");
	for (size_t i = 0; i < r->nparts; i++)
		if (m->found_by >> i & 1)
			snag_printf(to, "%s%s", separator(at++, n), r->part[i].findings->name);
	if (m->race->count > 1)
		snag_printf(to, "; %llu pairs of events like this one",
			    (unsigned long long)m->race->count);
	snag_print(to, ".\n");
}

/* [read, the write between, the write] */
static void atomicity_text(struct snag_printer *to, const struct snag_report *r,
			   const struct snag_merged_race *m, const struct snag_text_options *o)
{
	const struct snag_race *race = m->race;
	const struct snag_site *site[] = {&race->read, snag_race_between(race),
					  snag_race_write(race)};
	snag_printf(to, "\n%sATOMICITY %s ", o->colour ? RED : "",
		    snag_verdict_text[race->verdict]);
	name(to, r, SNAG_SPACE_VARIABLE, race->second.target);
	for (int i = 0; i < 3; i++) {
		snag_print(to, i ? " / " : ": ");
		location(to, r, site[i]->loc);
	}
	snag_printf(to, "%s\n", o->colour ? PLAIN : "");
	for (int i = 0; i < 3; i++)
		access_line(to, r, site[i]);
	snag_print(to,
		   race->verdict == SNAG_OBSERVED
			   ? "  In this trace the second access comes between the other two.\n"
		   : race->nwitness
			   ? "  The second access can come between the other two.\n"
			   : "  atomicity could not decide within its budget whether the second "
			     "access can come between.\n");
	witness_line(to, r, m, o->witness_dir);
	found_by_line(to, r, m);
}

static void race_text(struct snag_printer *to, const struct snag_report *r,
		      const struct snag_merged_race *m, const struct snag_text_options *o)
{
	const struct snag_race *race = m->race;
	snag_printf(to, "\n%s%s %s ", o->colour ? RED : "",
		    race->is_behind ? "USE AFTER FREE" : "RACE", snag_verdict_text[race->verdict]);
	name(to, r, SNAG_SPACE_VARIABLE, race->second.target);
	snag_print(to, ": ");
	location(to, r, race->first.loc);
	snag_print(to, " / ");
	location(to, r, race->second.loc);
	snag_printf(to, "%s\n", o->colour ? PLAIN : "");
	access_line(to, r, &race->first);
	access_line(to, r, &race->second);
	if (race->is_behind) {
		snag_print(to,
			   race->nwitness
				   ? "  The second access frees the memory, and can come first.\n"
				   : "  freed could not decide within its budget whether "
				     "the second access, which frees\n  the memory, can "
				     "come first.\n");
	} else {
		locks_line(to, r, m);
		order_line(to, r, m);
	}
	witness_line(to, r, m, o->witness_dir);
	found_by_line(to, r, m);
}

void snag_report_abridged(const struct snag_findings *f, struct snag_printer *to)
{
	if (f->abridged)
		snag_printf(to,
			    "  %llu racy event%s may race with more accesses than these pairs "
			    "(--max-races 0 lists all)\n",
			    (unsigned long long)f->abridged, snag_plural(f->abridged));
}

void snag_report_windows(const struct snag_findings *f, struct snag_printer *to)
{
	if (f->windows)
		snag_printf(to,
			    f->decided_in_windows
				    ? "memory limit: %s decided its pairs in %llu window%s of %llu "
				      "events; those further apart stay unverified"
				    : "memory limit: %s looked at %llu window%s of %llu events; "
				      "races between accesses further apart may be missing",
			    f->name, (unsigned long long)f->windows, snag_plural(f->windows),
			    (unsigned long long)f->window_events);
}

static void part_line(struct snag_printer *to, const struct snag_report *r,
		      const struct snag_report_part *part, bool any_race)
{
	const struct snag_findings *f = part->findings;
	if (f->finds_deadlocks)
		snag_printf(to, "%s: %zu deadlock%s", f->name, f->ndeadlocks,
			    snag_plural(f->ndeadlocks));
	else
		snag_printf(to, "%s: %zu %s%s", f->name, f->nraces,
			    f->finds_atomicity ? "atomicity violation"
			    : f->finds_freed   ? "use-after-free"
					       : "race",
			    snag_plural(f->nraces));
	if (f->nraces && !f->finds_atomicity && !f->finds_freed)
		snag_printf(to, " (%s%llu pair%s, %zu racy event%s)",
			    f->at_least ? "at least " : "", (unsigned long long)f->npairs,
			    snag_plural(f->npairs), f->nracy, snag_plural(f->nracy));
	snag_printf(to, " in %.2f s, complete: %s", f->seconds, f->complete ? "yes" : "no");
	if (f->race_free)
		snag_print(to, ", race-free on every schedule of this input");
	if (f->orders_races)
		snag_print(to, ", each race ordered from then on");
	if (f->by_paper)
		snag_printf(to, ", %llu uncertain", (unsigned long long)f->uncertain);
	snag_print(to, "\n");
	snag_report_abridged(f, to);
	if (f->windows) {
		snag_print(to, "  ");
		snag_report_windows(f, to);
		snag_print(to, "\n");
	}
	if (!any_race)
		snag_printf(to, "  guarantee: %s\n", part->guarantee);
	if (r->stats)
		snag_stats_text(f, to);
}

/* Says what "no race found" does not mean. */
static void caveat_line(struct snag_printer *to, const struct snag_report *r)
{
	for (size_t i = 0; i < r->nparts; i++)
		if ((r->part[i].findings->complete || r->part[i].findings->race_free) &&
		    (r->nparts == 1 || (!r->part[i].findings->finds_deadlocks &&
					!r->part[i].findings->finds_atomicity &&
					!r->part[i].findings->finds_freed)) &&
		    !r->interrupted)
			return;
	snag_print(to, "This is no proof that there is none: another schedule of the same program "
		       "may have\nraces that these detectors cannot see.\n");
}

void snag_report_text(const struct snag_report *r, const struct snag_merged *m,
		      const struct snag_text_options *o, struct snag_printer *to)
{
	size_t shown = o->limit && o->limit < m->n ? (size_t)o->limit : m->n;
	snag_report_verdict(r, m, to);
	snag_printf(to, "\n%llu event%s, %u thread%s, %u variable%s, %u lock%s",
		    (unsigned long long)r->events, snag_plural(r->events),
		    r->counts.n[SNAG_SPACE_THREAD], snag_plural(r->counts.n[SNAG_SPACE_THREAD]),
		    r->counts.n[SNAG_SPACE_VARIABLE], snag_plural(r->counts.n[SNAG_SPACE_VARIABLE]),
		    r->counts.n[SNAG_SPACE_LOCK], snag_plural(r->counts.n[SNAG_SPACE_LOCK]));
	if (r->skipped)
		snag_printf(to, "; %llu skipped, which break the rules of traces",
			    (unsigned long long)r->skipped);
	snag_print(to, "\n");

	for (size_t i = 0; i < shown; i++)
		(m->race[i].race->is_atomicity ? atomicity_text : race_text)(to, r, &m->race[i], o);
	if (shown < m->n)
		snag_printf(to, "\n%zu more race%s not shown (--limit 0 shows all)\n", m->n - shown,
			    snag_plural(m->n - shown));

	snag_deadlocks_text(r, o, to);

	snag_print(to, "\n");
	if (r->nparts >= TABLE_PARTS)
		snag_report_table(r, to);
	for (size_t i = 0; i < r->nparts && r->nparts < TABLE_PARTS; i++)
		part_line(to, r, &r->part[i], m->n > 0);
	if (m->n == 0)
		caveat_line(to, r);
	snag_print(to, "SUMMARY: snag: ");
	snag_report_verdict(r, m, to);
	snag_print(to, "\n");
}
