/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - slots of the filter that lie side by side, looked at together
 */
#include "runtime/access/rows.h"

#include "runtime/rt.h"

enum { LANES = 4 };

typedef uint64_t lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

static RT_INLINE uint64_t row_note(uint64_t *slot, uint64_t entry, unsigned n, bool is_write)
{
	const lanes all = {entry, entry, entry, entry};
	lanes any = {0}, none = {0}; /* that differ; that are known */
	uint64_t some = 0, known = 0, is_new = 0;
	unsigned i = 0;
	for (; i + LANES <= n; i += LANES) {
		lanes differs = *(const lanes *)(slot + i) ^ all;
		differs = is_write ? differs : differs << 1;
		any |= differs;
		none |= (lanes)(differs == 0);
	}
	for (; i < n; i++) {
		const uint64_t differs = (slot[i] ^ entry) << !is_write;
		some |= differs;
		known |= differs == 0;
	}
	for (i = 0; i < LANES; i++) {
		some |= any[i];
		known |= none[i];
	}
	if (some == 0)
		return 0;
	if (known) {
		for (i = 0; i < n; i++)
			is_new |= (uint64_t)rt_slot_note(&slot[i], entry, is_write) << i;
		return is_new;
	}
	for (i = 0; i + LANES <= n; i += LANES)
		*(lanes *)(slot + i) = all;
	for (; i < n; i++)
		slot[i] = entry;
	return rt_row_all(n);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t row_note_wide(uint64_t *slot, uint64_t entry,
							      unsigned n, bool is_write)
{
	return is_write ? row_note(slot, entry, n, true) : row_note(slot, entry, n, false);
}

static bool is_wide(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
static bool is_wide(void)
{
	return false;
}
#define row_note_wide row_note
#endif

uint64_t rt_row_note(uint64_t *slot, uint64_t entry, unsigned n, bool is_write)
{
	return is_wide() ? row_note_wide(slot, entry, n, is_write)
			 : row_note(slot, entry, n, is_write);
}
