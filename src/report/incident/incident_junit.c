/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_junit.c - the report of a run as JUnit XML, which CI systems show as test results
 *
 * A run is one suite.  Each report is a test case that failed, named after its id and lines.  A
 * suppressed report is a skipped test case.  A run without reports is one test case that passed.
 * Names come from the program and contain anything: every one is escaped.
 */
#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_misuse.h"
#include "report/incident/task_deadlock.h"
#include "report/utf8.h"

#include <string.h>

/* XML has no way to write these characters: control characters, U+FFFE and U+FFFF. */
static bool is_forbidden(const char *s, size_t n)
{
	return n == 0 || snag_utf8_is_control(s, n) ||
	       (n == 3 && (memcmp(s, "\xef\xbf\xbe", 3) == 0 || memcmp(s, "\xef\xbf\xbf", 3) == 0));
}

static void xml(struct snag_printer *to, const char *text)
{
	while (*text) {
		size_t n = snag_utf8_char(text);
		if (is_forbidden(text, n))
			snag_print(to, "?");
		else if (*text == '&')
			snag_print(to, "&amp;");
		else if (*text == '<')
			snag_print(to, "&lt;");
		else if (*text == '>')
			snag_print(to, "&gt;");
		else if (*text == '"')
			snag_print(to, "&quot;");
		else
			snag_print_bytes(to, text, n);
		text += n ? n : 1;
	}
}

static void place(struct snag_printer *to, const struct snag_frame *f)
{
	xml(to, f->file ? f->file : "?");
	if (f->line)
		snag_printf(to, ":%u", f->line);
}

static const char *kind(const struct snag_incident *in)
{
	return snag_incident_kind_title[snag_incident_kind(in)];
}

static void title(struct snag_printer *to, const struct snag_incident *in)
{
	snag_printf(to, "%s %s at ", kind(in), in->id);
	place(to, &in->stack[1].frame[0]);
	snag_print(to, " and ");
	place(to, &in->stack[0].frame[0]);
}

static void stack_lines(struct snag_printer *to, const struct snag_callstack *s)
{
	for (size_t i = 0; i < s->n; i++) {
		snag_printf(to, "  #%zu ", i);
		xml(to, s->frame[i].function ? s->frame[i].function : "?");
		snag_print(to, " ");
		place(to, &s->frame[i]);
		snag_print(to, "\n");
	}
}

static void access_lines(struct snag_printer *to, const struct snag_incident_report *r,
			 const struct snag_site *site, const struct snag_callstack *s)
{
	char variable[200];
	snag_variable_text(snag_name(r->report->names, SNAG_SPACE_VARIABLE, site->target), variable,
			   sizeof(variable));
	snag_printf(to, "%s of %u bytes at ", snag_op_writes(site->op) ? "Write" : "Read",
		    site->size);
	xml(to, variable);
	snag_print(to, " by ");
	xml(to, snag_name(r->report->names, SNAG_SPACE_THREAD, site->thread));
	snag_print(to, ":\n");
	stack_lines(to, s);
}

static void test_case(struct snag_printer *to, const struct snag_incident_report *r,
		      const struct snag_incident *in)
{
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	snag_print(to, "    <testcase classname=\"snag\" name=\"");
	title(to, in);
	if (in->is_suppressed || in->is_apart) {
		snag_printf(to, "\"><skipped message=\"%s\"/></testcase>\n",
			    in->is_suppressed ? "suppressed" : "unconfirmed");
		return;
	}
	snag_printf(to, "\">\n      <failure type=\"%s %s\" message=\"",
		    snag_verdict_text[in->race->verdict], kind(in));
	title(to, in);
	snag_print(to, "\">");
	for (size_t n = snag_incident_accesses(in, access), i = 0; i < n; i++) {
		/* Of a race, the second access comes first. */
		size_t at = in->race->is_atomicity ? i : n - 1 - i;
		access_lines(to, r, access[at].site, access[at].stack);
	}
	snag_print(to, "</failure>\n    </testcase>\n");
}

