/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_memory_state.h - the state of the pass over memory
 */
#ifndef SNAG_DETECT_CONTENDED_MEMORY_STATE_H
#define SNAG_DETECT_CONTENDED_MEMORY_STATE_H

#include "detect/slice/contended_access.h"
#include "detect/slice/contended_memory.h"
#include "shadow/shadow.h"

enum {
	PAGE = SHADOW_PAGE,
	LINE = SHADOW_LINE,
	WORD_LOG = SNAG_WORD_LOG,
	WORD = SNAG_WORD,
};

struct snag_contended_memory {
	struct snag_contended *c;
	struct shadow shadow;
	snag_tid t;	     /* the acting thread */
	uint32_t time;	     /* of the present event; odd: shared, rule [time] */
	uint64_t ncontended; /* of c->counts, as last looked at */
	bool has_partial;    /* some part is, or was, PARTIAL */
	bool is_freeing;     /* the access is the end of a block */
	struct snag_counts counts;
	uint64_t nwanted;
	struct snag_word_set needed;
	uint32_t freed_time; /* of the last access to a FREED variable, and where it begins */
	uint64_t freed_at;
};

/* [time] The next event is a single one / accesses that are several events. */
static inline void time_single(struct snag_contended_memory *m)
{
	m->time = (m->time | 1) + 1;
}

static inline void time_shared(struct snag_contended_memory *m)
{
	m->time = (m->time | 1) + 2;
}

static inline bool is_alike(const struct snag_contended *c, uint32_t a, uint32_t b)
{
	return memcmp(&c->x[a], &c->x[b], sizeof(*c->x)) == 0 &&
	       (!c->has_guards || c->guard[a] == c->guard[b]);
}

#endif
