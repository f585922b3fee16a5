/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.c - traces near the known interesting ones
 */
#include "mutate.h"

#include "cases.h"

#include <string.h>

static void drop(struct draft *d, unsigned e)
{
	memmove(&d->ev[e], &d->ev[e + 1], (d->n - e - 1) * sizeof(d->ev[0]));
	d->n--;
}

static void insert(struct draft *d, unsigned at, struct snag_event ev)
{
	memmove(&d->ev[at + 1], &d->ev[at], (d->n - at) * sizeof(d->ev[0]));
	d->ev[at] = ev;
	d->n++;
}

static struct snag_event random_event(struct prng *random, const struct draft *d)
{
	struct snag_event ev = d->ev[prng_below(random, d->n)];
	const struct snag_event *other = &d->ev[prng_below(random, d->n)];
	if (prng_chance(random, 50))
		ev.thread = other->thread;
	if (prng_chance(random, 30))
		ev.op = prng_chance(random, 70)	  ? (uint8_t)prng_below(random, 2)
			: prng_chance(random, 80) ? SNAG_OP_BRANCH
						  : SNAG_OP_DEPENDS;
	if (snag_op_info[ev.op].space == SNAG_SPACE_NONE)
		ev.target = 0;
	else if (snag_op_info[ev.op].space == snag_op_info[other->op].space)
		ev.target = other->target;
	return ev;
}

/* One change; the draft has at least one event. */
static void change(struct prng *random, unsigned max_events, struct draft *d)
{
	unsigned e = prng_below(random, d->n);
	bool has_room = d->n < max_events;
	switch (prng_below(random, 6)) {
	case 0: /* an event less */
		if (d->n > 2)
			drop(d, e);
		break;
	case 1: /* an event more */
		if (has_room)
			insert(d, e, random_event(random, d));
		break;
	case 2: /* an event elsewhere */ {
		struct snag_event ev = d->ev[e];
		drop(d, e);
		insert(d, prng_below(random, d->n + 1), ev);
		break;
	}
	case 3: /* another event */
		d->ev[e] = random_event(random, d);
		break;
	case 4: /* read and write exchanged */
		if (snag_op_is_access(d->ev[e].op))
			d->ev[e].op = d->ev[e].op == SNAG_OP_READ ? SNAG_OP_WRITE : SNAG_OP_READ;
		break;
	case 5: /* the same thing by another thread */
		d->ev[e].thread = prng_below(random, 3);
		break;
	}
}

void mutate_known(struct prng *random, unsigned max_events, struct draft *ret_draft)
{
	const struct draft *known = cases_draft(prng_below(random, cases_count()));
	*ret_draft = *known;
	if (max_events > MAX_EVENTS)
		max_events = MAX_EVENTS;
	for (unsigned left = prng_range(random, 1, 6); left > 0; left--)
		for (unsigned tries = 0; tries < 8; tries++) {
			struct draft changed = *ret_draft;
			change(random, max_events, &changed);
			if (draft_check(&changed)) {
				*ret_draft = changed;
				break;
			}
		}
}
