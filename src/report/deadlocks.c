/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlocks.c - the deadlocks of a report, for people and for programs
 *
 * In text, a deadlock begins with a line that can be searched for,
 *
 *     DEADLOCK <verdict> <lock>, <lock>: <location> / <location>
 *
 * and goes on with two facts for each thread: what it holds since where, and what it waits for
 * where.
 */
#include "report/deadlocks.h"

#include "base/memory.h"
#include "trace/callstack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED "\033[1;31m"
#define PLAIN "\033[0m"

const struct snag_findings *snag_report_deadlocks(const struct snag_report *r)
{
	for (size_t i = 0; i < r->nparts; i++)
		if (r->part[i].findings->finds_deadlocks)
			return r->part[i].findings;
	return NULL;
}

static void location_string(struct snag_json *j, const struct snag_names *names, snag_loc loc)
{
	size_t n = snag_location_text(names, loc, NULL, 0);
	char *text = snag_alloc(n + 1);
	snag_location_text(names, loc, text, n + 1);
	snag_json_string(j, NULL, text);
	free(text);
}

/* A name, or null. */
static void lock_string(struct snag_json *j, const struct snag_names *names,
			const struct snag_site *at)
{
	if (snag_op_info[at->op].space == SNAG_SPACE_LOCK)
		snag_json_string(j, NULL, snag_name(names, SNAG_SPACE_LOCK, at->target));
	else
		snag_json_null(j, NULL);
}

/* null: there is none. */
static void event_number(struct snag_json *j, const struct snag_site *site)
{
	if (site->event == SNAG_NO_EVENT)
		snag_json_null(j, NULL);
	else
		snag_json_uint(j, NULL, site->event);
}

void snag_deadlock_json_members(const struct snag_report *r, const struct snag_deadlock *d,
				struct snag_json *j)
{
	snag_json_array(j, "events");
	for (size_t i = 0; i < d->n; i++)
		event_number(j, &d->wait[i].at);
	snag_json_end(j);
	snag_json_array(j, "threads");
	for (size_t i = 0; i < d->n; i++)
		snag_json_string(j, NULL,
				 snag_name(r->names, SNAG_SPACE_THREAD, d->wait[i].at.thread));
	snag_json_end(j);
	snag_json_array(j, "locks");
	for (size_t i = 0; i < d->n; i++)
		lock_string(j, r->names, &d->wait[i].at);
	snag_json_end(j);
	snag_json_array(j, "held");
	for (size_t i = 0; i < d->n; i++)
		event_number(j, &d->wait[i].held);
	snag_json_end(j);
	snag_json_array(j, "locations");
	for (size_t i = 0; i < d->n; i++)
		location_string(j, r->names, d->wait[i].at.loc);
	snag_json_end(j);
	snag_json_string(j, "verdict", snag_verdict_text[d->proof.verdict]);
	if (d->proof.verdict == SNAG_PREDICTED)
		snag_report_witness_json(r, &d->proof, j);
}

void snag_deadlocks_json(const struct snag_report *r, const struct snag_findings *f,
			 struct snag_json *j)
{
	snag_json_newline(j);
	snag_json_array(j, "deadlocks");
	for (size_t i = 0; i < f->ndeadlocks; i++) {
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_deadlock_json_members(r, &f->deadlock[i], j);
		snag_json_end(j);
	}
	snag_json_end(j);
}

static void name(struct snag_printer *to, const struct snag_report *r, enum snag_space space,
		 uint32_t id)
{
	snag_print_name(to, snag_name(r->names, space, id));
}

static void place(struct snag_printer *to, const struct snag_report *r,
		  const struct snag_site *site)
{
	char text[SNAG_SHOWN_BYTES + 2]; /* longer ones are cut in any case */
	snag_location_text(r->names, site->loc, text, sizeof(text));
	snag_print_name(to, text);
}

void snag_deadlock_locks(const struct snag_report *r, const struct snag_deadlock *d,
			 struct snag_printer *to)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct snag_site *at = &d->wait[i].at;
		snag_print(to, i ? ", " : "");
		if (at->op == SNAG_OP_JOIN)
			snag_print(to, "the end of ");
		name(to, r, snag_op_info[at->op].space, at->target);
	}
}

