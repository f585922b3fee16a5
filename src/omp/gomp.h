/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp.h - what the files of gcc's door (gomp*.c) share
 */
#ifndef SNAG_OMP_GOMP_H
#define SNAG_OMP_GOMP_H

#include "omp/abi.h"

/* nthreads as gcc gives it: 0 if the program gives no number, and 1 also if an if clause is
 * false. */
void gomp_parallel(mp_body *body, void *arg, unsigned nthreads);

/* gcc has passed these arguments, and may copy some of them back. */
static inline void gomp_sent(const void *arg)
{
	if (mp.hooks)
		mp.hooks->sent(arg);
}

/* A loop as gcc describes it: `end` is after the last iteration; `up` is the direction,
 * because an unsigned `by` has no sign. */
struct gomp_range {
	uint64_t start, end, by;
	bool up;
};

/* An empty loop may begin behind its end. */
/* gcc passes a negative step of an unsigned int as a large positive step of a long. */
static inline struct gomp_range gomp_range_of(long start, long end, long by)
{
	bool is_unsigned = (uint64_t)start <= UINT32_MAX && (uint64_t)end <= UINT32_MAX;
	if (is_unsigned && by > INT32_MAX && by <= UINT32_MAX)
		by = (int32_t)by;
	if (by > 0 ? start > end : start < end)
		end = start;
	return (struct gomp_range){(uint64_t)start, (uint64_t)end, (uint64_t)by, by > 0};
}

static inline struct gomp_range gomp_range_of_ull(bool up, uint64_t start, uint64_t end,
						  uint64_t by)
{
	if (up ? start > end : start < end)
		end = start;
	return (struct gomp_range){start, end, by, up};
}

static inline uint64_t gomp_range_count(struct gomp_range r)
{
	uint64_t width = r.up ? r.end - r.start : r.start - r.end, by = r.up ? r.by : -r.by;
	return width ? (width - 1) / by + 1 : 0;
}

/* gcc's tables of task reductions (gomp_reduce.c). All threads of a construct may have a table:
 * `*first` is the table of the first thread that came, and the others share its memory. */
void gomp_table_share(uintptr_t *table, uintptr_t **first);

/* Depend clauses, as gcc lays them out, in `small` or in a block of their own. */
enum { GOMP_SMALL = 64 };
struct mp_depend *gomp_depends_read(struct mp_depend *small, void **depend, size_t *ret_n);
void gomp_depends_done(struct mp_depend *small, struct mp_depend *d);

void GOMP_taskgroup_reduction_register(uintptr_t *table);

#endif
