/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_why.c - the lines of a text report that say what ThreadSanitizer cannot
 *
 * They come after the stacks of the accesses: why nothing orders these, the witness and its replay,
 * other races with the same cause, the id.
 */
#include "report/incident/incident.h"

#include "report/incident/incident_parts.h"

enum { MORE_SHOWN = 4 };

/* The other races of its cause: those of its lines, and those of its object. */
static void more(struct snag_printer *to, const struct snag_incident_report *r,
		 const struct snag_incident *in)
{
	static const char *const kind[] = {"read ", "write ", "free "};
	char place[1000], name[200];
	for (size_t i = 0; i < in->nmore && i < MORE_SHOWN; i++) {
		const struct snag_race *race = in->more[i].race;
		const struct snag_site *site[2] = {&race->second, &race->first};
		for (int k = 0; k < 2; k++) {
			snag_location_text(r->report->names, site[k]->loc, place, sizeof(place));
			snag_print(to, k ? " / " : "  Also: ");
			snag_print(
				to,
				kind[snag_site_is_free(site[k]) ? 2 : snag_op_writes(site[k]->op)]);
			snag_print_name(to, snag_text_stripped(r, place));
		}
		if (in->more[i].id[0]) {
			snag_variable_text(snag_name(r->report->names, SNAG_SPACE_VARIABLE,
						     race->second.target),
					   name, sizeof(name));
			snag_print(to, " of ");
			snag_print_name(to, name);
		}
		snag_print(to, "\n");
	}
	if (in->nmore > MORE_SHOWN)
		snag_printf(to,
			    "  Also: %zu more pairs of places on this object; --json FILE lists "
			    "them\n",
			    in->nmore - MORE_SHOWN);
}

static void why_between(struct snag_printer *to, enum snag_verdict verdict)
{
	switch (verdict) {
	case SNAG_OBSERVED:
		snag_print(to, "  Observed: in this run the second access came between the other "
			       "two");
		break;
	case SNAG_PREDICTED:
		snag_print(to, "  Predicted: another schedule of the same execution has the second "
			       "access between the\n  other two");
		break;
	case SNAG_UNCONFIRMED:
		snag_print(to, "  Unconfirmed: another schedule, in which reads see other values, "
			       "has the second access\n  between the other two, but the program "
			       "did not follow it");
		break;
	default:
		snag_print(to, "  Unverified: no schedule with the second access between the other "
			       "two was found or\n  excluded");
	}
}

static void why_race(struct snag_printer *to, const struct snag_incident_report *r,
		     enum snag_verdict verdict)
{
	switch (verdict) {
	case SNAG_OBSERVED:
		snag_print(to, r->is_tasks ? "  Unordered: some schedule of this input brings the "
					     "two accesses side by side"
					   : "  Observed: nothing ordered the two accesses in "
					     "this run");
		break;
	case SNAG_PREDICTED:
		snag_print(to, "  Predicted: in this run something kept them apart, but another "
			       "schedule of the same\n  execution brings them side by side");
		break;
	case SNAG_CONFIRMED:
		snag_print(to, "  Confirmed: in this run something kept them apart, but another "
			       "run, in which the\n  first one was held back, had them side by "
			       "side");
		break;
	case SNAG_UNCONFIRMED:
		snag_print(to, "  Unconfirmed: another schedule, in which reads see other values, "
			       "brings them side by\n  side, but the program did not follow it");
		break;
	default:
		snag_print(to, "  Unverified: no schedule that brings them side by side was found "
			       "or excluded");
	}
}

/* In this run the access came before the free. */
static void why_freed(struct snag_printer *to, enum snag_verdict verdict)
{
	snag_print(to, verdict == SNAG_PREDICTED
			       ? "  Predicted: another schedule of the same execution frees the "
				 "memory before the access"
			       : "  Unverified: no schedule that frees the memory before the "
				 "access was found or\n  excluded");
}

void snag_text_why(struct snag_printer *to, const struct snag_incident_report *r,
		   const struct snag_incident *in)
{
	const struct snag_race *race = in->race;
	char words[400];
	if (race->is_atomicity)
		why_between(to, race->verdict);
	else if (race->is_behind)
		why_freed(to, race->verdict);
	else
		why_race(to, r, race->verdict);
	snag_printf(to, " (%s).\n", in->found_by);
	if (r->is_tasks) {
		snag_incident_missing_edge(r, race, words, sizeof(words));
		snag_print(to, "  Missing: ");
		snag_print_name(to, words);
		snag_print(to, race->first.nlocks || race->second.nlocks
				       ? "; they hold no lock in common\n"
				       : "\n");
	}
	if (in->extent.places > 1) {
		snag_extent_text(&in->extent, r->report->names, race->second.target, words,
				 sizeof(words));
		snag_print(to, "  Range: ");
		snag_print_name(to, words);
		snag_print(to, "\n");
	}
	if (in->proof && r->witness_dir) {
		snag_print(to, "  Witness: ");
		snag_print_name(to, r->witness_dir);
		snag_printf(to, "/race-%u.json", in->witness);
		snag_printf(to, ", %llu events\n",
			    (unsigned long long)snag_report_witness_length(r->report, in->proof));
	}
	if (in->replay != SNAG_REPLAY_NOT_TRIED && race->verdict != SNAG_CONFIRMED)
		snag_printf(to, "  Replay: %s%s%s\n",
			    in->replay == SNAG_REPLAY_CONFIRMED ? "confirmed" : "diverged",
			    in->replay_words ? ", " : "", in->replay_words ? in->replay_words : "");
	if (in->effect)
		snag_printf(to, "  Effect: %s\n", in->effect);
	if (in->count > 1)
		snag_printf(to, "  Seen: %llu pairs of events, %zu pair%s of stacks\n",
			    (unsigned long long)in->count, in->stacks, snag_plural(in->stacks));
	more(to, r, in);
	if (r->has_seed)
		snag_printf(to, "  Seed: %llu\n", (unsigned long long)r->seed);
	snag_printf(to, "  Id: %s\n\n", in->id);
}
