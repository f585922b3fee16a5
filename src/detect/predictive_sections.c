/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_sections.c - critical sections that can still order something
 */
#include "detect/predictive_sections.h"

#include "base/memory.h"

#include <string.h>

void snag_sections_init(struct snag_sections *s)
{
	memset(s, 0, sizeof(*s));
	s->n = 1;
	s->section = snag_grow(NULL, &s->cap, 64, sizeof(*s->section));
}

void snag_sections_done(struct snag_sections *s, struct snag_vclock_pool *pool)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->section[i].refs) {
			snag_vclock_drop(pool, s->section[i].clock);
			snag_vclock_drop(pool, s->section[i].owed);
		}
	free(s->section);
}

uint32_t snag_section_new(struct snag_sections *s)
{
	uint32_t number = s->unused;
	if (number) {
		s->unused = s->section[number].outer;
	} else {
		number = (uint32_t)s->n++;
		s->section = snag_grow(s->section, &s->cap, s->n, sizeof(*s->section));
	}
	s->section[number] = (struct snag_section){.refs = 1, .release = SNAG_NO_EVENT};
	return number;
}

void snag_section_free(struct snag_sections *s, struct snag_vclock_pool *pool, uint32_t number)
{
	struct snag_section *section = &s->section[number];
	snag_vclock_drop(pool, section->clock);
	snag_vclock_drop(pool, section->owed);
	section->clock = section->owed = NULL;
	section->outer = s->unused;
	s->unused = number;
}

void snag_run_file(struct snag_run *run, struct snag_sections *s, uint32_t number)
{
	const struct snag_section *section = &s->section[number];
	run->at = snag_grow(run->at, &run->cap, run->n + 1, sizeof(*run->at));
	run->at[run->n++] = (struct snag_filed){snag_section_share(s, number), section->thread,
						section->acquire};
}