/* "  T1 holds a since bank.c:12 (event 3) and waits for b at bank.c:13 (event 5)" */
static void wait_line(struct snag_printer *to, const struct snag_report *r,
		      const struct snag_deadlock_wait *w)
{
	snag_print(to, "  ");
	name(to, r, SNAG_SPACE_THREAD, w->at.thread);
	if (w->held.event != SNAG_NO_EVENT) {
		snag_print(to, " holds ");
		name(to, r, SNAG_SPACE_LOCK, w->held.target);
		snag_print(to,
			   w->held.op == SNAG_OP_ACQUIRE_SHARED ? ", shared, since " : " since ");
		place(to, r, &w->held);
		snag_printf(to, " (event %u) and", w->held.event);
	}
	snag_print(to, w->at.op == SNAG_OP_JOIN ? " waits for the end of " : " waits for ");
	name(to, r, snag_op_info[w->at.op].space, w->at.target);
	snag_print(to, " at ");
	place(to, r, &w->at);
	snag_printf(to, " (event %u)\n", w->at.event);
}

static void witness_line(struct snag_printer *to, const struct snag_report *r,
			 const struct snag_deadlock *d, const char *dir, size_t number)
{
	enum { SHOWN = 20 };
	if (d->proof.verdict != SNAG_PREDICTED) {
		snag_print(to, "  Whether some reordering brings all of them there could not be "
			       "decided within the budget.\n");
		return;
	}
	uint64_t n = snag_report_witness_length(r, &d->proof);
	snag_printf(to, "  A valid reordering of %llu event%s brings all of them there",
		    (unsigned long long)n, snag_plural(n));
	if (dir) {
		snag_print(to, ": ");
		snag_print_name(to, dir);
		snag_printf(to, "/deadlock-%zu.json\n", number);
	} else if (n <= SHOWN) {
		uint32_t *event = snag_report_witness_events(r, &d->proof);
		snag_print(to, ":");
		for (uint64_t i = 0; i < n; i++)
			snag_printf(to, " %u", event[i]);
		snag_print(to, "\n");
		free(event);
	} else {
		snag_print(to, " (--witness DIR writes it to a file).\n");
	}
}

void snag_deadlocks_text(const struct snag_report *r, const struct snag_text_options *o,
			 struct snag_printer *to)
{
	const struct snag_findings *f = snag_report_deadlocks(r);
	size_t n = f ? f->ndeadlocks : 0, shown = o->limit && o->limit < n ? (size_t)o->limit : n;
	for (size_t i = 0; i < shown; i++) {
		const struct snag_deadlock *d = &f->deadlock[i];
		snag_printf(to, "\n%sDEADLOCK %s ", o->colour ? RED : "",
			    snag_verdict_text[d->proof.verdict]);
		snag_deadlock_locks(r, d, to);
		for (size_t k = 0; k < d->n; k++) {
			snag_print(to, k ? " / " : ": ");
			place(to, r, &d->wait[k].at);
		}
		snag_printf(to, "%s\n", o->colour ? PLAIN : "");
		for (size_t k = 0; k < d->n; k++)
			wait_line(to, r, &d->wait[k]);
		witness_line(to, r, d, o->witness_dir, i + 1);
	}
	if (shown < n)
		snag_printf(to, "\n%zu more deadlock%s not shown (--limit 0 shows all)\n",
			    n - shown, snag_plural(n - shown));
}

static int witness_write(const struct snag_report *r, const struct snag_deadlock *d,
			 const char *path, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_json_string(&j, "trace", r->trace);
	snag_json_array(&j, "deadlock");
	for (size_t i = 0; i < d->n; i++)
		snag_json_uint(&j, NULL, d->wait[i].at.event);
	snag_json_end(&j);
	snag_json_newline(&j);
	snag_report_witness_json(r, &d->proof, &j);
	if (r->deadlock_members)
		r->deadlock_members(r->ctx, d, &j);
	return snag_json_commit(&j, err);
}

int snag_deadlock_witnesses(const struct snag_report *r, const char *dir, struct snag_error *err)
{
	const struct snag_findings *f = snag_report_deadlocks(r);
	size_t nbytes = strlen(dir) + sizeof("/deadlock-18446744073709551615.json");
	char *path = snag_alloc(nbytes);
	int rc = 0;
	for (size_t i = 0; f && i < f->ndeadlocks && rc == 0; i++) {
		if (f->deadlock[i].proof.verdict != SNAG_PREDICTED)
			continue;
		snprintf(path, nbytes, "%s/deadlock-%zu.json", dir, i + 1);
		rc = witness_write(r, &f->deadlock[i], path, err);
	}
	free(path);
	return rc;
}
