/* SPDX-License-Identifier: Apache-2.0
 *
 * The same with what they lack: depend objects, iterators, a loop and sections with lastprivate, a taskloop with it,
 * doacross in two dimensions, threads that do not wait but do something else.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>

enum { N = 16 };

int a[N], b[N], by_iterator, by_object, in_order, of_loop, of_sections, of_taskloop, grid[N][N],
	own;

static void tasks(void)
{
	omp_depend_t object;
#pragma omp depobj(object) depend(inout : a[0])
#pragma omp task depend(iterator(i = 0 : N), out : a[i]) priority(1)
	by_iterator = 1;
#pragma omp task depend(in : a[N - 1]) priority(10)
	by_iterator++;
#pragma omp task depend(depobj : object)
	by_object = 1;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object)
	by_object++;
#pragma omp taskwait
#pragma omp depobj(object) destroy
#pragma omp taskgroup
	{
#pragma omp taskloop nogroup grainsize(4)
		for (int i = 0; i < N; i++)
			b[i] = i;
	}
	b[0]++;
#pragma omp taskloop lastprivate(of_taskloop)
	for (int i = 0; i < N; i++)
		of_taskloop = i;
	of_taskloop++;
#pragma omp task final(1)
	{
#pragma omp task
		in_order = 1;
		in_order++;
	}
#pragma omp taskwait
	in_order++;
}

static void loops(void)
{
#pragma omp for lastprivate(of_loop) nowait
	for (int i = 0; i < N; i++)
		of_loop = i;
#pragma omp masked
	own = 1;
#pragma omp sections lastprivate(of_sections)
	{
#pragma omp section
		of_sections = 1;
#pragma omp section
		of_sections = 2;
	}
#pragma omp single
	of_loop += of_sections;
#pragma omp for collapse(1) ordered(2)
	for (int i = 1; i < N; i++)
		for (int k = 1; k < N; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
			grid[i][k] = grid[i - 1][k] + grid[i][k - 1] + 1;
#pragma omp ordered depend(source)
		}
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp single
		tasks();
		loops();
	}
	return by_iterator != 2 || by_object != 2 || in_order != 3 || of_loop != N + 1 ||
	       of_taskloop != N || grid[2][2] != 5 || b[0] != 1 || own != 1;
}
