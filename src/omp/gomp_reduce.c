/* SPDX-License-Identifier: Apache-2.0
 *
 * gomp_reduce.c - reductions that tasks take part in, as gcc does them
 *
 * Idea.   gcc lays out a table of what is reduced, and gets an array with a part for each
 *         thread of the team, zeroed.  A task asks for the part of the thread it runs on; code
 *         of gcc's combines the parts when all is done, going by the number of threads.  A
 *         part is private to its thread, so what is done there is not seen.
 *
 * State.  table[COUNT]   entries, at table[ENTRIES], three words each: an address, an offset, ours
 *         table[NBYTES]  of a part
 *         table[ARRAY]   its alignment; then the array
 *         table[NEXT]    the next of those that gcc registers together, then those of groups
 *                        outside; 0: none
 *         table[IS_FIRST]  of those registered together
 *         table[END]     of the array
 */
#include "omp/gomp.h"

enum { COUNT, NBYTES, ARRAY, ALLOCATOR, NEXT, IS_FIRST, END, ENTRIES, ENTRY = 3 };

static uintptr_t *next_of(const uintptr_t *table)
{
	return (uintptr_t *)table[NEXT];
}

/* The block begins before the array, at an address that stands there. */
static void array_make(uintptr_t *table, size_t nthreads)
{
	size_t align = table[ARRAY] < 16 ? 16 : table[ARRAY], nbytes = table[NBYTES] * nthreads;
	char *block = mp_alloc(nbytes + align + sizeof(block));
	table[ARRAY] = ((uintptr_t)block + sizeof(block) + align - 1) & ~(align - 1);
	((char **)table[ARRAY])[-1] = block;
	table[END] = table[ARRAY] + nbytes;
	mp_memory((void *)table[ARRAY], nbytes);
	if (mp.hooks)
		mp.hooks->copy((void *)table[ARRAY], nbytes, SNAG_OMP_COPY_USED);
}

static void array_free(const uintptr_t *table)
{
	if (mp.hooks)
		mp.hooks->copy((void *)table[ARRAY], 0, SNAG_OMP_COPY_COMBINED);
	mp_free(((char **)table[ARRAY])[-1]);
}

/* `shared`: a table with the same arrays; NULL: none. */
static void table_register(uintptr_t *table, uintptr_t *outer, const uintptr_t *shared,
			   int nthreads)
{
	for (uintptr_t *d = table;; d = next_of(d)) {
		d[IS_FIRST] = d == table;
		if (shared) {
			d[ARRAY] = shared[ARRAY];
			d[END] = shared[END];
			shared = next_of(shared);
		} else {
			array_make(d, (size_t)nthreads);
		}
		if (!d[NEXT]) {
			d[NEXT] = (uintptr_t)outer;
			return;
		}
	}
}

MP_ABI(void, GOMP_taskgroup_reduction_register, uintptr_t *table)
{
	struct mp_task *t = MP_ENTER();
	table_register(table, t->group->table, NULL, t->team->n);
	t->group->table = table;
}

MP_ABI(void, GOMP_taskgroup_reduction_unregister, uintptr_t *table)
{
	MP_ENTER();
	do {
		array_free(table);
		table = next_of(table);
	} while (table && !table[IS_FIRST]);
}

void gomp_table_share(uintptr_t *table, uintptr_t **first)
{
	struct mp_task *t = mp.now->task;
	mp_group_push();
	table_register(table, t->group->table, *first, t->team->n);
	t->group->table = table;
	if (!*first)
		*first = table;
}

MP_ABI(void, GOMP_workshare_task_reduction_unregister, bool is_cancelled)
{
	struct mp_task *t = MP_ENTER();
	uintptr_t *table = t->group->table;
	mp_group_pop();
	if (t->number == 0)
		GOMP_taskgroup_reduction_unregister(table);
	if (!is_cancelled)
		mp_barrier();
}

struct reductions {
	mp_body *body;
	void *arg;
	uintptr_t *table;
};

static void reductions_body(void *arg)
{
	struct reductions *r = arg;
	mp_group_push();
	mp.now->task->group->table = r->table;
	r->body(r->arg);
	mp_group_pop();
}

/* The caller combines, and unregisters. */
MP_ABI(unsigned, GOMP_parallel_reductions, mp_body *body, void *arg, unsigned nthreads,
       unsigned flags)
{
	struct reductions r = {body, arg, *(uintptr_t **)arg};
	MP_ENTER();
	int n = mp_team_size((int)nthreads, nthreads == 1);
	table_register(r.table, NULL, NULL, n);
	mp_parallel(reductions_body, &r, n);
	gomp_sent(arg);
	return (unsigned)n;
}

/* The entry that an address belongs to: of the original, or of the copy of a thread. */
static const uintptr_t *entry_of(uintptr_t *table, uintptr_t at, const uintptr_t **ret_table)
{
	for (; table; table = next_of(table)) {
		uintptr_t offset = at - table[ARRAY];
		bool is_copy = at >= table[ARRAY] && at < table[END];
		offset %= table[NBYTES];
		for (size_t i = 0; i < table[COUNT]; i++) {
			const uintptr_t *entry = &table[ENTRIES + ENTRY * i];
			*ret_table = table;
			if (is_copy ? entry[1] == offset : entry[0] == at)
				return entry;
		}
	}
	return NULL;
}

/* Replaces the first n addresses by those of the thread's copies; behind them it puts the originals
 * of the first few. */
MP_ABI(void, GOMP_task_reduction_remap, size_t n, size_t few, void **at)
{
	struct mp_task *t = MP_ENTER();
	const uintptr_t *table;
	for (size_t i = 0; i < n; i++) {
		const uintptr_t *entry =
			entry_of(t->group ? t->group->table : NULL, (uintptr_t)at[i], &table);
		if (!entry)
			mp_fail("OpenMP: in_reduction of what no reduction is of");
		at[i] = (void *)(table[ARRAY] + (uintptr_t)t->number * table[NBYTES] + entry[1]);
		if (i < few)
			at[n + i] = (void *)entry[0];
	}
}
