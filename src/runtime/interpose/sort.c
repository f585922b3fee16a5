/* SPDX-License-Identifier: Apache-2.0
 *
 * sort.c - qsort: the C library reads and writes the whole array
 *
 * The comparison is code of the program, whose own reads are observed.  So the call counts as one
 * access to the array, before it runs, and the thread is outside the runtime while it runs.
 */
#include "runtime/access/access.h"
#include "runtime/interpose/real.h"
#include "runtime/modules.h"

static void sorted(void *at, size_t n, size_t each, uintptr_t pc)
{
	rt_begin_once();
	if (n > 1 && rt_modules_counts(pc) && rt_access_count()) {
		rt_access_more((uintptr_t)at, n * each, false, pc);
		rt_access_more((uintptr_t)at, n * each, true, pc);
	}
}

RT_EXPORT void qsort(void *at, size_t n, size_t each, comparison_fn_t compare)
{
	RT_SCOPE;
	sorted(at, n, each, RT_CALLER);
	unsigned depth = rt_scope_pause();
	rt_real.qsort(at, n, each, compare);
	rt_scope_resume(depth);
}

RT_EXPORT void qsort_r(void *at, size_t n, size_t each, __compar_d_fn_t compare, void *context)
{
	RT_SCOPE;
	sorted(at, n, each, RT_CALLER);
	unsigned depth = rt_scope_pause();
	rt_real.qsort_r(at, n, each, compare, context);
	rt_scope_resume(depth);
}
