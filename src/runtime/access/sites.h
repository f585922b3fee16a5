/* SPDX-License-Identifier: Apache-2.0
 *
 * sites.h - places in the code whose accesses move by the same distance each time
 *
 * Idea.   Most loops access an array from one end to the other.  Such a place in the code needs
 *         only the address that comes next.  If the access is there, the site goes on.  If it is
 *         where the last access was, it adds nothing.  pass/inlined.cpp tests both in place, before
 *         it looks into the filter:
 *
 *                 if (address == site.next) site.next += site.stride;
 *                 else if (address + site.stride != site.next) ...
 *
 *         All these accesses become one range when the step ends, or when another access comes.
 *
 * State.  a struct rt_site for each such place, in the data of the program: open from begin up to
 *         next, or closed, next and stride 0
 * Rules.  [learn]  An access that does not fit sets the distance to that of the last two accesses.
 *         [open]   A site opens if it saw the same distance twice, or was of use the last time.
 *         [close]  An access elsewhere closes a site, the end of the step closes all.  The runtime
 *                  then reports the accesses from begin up to next.
 *         [tired]  A site that is often open for a few accesses only is of no use (a linked list,
 *                  for example, has no fixed distance).  It rests for some thousand accesses.
 *         Only in programs of <snag/task.h> that are judged inside, and not in memory that only the
 *         running task can reach (access.h).
 * Cost.   4 instructions for an access that goes on, 2 more for another one.
 */
#ifndef SNAG_RUNTIME_SITES_H
#define SNAG_RUNTIME_SITES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct rt_site {
	uint64_t next;	/* first two: pass/inlined.cpp */
	int64_t stride; /* bytes */
	uint64_t begin, last;
	int64_t moved; /* the stride when it opens */
	uint8_t size;  /* bytes of an access */
	bool is_write, fits;
	bool is_listed;	  /* among those that may be open */
	uint16_t tired;	  /* how often the site was open for a few accesses only */
	uint16_t refused; /* accesses since it is too tired */
};

enum {
	RT_SITE_WORDS = 6,
	RT_SITES = 256,		/* open at a time */
	RT_SITE_TIRED = 64,	/* closings */
	RT_SITE_RESTED = 16384, /* accesses */
};
static_assert(sizeof(struct rt_site) == 8 * RT_SITE_WORDS, "as the pass knows it");

extern struct rt_sites {
	unsigned n; /* listed */
	bool may;   /* sites may be opened */
} rt_sites;

/* [tired] For an access that does not continue its site: returns whether the site rests, so that
 * the access is reported by itself. */
static inline bool rt_site_rests(struct rt_site *site)
{
	if (__builtin_expect(site->tired < RT_SITE_TIRED, 1))
		return false;
	if (++site->refused < RT_SITE_RESTED)
		return true;
	site->tired = site->refused = site->fits = 0;
	return false;
}

/* The same for a site that does not rest.  Returns false if the access is reported by itself. */
bool rt_site_access(struct rt_site *site, uint64_t address, unsigned size, bool is_write);
/* Closes all sites.  Calls rt_judge_places() (judge.h) with their accesses. */
void rt_sites_end(void);

#endif
