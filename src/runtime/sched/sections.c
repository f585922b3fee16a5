/* SPDX-License-Identifier: Apache-2.0
 *
 * sections.c - isolated blocks in the order that a file says: `snag explore`
 */
#include "runtime/sched/sections.h"

#include "runtime/fail.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/sys.h"
#include "trace/task_path.h"

#include <string.h>

enum { FILE_MAX = 64 << 20, FIRST = 1024 };

static uint64_t *name; /* the next sections to enter; mapped as long as the program runs */
static uint32_t nnames, entered;
static const uint64_t *asleep; /* the tasks that sleep; they lie after the sections */
static uint32_t nasleep;

static struct member {
	uint64_t path;
	uint32_t children, sections;
	uint32_t depth; /* of the blocks that it is in */
} * member;		/* by number of thread */
static uint32_t nmembers;

static void file_read(void)
{
	name = rt_sys_map(FILE_MAX);
	long n = name ? rt_sys_read_file(rt_options.sections, (char *)name, FILE_MAX) : -1;
	if (n < 0)
		rt_fail("sections: the file cannot be read");
	uint32_t all = (uint32_t)(n / (long)sizeof(*name));
	while (nnames < all && name[nnames])
		nnames++;
	asleep = name + nnames + 1;
	nasleep = nnames < all ? all - nnames - 1 : 0;
}

bool rt_sections_are_ordered(void)
{
	if (rt_options.sections[0] && !name)
		file_read();
	return name;
}

bool rt_sections_are_of_all(void)
{
	return rt_options.sections_of_all && rt_sections_are_ordered();
}

static struct member *member_of(uint32_t task)
{
	if (task >= nmembers) {
		uint32_t n = nmembers ? nmembers : FIRST;
		while (n <= task)
			n *= 2;
		struct member *grown = rt_alloc(n * sizeof(*grown));
		if (nmembers)
			memcpy(grown, member, nmembers * sizeof(*grown));
		rt_free(member, nmembers * sizeof(*member));
		member = grown;
		nmembers = n;
	}
	return &member[task];
}

void rt_sections_created(uint32_t creator, uint32_t task)
{
	member_of(task);
	struct member *m = member_of(creator);
	member_of(task)->path = snag_task_path(m->path, m->children++);
}

bool rt_sections_may_enter(uint32_t task)
{
	const struct member *m = member_of(task);
	uint64_t id = snag_block_id(m->path, m->sections);
	if (entered < nnames)
		return name[entered] == id;
	for (uint32_t i = 0; i < nasleep; i++)
		if (asleep[i] == id)
			return false;
	return true;
}

void rt_sections_entered(uint32_t task)
{
	member_of(task)->sections++;
	if (entered < nnames)
		entered++;
}

void rt_sections_began(uint32_t task)
{
	if (member_of(task)->depth++ == 0)
		rt_sections_entered(task);
}

void rt_sections_ended(uint32_t task)
{
	struct member *m = member_of(task);
	m->depth -= m->depth > 0;
}

void rt_sections_passed(uint32_t task)
{
	rt_sections_began(task);
	rt_sections_ended(task);
}

bool rt_sections_is_inside(uint32_t task)
{
	return member_of(task)->depth;
}

void rt_sections_stuck(void)
{
	if (entered < nnames)
		rt_put(RT_NOTE, 0, entered, 0, RT_NOTE_DIVERGED);
	entered = nnames;
	nasleep = 0;
}
