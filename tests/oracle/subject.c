/* SPDX-License-Identifier: Apache-2.0
 *
 * subject.c - one trace under examination
 */
#include "subject.h"

#include <string.h>

void subject_init(struct subject *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < SNAG_RULES; i++)
		s->search[i] = search_new();
}

void subject_done(struct subject *s)
{
	for (int i = 0; i < SNAG_RULES; i++)
		search_free(s->search[i]);
}

bool subject_set(struct subject *s, const struct snag_trace *trace, uint64_t seed)
{
	s->trace = trace;
	s->seed = seed;
	memset(s->has_order, 0, sizeof(s->has_order));
	for (int i = 0; i < SNAG_RULES; i++)
		s->searched[i] = UNKNOWN;
	return model_init(&s->model, trace);
}

event_set subject_races(struct subject *s, enum relation which, unsigned e2)
{
	if (!s->has_order[which])
		relation_compute(&s->model, which, &s->order[which]);
	s->has_order[which] = true;
	return relation_races(&s->model, which, &s->order[which], e2);
}

bool subject_has_race(struct subject *s, enum relation which)
{
	for (unsigned e2 = 0; e2 < s->model.n; e2++)
		if (subject_races(s, which, e2))
			return true;
	return false;
}

const struct search *subject_search(struct subject *s, enum snag_rules rules)
{
	if (s->searched[rules] == UNKNOWN)
		s->searched[rules] =
			search_run(s->search[rules], &s->model, rules) ? DONE : TOO_LARGE;
	return s->searched[rules] == DONE ? s->search[rules] : NULL;
}
