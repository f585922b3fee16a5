/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_suppressions.c - a file for --suppressions that names what was reported
 */
#include "report/incident/incident.h"

#include "report/incident/incident_deadlock.h"
#include "report/incident/suppress_terms.h"

#include <stdio.h>
#include <string.h>

static const char *place(const struct snag_callstack *s, char *buf, size_t room)
{
	const struct snag_frame *f = &s->frame[0];
	snprintf(buf, room, "%.100s:%u", f->file ? basename(f->file) : "?", f->line);
	return buf;
}

void snag_incidents_suppressions(const struct snag_incident_report *r, struct snag_printer *to)
{
	const struct snag_incidents *all = r->incidents;
	char words[800], name[300], at[2][128];
	for (size_t i = 0; i < all->n; i++) {
		const struct snag_incident *in = &all->at[i];
		if (in->is_suppressed || in->is_apart)
			continue;
		snag_variable_text(
			snag_name(r->report->names, SNAG_SPACE_VARIABLE, in->race->second.target),
			name, sizeof(name));
		snprintf(words, sizeof(words), "%s on %s: %s, %s",
			 snag_incident_kind_title[snag_incident_kind(in)], name,
			 place(&in->stack[0], at[0], sizeof(at[0])),
			 place(&in->stack[1], at[1], sizeof(at[1])));
		snag_terms_print(to, words, in->id);
		for (size_t k = 0; k < in->nmore; k++)
			if (in->more[k].id[0])
				snag_terms_print(to, words, in->more[k].id);
	}
	for (size_t i = 0; i < all->ndeadlocks; i++) {
		const struct snag_deadlock_incident *in = &all->deadlock[i];
		if (in->is_suppressed)
			continue;
		snag_deadlock_things(r, in->deadlock, name, sizeof(name));
		snprintf(words, sizeof(words), "deadlock on %s: %s", name,
			 place(&in->at[0], at[0], sizeof(at[0])));
		snag_terms_print(to, words, in->id);
	}
}
