/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_sections.c - critical sections that can still order something
 */
#include "detect/predictive/predictive_sections.h"

#include "base/memory.h"

#include <string.h>

static void make_room(struct snag_sections *s, size_t n)
{
	s->section = snag_huge_grow(s->section, &s->cap, n, sizeof(*s->section));
	s->rest = snag_huge_grow(s->rest, &s->rest_cap, n, sizeof(*s->rest));
}

void snag_sections_init(struct snag_sections *s)
{
	memset(s, 0, sizeof(*s));
	s->n = 1;
	make_room(s, 64);
	s->section[0] = (struct snag_section){0};
	s->rest[0] = (struct snag_section_rest){0};
}

uint32_t snag_section_new(struct snag_sections *s)
{
	uint32_t number = (uint32_t)s->n++;
	make_room(s, s->n);
	s->section[number] = (struct snag_section){.release = SNAG_NO_EVENT};
	s->rest[number] = (struct snag_section_rest){0};
	return number;
}

static void clocks_drop(struct snag_section_rest *rest, struct snag_vclock_pool *pool)
{
	snag_vclock_drop(pool, rest->clock);
	snag_vclock_drop(pool, rest->owed);
}

void snag_sections_compact(struct snag_sections *s, struct snag_vclock_pool *pool, uint32_t *number)
{
	uint32_t n = 1;
	for (uint32_t i = 1; i < s->n; i++) {
		if (!number[i]) {
			clocks_drop(&s->rest[i], pool);
			continue;
		}
		s->section[n] = s->section[i];
		s->rest[n] = s->rest[i];
		number[i] = n++;
	}
	s->n = n;
}

void snag_sections_done(struct snag_sections *s, struct snag_vclock_pool *pool)
{
	for (size_t i = 1; i < s->n; i++)
		clocks_drop(&s->rest[i], pool);
	snag_huge_free(s->section, s->cap, sizeof(*s->section));
	snag_huge_free(s->rest, s->rest_cap, sizeof(*s->rest));
}

uint32_t snag_held_push(struct snag_held_nodes *nodes, uint32_t below, uint32_t section)
{
	uint32_t number = nodes->unused;
	if (number) {
		nodes->unused = nodes->at[number].below;
	} else {
		nodes->n += nodes->n == 0;
		number = (uint32_t)nodes->n++;
		nodes->at = snag_huge_grow(nodes->at, &nodes->cap, nodes->n, sizeof(*nodes->at));
	}
	if (number < nodes->seen_cap)
		nodes->seen[number].found = 0;
	nodes->at[number] = (struct snag_held_node){1, section, below};
	return number;
}

struct snag_held_seen *snag_held_seen(struct snag_held_nodes *nodes)
{
	nodes->seen = snag_grow(nodes->seen, &nodes->seen_cap, nodes->n, sizeof(*nodes->seen));
	return nodes->seen;
}

void snag_held_drop(struct snag_held_nodes *nodes, uint32_t top)
{
	while (top && --nodes->at[top].refs == 0) {
		uint32_t below = nodes->at[top].below;
		nodes->at[top].below = nodes->unused;
		nodes->unused = top;
		top = below;
	}
}

void snag_run_file(struct snag_section_run *run, const struct snag_sections *s, uint32_t number)
{
	const struct snag_section *section = &s->section[number];
	run->at = snag_grow(run->at, &run->cap, run->n + 1, sizeof(*run->at));
	run->at[run->n++] = (struct snag_filed){number, section->thread, section->acquire};
}