static void deadlock_title(struct snag_printer *to, const struct snag_incident_report *r,
			   const struct snag_deadlock_incident *in)
{
	char things[700];
	snag_deadlock_things(r, in->deadlock, things, sizeof(things));
	snag_printf(to, "deadlock %s of ", in->id);
	xml(to, things);
}

static void deadlock_case(struct snag_printer *to, const struct snag_incident_report *r,
			  const struct snag_deadlock_incident *in)
{
	char words[200];
	snag_print(to, "    <testcase classname=\"snag\" name=\"");
	deadlock_title(to, r, in);
	if (in->is_suppressed) {
		snag_print(to, "\"><skipped message=\"suppressed\"/></testcase>\n");
		return;
	}
	snag_printf(to, "\">\n      <failure type=\"%s deadlock\" message=\"",
		    snag_verdict_text[in->deadlock->proof.verdict]);
	deadlock_title(to, r, in);
	snag_print(to, "\">");
	for (size_t i = 0; i < in->deadlock->n; i++) {
		snag_deadlock_wait_words(r, &in->deadlock->wait[i], words, sizeof(words));
		xml(to, words);
		snag_print(to, ":\n");
		stack_lines(to, &in->at[i]);
	}
	snag_print(to, "</failure>\n    </testcase>\n");
}

static void misuse_case(struct snag_printer *to, const struct snag_misuse_incident *in)
{
	const char *what = snag_misuse_info[in->misuse->kind].title;
	snag_printf(to, "    <testcase classname=\"snag\" name=\"%s %s at ", what, in->id);
	place(to, &in->at.frame[0]);
	if (in->is_suppressed) {
		snag_print(to, "\"><skipped message=\"suppressed\"/></testcase>\n");
		return;
	}
	snag_printf(to, "\">\n      <failure type=\"%s\" message=\"%s at ",
		    snag_misuse_info[in->misuse->kind].kind, what);
	place(to, &in->at.frame[0]);
	snag_print(to, "\">");
	stack_lines(to, &in->at);
	snag_print(to, "</failure>\n    </testcase>\n");
}

/* Of a program of tasks. */
static void task_deadlock_case(struct snag_printer *to, const struct snag_incident_report *r)
{
	snag_print(to, "    <testcase classname=\"snag\" name=\"deadlock of tasks\">\n"
		       "      <failure type=\"observed deadlock\" message=\"deadlock of tasks\">");
	for (size_t i = 0; i < r->deadlock->n; i++) {
		const struct snag_waiting_task *w = &r->deadlock->wait[i];
		xml(to, snag_name(r->report->names, SNAG_SPACE_THREAD, w->task));
		snag_print(to, " waits for ");
		xml(to, w->what);
		snag_print(to, "\n");
	}
	snag_print(to, "</failure>\n    </testcase>\n");
}

void snag_incidents_junit(const struct snag_incident_report *r, struct snag_printer *to)
{
	const struct snag_incidents *all = r->incidents;
	size_t n = all->n + all->ndeadlocks + all->nmisuses + (r->deadlock != NULL);
	size_t tests = n ? n : 1;
	size_t failures = snag_incidents_reported(r);
	snag_printf(to,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<testsuites tests=\"%zu\" failures=\"%zu\">\n  <testsuite name=\"snag run ",
		    tests, failures);
	xml(to, r->arguments[0]);
	snag_printf(to, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", tests,
		    failures, n - failures);
	for (size_t i = 0; i < all->n; i++)
		test_case(to, r, &all->at[i]);
	for (size_t i = 0; i < all->ndeadlocks; i++)
		deadlock_case(to, r, &all->deadlock[i]);
	for (size_t i = 0; i < all->nmisuses; i++)
		misuse_case(to, &all->misuse[i]);
	if (r->deadlock)
		task_deadlock_case(to, r);
	if (!n)
		snag_print(to, "    <testcase classname=\"snag\" name=\"no data race\"/>\n");
	snag_print(to, "  </testsuite>\n</testsuites>\n");
}
