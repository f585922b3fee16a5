/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams on the host and in target regions; a target region that is a task and waits for another.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>

enum { N = 96 };

int a[N], b[N], c[N], sum, n = N;

int main(void)
{
	int total = 0, size = N, all = 0;
#pragma omp teams num_teams(3)
#pragma omp distribute parallel for
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : a, b) firstprivate(size)
	for (int i = 0; i < size; i++)
		b[i] = a[i] + 1;
#pragma omp target map(tofrom : total) map(to : b)
	for (int i = 0; i < N; i++)
		total += b[i];
#pragma omp parallel
#pragma omp single
	{
#pragma omp target nowait depend(out : c) map(tofrom : c)
		for (int i = 0; i < N; i++)
			c[i] = i;
#pragma omp target nowait depend(in : c) map(to : c) map(tofrom : sum)
		for (int i = 0; i < N; i++)
			sum += c[i];
#pragma omp taskwait
	}
#pragma omp target data map(tofrom : a)
	{
#pragma omp target update to(a)
#pragma omp target teams distribute map(tofrom : a)
		for (int i = 0; i < N; i++)
			a[i]++;
	}
#pragma omp teams distribute parallel for reduction(+ : all) num_teams(3)
	for (int i = 0; i < N; i++)
		all += a[i];
	return all != N * (N + 1) / 2 || total != N * (N + 1) / 2 || sum != N * (N - 1) / 2 || a[N - 1] != N;
}
