/* SPDX-License-Identifier: Apache-2.0
 *
 * partners_variable.h - the partners of all racy accesses to one variable
 *
 * Idea.   All accesses to the variable are known.  Those of one thread, of one kind, at one
 *         location, with the same locks form a chain (partners.h).  Chains with the same locks
 *         form a group, which an access excludes as a whole or not at all.  Most groups hold one
 *         lock, the guard, and exclude each other: an access that holds it examines only the
 *         others.
 * State.  For one variable at a time, so that it stays in the cache.
 * Cost.   A racy access costs the chains it examines, and a logarithm for each that has
 *         partners.
 */
#ifndef SNAG_DETECT_PARTNERS_VARIABLE_H
#define SNAG_DETECT_PARTNERS_VARIABLE_H

#include "base/slots.h"
#include "detect/partners/partners.h"
#include "order/lockset.h"

struct snag_variable_access {
	uint32_t event;
	snag_loc loc;
	uint32_t who; /* 2 x thread + whether it writes */
	snag_lockset locks;
};

struct snag_variable_partners { /* all 0 to begin with */
	struct snag_variable_chain *chain;
	size_t nchains, chain_cap;
	struct snag_variable_group *group;
	size_t ngroups, group_cap;
	struct snag_slots chains, groups;
	uint32_t *chain_of; /* by access */
	uint32_t *event;    /* the events, chain by chain, ascending in each */
	size_t chain_of_cap, event_cap;
	snag_lockset guard;
	uint32_t guarded, plain; /* lists of groups */
};

void snag_variable_partners_done(struct snag_variable_partners *v);

/* Answers the questions question[order[0 .. norder - 1]] of p about the variable with these
 * accesses; both ascend by event.  Skips questions about other accesses. */
void snag_variable_partners_answer(struct snag_variable_partners *v, struct snag_partners *p,
				   struct snag_locksets *locksets, uint32_t variable,
				   const struct snag_variable_access *access, size_t n,
				   const uint32_t *order, size_t norder);

#endif
