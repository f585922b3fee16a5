/* SPDX-License-Identifier: Apache-2.0
 *
 * race_values.c - the values of the variable of a race, around its two accesses
 */
#include "runtime/sched/race_values.h"

#include "runtime/channel/record.h"
#include "runtime/sched/policy.h"

#include <string.h>

static struct {
	uintptr_t addr;
	unsigned size;
	unsigned n; /* values that are known */
	uint64_t value[RT_RACE_VALUES];
} race;

static void value_read(void)
{
	uint64_t value = 0;
	memcpy(&value, (const void *)race.addr, race.size);
	race.value[race.n++] = value;
}

void rt_race_values_access(uintptr_t addr, unsigned size)
{
	unsigned turn = rt_policy_race_turn();
	if (turn == 1) {
		race.addr = addr;
		race.size = size;
		race.n = 0;
		value_read();
	} else if (turn == 2 && race.n == 1 && race.addr == addr && race.size == size) {
		value_read();
	}
}

void rt_race_values_put(void)
{
	if (race.n != RT_RACE_VALUES - 1)
		return;
	value_read();
	for (unsigned i = 0; i < 2 * RT_RACE_VALUES; i++)
		rt_put(RT_NOTE, i, race.value[i / 2] >> 32 * (i % 2) & UINT32_MAX, race.size,
		       RT_NOTE_VALUE);
}
