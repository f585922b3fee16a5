/* SPDX-License-Identifier: Apache-2.0
 *
 * The iterations of loop directives are parallel, whatever they bind to: if they do not say so, the
 * region around.
 * race: late
 */
enum { N = 64 };
static int early[N], late[N], sum, times;

/* Threads share the iterations of one, and each has all of the other. */
static int shared_or_not(void)
{
	int n = 0;
#pragma omp parallel reduction(+ : n) num_threads(3)
	{
		if (n == 0) {
#pragma omp loop
			for (int i = 0; i < N; i++)
				n++;
		}
#pragma omp single
		{
#pragma omp loop lastprivate(times)
			for (int i = 0; i < N; i++)
				times = i;
		}
#pragma omp loop bind(thread) reduction(+ : n)
		for (int i = 0; i < N; i++)
			n++;
	}
	return n;
}

int main(void)
{
#pragma omp parallel loop collapse(1) reduction(+ : sum) order(concurrent)
	for (int i = 1; i < N; i++) {
		early[i] = i;
		sum += early[i];
	}
#pragma omp parallel
	{
#pragma omp loop private(sum) bind(parallel)
		for (int i = 1; i < N; i++)
			late[i] = late[i - 1] + early[i];
	}
	return sum != N * (N - 1) / 2 || shared_or_not() != 4 * N || times != N - 1;
}
