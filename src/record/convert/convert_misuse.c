/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_misuse.c - mistakes of the program: those that its runtime reports, and uses of freed
 * memory
 *
 * Idea.   The cells of a block are marked when it is freed (cells.h).  The next access to such a
 *         cell is looked up: if the block that lay there is still the last one (regions.h), this is
 *         a use after free, whether or not something orders the two.  Each cell is looked up once.
 * Rules.  [before]  RT_BEFORE belongs to the next RT_MISUSE
 *         [names]   a lock or block is named after its place, a thread T1, a signal by its name
 */
#include "record/convert/convert_state.h"

#include "record/convert/regions.h"

#include <stdio.h>
#include <string.h>

static void object_name(struct snag_convert *c, enum rt_misuse what, uint64_t object,
			char text[SNAG_REGION_NAME])
{
	const char *signal;
	switch (what) {
	case RT_MISUSE_NOT_JOINABLE:
		if (object == RT_ADDRESS_MASK) {
			snprintf(text, SNAG_REGION_NAME, "a thread that was joined");
			break;
		}
		/* fall through */
	case RT_MISUSE_THREAD_LEAK:
	case RT_MISUSE_IGNORES:
		snprintf(text, SNAG_REGION_NAME, "thread T%u", (unsigned)object);
		break;
	case RT_MISUSE_SIGNAL_UNSAFE:
	case RT_MISUSE_SIGNAL_ERRNO:
		signal = sigabbrev_np((int)object);
		if (signal)
			snprintf(text, SNAG_REGION_NAME, "SIG%s", signal);
		else
			snprintf(text, SNAG_REGION_NAME, "signal %u", (unsigned)object);
		break;
	default:
		snag_regions_name(c->regions, object, text, NULL);
	}
}

/* Interns the name of each byte: a variable has the name of its first one. */
static void benign_add(struct snag_convert *c, const struct rt_record *r)
{
	char text[SNAG_REGION_NAME];
	for (uint32_t i = 0; i < r->arg && i < RT_BENIGN_BYTES; i++) {
		size_t len = snag_regions_name(c->regions, rt_record_address(r) + i, text, NULL);
		snag_strtab_intern(&c->benign, text, len);
	}
}

void snag_convert_misuse(struct snag_convert *c, enum rt_op op, const struct rt_record *r)
{
	char text[SNAG_REGION_NAME];
	struct snag_misuse *m = &c->misuse;
	if (op == RT_BENIGN) {
		benign_add(c, r);
		return;
	}
	if (op == RT_BEFORE) {
		m->has_before = true;
		m->before_thread = snag_convert_thread(c, r->arg);
		m->before = loc_of(c, r);
		return;
	}
	const unsigned what = rt_record_size(r);
	if (what < RT_MISUSES) {
		object_name(c, (enum rt_misuse)what, rt_record_address(r), text);
		m->kind = (enum snag_misuse_kind)what;
		m->thread = snag_convert_thread(c, r->arg);
		m->loc = loc_of(c, r);
		m->object = text;
		snag_misuses_add(&c->misuses, m);
	}
	*m = (struct snag_misuse){0};
}

void snag_convert_check_freed(struct snag_convert *c, enum snag_misuse_kind kind, uint64_t addr,
			      snag_loc loc)
{
	struct snag_region_end end;
	char text[SNAG_REGION_NAME];
	if (!snag_regions_ended(c->regions, addr, &end))
		return;
	snag_regions_name(c->regions, addr, text, NULL);
	snag_misuses_add(&c->misuses, &(struct snag_misuse){.kind = kind,
							    .thread = c->thread,
							    .loc = loc,
							    .has_before = true,
							    .before_thread = end.thread,
							    .before = end.loc,
							    .object = text});
}

void snag_convert_freed_used(void *ctx, uint64_t addr)
{
	struct snag_convert *c = ctx;
	if (c->accessing)
		snag_convert_check_freed(c, SNAG_MISUSE_USE_AFTER_FREE, addr,
					 loc_of(c, c->accessing));
}
