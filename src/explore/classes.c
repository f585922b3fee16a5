/* SPDX-License-Identifier: Apache-2.0
 *
 * classes.c - runs of a program that show every class of equivalent runs
 */
#include "explore/classes.h"

#include "base/memory.h"
#include "explore/vain.h"

bool snag_classes_next(struct snag_classes *c, struct snag_turns *ret_turns)
{
	if (!c->has_begun) {
		c->has_begun = true;
		*ret_turns = (struct snag_turns){0};
		return true;
	}
	if (!c->nwaiting)
		return false;
	*ret_turns = c->waiting[--c->nwaiting];
	return true;
}

bool snag_classes_add(struct snag_classes *c, const struct snag_moves *moves)
{
	struct snag_relation r;
	c->runs++;
	if (!snag_relation_make(&r, moves)) {
		c->is_cut = true;
		return false;
	}
	bool is_new = snag_tally_add(&c->classes, r.class) == 0;
	c->redundant += !is_new;
	for (size_t i = 0; is_new && i < r.nreversals; i++) {
		if (snag_reversal_is_vain(&r, &r.reversal[i])) {
			c->has_vain = true;
			continue;
		}
		if (snag_tally_add(&c->tried, snag_reversal_number(&r, &r.reversal[i])) > 0)
			continue;
		c->waiting = snag_grow(c->waiting, &c->room, c->nwaiting + 1, sizeof(*c->waiting));
		snag_reversal_turns(&r, &r.reversal[i], &c->waiting[c->nwaiting++]);
	}
	snag_relation_done(&r);
	return is_new;
}

void snag_classes_done(struct snag_classes *c)
{
	snag_tally_done(&c->tried);
	snag_tally_done(&c->classes);
	for (size_t i = 0; i < c->nwaiting; i++)
		snag_turns_done(&c->waiting[i]);
	free(c->waiting);
	*c = (struct snag_classes){0};
}
