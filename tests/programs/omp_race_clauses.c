/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses and directives that order nothing, or less than one may think.
 * race: by_priority
 * race: of_mergeable
 * race: by_iterator
 * race: by_object
 * race: behind_yield
 * race: of_masked
 * race: copied
 * race: not_grouped
 * race: sunk
 * race: nested
 * race: captured
 */
#include <omp.h>

enum { N = 16 };

int by_priority, of_mergeable, by_iterator, by_object, behind_yield, of_masked, copied;
int not_grouped, sunk[N + 2], nested, captured, a[N], seen;
omp_nest_lock_t one, other;

static void tasks(void)
{
	omp_depend_t object;
#pragma omp depobj(object) depend(inout : a[0])
#pragma omp task priority(10)
	by_priority = 1;
#pragma omp task priority(1)
	by_priority = 2;
#pragma omp task mergeable
	of_mergeable = 1;
	of_mergeable = 2;
#pragma omp task depend(iterator(i = 0 : 4), out : a[i])
	by_iterator = 1;
#pragma omp task depend(in : a[4]) /* behind the last */
	by_iterator = 2;
#pragma omp task depend(depobj : object)
	by_object = 1;
#pragma omp task depend(out : a[5])
	by_object = 2;
#pragma omp task
	{
		behind_yield = 1;
#pragma omp taskyield
	}
	behind_yield = 2;
#pragma omp taskloop nogroup grainsize(4)
	for (int i = 0; i < N; i++)
		not_grouped = i / 4;
	not_grouped++;
#pragma omp taskwait
#pragma omp depobj(object) destroy
}

static void loops(void)
{
#pragma omp for ordered(1)
	for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
		sunk[i + 1] = i;
#pragma omp ordered depend(source)
		sunk[i + 2] += i; /* it has been told already */
	}
}

static void threads(void)
{
	int *shared_by_all;
#pragma omp masked filter(1)
	of_masked = 1; /* no barrier at its end */
#pragma omp master
	of_masked = 2;
#pragma omp single copyprivate(shared_by_all)
	shared_by_all = &copied;
	*shared_by_all += 1;
#pragma omp sections
	{
#pragma omp section
		{
			omp_set_nest_lock(&one);
			omp_set_nest_lock(&one);
			nested++;
			omp_unset_nest_lock(&one);
			nested++;
			omp_unset_nest_lock(&one);
		}
#pragma omp section
		{
			omp_set_nest_lock(&other);
			nested++;
			omp_unset_nest_lock(&other);
		}
	}
	int before;
#pragma omp atomic capture
	before = captured++;
#pragma omp single nowait
	seen = before + captured; /* not atomic */
}

int main(void)
{
	omp_init_nest_lock(&one);
	omp_init_nest_lock(&other);
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		tasks();
		loops();
#pragma omp barrier
		threads();
	}
	return 0;
}
