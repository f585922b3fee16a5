/* SPDX-License-Identifier: Apache-2.0
 *
 * certificate.c - what one run of a program of tasks proves about all its schedules
 */
#include "report/tasks/certificate.h"

#include "report/json_writer.h"
#include "report/source/origins.h"
#include "report/tasks/task_report.h"
#include "trace/callstack.h"

#include <stdarg.h>
#include <stdio.h>

enum { PLACE = 1024 };

struct snag_obstacle *snag_certificate_add(struct snag_certificate *c, const char *kind,
					   const char *words, ...)
{
	va_list ap;
	if (c->n == SNAG_MAX_OBSTACLES)
		return NULL;
	struct snag_obstacle *o = &c->obstacle[c->n++];
	o->kind = kind;
	o->nlocs = 0;
	va_start(ap, words);
	vsnprintf(o->words, sizeof(o->words), words, ap);
	va_end(ap);
	return o;
}

void snag_obstacle_at(struct snag_obstacle *o, snag_loc loc)
{
	bool is_known = o && o->nlocs && o->loc[0] == loc;
	if (o && !is_known && o->nlocs < 2)
		o->loc[o->nlocs++] = loc;
}

/* Returns a lock that both accesses hold. */
static const char *lock_of(const struct snag_doubtful *d, const struct snag_names *names)
{
	for (uint32_t i = 0; i < d->first.nlocks; i++)
		for (uint32_t k = 0; k < d->second.nlocks; k++)
			if (d->first.locks[i].lock == d->second.locks[k].lock)
				return snag_name(names, SNAG_SPACE_LOCK, d->first.locks[i].lock);
	return "?";
}

void snag_certificate_findings(struct snag_certificate *c, const struct snag_findings *f,
			       const struct snag_names *names)
{
	for (int why = 0; why < SNAG_DOUBTS; why++) {
		const struct snag_doubtful *d = &f->doubt[why];
		struct snag_obstacle *o;
		if (!d->is_there)
			continue;
		char variable[120];
		snag_variable_text(snag_name(names, SNAG_SPACE_VARIABLE, d->second.target),
				   variable, sizeof(variable));
		if (why == SNAG_DOUBT_ISOLATED)
			o = snag_certificate_add(
				c, "isolated",
				"its isolated blocks depend on their order, by %.100s", variable);
		else if (why == SNAG_DOUBT_LOCK)
			o = snag_certificate_add(
				c, "lock",
				"the order in which tasks take lock %.60s matters to %.100s",
				lock_of(d, names), variable);
		else
			o = snag_certificate_add(c, "atomic",
						 "the order of atomic accesses to %.100s matters",
						 variable);
		snag_obstacle_at(o, d->first.loc);
		snag_obstacle_at(o, d->second.loc);
	}
}

static const char *place(const struct snag_names *names, snag_loc loc, char buf[PLACE])
{
	snag_location_text(names, loc, buf, PLACE);
	return buf;
}

const char *snag_certificate_words(const struct snag_certificate *c)
{
	if (!c->is_race_free)
		return "no race found, but other schedules may have one";
	return c->has_deadlock ? "deadlock, race-free up to it"
			       : "race-free for this input on every schedule";
}

void snag_certificate_text(const struct snag_certificate *c, const struct snag_names *names,
			   const char *tool, struct snag_printer *to)
{
	char buf[PLACE];
	if (c->is_race_free)
		snag_printf(to, "%s: %s", tool, snag_certificate_words(c));
	if (c->is_race_free && c->orders)
		snag_printf(to, " (all orders of its sections were run: %llu)",
			    (unsigned long long)c->orders);
	if (c->is_race_free && c->is_optimised)
		snag_print(to, " (the code as optimised)");
	if (c->is_race_free)
		snag_print(to, "\n");
	for (size_t i = 0; i < c->n && !c->is_race_free; i++) {
		const struct snag_obstacle *o = &c->obstacle[i];
		snag_printf(to, "%s: %s: ", tool, snag_certificate_words(c));
		snag_print_name(to, o->words);
		for (int k = 0; k < o->nlocs; k++) {
			snag_print(to, k ? ", " : " (");
			snag_print_name(to, place(names, o->loc[k], buf));
		}
		snag_print(to, o->nlocs ? ")\n" : "\n");
	}
}

void snag_certificate_json(const struct snag_certificate *c, const struct snag_names *names,
			   bool has_races, struct snag_json *j)
{
	char buf[PLACE];
	enum snag_task_verdict v = has_races	     ? SNAG_TASK_RACE
				   : c->is_race_free ? SNAG_TASK_RACE_FREE
						     : SNAG_TASK_NO_RACE_FOUND;
	snag_json_object(j, "certificate");
	snag_json_string(j, "verdict", snag_task_verdict_text[v]);
	if (!has_races)
		snag_json_string(j, "text", snag_certificate_words(c));
	if (c->orders)
		snag_json_uint(j, "orders", c->orders);
	if (c->is_optimised)
		snag_json_bool(j, "optimised", true);
	snag_json_array(j, "obstacles");
	for (size_t i = 0; i < c->n; i++) {
		const struct snag_obstacle *o = &c->obstacle[i];
		snag_json_newline(j);
		snag_json_object(j, NULL);
		snag_json_string(j, "kind", o->kind);
		snag_json_string(j, "text", o->words);
		snag_json_array(j, "places");
		for (int k = 0; k < o->nlocs; k++)
			snag_json_string(j, NULL, place(names, o->loc[k], buf));
		snag_json_end(j);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
	snag_json_newline(j);
}
