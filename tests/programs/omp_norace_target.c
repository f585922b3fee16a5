/* SPDX-License-Identifier: Apache-2.0
 *
 * Target regions with nowait that are waited for: by depend clauses, also of data that is moved, taskwait,
 * taskgroup, the end of a region; and outside of any, a program that asks for its number asks nothing.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>

enum { N = 40 };

int a[N], b[N], x, y, z, grouped, serial, of_task, inside;

static void chain(void)
{
#pragma omp target nowait depend(out : x) map(tofrom : y)
	y = 1;
#pragma omp target enter data map(to : z) nowait depend(in : x) depend(out : z)
#pragma omp target update to(y) nowait depend(inout : z)
#pragma omp target nowait depend(in : z) map(tofrom : y)
	y++;
#pragma omp target exit data map(release : z) depend(inout : z)
	y++; /* that has waited */
#pragma omp target nowait depend(out : x) map(tofrom : x)
	x = 1;
#pragma omp target depend(inout : x) map(tofrom : x)
	x++;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
	x++;
#pragma omp task depend(inout : x) shared(x) if (0)
	x++;
}

static void joined(void)
{
#pragma omp taskgroup
	{
#pragma omp target nowait map(tofrom : grouped)
		grouped = 1;
	}
	grouped++;
#pragma omp parallel num_threads(1)
	{
#pragma omp target nowait map(tofrom : serial)
		serial = 1;
#pragma omp barrier
		serial++;
#pragma omp task shared(of_task) depend(out : of_task)
		of_task = 1; /* part of the thread */
		of_task++;
#pragma omp target nowait map(tofrom : serial)
		serial++;
	}
	serial++;
}

int main(void)
{
	int local = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp target nowait map(tofrom : a, b, local)
	{
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			b[i] = a[i] + 1;
		local = b[1];
	}
#pragma omp critical
	{
#pragma omp target nowait map(tofrom : z) map(to : a)
		z = a[2];
	}
	if (omp_get_thread_num() != 0 || omp_get_num_threads() != 1)
		return 1;
#pragma omp taskwait
	local += b[N - 1] + z;
	chain();
	joined();
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target nowait depend(out : inside) map(tofrom : inside)
		inside = 1;
#pragma omp target update from(inside) nowait depend(inout : inside)
#pragma omp task depend(in : inside) shared(inside, y)
		y += inside;
	}
	return local != 44 || x != 4 || y != 4 || grouped != 2 || serial != 4 || of_task != 2;
}
