/* SPDX-License-Identifier: Apache-2.0
 *
 * mute.c - a replay records its race, and nothing before it
 */
#include "runtime/channel/mute.h"

#include "runtime/access/access.h"

/* While the runtime is mute, the limit is such that rt_record_room() gets each record. */
static void mute_set(bool is_mute)
{
	rt.is_mute = is_mute;
	rt.is_unheard = rt.is_alone || is_mute;
	rt.limit = rt.written;
}

void rt_mute_begin(void)
{
	mute_set(true);
	/* A large table only saves records. */
	rt_filter.bytes = RT_FILTER_BYTES(RT_FILTER_SMALL_LOG);
}

void rt_mute_end(void)
{
	if (rt.is_mute)
		mute_set(false);
}

bool rt_mute_puts(enum rt_op op)
{
	switch (op) {
	case RT_MODULE:
	case RT_MODULE_END:
	case RT_TEXT:
	case RT_NOTE:
		return true;
	default:
		return false;
	}
}
